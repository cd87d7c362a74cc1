// The data of uPlot: columns of numbers, in base units.

/** Whether the points of a curve are not joined by a line. */
const standsAlone = (curve) => ["dots", "boxes", "bars"].includes(curve.mark);

/** uPlot's columns: one x for all curves, and the y of each. */
function columns(chart) {
  const xs = chart.xs.map((values) => values.map((value) => value * chart.x.scale));
  const ys = chart.curves.map((curve) =>
    curve.y.map((value) => (value === null ? null : value * chart.y.scale)));
  if (chart.curves.some(standsAlone)) return interleaved(chart, xs, ys);
  if (xs.length === 1) return [xs[0], ...ys];
  return uPlot.join(chart.curves.map((curve, index) => [xs[curve.x], ys[index]]));
}

/** All dots in order of x. Several dots may share an x, which `uPlot.join` does not allow. */
function interleaved(chart, xs, ys) {
  const dots = chart.curves.flatMap((curve, index) =>
    ys[index].map((y, place) => ({ x: xs[curve.x][place], y, index })));
  dots.sort((a, b) => a.x - b.x);
  const column = (index) => dots.map((dot) => (dot.index === index ? dot.y : undefined));
  return [dots.map((dot) => dot.x), ...chart.curves.map((_, index) => column(index))];
}

/** The curves that the legend has not hidden. */
function shownCurves(plot, chart) {
  return chart.curves.filter((_, index) => plot.series[index + 1].show);
}

/** The points of a curve within the x axis, in base units; y is null where its line breaks. */
function pointsOf(plot, chart, curve) {
  const { min, max } = plot.scales.x;
  const points = chart.xs[curve.x].map((x, place) => {
    const y = curve.y[place];
    return { place, x: x * chart.x.scale, y: y === null ? null : y * chart.y.scale };
  });
  return points.filter(({ x }) => x >= min && x <= max);
}
