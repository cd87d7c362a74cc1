// The page: a chart at each place, redrawn for a new size, a colour scheme, or print.

const { palette, charts } = JSON.parse(document.getElementById("charts").textContent);
const HEIGHT = 270;
const plots = [];

function draw(figure, chart) {
  const place = figure.querySelector(".plot");
  const plot = new uPlot({
    width: place.clientWidth, height: HEIGHT,
    scales: scalesOf(chart),
    axes: [axisOf(chart, "x"), axisOf(chart, "y")],
    series: [{}, ...chart.curves.map((curve) => seriesOf(curve, isCrowded(chart)))],
    cursor: cursorOf(chart), legend: { show: false }, padding: [10, 24, 0, 0],
    hooks: { draw: [(drawn) => drawMarks(drawn, chart)] },
  }, columns(chart), place);
  addLegend(figure.querySelector(".legend"), chart, plot);
  addKeys(place, plot);
  addSaving(figure, chart.file, {
    SVG: (title) => chartAsSvg(title, chart, plot), CSV: () => chartAsCsv(chart, plot),
  });
  new ResizeObserver(() => {
    if (!printing && place.clientWidth) plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(place);
  plots.push(plot);
}

/** Lets keys reach, and then scroll, tables and texts wider than their place. */
function letScroll() {
  for (const each of document.querySelectorAll(".scroll, pre")) {
    each.tabIndex = each.scrollWidth > each.clientWidth ? 0 : -1;
  }
}

function repaint() {
  for (const plot of plots) plot.redraw(false);
  for (const map of maps) paintMap(map);
  for (const key of document.querySelectorAll(".legend .entry svg")) key.paint();
}

/** Prepares for print: light colours, two charts in a row at their true size, nothing folded. */
function preparePrint() {
  printing = true;
  for (const each of document.querySelectorAll("details:not([open])")) {
    each.open = true;
    each.dataset.folded = "";
  }
  for (const plot of plots) plot.setSize({ width: 330, height: 210 });
  repaint();
}

function endPrint() {
  printing = false;
  for (const each of document.querySelectorAll("details[data-folded]")) {
    each.open = false;
    delete each.dataset.folded;
  }
  for (const plot of plots) {
    const place = plot.root.parentElement;
    plot.setSize({ width: place.clientWidth, height: HEIGHT });
  }
  repaint();
}

document.querySelectorAll("figure.chart").forEach((figure, index) => {
  const chart = charts[index];
  chart.section = figure.closest("section").id;
  const drawing = figure.querySelector("svg");
  if (drawing) addSaving(figure, chart.file, { SVG: (title) => drawingAsSvg(title, drawing, chart) });
  else if (figure.querySelector(".plot")) draw(figure, chart);
});
for (const figure of document.querySelectorAll("figure.drawing")) {
  const drawing = figure.querySelector("svg");
  addSaving(figure, figure.dataset.file, { SVG: (title) => drawingAsSvg(title, drawing) });
}
for (const [rooms, add] of Object.entries(ROOMS)) document.querySelectorAll(rooms).forEach(add);
new ResizeObserver(letScroll).observe(document.body);
darkScreen.addEventListener("change", repaint);
addEventListener("beforeprint", preparePrint);
addEventListener("afterprint", endPrint);
