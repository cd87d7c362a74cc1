// The map of a network: the items shown, their places, and the links between them.

/** Pixels between rows and above the first. Replays have more, as their links show packets. */
const SPACING = { row: 92, above: 16 };
const HEADER = 26;
const EDGE = 16;
/** Pixels for names beside a circle. */
const BESIDE = 40;
const MOST_HEIGHT = 640;

/** The shown nodes and boxes with their places, and the height of all, in pixels. */
function placesOf(map, width) {
  const { data, unfolded, spacing } = map;
  const items = new Map();
  let top = 30;
  for (const block of blocksOf(map)) {
    const group = block ? groupOf(data, block - 1) : null;
    if (group) items.set(group.key, { ...group, x: EDGE + 8, y: top + 6, isHeader: true });
    const own = membersOf(data, block).filter((item) => !unfolded.has(item.key));
    const rows = data.circle && block === 0 ? 0 : Math.max(...membersOf(data, block).map((item) => item.row));
    const height = data.circle && block === 0 ? Math.min(width * 0.8, MOST_HEIGHT) : rows * spacing.row + spacing.above + 30;
    if (group) top += HEADER;
    const placed = own.map((item) => (data.circle && block === 0 ? { ...item, ...onCircle(item, width, height, spacing.above) }
      : { ...item, x: EDGE + item.share * (width - 2 * EDGE), y: item.row * spacing.row + spacing.above }));
    if (data.circle && block === 0) countKinds(placed, width, height);
    else countRows(placed, width);
    for (const item of placed) items.set(item.key, { ...item, y: top + item.y });
    top += height;
  }
  return { items, height: top + 10 };
}

/** A place on a circle, which is wider than high if there is room. Names are away from links. */
function onCircle({ share, row }, width, height, above) {
  const wide = Math.min(width - 2 * BESIDE, 1.5 * height);
  return { x: width / 2 + (share - 0.5) * wide, y: above - 4 + row * (height - above - 24), outward: [share - 0.5, row - 0.5] };
}

/** Sets the room of each name on a circle: about its share of the circumference. */
function countKinds(items, width, height) {
  for (const kind of ["host", "switch", "box"]) {
    const own = items.filter((item) => item.kind === kind);
    const space = (2.4 * Math.min(width, height)) / own.length;
    own.forEach((item, number) => Object.assign(item, { space, number }));
  }
}

/** Sets the room of each name: the smallest distance between items of its row. */
function countRows(items, width) {
  const rows = new Map();
  for (const item of items) rows.set(item.y, [...(rows.get(item.y) || []), item]);
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    const gaps = row.slice(1).map((item, index) => item.x - row[index].x);
    const space = Math.min(width, ...gaps);
    row.forEach((item, number) => Object.assign(item, { space, number }));
  }
}

/** Block 0, then the unfolded blocks, each followed by the blocks in it. */
function blocksOf({ data, unfolded }) {
  const below = (block) => data.groups.flatMap(([, where], group) =>
    where === block && unfolded.has(keyOfGroup(group)) ? [group + 1, ...below(group + 1)] : []);
  return [0, ...below(0)];
}

const keyOfGroup = (group) => `g${group}`;

function groupOf(data, group) {
  const [name, , share, row] = data.groups[group];
  return { key: keyOfGroup(group), name, share, row, kind: "box", group };
}

function nodeOf(data, node) {
  const kind = node < data.hosts ? "host" : "switch";
  return { key: `n${node}`, name: data.names[node], share: data.x[node], row: data.y[node], kind, node };
}

function membersOf(data, block) {
  const nodes = data.block.flatMap((own, node) => (own === block ? [nodeOf(data, node)] : []));
  const groups = data.groups.flatMap(([, own], group) => (own === block ? [groupOf(data, group)] : []));
  return [...nodes, ...groups];
}

/** The key of a node, or of the outermost box that hides it. */
function seenAs({ data, unfolded }, node) {
  let key = `n${node}`;
  for (let block = data.block[node]; block; block = data.groups[block - 1][1]) {
    if (!unfolded.has(keyOfGroup(block - 1))) key = keyOfGroup(block - 1);
  }
  return key;
}

/** Unfolds the boxes that hide either end of the link of a port. */
function unfoldPort({ data, unfolded }, port) {
  for (const node of [data.links[port], data.links[port ^ 1]]) {
    for (let block = data.block[node]; block; block = data.groups[block - 1][1]) unfolded.add(keyOfGroup(block - 1));
  }
}

/** Lines between items, each with the ports of both directions. */
function edgesOf(map) {
  const edges = new Map();
  const { links, faults } = map.data;
  const harmed = new Set(faults);
  for (let port = 0; port < links.length; port += 2) {
    const [one, other] = [seenAs(map, links[port]), seenAs(map, links[port + 1])];
    if (one === other) continue;
    const turned = !map.isEachLinkDrawn && edges.has(`${other} ${one}`);
    const pair = turned ? `${other} ${one}` : `${one} ${other}`;
    const key = map.isEachLinkDrawn ? `${pair} ${port}` : pair;
    if (!edges.has(key)) edges.set(key, { key, from: one, to: other, there: [], back: [], isHarmed: false });
    const edge = edges.get(key);
    edge.there.push(turned ? port + 1 : port);
    edge.back.push(turned ? port : port + 1);
    edge.isHarmed ||= harmed.has(port / 2);
  }
  return edges;
}

/** The ends of an edge: the middles of its items, or their docks. */
const endsOf = (map, { from, to, docks }) => docks || [map.places.items.get(from), map.places.items.get(to)];

function labelOfPort({ data }, port) {
  const [node, peer] = [data.links[port], data.links[port ^ 1]].map((each) => data.names[each]);
  return `${node} port ${data.ports[port]} → ${peer}`;
}
