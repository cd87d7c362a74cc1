// Switches as boxes with a dock for each port: links end at docks, and queues grow inwards.

const SLOT = 16;
const DEPTH = 46;
const BAND = 18;
const SIDES = {
  top: { across: "x", inward: [0, 1] }, bottom: { across: "x", inward: [0, -1] },
  left: { across: "y", inward: [1, 0] }, right: { across: "y", inward: [-1, 0] },
};

/** Sets the sizes of switches, and the docks at which edges end. */
function dock(map) {
  map.docks = new Map();
  const edges = [...map.edges.values()];
  for (const edge of edges) edge.docks = [];
  for (const item of map.places.items.values()) {
    const own = edges.filter(({ from, to }) => from === item.key || to === item.key);
    if (item.kind === "switch") dockSwitch(map, item, own);
    else own.forEach((edge) => putDock(map, item, edge, { x: item.x, y: item.y, inward: null, room: SLOT, depth: 0 }));
  }
}

function dockSwitch(map, item, edges) {
  const sides = { top: [], bottom: [], left: [], right: [] };
  for (const edge of edges) {
    const peer = map.places.items.get(edge.from === item.key ? edge.to : edge.from);
    sides[sideTowards(map, item, peer)].push({ edge, peer });
  }
  const depth = map.data.circle ? Math.min(DEPTH, 0.3 * roundSize(item)) : DEPTH;
  item.size = map.data.circle ? [roundSize(item), roundSize(item)] : sizeOfBox(item, sides, depth);
  const [width, height] = item.size;
  const has = (side) => (sides[side].length ? depth : 4);
  const box = { x: [item.x - width / 2 + has("left"), item.x + width / 2 - has("right")],
    y: [item.y - height / 2 + has("top"), item.y + height / 2 - has("bottom")] };
  item.nameAt = [(box.x[0] + box.x[1]) / 2, (box.y[0] + box.y[1]) / 2 + 4, "middle"];
  item.space = map.data.circle ? Math.max(width - 2 * depth, 24) : box.x[1] - box.x[0];
  for (const [side, found] of Object.entries(sides)) {
    const { across, inward } = SIDES[side];
    const [low, high] = box[across];
    const room = (high - low) / (found.length || 1);
    found.sort((a, b) => a.peer[across] - b.peer[across]);
    found.forEach(({ edge }, index) => putDock(map, item, edge, {
      x: item.x - (inward[0] * width) / 2, y: item.y - (inward[1] * height) / 2,
      [across]: low + room * (index + 0.5), inward, room, depth: depth - 3,
    }));
  }
}

/** Sets the dock of an edge; parallel links have docks of their own, so that they stay apart. */
function putDock(map, item, edge, place) {
  const isFrom = edge.from === item.key && !edge.docks[0];
  edge.docks[isFrom ? 0 : 1] = place;
  map.docks.set((isFrom ? edge.there : edge.back)[0], place);
}

function sideTowards(map, item, peer) {
  const [dx, dy] = [peer.x - item.x, peer.y - item.y];
  const isLevel = map.data.circle ? Math.abs(dx) > Math.abs(dy) : Math.abs(dy) < 1;
  if (isLevel) return dx > 0 ? "right" : "left";
  return dy > 0 ? "bottom" : "top";
}

const roundSize = ({ space }) => Math.max(22, Math.min(72, space - 8));

function sizeOfBox({ name, space }, { top, bottom, left, right }, depth) {
  const beside = (side) => (side.length ? depth : 0);
  const slots = Math.max(top.length, bottom.length) * SLOT + beside(left) + beside(right);
  const named = widthOfText(name) + 14 + beside(left) + beside(right);
  const width = Math.min(Math.max(slots + 8, named), Math.max(space - 10, 24));
  const level = Math.max(left.length, right.length) * SLOT;
  return [width, beside(top) + beside(bottom) + Math.max(BAND, level)];
}

/** The lane on which the packets of a port move, on the right of the link in their direction. */
function laneOf(map, port) {
  const [from, to] = [map.docks.get(port), map.docks.get(port ^ 1)];
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ox, oy] = [(-(to.y - from.y) / length) * map.sizes.apart, ((to.x - from.x) / length) * map.sizes.apart];
  return { x: from.x + ox, y: from.y + oy, dx: to.x - from.x, dy: to.y - from.y, length };
}
