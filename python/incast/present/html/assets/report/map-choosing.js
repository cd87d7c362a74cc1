// Choosing a link or a node of the map, by pointer or keys, and its description.

function addChoosing(map) {
  const { place } = map;
  place.addEventListener("pointermove", (event) => {
    const key = nearestTo(map, event);
    place.style.cursor = key ? "pointer" : "";
    if (key !== map.hovered) tell(map, (map.hovered = key));
  });
  place.addEventListener("click", (event) => {
    const key = nearestTo(map, event);
    const item = map.places.items.get(key);
    if (item && item.kind === "box") toggle(map, item);
    else choose(map, key);
  });
  place.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : map.keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(map);
  });
  for (const [name, has] of [["focus", true], ["blur", false]]) {
    place.addEventListener(name, () => {
      map.hasFocus = has && place.matches(":focus-visible");
      map.cursor ??= map.places.items.keys().next().value;
      paintMap(map);
    });
  }
}

const MAP_KEYS = {
  ArrowLeft: (map) => move(map, -1, 0),
  ArrowRight: (map) => move(map, 1, 0),
  ArrowUp: (map) => move(map, 0, -1),
  ArrowDown: (map) => move(map, 0, 1),
  Enter: (map) => pick(map),
  " ": (map) => pick(map),
  Escape: (map) => choose(map, null),
};

function pick(map) {
  const item = map.places.items.get(map.cursor);
  if (!item) return;
  if (item.kind === "box") toggle(map, item);
  else choose(map, item.key);
}

/** Moves to the nearest item in a direction; distance across the direction counts twice. */
function move(map, dx, dy) {
  const at = map.places.items.get(map.cursor) || [...map.places.items.values()][0];
  let [best, least] = [at, Infinity];
  for (const item of map.places.items.values()) {
    const along = (item.x - at.x) * dx + (item.y - at.y) * dy;
    const across = Math.abs((item.x - at.x) * dy + (item.y - at.y) * dx);
    const far = along + 2 * across;
    if (along > 1 && across <= along * 8 && far < least) [best, least] = [item, far];
  }
  map.cursor = best.key;
  tell(map, best.key);
  paintMap(map);
}

/** The key of the node or the link under the pointer; null if there is none. */
function nearestTo(map, event) {
  const box = map.drawing.getBoundingClientRect();
  const scale = map.width / box.width;
  const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  let [best, least] = [null, NEAR];
  for (const item of map.places.items.values()) {
    const far = item.isHeader && x > item.x && x < item.x + 160 ? Math.abs(y - item.y)
      : Math.hypot(x - item.x, y - item.y) * 0.7;
    if (far < least) [best, least] = [item.key, far];
  }
  if (best) return best;
  least = 6;
  for (const edge of map.edges.values()) {
    const far = awayFrom([x, y], ...endsOf(map, edge));
    if (far < least) [best, least] = [edge.key, far];
  }
  return best;
}

