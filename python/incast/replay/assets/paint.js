// Moving parts: packets on links, queues at ports, pauses, drops. Shapes of one look are one path.

const DIMMED = { light: "#c3cad1", dark: "#454d55" };
const THICK = 6;
const THIN = 3.4;
/** The shortest drawn length of a packet, in pixels, so that every packet is visible. */
const LEAST = { data: 4, control: 4 };
/** Pixels between back-to-back packets. */
const GAP = 1;
/** How long a drop is shown, as a share of the window. */
const LINGERS = 0.012;
const SIGN = 5;

/** The colour of a flow: a few flows have colours of the palette, many have those of a ramp. */
function colourOfFlow({ replay }, flow, dark) {
  if (flow < 0) return pauseColour(dark);
  if (replay.follow >= 0 && flow !== replay.follow) return DIMMED[dark ? "dark" : "light"];
  if (replay.follow >= 0) return (dark ? palette.dark : palette.light)[0];
  const own = (dark ? palette.dark : palette.light).filter((_, index) => index !== PAUSE);
  if (replay.flows.length <= own.length) return own[flow];
  return onRamp(flow / (replay.flows.length - 1), dark ? palette.rampDark : palette.rampLight);
}

const pauseColour = (dark) => (dark ? palette.dark : palette.light)[PAUSE];

/** Paths by look, to which shapes of the same look are added. */
class Paths {
  constructor() {
    this.found = new Map();
  }

  add(look, d) {
    const key = JSON.stringify(look);
    if (!this.found.has(key)) this.found.set(key, { look, parts: [] });
    this.found.get(key).parts.push(d);
  }

  /** All paths; dimmed ones come first, so that the others cover them. */
  shapes() {
    const isDim = ({ look }) => Object.values(DIMMED).includes(look.stroke);
    const sorted = [...this.found.values()].sort((a, b) => isDim(b) - isDim(a));
    return sorted.map(({ look, parts }) => element("path", { fill: "none", ...look, d: parts.join("") }));
  }
}

const line = (x1, y1, x2, y2) => `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`;

/** Lanes of paused or failed ports, then packets. */
function linkShapes(player, dark) {
  const { map, time } = player;
  const lanes = new Paths();
  for (const port of player.pausedPorts(time)) {
    const { x, y, dx, dy } = laneOf(map, port);
    lanes.add({ stroke: pauseColour(dark), "stroke-width": "2" }, line(x, y, x + dx, y + dy));
  }
  for (const port of player.portsDown(time)) {
    const { x, y, dx, dy } = laneOf(map, port);
    lanes.add({ stroke: paperColour(dark), "stroke-width": "4", "stroke-dasharray": "3 7" }, line(x, y, x + dx, y + dy));
  }
  return [...lanes.shapes(), ...packetShapes(player, dark)];
}

function packetShapes(player, dark) {
  const [paths, cores] = [new Paths(), new Paths()];
  for (const packet of player.packets) {
    if (packet.leaves > player.time) break;
    const bits = bitsOf(packet, player.time);
    if (bits) addPacket(player, packet, bits, { paths, cores, dark });
  }
  return [...paths.shapes(), ...cores.shapes()];
}

function addPacket(player, packet, [last, first], { paths, cores, dark }) {
  const { x, y, dx, dy, length } = player.lanes[packet.port];
  if (!isQueued(packet)) return addFrame(x + dx * first, y + dy * first, paths, dark);
  const is = isData(packet) ? "data" : "control";
  // A very short packet is drawn longer, behind its first bit.
  const gap = (first - last) * length > 2 * LEAST[is] ? GAP / length : 0;
  const tail = Math.max(0, Math.min(last + gap, first - LEAST[is] / length));
  const head = Math.max(first, tail + LEAST[is] / length);
  const d = line(x + dx * tail, y + dy * tail, x + dx * head, y + dy * head);
  const stroke = colourOfFlow(player, packet.flow, dark);
  paths.add({ stroke, "stroke-width": String(is === "data" ? THICK : THIN) }, d);
  const isHollow = packet.kind === "trimmed";
  if (isHollow || (packet.isMarked && is === "data")) {
    cores.add({ stroke: paperColour(dark), "stroke-width": isHollow ? "3.4" : "1.8" }, d);
  }
}

