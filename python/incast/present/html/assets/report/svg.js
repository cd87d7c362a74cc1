// A chart, as shown, as an SVG file: vectors and text, in light colours.

const SVG = "http://www.w3.org/2000/svg";
const TITLE_HEIGHT = 30;
const ENTRY_HEIGHT = 20;
const KEY_WIDTH = 22;
const INK = "#1c1e21";

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? pixels(value) : value);
  }
  made.append(...children);
  return made;
}

const text = (words, x, y, attributes = {}) =>
  element("text", { x, y, fill: INK, ...attributes }, words);

/** An SVG file of drawings under a title. */
function svgFile(title, width, height, ...drawings) {
  const root = element("svg", {
    width, height, viewBox: `0 0 ${pixels(width)} ${pixels(height)}`,
    "font-family": "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
    "font-size": 12,
  }, element("title", {}, title), element("rect", { width, height, fill: "#ffffff" }),
  text(title, 12, 20, { "font-size": 14, "font-weight": 600 }), ...drawings);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

/** A chart with axes, and with the legend of the shown curves. */
function chartAsSvg(title, chart, plot) {
  const { width, height } = plot;
  const legend = legendAsSvg(shownGroups(chart, plot), width - 24);
  return svgFile(title, width, TITLE_HEIGHT + height + legend.height + 8,
    element("g", { transform: `translate(0 ${TITLE_HEIGHT})` }, ...areaAsSvg(chart, plot)),
    element("g", { transform: `translate(12 ${TITLE_HEIGHT + height + 4})` }, ...legend.entries));
}

function areaAsSvg(chart, plot) {
  const [left, top, width, height] = ["left", "top", "width", "height"].map((side) =>
    plot.bbox[side] / devicePixelRatio);
  const area = { x: 0, y: 0, width, height };
  return [
    element("clipPath", { id: `area-${chart.file}` }, element("rect", area)),
    element("g", { transform: `translate(${pixels(left)} ${pixels(top)})` },
      ...xAxisAsSvg(chart, plot, area), ...yAxisAsSvg(chart, plot, area, left),
      element("g", { "clip-path": `url(#area-${chart.file})` }, ...curvesAsSvg(chart, plot))),
  ];
}

function xAxisAsSvg(chart, plot, { width, height }) {
  const [axis] = plot.axes;
  const ticks = axis._splits.flatMap((split, index) => {
    const x = plot.valToPos(split, "x");
    return [grid([[x, 0], [x, height + 4]]),
      text(axis._values[index], x, height + 18, { "text-anchor": "middle", fill: inkColour(false) })];
  });
  const label = labelOf(chart, plot, "x");
  return [...ticks, text(label, width / 2, height + 42, { "text-anchor": "middle" })];
}

function yAxisAsSvg(chart, plot, { height }, left) {
  const axis = plot.axes[1];
  const ticks = axis._splits.flatMap((split, index) => {
    const y = plot.valToPos(split, "y");
    return [grid([[-4, y], [plot.bbox.width / devicePixelRatio, y]]),
      text(axis._values[index], -8, y + 4, { "text-anchor": "end", fill: inkColour(false) })];
  });
  const label = labelOf(chart, plot, "y");
  const turned = `translate(${pixels(14 - left)} ${pixels(height / 2)}) rotate(-90)`;
  return [...ticks, text(label, 0, 0, { "text-anchor": "middle", transform: turned })];
}

const grid = (line) => element("path", { d: pathOf([line]), stroke: gridColour(false) });

function curvesAsSvg(chart, plot) {
  const lines = shownCurves(plot, chart).flatMap((curve) => curveAsSvg(chart, plot, curve));
  const marks = marksOf(plot, chart).map(({ curve, stroke, width, fill, paper }) => {
    const colour = colourOf(curve, false);
    const inside = paper ? paperColour(false) : "none";
    return element("g", {},
      element("path", { d: stroke, fill: inside, stroke: colour, "stroke-width": String(width) }),
      ...(fill ? [element("path", { d: fill, fill: colour })] : []));
  });
  return [...lines, ...marks];
}

function curveAsSvg(chart, plot, curve) {
  const places = pointsOf(plot, chart, curve).map(({ x, y }) =>
    y === null ? null : [plot.valToPos(x, "x"), plot.valToPos(y, "y")]);
  const { width, dash, points } = seriesOf(curve, isCrowded(chart));
  const colour = colourOf(curve, false);
  const found = [];
  if (!standsAlone(curve)) {
    const d = pathOf(unbroken(places).map((line) => (curve.mark === "steps" ? stepped(line) : line)));
    found.push(element("path", {
      d, fill: "none", stroke: colour, "stroke-width": String(width),
      "stroke-dasharray": dash.join(" ") || "none", "stroke-linejoin": "round",
    }));
  }
  if (points.show) {
    const dots = places.filter(Boolean).map(([cx, cy]) =>
      element("circle", { cx, cy, r: points.size / 2 }));
    found.push(element("g", { fill: colour }, ...dots));
  }
  return found;
}

/** The parts of a line between missing points. */
function unbroken(places) {
  const lines = [[]];
  for (const place of places) {
    if (place && place.every(Number.isFinite)) lines.at(-1).push(place);
    else if (lines.at(-1).length) lines.push([]);
  }
  return lines.filter((line) => line.length);
}

const stepped = (line) =>
  line.flatMap(([x, y], index) => (index ? [[x, line[index - 1][1]], [x, y]] : [[x, y]]));

/** A legend with its entries side by side, in as many lines as they need. */
function legendAsSvg(groups, width) {
  let [x, y] = [0, 0];
  const entries = groups.map(({ curve, label }) => {
    const needed = KEY_WIDTH + 6 + widthOfText(label) + 16;
    if (x && x + needed > width) [x, y] = [0, y + ENTRY_HEIGHT];
    const entry = element("g", { transform: `translate(${pixels(x)} ${y})` },
      keyShape(curve, 10, colourOf(curve, false)), text(label, KEY_WIDTH + 6, 14));
    x += needed;
    return entry;
  });
  return { entries, height: groups.length ? y + ENTRY_HEIGHT : 0 };
}

function widthOfText(words) {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.font = FONT;
  return canvas.measureText(words).width;
}

/** A drawing of the page that has no axes, with a legend below it. */
function drawingAsSvg(title, drawing, chart) {
  const { width, height } = drawing.viewBox.baseVal;
  const legend = legendAsSvg(chart ? groupsOf(chart) : [], width - 24);
  const copy = inLight(drawing);
  for (const [key, value] of Object.entries({ y: TITLE_HEIGHT, width, height })) {
    copy.setAttribute(key, value);
  }
  return svgFile(title, width, TITLE_HEIGHT + height + legend.height + 8, copy,
    element("g", { transform: `translate(12 ${TITLE_HEIGHT + height})` }, ...legend.entries));
}

const STYLED = ["fill", "stroke", "stroke-width", "font-size", "font-weight", "text-anchor"];

/** A copy of a drawing with its styles written into it, in the colours of light screens. */
function inLight(drawing) {
  const light = document.createElement("div");
  light.className = "light";
  const copy = drawing.cloneNode(true);
  light.append(copy);
  drawing.after(light);
  for (const each of copy.querySelectorAll("*")) {
    const style = getComputedStyle(each);
    for (const name of STYLED) each.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["style", "class"]) each.removeAttribute(name);
  }
  light.remove();
  copy.removeAttribute("class");
  return copy;
}
