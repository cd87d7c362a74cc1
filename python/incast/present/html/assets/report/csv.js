// The points of a chart as a CSV file: one row for each point, numbers in base units.

const BOX_COLUMNS = [
  "lower whisker", "lower quartile", "median", "upper quartile", "upper whisker", "outliers",
];

function chartAsCsv(chart, plot) {
  const rows = shownCurves(plot, chart).flatMap((curve) =>
    pointsOf(plot, chart, curve).filter(({ y }) => y !== null).map(({ place, x, y }) => [
      nameInFile(curve), placeText(chart.x, x), numberText(y), ...besides(chart, curve, place),
    ]));
  const lines = [headerOf(chart), ...rows].map((row) => row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function headerOf(chart) {
  const [x, y] = [chart.x, chart.y].map(columnName);
  const unit = y.slice(chart.y.label.length);
  const more = [
    ...(hasBars(chart) ? ["interval low", "interval high"] : []),
    ...(hasBoxes(chart) ? BOX_COLUMNS : []),
  ];
  return ["curve", x, y, ...more.map((name) => name + unit)];
}

/** Bars of several runs share labels, so that the name includes the run. */
const nameInFile = ({ mark, group, label }) => (mark === "bars" && group ? `${group}: ${label}` : label);

/** Further numbers of a point: the ends of its error bar, the numbers of its box. */
function besides(chart, curve, place) {
  const inUnit = (value) => (value == null ? "" : numberText(value * chart.y.scale));
  const bar = (curve.spread || [[], []]).map((ends) => inUnit(ends[place]));
  const numbers = curve.boxes ? curve.boxes[place].map(inUnit) : [];
  const box = [...Array(5).keys()].map((index) => numbers[index] || "");
  const outliers = numbers.slice(5).join(" ");
  return [...(hasBars(chart) ? bar : []), ...(hasBoxes(chart) ? [...box, outliers] : [])];
}

const hasBars = (chart) => chart.curves.some((curve) => curve.spread);
const hasBoxes = (chart) => chart.curves.some((curve) => curve.boxes);

/** The name of a column with its base unit; counts and ratios have no unit. */
function columnName(axis) {
  return UNITS[axis.unit] ? `${axis.label} (${axis.unit})` : axis.label || "place";
}

function placeText(axis, x) {
  return axis.names ? axis.names[Math.round(x)] || "" : numberText(x);
}

/** All digits that the page has, without rounding errors of the change of unit. */
const numberText = (value) => String(Number(value.toPrecision(12)));

const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
