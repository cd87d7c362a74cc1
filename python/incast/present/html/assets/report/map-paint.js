// The map of a network as SVG: links coloured by one quantity, nodes, names, a scale.

const UNUSED = { light: "#c9cfd6", dark: "#414951" };
const PAUSE = 1;
const STEPS_OF_SCALE = 40;

/** Large values stand out on both backgrounds: dark on white, bright on black. */
function colourOfShare(share, dark) {
  const ramp = dark ? palette.rampDark : [...palette.rampLight].reverse();
  return share > 0 ? onRamp(Math.min(share, 1), ramp) : UNUSED[dark ? "dark" : "light"];
}

/** The largest value of several ports; undefined if none was recorded. */
function worstOf(ports, valueOf) {
  const values = ports.map(valueOf).filter((value) => value !== undefined);
  return values.length ? Math.max(...values) : undefined;
}

function paintMap(map, dark = isDark()) {
  const { drawing, places, edges } = map;
  const { valueOf, most } = map.shown;
  const lines = [...edges.values()];
  const sizes = map.sizes || sizesOf(lines.length);
  const ends = (edge) => endsOf(map, edge);
  drawing.setAttribute("viewBox", `0 0 ${map.width} ${places.height}`);
  drawing.setAttribute("width", map.width);
  drawing.setAttribute("height", places.height);
  const drawn = lines.flatMap((edge) => [[...ends(edge), edge.there], [...ends(edge).reverse(), edge.back]]
    .map(([from, to, ports]) => ({ edge, from, to, value: worstOf(ports, valueOf) })));
  drawn.sort((a, b) => (a.value ?? -1) - (b.value ?? -1));
  const halo = map.selected && edges.get(map.selected);
  drawing.replaceChildren(
    ...pathShapes(map, ends, dark),
    ...(halo ? [lineBetween(...ends(halo), 0, { stroke: inkColour(dark), "stroke-width": "11", "stroke-opacity": "0.35" })] : []),
    ...drawn.map((each) => halfLink(each, most, sizes, dark)),
    ...(map.showsPauses ? pauseArrows(map, ends, dark) : []),
    ...map.shapes.aboveLinks(dark),
    ...[...places.items.values()].flatMap((item) => itemShapes(map, item, dark)),
    ...map.shapes.aboveNodes(dark),
    ...(Number.isFinite(most) ? scaleShapes(map, dark) : []));
}

/** The highlighted links, if the map has any. */
function pathShapes(map, ends, dark) {
  const path = new Set(map.data.path);
  return [...map.edges.values()].filter(({ there, back }) => [...there, ...back].some((port) => path.has(port)))
    .map((edge) => lineBetween(...ends(edge), 0, {
      stroke: (dark ? palette.dark : palette.light)[0], "stroke-width": "10", "stroke-opacity": "0.3", "stroke-linecap": "round",
    }));
}

/** Sizes of lines. If lines are many, those with small values are faint, so that others show. */
const sizesOf = (lines) => (lines > 900 ? { apart: 0.7, base: 0.6, more: 1.2, least: 0.25 }
  : lines > 250 ? { apart: 1.1, base: 0.8, more: 1.6, least: 0.5 } : { apart: 2, base: 1.3, more: 2.2, least: 1 });

/** One direction of a link, on the right of the way there. */
function halfLink({ edge, from, to, value }, most, sizes, dark) {
  const share = value ? Math.min(value / most, 1) : 0;
  return lineBetween(from, to, sizes.apart, {
    stroke: colourOfShare(share, dark), "stroke-width": String(sizes.base + sizes.more * share),
    "stroke-opacity": String(sizes.least + (1 - sizes.least) * Math.sqrt(share)),
    ...(edge.isHarmed ? { "stroke-dasharray": "5 4" } : {}),
  });
}

/** A line, moved to the right of its direction by `apart` pixels. */
function lineBetween(from, to, apart, attributes) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ox, oy] = [(-dy / length) * apart, (dx / length) * apart];
  const [x1, y1, x2, y2] = [from.x + ox, from.y + oy, to.x + ox, to.y + oy].map(pixels);
  return element("path", { d: `M${x1} ${y1}L${x2} ${y2}`, fill: "none", ...attributes });
}

/** Arrows from ports that PFC had paused to the ports that had paused them. */
function pauseArrows(map, ends, dark) {
  const paused = map.pausedOf;
  const colour = (dark ? palette.dark : palette.light)[PAUSE];
  return [...map.edges.values()].flatMap((edge) => [[...ends(edge), edge.there], [...ends(edge).reverse(), edge.back]]
    .filter(([, , ports]) => ports.some((port) => paused(port) > 0))
    .flatMap(([from, to]) => arrow(from, to, colour)));
}

function arrow(from, to, colour) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const at = (along, across) => [from.x + ux * along - uy * across, from.y + uy * along + ux * across];
  const [begin, end] = [Math.min(14, length / 4), length - Math.min(16, length / 4)];
  const path = (points) => points.map((point) => point.map(pixels).join(" ")).join("L");
  return [
    element("path", { d: `M${path([at(begin, 5), at(end - 8, 5)])}`, stroke: colour, "stroke-width": "1.8", fill: "none" }),
    element("path", { d: `M${path([at(end, 5), at(end - 9, 1), at(end - 9, 9)])}Z`, fill: colour }),
  ];
}

