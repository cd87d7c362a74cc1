// Marks beside lines and dots: boxes, bars, error bars, and rings around points that do not
// hold what they promise.

const MOST_BARS = 40;
const CAP = 3;
const BOX_WIDTH = 0.2;
const OUTLIER = 2;
const RING = 3.5;

/** All boxes of a chart: curve, x, and numbers in base units. */
function boxesOf(chart) {
  return chart.curves.flatMap((curve, index) => (curve.boxes || []).map((numbers, place) => ({
    curve,
    series: index + 1,
    x: chart.xs[curve.x][place] * chart.x.scale,
    numbers: numbers.map((number) => number * chart.y.scale),
  })));
}

/** All bars of a chart: curve, x, width, and both ends in base units. */
function columnsOf(chart) {
  return chart.curves.flatMap((curve, index) => (curve.base || []).flatMap((base, place) => {
    const high = curve.y[place];
    if (high === null || base === null) return [];
    const x = chart.xs[curve.x][place] * chart.x.scale;
    return [{ curve, series: index + 1, x, width: curve.width, ends: [base, base + high].map((end) => end * chart.y.scale) }];
  }));
}

/** All error bars of a chart: curve, x, and both ends in base units. */
function barsOf(chart) {
  return chart.curves.flatMap((curve, index) => (curve.spread ? curve.spread[0] : []).flatMap(
    (low, place) => {
      const high = curve.spread[1][place];
      if (low === null || high === null) return [];
      const x = chart.xs[curve.x][place] * chart.x.scale;
      const ends = [low * chart.y.scale, high * chart.y.scale];
      return [{ curve, series: index + 1, x, ends }];
    }));
}

/** All hollow points of a chart, in base units. */
function ringsOf(chart) {
  return chart.curves.flatMap((curve, index) => (curve.hollow || []).flatMap((place) => {
    if (curve.y[place] === null) return [];
    const x = chart.xs[curve.x][place] * chart.x.scale;
    return [{ curve, series: index + 1, x, y: curve.y[place] * chart.y.scale }];
  }));
}

/** The marks of shown curves as paths of SVG, in pixels of the plotting area. */
function marksOf(plot, chart) {
  const shown = ({ series }) => plot.series[series].show;
  return [
    ...columnsOf(chart).filter(shown).map((column) => columnShape(plot, column)),
    ...boxesOf(chart).filter(shown).map((box) => boxShape(plot, box)),
    ...barsOf(chart).filter(shown).map((bar) => barShape(plot, bar)),
    ...ringsOf(chart).filter(shown).map((ring) => ringShape(plot, ring)),
  ];
}

/** A bar, with a rim in the colour of the background. */
function columnShape(plot, { curve, x, width, ends }) {
  const [low, high] = ends.map((end) => plot.valToPos(end, "y"));
  const [left, right] = [-0.5, 0.5].map((part) => plot.valToPos(x + part * width, "x"));
  const rim = Math.min(0.5, Math.abs(high - low) / 4);
  const corners = [[left + 0.5, low - rim], [right - 0.5, low - rim], [right - 0.5, high + rim], [left + 0.5, high + rim]];
  return { curve, stroke: "", width: 0, fill: `${pathOf([corners])}Z` };
}

/** A box from quartile to quartile, with its median, whiskers and outliers. */
function boxShape(plot, { curve, x, numbers }) {
  const at = (value) => plot.valToPos(value, "y");
  const [left, middle, right] = [-0.5, 0, 0.5].map((part) =>
    plot.valToPos(x + part * BOX_WIDTH, "x"));
  const [low, lower, median, upper, high] = numbers.slice(0, 5).map(at);
  const stroke = pathOf([
    [[left, lower], [left, upper], [right, upper], [right, lower], [left, lower]],
    [[left, median], [right, median]],
    [[middle, lower], [middle, low]], [[middle, upper], [middle, high]],
    [[left, low], [right, low]], [[left, high], [right, high]],
  ]);
  const fill = numbers.slice(5).map((value) => {
    const corner = `${pixels(middle - OUTLIER / 2)} ${pixels(at(value) - OUTLIER / 2)}`;
    return `M${corner}h${OUTLIER}v${OUTLIER}h-${OUTLIER}z`;
  });
  return { curve, stroke, width: 1.4, fill: fill.join("") };
}

/** An error bar, with caps unless the chart has so many bars that caps would overlap. */
function barShape(plot, { curve, x, ends }) {
  const [low, high] = ends.map((end) => plot.valToPos(end, "y"));
  const middle = plot.valToPos(x, "x");
  const cap = curve.spread[0].length > MOST_BARS ? 0 : CAP;
  const stroke = pathOf([
    [[middle, low], [middle, high]], [[middle - cap, low], [middle + cap, low]],
    [[middle - cap, high], [middle + cap, high]],
  ]);
  return { curve, stroke, width: 1, fill: "" };
}

/** A ring that hides the point below it. */
function ringShape(plot, { curve, x, y }) {
  const [left, middle] = [plot.valToPos(x, "x") - RING, plot.valToPos(y, "y")];
  const half = (way) => `a${RING} ${RING} 0 1 0 ${way * 2 * RING} 0`;
  const stroke = `M${pixels(left)} ${pixels(middle)}${half(1)}${half(-1)}z`;
  return { curve, stroke, width: 1.4, fill: "", paper: stroke };
}

/** Lines through points, as a path of SVG. */
function pathOf(lines) {
  return lines.map((line) => `M${line.map((point) => point.map(pixels).join(" ")).join("L")}`)
    .join("");
}

const pixels = (value) => Math.round(value * 10) / 10;

function drawMarks(plot, chart) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.translate(bbox.left, bbox.top);
  ctx.scale(devicePixelRatio, devicePixelRatio);
  ctx.setLineDash([]);
  for (const { curve, stroke, width, fill, paper } of marksOf(plot, chart)) {
    ctx.fillStyle = paperColour();
    if (paper) ctx.fill(new Path2D(paper));
    ctx.strokeStyle = ctx.fillStyle = colourOf(curve);
    ctx.lineWidth = width;
    ctx.stroke(new Path2D(stroke));
    ctx.fill(new Path2D(fill));
  }
  ctx.restore();
}