function awayFrom([x, y], from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = ((x - from.x) * dx + (y - from.y) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(x - from.x - share * dx, y - from.y - share * dy);
}

/** Writes the name of an item, and its value of the shown quantity, above the map. */
function tell(map, key) {
  map.said.textContent = key ? map.wordsOn(key) : "\u00a0";
}

function wordsOn(map, key) {
  const { title, axis, valueOf } = map.shown;
  const words = (ports) => {
    const value = worstOf(ports, valueOf);
    return value === undefined ? "not recorded" : format(axis, value, 3);
  };
  const edge = map.edges.get(key);
  if (!edge) {
    const item = map.places.items.get(key);
    return item ? `${item.name}: ${title}, at most ${words(portsOf(map, key))}` : "";
  }
  const [from, to] = [edge.from, edge.to].map((each) => map.places.items.get(each).name);
  const many = edge.there.length > 1 ? `, the most of ${edge.there.length} links` : "";
  return `${title}${many}: ${from} → ${to}: ${words(edge.there)}; ${to} → ${from}: ${words(edge.back)}`;
}

/** Both ports of each link of an item. */
function portsOf(map, key) {
  const edge = map.edges.get(key);
  if (edge) return edge.there.flatMap((port, index) => [port, edge.back[index]]);
  const item = map.places.items.get(key);
  if (!item) return [];
  if (item.kind === "box") return map.portsWithin(item.group);
  return map.data.links.flatMap((node, port) =>
    (node === item.node || map.data.links[port ^ 1] === item.node ? [port] : []));
}

/** Shows the table of the chosen item, and its queues over time. */
function describe(map) {
  tell(map, map.selected);
  const ports = portsOf(map, map.selected);
  map.table.replaceChildren();
  showQueues(map, ports);
  if (!ports.length) return;
  const sorted = [...ports].sort((a, b) => (map.shown.valueOf(b) ?? -1) - (map.shown.valueOf(a) ?? -1));
  const rows = (map.edges.has(map.selected) && ports.length <= 2 ? ports : sorted).slice(0, MOST_ROWS);
  const more = ports.length > rows.length
    ? `${rows.length} of ${ports.length} ports, the largest ${map.shown.title} first` : "";
  const name = nameOfChosen(map, map.selected);
  map.table.append(made("div", { className: "scroll" }, tableOf(map, name, rows)),
    ...(more ? [made("p", { className: "note" }, more)] : []));
  letScroll();
}

function nameOfChosen(map, key) {
  const edge = map.edges.get(key);
  return (edge ? [edge.from, edge.to] : [key]).map((each) => map.places.items.get(each).name).join(" – ");
}

function tableOf(map, name, rows) {
  const { quantities } = map.data;
  const head = made("tr", {}, made("th", { className: "text" }, "port"),
    ...quantities.map(([title]) => made("th", {}, title)));
  const body = rows.map((port) => made("tr", {}, made("td", { className: "text" }, portButton(map, port)),
    ...quantities.map(([, unit, , scale, values]) => made("td", {}, cellOf(unit, values[port] * scale)))));
  return made("table", {}, made("caption", {}, name), made("thead", {}, head), made("tbody", {}, ...body));
}

const cellOf = (unit, value) => (unit === "ratio" ? `${digits(100 * value, 3)} %` : format({ unit }, value, 3));

/** A button that chooses the link of a port, and unfolds the boxes that hide it. */
function portButton(map, port) {
  const button = made("button", { type: "button" }, labelOfPort(map, port));
  button.addEventListener("click", () => {
    unfoldPort(map, port);
    arrange(map);
    const edge = [...map.edges.values()].find(({ there, back }) => [...there, ...back].includes(port));
    choose(map, edge.key);
    map.table.querySelector("button").focus();
  });
  return button;
}

const MOST_QUEUES = 5;

/** Shows the queues of these ports that were sampled and were not always empty. */
function showQueues(map, ports) {
  const place = map.room.querySelector(".queues");
  if (map.plot) {
    plots.splice(plots.indexOf(map.plot), 1);
    map.plot.destroy();
    map.plot = null;
  }
  place.replaceChildren();
  const { queues } = map.data;
  const most = (port) => Math.max(...queues.values[queues.ports.indexOf(port)]);
  const found = queues ? ports.filter((port) => queues.ports.includes(port)) : [];
  if (!found.length) return;
  found.sort((a, b) => most(b) - most(a));
  const figure = queueFigure(nameOfChosen(map, map.selected));
  place.append(figure);
  draw(figure, queueChart(map, found.slice(0, MOST_QUEUES)));
  map.plot = plots.at(-1);
}

function queueFigure(name) {
  const plot = made("div", { className: "plot" });
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `Queues of ${name}, over simulated time`);
  const legend = made("div", { className: "legend" });
  const note = made("p", { className: "note" }, "The longest queue in each of equal times.");
  const caption = made("figcaption", {}, made("h3", {}, `Queues of ${name}`), note);
  return made("figure", { className: "chart" }, caption, plot, legend);
}

function queueChart(map, ports) {
  const { from, width, count, scale, ports: every, values } = map.data.queues;
  const axis = (label, unit, size, lower) => ({ label, unit, log: false, lower, upper: null, scale: size });
  const curves = ports.map((port, index) => ({
    label: labelOfPort(map, port), group: labelOfPort(map, port), colour: index, ramp: false,
    dash: "solid", mark: "line", x: 0, y: values[every.indexOf(port)],
  }));
  return {
    name: "queue-of-port", file: `${map.figure.dataset.file}-queue`, section: map.room.closest("section").id,
    x: axis("simulated time", "s", 1, null), y: axis("queue", "B", scale, 0), curves,
    xs: [[...Array(count).keys()].map((index) => from + width * (index + 0.5))],
  };
}
