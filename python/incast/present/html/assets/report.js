"use strict";
// Draws the charts of the report: reads the JSON beside it, one uPlot for each place in the page.

(() => {
  const { palette, charts } = JSON.parse(document.getElementById("charts").textContent);
  const darkScreen = matchMedia("(prefers-color-scheme: dark)");
  const HEIGHT = 270;
  const DENSE = 1000;
  const DASHES = { solid: [], dashed: [7, 4], dotted: [2, 3], dashdot: [8, 3, 2, 3] };
  const UNITS = {
    s: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]],
    B: [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]],
    bps: [[1e12, "Tbps"], [1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]],
  };
  const plots = [];
  let printing = false;

  // ── Numbers ──────────────────────────────────────────────────────────────────────────────────

  /** The unit in which a number of this size is best read: [its size, its name]. */
  function unitOf(axis, value) {
    const units = UNITS[axis.unit];
    if (!units) return [1, ""];
    // 0.9995: what rounds to 1000 of a unit is 1 of the next.
    const fits = units.find(([size]) => Math.abs(value) >= 0.9995 * size);
    return fits || (value ? units[units.length - 1] : units.find(([size]) => size === 1));
  }

  /** Few digits, never in exponential notation, no zeros behind the point. */
  function digits(value, significant) {
    if (value === 0) return "0";
    const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
    return String(Number(value.toFixed(Math.min(decimals, 12))));
  }

  function format(axis, value, significant) {
    const [size, unit] = unitOf(axis, value);
    return `${digits(value / size, significant)} ${unit}`.trim();
  }

  // ── Colours ──────────────────────────────────────────────────────────────────────────────────

  const isDark = () => darkScreen.matches && !printing;

  function colourOf(curve) {
    if (curve.ramp) return onRamp(curve.colour);
    const colours = isDark() ? palette.dark : palette.light;
    return colours[curve.colour % colours.length];
  }

  function onRamp(position) {
    const ramp = isDark() ? palette.rampDark : palette.rampLight;
    const place = position * (ramp.length - 1);
    return mix(ramp[Math.floor(place)], ramp[Math.ceil(place)], 1 - (place % 1));
  }

  function mix(from, to, share) {
    const channel = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
    const mixed = [1, 3, 5].map((at) =>
      Math.round(channel(from, at) * share + channel(to, at) * (1 - share)));
    return `rgb(${mixed.join(" ")})`;
  }

  const inkColour = () => (isDark() ? "#9aa3ad" : "#5c636b");
  const gridColour = () => (isDark() ? "#2b3036" : "#e6e9ed");

  // ── Data ─────────────────────────────────────────────────────────────────────────────────────

  /** Whether a curve is points that no line joins. */
  const standsAlone = (curve) => curve.mark === "dots" || curve.mark === "boxes";

  /** uPlot's columns: one x for all curves, and the y of each. */
  function columns(chart) {
    const xs = chart.xs.map((values) => values.map((value) => value * chart.x.scale));
    const ys = chart.curves.map((curve) =>
      curve.y.map((value) => (value === null ? null : value * chart.y.scale)));
    if (chart.curves.some(standsAlone)) return interleaved(chart, xs, ys);
    if (xs.length === 1) return [xs[0], ...ys];
    return uPlot.join(chart.curves.map((curve, index) => [xs[curve.x], ys[index]]));
  }

  /** All dots in order of x: several may share one, which a join would not allow. */
  function interleaved(chart, xs, ys) {
    const dots = chart.curves.flatMap((curve, index) =>
      ys[index].map((y, place) => ({ x: xs[curve.x][place], y, index })));
    dots.sort((a, b) => a.x - b.x);
    const column = (index) => dots.map((dot) => (dot.index === index ? dot.y : undefined));
    return [dots.map((dot) => dot.x), ...chart.curves.map((_, index) => column(index))];
  }

  /** The place of a curve's value nearest to where the pointer is. */
  function nearest(plot, series, hovered) {
    const ys = plot.data[series], xs = plot.data[0];
    if (series === 0 || ys[hovered] != null) return hovered;
    let left = hovered, right = hovered;
    while (left >= 0 && ys[left] == null) left -= 1;
    while (right < ys.length && ys[right] == null) right += 1;
    if (left < 0 || right >= ys.length) return outside(plot, ys, hovered, left, right);
    return xs[hovered] - xs[left] <= xs[right] - xs[hovered] ? left : right;
  }

  /** Before a curve begins and after it ends there is nothing to say, but for points far apart. */
  function outside(plot, ys, hovered, left, right) {
    const place = left >= 0 ? left : right;
    if (place < 0 || place >= ys.length) return null;
    const pixels = (index) => plot.valToPos(plot.data[0][index], "x");
    return Math.abs(pixels(place) - pixels(hovered)) < 12 ? place : null;
  }

  // ── Axes ─────────────────────────────────────────────────────────────────────────────────────

  function scalesOf(chart) {
    const dots = chart.curves.some(standsAlone) || barsOf(chart).length > 0;
    const scale = (axis, range) => ({ time: false, distr: axis.log ? 3 : 1, range });
    const beside = boxesOf(chart).length ? BOX_WIDTH : 0;
    return { x: scale(chart.x, spread(chart.x, dots, beside)), y: scale(chart.y, rangeOf(chart)) };
  }

  /** Lines go to the edges; dots need room beside them, and boxes theirs. */
  function spread(axis, dots, beside) {
    return (plot, low, high) =>
      padded(axis, low - beside, high + beside, low === high ? 0.5 : dots ? 0.03 : 0);
  }

  function rangeOf(chart) {
    const axis = chart.y;
    const drawn = [...boxesOf(chart).flatMap(({ numbers }) => numbers),
      ...barsOf(chart).flatMap(({ ends }) => ends)];
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
    const largest = (plot) => Math.max(
      ...(chart.oneUnit ? ["x", "y"] : [side]).map((each) => largestOf(plot.scales[each])));
    return {
      label: (plot) => labelOf(axis, largest(plot)),
      labelSize: 22, labelGap: 2, labelFont: FONT, font: FONT,
      stroke: inkColour, gap: 4,
      size: side === "y" ? widthOf : 28,
      space: side === "y" ? 32 : axis.log ? 40 : 55,
      grid: { stroke: gridColour, width: 1 }, ticks: { stroke: gridColour, width: 1, size: 4 },
      splits: axis.log ? (plot, _, low, high) => logSplits(low, high) : undefined,
      values: (plot, splits) => valuesOf(axis, largest(plot), splits),
      incrs: axis.unit === "count" ? WHOLE : undefined,
      filter: (_, splits) => splits,
    };
  }

  const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
  const WHOLE = [1, 2, 5].flatMap((digit) => [...Array(10).keys()].map((e) => digit * 10 ** e))
    .sort((a, b) => a - b);

  /** The unit of a linear axis stands beside its name; on a log axis, at each tick. */
  function labelOf(axis, largest) {
    const unit = axis.log ? "" : unitOf(axis, largest)[1];
    return unit ? `${axis.label} (${unit})` : axis.label;
  }

  const largestOf = (scale) => Math.max(Math.abs(scale.min), Math.abs(scale.max));

  function valuesOf(axis, largest, splits) {
    if (axis.names) return splits.map((place) => axis.names[place] || "");
    if (axis.log) return splits.map((value) => (value === null ? "" : format(axis, value, 2)));
    const [size] = unitOf(axis, largest);
    return splits.map((value) => String(Number((value / size).toPrecision(9))));
  }

  /** 1, 10, 100; with 2 and 5 between where little more than a decade is seen. */
  function logSplits(low, high) {
    const digits = high / low > 60 ? [1] : high / low > 4 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
    const splits = [];
    for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade += 1) {
      const values = digits.map((digit) => Number(`${digit}e${decade}`));
      splits.push(...values.filter((value) => value >= low * 0.999 && value <= high * 1.001));
    }
    return splits;
  }

  /** As wide as the longest number needs. */
  function widthOf(plot, values, axis, cycle) {
    if (cycle > 1) return plot.axes[axis]._size;
    const longest = (values || []).reduce((a, b) => (b.length > a.length ? b : a), "");
    plot.ctx.font = plot.axes[axis].font[0];
    return 16 + Math.ceil(plot.ctx.measureText(longest).width / devicePixelRatio);
  }

  // ── Curves ───────────────────────────────────────────────────────────────────────────────────

  function seriesOf(curve, many) {
    const stroke = () => colourOf(curve);
    if (standsAlone(curve)) {
      // Dots of several curves may lie on each other: the lowest is the largest.
      const size = { solid: 6, dashed: 8, dotted: 10, dashdot: 5 }[curve.dash];
      const points = { show: curve.mark === "dots", size, width: 0, stroke, fill: stroke };
      return { label: curve.label, stroke, paths: () => null, points };
    }
    const paths = curve.mark === "steps" ? uPlot.paths.stepped({ align: 1 }) : undefined;
    const width = many ? 1 : 1.4;
    const marked = curve.mark === "points";
    const points = marked ? { show: true, size: 5, width: 0, stroke, fill: stroke } : { show: false };
    // Along a line that swings within a few pixels, dashes are noise.
    const dash = DASHES[curve.y.length > DENSE ? "solid" : curve.dash];
    return { label: curve.label, stroke, width, dash, paths, points };
  }

  /** All boxes of a chart: curve, place, and numbers in base units. */
  function boxesOf(chart) {
    return chart.curves.flatMap((curve, index) => (curve.boxes || []).map((numbers, place) => ({
      curve,
      series: index + 1,
      x: chart.xs[curve.x][place] * chart.x.scale,
      numbers: numbers.map((number) => number * chart.y.scale),
    })));
  }

  /** All error bars of a chart: curve, place, and both ends in base units. */
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

  const MOST_BARS = 40;
  const CAP = 3;

  /** An error bar with its caps; where bars are so many that they hide each other, without. */
  function drawBar(plot, { curve, x, ends }) {
    const [low, high] = ends.map((end) => plot.valToPos(end, "y", true));
    const middle = plot.valToPos(x, "x", true);
    const { left, width } = plot.bbox;
    if (middle < left - 1 || middle > left + width + 1) return;
    const cap = curve.spread[0].length > MOST_BARS ? 0 : CAP * devicePixelRatio;
    const { ctx } = plot;
    ctx.strokeStyle = colourOf(curve);
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const [x0, y0, x1, y1] of [
      [middle, low, middle, high], [middle - cap, low, middle + cap, low],
      [middle - cap, high, middle + cap, high],
    ]) {
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
    }
    ctx.stroke();
  }

  function drawBars(plot, chart) {
    plot.ctx.save();
    for (const bar of barsOf(chart)) if (plot.series[bar.series].show) drawBar(plot, bar);
    plot.ctx.restore();
  }

  const BOX_WIDTH = 0.2;

  /** A box from quartile to quartile, its median, whiskers with their ends, and outliers. */
  function drawBox(plot, { curve, x, numbers }) {
    const at = (value) => plot.valToPos(value, "y", true);
    const [left, middle, right] = [-0.5, 0, 0.5].map((part) =>
      plot.valToPos(x + part * BOX_WIDTH, "x", true));
    const [low, lower, median, upper, high] = numbers.slice(0, 5).map(at);
    const { ctx } = plot;
    ctx.strokeStyle = ctx.fillStyle = colourOf(curve);
    ctx.lineWidth = 1.4 * devicePixelRatio;
    ctx.setLineDash([]);
    ctx.strokeRect(left, upper, right - left, lower - upper);
    ctx.beginPath();
    for (const [x0, y0, x1, y1] of [
      [left, median, right, median], [middle, lower, middle, low], [middle, upper, middle, high],
      [left, low, right, low], [left, high, right, high],
    ]) {
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
    }
    ctx.stroke();
    const dot = 2 * devicePixelRatio;
    for (const value of numbers.slice(5)) {
      ctx.fillRect(middle - dot / 2, at(value) - dot / 2, dot, dot);
    }
  }

  function drawBoxes(plot, chart) {
    plot.ctx.save();
    for (const box of boxesOf(chart)) if (plot.series[box.series].show) drawBox(plot, box);
    plot.ctx.restore();
  }

  function cursorOf(chart) {
    const overTime = chart.x.label === "simulated time";
    return {
      drag: overTime ? { x: true, y: false, dist: 4 } : { x: true, y: true, uni: 30, dist: 4 },
      sync: overTime ? { key: chart.section, scales: ["x", null] } : undefined,
      dataIdx: nearest,
      points: { size: 7, fill: (plot, series) => colourOf(chart.curves[series - 1]) },
      focus: { prox: -1 },
    };
  }

  // ── Legend ───────────────────────────────────────────────────────────────────────────────────

  const MOST_ENTRIES = 9;

  function addLegend(place, chart, plot) {
    const hovered = document.createElement("span");
    hovered.className = "place";
    const entries = groupsOf(chart).map((group) => entryOf(chart, plot, group));
    place.classList.toggle("many", entries.length > 8);
    const [first] = chart.curves;
    place.classList.toggle("alone", entries.length === 1 && first.label === first.group);
    place.append(...entries.map((entry) => entry.button), hovered);
    const update = () => {
      const index = plot.cursor.idx;
      const at = index == null ? null : plot.data[0][index];
      hovered.textContent = at == null ? "" : `at ${format(chart.x, at, 4)}`;
      for (const entry of entries) entry.update(at == null ? null : plot.cursor.idxs);
    };
    plot.hooks.setCursor = [update];
    place.addEventListener("dblclick", (event) => {
      const entry = entries.find(({ button }) => button.contains(event.target));
      if (entry) isolate(entry, entries);
    });
  }

  /** One entry for each label; where those are too many, one for each run. */
  function groupsOf(chart) {
    const curves = chart.curves.map((curve, index) => ({ curve, series: index + 1 }));
    const labels = new Set(chart.curves.map((curve) => curve.label));
    const key = labels.size <= MOST_ENTRIES || chart.curves[0].ramp ? "label" : "group";
    return [...new Set(chart.curves.map((curve) => curve[key]))].map((label) => {
      const own = curves.filter(({ curve }) => curve[key] === label);
      return { curve: own[0].curve, label, series: own.map(({ series }) => series) };
    });
  }

  function entryOf(chart, plot, { curve, label, series }) {
    const button = document.createElement("button");
    const name = document.createElement("span"), value = document.createElement("span");
    name.className = "name";
    name.textContent = label;
    value.className = "value";
    button.type = "button";
    button.append(keyOf(curve), name, value);
    const entry = {
      button,
      shown: true,
      show(shown) {
        entry.shown = shown;
        button.setAttribute("aria-pressed", String(shown));
        plot.batch(() => series.forEach((each) => plot.setSeries(each, { show: shown })));
      },
      update(indices) {
        const values = indices ? series.map((each) => plot.data[each][indices[each]]) : [];
        value.textContent = rangeText(chart.y, values.filter((y) => y != null));
      },
    };
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => entry.show(!entry.shown));
    return entry;
  }

  function rangeText(axis, values) {
    if (!values.length) return "";
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const text = format(axis, high, 3);
    return low === high ? text : `${format(axis, low, 3)} – ${text}`;
  }

  /** Shows one entry alone; if it was alone before, shows all. */
  function isolate(entry, entries) {
    // The two clicks of the double click have hidden it and shown it again.
    const alone = entries.every((each) => each.shown === (each === entry));
    for (const each of entries) each.show(alone || each === entry);
  }

  /** A stroke, or a dot, as the curve is drawn. */
  function keyOf(curve) {
    const key = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    key.setAttribute("width", "22");
    key.setAttribute("height", "10");
    const dashes = DASHES[curve.dash].join(" ");
    key.innerHTML = standsAlone(curve)
      ? '<circle cx="11" cy="5" r="3.5"/>'
      : `<path d="M1 5H21" fill="none" stroke-width="2" stroke-dasharray="${dashes}"/>`;
    key.paint = () => {
      key.firstChild.setAttribute(standsAlone(curve) ? "fill" : "stroke", colourOf(curve));
    };
    key.paint();
    return key;
  }

  // ── Page ─────────────────────────────────────────────────────────────────────────────────────

  function draw(figure, chart) {
    const place = figure.querySelector(".plot");
    if (!place) return;
    const many = chart.curves.length > 7;
    const plot = new uPlot({
      width: place.clientWidth, height: HEIGHT,
      scales: scalesOf(chart),
      axes: [axisOf(chart, "x"), axisOf(chart, "y")],
      series: [{}, ...chart.curves.map((curve) => seriesOf(curve, many))],
      cursor: cursorOf(chart), legend: { show: false }, padding: [10, 24, 0, 0],
      hooks: { draw: [(drawn) => drawBoxes(drawn, chart), (drawn) => drawBars(drawn, chart)] },
    }, columns(chart), place);
    addLegend(figure.querySelector(".legend"), chart, plot);
    new ResizeObserver(() => {
      if (!printing && place.clientWidth) plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }).observe(place);
    plots.push(plot);
  }

  function repaint() {
    for (const plot of plots) plot.redraw(false);
    for (const key of document.querySelectorAll(".legend svg")) key.paint();
  }

  /** On paper: light, two charts in a row at their true size, and nothing folded. */
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

  document.querySelectorAll("figure").forEach((figure, index) => {
    charts[index].section = figure.closest("section").id;
    draw(figure, charts[index]);
  });
  darkScreen.addEventListener("change", repaint);
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", endPrint);
})();