function itemShapes(map, item, dark) {
  const [ink, paper] = [inkColour(dark), paperColour(dark)];
  const [stroke, width] = strokeOf(map, item, dark);
  const look = { fill: paper, stroke, "stroke-width": String(width) };
  const [w, h] = sizeOf(item);
  const shape = item.kind === "host"
    ? element("circle", { cx: item.x, cy: item.y, r: w / 2, ...look, fill: ink })
    : element("rect", { x: item.x - w / 2, y: item.y - h / 2, width: w, height: h, rx: 3, ...look });
  const chosen = item.key === map.selected || (item.key === map.cursor && map.hasFocus);
  const ring = chosen ? [element("rect", {
    x: item.x - w / 2 - 4, y: item.y - h / 2 - 4, width: w + 8, height: h + 8, rx: 5, fill: "none",
    stroke: (dark ? palette.dark : palette.light)[0], "stroke-width": item.key === map.selected ? "2.5" : "1.5",
    ...(item.key === map.selected ? {} : { "stroke-dasharray": "3 2" }),
  })] : [];
  return [shape, ...ring, ...nameOf(item, dark), ...signOf(item, stroke)];
}

/** The colour of an item; boxes have that of the worst link of their nodes. */
function strokeOf(map, item, dark) {
  if (item.kind !== "box" || item.isHeader) return [inkColour(dark), item.kind === "host" ? 0 : 1.4];
  const worst = worstOf(map.portsWithin(item.group), map.shown.valueOf);
  return [colourOfShare(worst ? worst / map.shown.most : 0, dark), 3];
}

const sizeOf = ({ kind, space, isHeader, size }) => (size ? size : kind === "host" ? [Math.max(3, Math.min(9, space - 2)), 9]
  : isHeader ? [14, 14] : [Math.max(4, Math.min(kind === "box" ? 26 : 22, space - 3)), 14]);

/** A + on a folded box, a − on the header of an unfolded one. */
function signOf({ kind, x, y, space, isHeader }, stroke) {
  if (kind !== "box" || (space < 14 && !isHeader)) return [];
  const d = `M${pixels(x - 4)} ${pixels(y)}h8${isHeader ? "" : `M${pixels(x)} ${pixels(y - 4)}v8`}`;
  return [element("path", { d, stroke, "stroke-width": "1.5", fill: "none" })];
}

/** The name of an item; without room for names, numbers; without room for all, some of them. */
function nameOf(item, dark) {
  // A rim in the colour of the background keeps names legible on links.
  const look = { fill: inkColour(dark), "font-size": "11", stroke: paperColour(dark), "stroke-width": "3", "paint-order": "stroke" };
  if (item.isHeader) return [element("text", { x: item.x + 13, y: item.y + 4, ...look }, item.name)];
  const short = shortName(item.name);
  const isWhole = widthOfText(item.name) + 6 <= item.space;
  const every = Math.ceil((widthOfText(short) + 6) / item.space);
  if (!isWhole && item.number % every) return [];
  const [x, y, anchor] = item.nameAt || placeOfName(item);
  return [element("text", { x, y, "text-anchor": anchor, ...look }, isWhole ? item.name : short)];
}

/** The place of a name: above switches, below other items; on a circle, inside and outside. */
function placeOfName({ x, y, kind, outward }) {
  const inside = kind === "switch";
  const below = y + (kind === "host" ? 18 : 20);
  if (!outward) return [x, inside ? y - 11 : below, "middle"];
  const [dx, dy] = outward.map((each) => (inside ? -each : each));
  if (Math.abs(dy) > Math.abs(dx)) return [x, dy < 0 ? y - 11 : below, "middle"];
  return [x + Math.sign(dx) * (kind === "host" ? 8 : 16), y + 4, dx < 0 ? "end" : "start"];
}

/** `12` for host 12, `0–15` for host 0 to 15. */
function shortName(name) {
  const found = /(\d+)(?:(?: to |, \D*)(\d+))?$/.exec(name);
  return !found ? name.slice(0, 6) : found[2] ? `${found[1]}–${found[2]}` : found[1];
}

/** The scale of colours, from the smallest value above 0 to the largest. */
function scaleShapes(map, dark) {
  const { title, axis, most } = map.shown;
  const [width, y] = [120, 14];
  const last = format(axis, most, 3);
  const x = map.width - width - widthOfText(last) - 14;
  const look = { fill: inkColour(dark), "font-size": "11" };
  const parts = [...Array(STEPS_OF_SCALE).keys()].map((step) => element("rect", {
    x: x + (step * width) / STEPS_OF_SCALE, y: y - 9, width: width / STEPS_OF_SCALE + 0.4, height: 9,
    fill: colourOfShare((step + 1) / STEPS_OF_SCALE, dark),
  }));
  return [...parts,
    element("text", { x: x - 6, y, "text-anchor": "end", ...look }, `${title}  0`),
    element("text", { x: x + width + 6, y, ...look }, last)];
}
