// The pointer, and keys in its place: they choose the values shown, and zoom.

function cursorOf(chart) {
  const overTime = chart.x.label.startsWith("simulated time");
  return {
    drag: overTime ? { x: true, y: false, dist: 4 } : { x: true, y: true, uni: 30, dist: 4 },
    sync: overTime ? { key: chart.section, scales: ["x", null] } : undefined,
    dataIdx: nearest,
    points: { size: 7, fill: (plot, series) => colourOf(chart.curves[series - 1]) },
    focus: { prox: -1 },
  };
}

/** The index of the curve's value nearest to the pointer. */
function nearest(plot, series, hovered) {
  const ys = plot.data[series], xs = plot.data[0];
  if (series === 0 || ys[hovered] != null) return hovered;
  let left = hovered, right = hovered;
  while (left >= 0 && ys[left] == null) left -= 1;
  while (right < ys.length && ys[right] == null) right += 1;
  if (left < 0 || right >= ys.length) return outside(plot, ys, hovered, left, right);
  return xs[hovered] - xs[left] <= xs[right] - xs[hovered] ? left : right;
}

/** Outside a curve: the index of its first or last point if near the pointer, else null. */
function outside(plot, ys, hovered, left, right) {
  const place = left >= 0 ? left : right;
  if (place < 0 || place >= ys.length) return null;
  const at = (index) => plot.valToPos(plot.data[0][index], "x");
  return Math.abs(at(place) - at(hovered)) < 12 ? place : null;
}

/** How far a key moves the pointer, as a share of the chart. */
const STEP = 0.01;
const KEYS = {
  ArrowLeft: (plot) => step(plot, -STEP),
  ArrowRight: (plot) => step(plot, STEP),
  "+": (plot) => zoom(plot, 0.5),
  "=": (plot) => zoom(plot, 0.5),
  "-": (plot) => zoom(plot, 2),
  Escape: seeAll,
};

function addKeys(place, plot) {
  place.tabIndex = 0;
  place.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act(plot);
  });
}

function step(plot, share) {
  const { clientWidth: width, clientHeight: height } = plot.over;
  const from = plot.cursor.left >= 0 ? plot.cursor.left : 0;
  const left = Math.min(Math.max(from + share * width, 0), width - 1);
  plot.setCursor({ left, top: height / 2 }, true, true);
}

/** Zooms the x axis by a factor, around the pointer, in all charts that zoom together. */
function zoom(plot, factor) {
  const width = plot.over.clientWidth;
  const centre = plot.cursor.left >= 0 ? plot.cursor.left : width / 2;
  const [min, max] = [centre - centre * factor, centre + (width - centre) * factor]
    .map((place) => plot.posToVal(place, "x"));
  const [first, last] = [plot.data[0][0], plot.data[0].at(-1)];
  if (min <= first && max >= last) return seeAll(plot);
  const { key } = plot.cursor.sync;
  for (const each of key ? uPlot.sync(key).plots : [plot]) each.setScale("x", { min, max });
}

function seeAll(plot) {
  plot.over.dispatchEvent(new MouseEvent("dblclick"));
}
