// The map of a network as a reader uses it: quantities, time, folds, a chosen link or node.

const maps = [];
const MOST_ROWS = 24;
const NEAR = 9;

/** The function that draws in a place of the page, by the selector of the place. */
const ROOMS = { ".network-map:not(.replay)": addMap };
const NO_SHAPES = { aboveLinks: () => [], aboveNodes: () => [] };

function addMap(room) {
  const map = mapIn(room);
  map.choices = choicesOf(map.data);
  addControls(map);
  showMap(map);
}

/** A map that is not yet shown. */
function mapIn(room) {
  const data = JSON.parse(room.querySelector("script").textContent);
  const figure = room.querySelector("figure");
  const map = {
    room, figure, data, unfolded: new Set(), quantity: 0, window: 0, showsPauses: false,
    selected: null, cursor: null, hasFocus: false, width: 0, plot: null,
    place: figure.querySelector(".map"), drawing: figure.querySelector(".map svg"),
    said: room.querySelector(".said"), table: room.querySelector(".chosen"),
    spacing: SPACING, keys: MAP_KEYS, shapes: NO_SHAPES, isEachLinkDrawn: false,
  };
  map.wordsOn = (key) => wordsOn(map, key);
  map.pausedOf = counterOf(data, "time paused");
  map.portsWithin = (group) => portsWithin(data, group);
  for (const port of data.path || []) unfoldPort(map, port);
  return map;
}

function showMap(map) {
  const { figure } = map;
  arrange(map);
  addChoosing(map);
  addSaving(figure, figure.dataset.file, { SVG: (title) => savedMap(map, title) });
  new ResizeObserver(() => {
    if (!printing && map.place.clientWidth && map.place.clientWidth !== map.width) arrange(map);
  }).observe(map.place);
  maps.push(map);
}

/** The values of a counter by port; 0 for all ports if it was not recorded. */
function counterOf(data, name) {
  const found = data.quantities.find(([each]) => each === name);
  return (port) => (found ? found[4][port] * found[3] : 0);
}

/** The quantities by which links can be coloured. */
function choicesOf(data) {
  const counted = data.quantities.filter(([, , isDrawn]) => isDrawn).map(([name, unit]) => {
    const axis = { unit: unit === "ratio" ? "percent" : unit };
    const factor = unit === "ratio" ? 100 : 1;
    const values = counterOf(data, name);
    const valueOf = (port) => values(port) * factor;
    const most = unit === "ratio" ? 100 : Math.max(...data.links.map((_, port) => valueOf(port))) || 1;
    return { title: unit === "ratio" ? `${name} (%)` : name, axis, most, valueOf };
  });
  return data.queues ? [...counted, queuesOf(data.queues)] : counted;
}

/** Queues over time. The scale ends at the largest of all windows, so that colours compare. */
function queuesOf(queues) {
  const rows = new Map(queues.ports.map((port, index) => [port, queues.values[index]]));
  const empty = new Set(queues.empty);
  const valueOf = (port, window) => (rows.has(port) ? rows.get(port)[window] * queues.scale
    : empty.has(port) ? 0 : undefined);
  const most = Math.max(...queues.values.map((row) => Math.max(...row))) * queues.scale;
  return { title: "queue over time", axis: { unit: "B" }, most, valueOf, overTime: true };
}

/** The ports of the links of all nodes in a box, boxes in it included. */
function portsWithin(data, group) {
  const holds = (node) => {
    for (let block = data.block[node]; block; block = data.groups[block - 1][1]) {
      if (block === group + 1) return true;
    }
    return false;
  };
  return data.links.flatMap((node, port) => (holds(node) || holds(data.links[port ^ 1]) ? [port] : []));
}

/** Places all items anew, after a change of the shown items or of the width. */
function arrange(map) {
  map.width = Math.max(map.place.clientWidth, 280);
  map.places = placesOf(map, map.width);
  map.edges = edgesOf(map);
  if (map.dock) map.dock();
  listNodes(map);
  show(map);
}

/** Colours all items anew. */
function show(map) {
  const choice = map.choices[map.quantity];
  const { overTime, valueOf } = choice;
  map.shown = { ...choice, valueOf: overTime ? (port) => valueOf(port, map.window) : valueOf };
  paintMap(map);
}

function made(tag, attributes = {}, ...children) {
  const found = Object.assign(document.createElement(tag), attributes);
  found.append(...children);
  return found;
}

function addControls(map) {
  const place = map.room.querySelector(".controls");
  const select = made("select", {}, ...map.choices.map(({ title }, index) => made("option", { value: index }, title)));
  place.append(made("label", {}, "Colour ", select), choiceOfNode(map));
  const time = map.data.queues ? addTime(map, place) : null;
  select.addEventListener("change", () => {
    map.quantity = Number(select.value);
    if (time) time.hidden = !map.choices[map.quantity].overTime;
    show(map);
    describe(map);
  });
  if (map.data.links.some((_, port) => map.pausedOf(port) > 0)) addPauses(map, place);
}

function choiceOfNode(map) {
  map.nodes = made("select");
  map.nodes.addEventListener("change", () => choose(map, map.nodes.value || null));
  return made("label", {}, "Node ", map.nodes);
}

function addTime(map, place) {
  const { from, width, count } = map.data.queues;
  const range = made("input", { type: "range", min: 0, max: count - 1, value: 0 });
  const output = made("output");
  const label = made("label", { hidden: true }, "Time ", range, output);
  const axis = { unit: "s" };
  const update = () => {
    map.window = Number(range.value);
    const ends = [from + width * map.window, from + width * (map.window + 1)];
    output.textContent = ` ${ends.map((end) => format(axis, end, 4)).join(" to ")}`;
    range.setAttribute("aria-valuetext", output.textContent.trim());
  };
  range.addEventListener("input", () => {
    update();
    show(map);
  });
  update();
  place.append(label);
  return label;
}

function addPauses(map, place) {
  const button = made("button", { type: "button" }, "Pauses");
  button.title = "Arrows from ports that PFC paused to those that paused them";
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    map.showsPauses = !map.showsPauses;
    button.setAttribute("aria-pressed", String(map.showsPauses));
    paintMap(map);
  });
  place.append(button);
}

function listNodes(map) {
  const items = [...map.places.items.values()];
  map.nodes.replaceChildren(made("option", { value: "" }, "–"),
    ...items.map(({ key, name }) => made("option", { value: key }, name)));
  map.nodes.value = map.places.items.has(map.selected) ? map.selected : "";
}

/** Chooses a node, a box or a link by its key; null ends the choice. */
function choose(map, key) {
  map.selected = key;
  if (key && map.places.items.has(key)) map.cursor = key;
  map.nodes.value = map.places.items.has(key) ? key : "";
  paintMap(map);
  describe(map);
}

/** Folds or unfolds a box, with the boxes in it. */
function toggle(map, item) {
  if (map.unfolded.delete(item.key)) {
    for (const key of [...map.unfolded]) {
      if (!blocksOf(map).includes(Number(key.slice(1)) + 1)) map.unfolded.delete(key);
    }
  } else map.unfolded.add(item.key);
  arrange(map);
  choose(map, item.key);
}

function savedMap(map, title) {
  paintMap(map, false);
  const text = drawingAsSvg(title, map.drawing);
  paintMap(map);
  return text;
}
