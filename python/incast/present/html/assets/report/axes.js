// Scales of axes, with their ticks and numbers.

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

function scalesOf(chart) {
  const dots = chart.curves.some(standsAlone) || barsOf(chart).length > 0;
  const scale = (axis, range) => ({ time: false, distr: axis.log ? 3 : 1, range });
  return { x: scale(chart.x, spreadOf(chart, dots)), y: scale(chart.y, rangeOf(chart)) };
}

/** The range of x: lines reach its ends; dots, boxes and a single x have room beside them. */
function spreadOf(chart, dots) {
  const beside = Math.max(boxesOf(chart).length ? BOX_WIDTH : 0, ...chart.curves.map(({ width }) => width || 0));
  return ({ data: [xs] }, low, high) => {
    if (xs[0] !== xs.at(-1)) return padded(chart.x, low - beside, high + beside, dots ? 0.03 : 0);
    const size = Math.abs(xs[0]) || (chart.oneUnit ? chart.y : chart.x).scale;
    return chart.x.log ? [size / 3, size * 3] : [xs[0] - size / 2, xs[0] + size / 2];
  };
}

function rangeOf(chart) {
  const axis = chart.y;
  const drawn = [...boxesOf(chart).flatMap(({ numbers }) => numbers),
    ...[...barsOf(chart), ...columnsOf(chart)].flatMap(({ ends }) => ends)];
  const ends = axis.log ? drawn.filter((end) => end > 0) : drawn;
  return (plot, low, high) => {
    if (low == null) return [axis.log ? 1 : 0, axis.log ? 10 : 1];
    [low, high] = [Math.min(low, ...ends), Math.max(high, ...ends)];
    if (axis.lower !== null) low = Math.min(low, axis.lower);
    if (axis.upper !== null) high = Math.max(high, axis.upper);
    const [bottom, top] = padded(axis, low, high, 0.05);
    return [axis.lower === null ? bottom : low, top];
  };
}

function padded(axis, low, high, share) {
  if (axis.log) {
    const factor = (high / low) ** share * (high === low ? 3 : 1);
    return [low / factor, high * factor];
  }
  const margin = (high - low || Math.abs(high) || 1) * share;
  return [low - margin, high + margin];
}

function axisOf(chart, side) {
  const axis = chart[side];
  return {
    label: (plot) => labelOf(chart, plot, side),
    labelSize: 22, labelGap: 2, labelFont: FONT, font: FONT,
    stroke: () => inkColour(), gap: 4,
    size: side === "y" ? widthOf : 28,
    space: side === "y" ? (axis.names ? 16 : 32) : axis.log ? 40 : 55,
    grid: { stroke: () => gridColour(), width: 1 },
    ticks: { stroke: () => gridColour(), width: 1, size: 4 },
    splits: axis.log ? (plot, _, low, high) => logSplits(low, high) : undefined,
    values: (plot, splits) => valuesOf(axis, largestShown(chart, plot, side), splits),
    incrs: axis.unit === "count" ? WHOLE : undefined,
    filter: (_, splits) => splits,
  };
}

const WHOLE = [1, 2, 5].flatMap((digit) => [...Array(10).keys()].map((e) => digit * 10 ** e))
  .sort((a, b) => a - b);

/** The label of an axis. A linear axis has its unit here, a log axis at each tick. */
function labelOf(chart, plot, side) {
  const axis = chart[side];
  const unit = axis.log ? "" : unitOf(axis, largestShown(chart, plot, side))[1];
  return unit ? `${axis.label} (${unit})` : axis.label;
}

/** The largest number shown on an axis, or on both axes if they share a unit. */
function largestShown(chart, plot, side) {
  const scales = (chart.oneUnit ? ["x", "y"] : [side]).map((each) => plot.scales[each]);
  return Math.max(...scales.flatMap(({ min, max }) => [Math.abs(min), Math.abs(max)]));
}

function valuesOf(axis, largest, splits) {
  if (axis.names) return splits.map((place) => axis.names[place] || "");
  if (axis.log) return splits.map((value) => (value === null ? "" : format(axis, value, 2)));
  const [size] = unitOf(axis, largest);
  return splits.map((value) => String(Number((value / size).toPrecision(9))));
}

/** Ticks at 1, 10, 100; also at 2 and 5 if the axis shows little more than a decade. */
function logSplits(low, high) {
  const digits = high / low > 60 ? [1] : high / low > 4 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const splits = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade += 1) {
    const values = digits.map((digit) => Number(`${digit}e${decade}`));
    splits.push(...values.filter((value) => value >= low * 0.999 && value <= high * 1.001));
  }
  return splits;
}

/** The width of an axis, for its longest number. */
function widthOf(plot, values, axis, cycle) {
  if (cycle > 1) return plot.axes[axis]._size;
  const longest = (values || []).reduce((a, b) => (b.length > a.length ? b : a), "");
  plot.ctx.font = plot.axes[axis].font[0];
  return 16 + Math.ceil(plot.ctx.measureText(longest).width / devicePixelRatio);
}