/** Adds a PFC frame, as a diamond. */
function addFrame(x, y, paths, dark) {
  const d = `M${(x - SIGN).toFixed(1)} ${y.toFixed(1)}l${SIGN} ${-SIGN}l${SIGN} ${SIGN}l${-SIGN} ${SIGN}Z`;
  paths.add({ stroke: paperColour(dark), "stroke-width": "1", fill: pauseColour(dark) }, d);
}

/** Queues at ports, and signs of pauses and drops. */
function portShapes(player, dark) {
  const paths = new Paths();
  for (const [port, place] of player.map.docks) {
    if (place.inward && player.replay.most) addQueue(player, port, place, paths, dark);
  }
  return [...paths.shapes(), ...pauseSigns(player, dark), ...endSigns(player, dark)];
}

/** Adds a queue, as a column from the port inwards; the packet that leaves next is at the port. */
function addQueue(player, port, place, paths, dark) {
  const { most } = player.replay;
  const width = String(Math.max(2, Math.min(10, place.room - 4)));
  const along = (from, to) => line(place.x + place.inward[0] * from, place.y + place.inward[1] * from,
    place.x + place.inward[0] * to, place.y + place.inward[1] * to);
  paths.add({ stroke: gridColour(dark), "stroke-width": width }, along(0, place.depth));
  for (const { flow, from, to } of runsOf(player.waitingAt(port), place.depth / most)) {
    const stroke = flow === null ? inkColour(dark) : colourOfFlow(player, flow, dark);
    paths.add({ stroke, "stroke-width": width }, along(from, to));
  }
}

/** Pieces of a column with one colour each, in whole pixels; a short queue has one pixel. */
function runsOf(waiting, pixelsOfByte) {
  const runs = [];
  let [bytes, drawn] = [0, 0];
  for (const { flow, wire } of waiting) {
    bytes += wire;
    const to = Math.max(Math.round(bytes * pixelsOfByte), 1);
    if (to <= drawn) continue;
    const last = runs.at(-1);
    if (last && last.flow === flow) last.to = to;
    else runs.push({ flow, from: drawn, to });
    drawn = to;
  }
  return runs;
}

/** Two bars across the lane of a port that PFC has paused. */
function pauseSigns(player, dark) {
  const d = [...player.pausedPorts(player.time)].map((port) => {
    const { x, y, dx, dy, length } = player.lanes[port];
    const [ux, uy] = [dx / length, dy / length];
    return [8, 12].map((far) => line(x + ux * far - uy * SIGN, y + uy * far + ux * SIGN,
      x + ux * far + uy * SIGN, y + uy * far - ux * SIGN)).join("");
  });
  return d.length ? [element("path", { d: d.join(""), stroke: pauseColour(dark), "stroke-width": "2.4", fill: "none" })] : [];
}

/** Crosses where packets were just dropped or lost, triangles where packets were just trimmed. */
function endSigns(player, dark) {
  const { replay, time, lanes } = player;
  const counts = new Map();
  for (const packet of player.ends) {
    if (packet.gone > time) break;
    if (time - packet.gone > LINGERS * replay.length) continue;
    const { x, y, dx, dy } = lanes[packet.port];
    const share = packet.fate === "lost" ? (bitsOf(packet, packet.gone - 1) || [0, 0])[1] : 0;
    const key = `${packet.fate === "trimmed" ? "trim" : "drop"} ${(x + dx * share).toFixed(0)} ${(y + dy * share).toFixed(0)}`;
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return [...counts].flatMap(([key, count]) => endSign(...key.split(" "), count, dark));
}

function endSign(sign, x, y, count, dark) {
  const s = SIGN;
  const d = sign === "trim" ? `M${x} ${y}m${-s} ${-s}h${2 * s}l${-s} ${2 * s}Z`
    : `M${x} ${y}m${-s} ${-s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`;
  const ink = dark ? "#ffffff" : INK;
  const rim = element("path", { d, stroke: paperColour(dark), "stroke-width": "6", fill: "none" });
  const shape = element("path", { d, stroke: ink, "stroke-width": "2.4", fill: sign === "trim" ? ink : "none" });
  const many = element("text", {
    x: Number(x) + 9, y: Number(y) + 4, "font-size": "11", fill: ink, stroke: paperColour(dark), "stroke-width": "3", "paint-order": "stroke",
  }, `× ${count}`);
  return [rim, shape, ...(count > 1 ? [many] : [])];
}
