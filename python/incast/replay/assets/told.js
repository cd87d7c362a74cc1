// A replay in words: the moment, the chosen item, the events.

const MOST_TOLD = 3;

/** A time of the run, to the nanosecond. */
const momentText = (player, time = player.time) => `${((player.replay.begin + time) / 1e6).toFixed(3)} µs`;
const bytesText = (bytes) => format({ unit: "B" }, bytes, 3);
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The whole network at the shown time, or the followed flow. */
function sceneText(player) {
  const { replay, packets, time } = player;
  const own = replay.follow < 0 ? packets : packets.filter(({ flow }) => flow === replay.follow);
  const moving = own.filter((packet) => packet.leaves <= time && bitsOf(packet, time)).length;
  const queues = [...player.map.docks.keys()].map((port) => [port, bytesOf(player.waitingAt(port, replay.follow))]);
  const [port, most] = queues.reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0]);
  const queue = most ? `${replay.follow < 0 ? "longest queue" : "waits most:"} ${bytesText(most)} at ${labelOfPort(player.map, port)}` : "nothing waits";
  const paused = [...player.pausedPorts(time)].length;
  const ended = player.ends.filter(({ gone, flow }) => gone <= time && gone >= 0 && (replay.follow < 0 || flow === replay.follow));
  const fates = ["dropped", "trimmed", "lost"].map((fate) => [fate, ended.filter((each) => each.fate === fate).length]);
  return [`${counted(moving, "packet")} on links`, queue,
    ...(paused ? [`${counted(paused, "port")} paused`] : []),
    ...fates.filter(([, count]) => count).map(([fate, count]) => `${count} ${fate} so far`)].join(" · ");
}

const bytesOf = (waiting) => waiting.reduce((sum, { wire }) => sum + wire, 0);

function flowName({ map, replay }, index) {
  const [flow, source, destination, size] = replay.flows[index];
  return `flow ${flow}: ${map.data.names[source]} → ${map.data.names[destination]}, ${bytesText(size)}`;
}

function packetName({ replay }, { flow, kind, sequence }) {
  if (flow < 0) return `PFC frame (${kind})`;
  const words = { data: "data from", trimmed: "trimmed packet from" }[kind] || `${kind} of`;
  return `${words} byte ${sequence} of flow ${replay.flows[flow][0]}`;
}

/** The first few events of one time, in words. */
function happeningText(player, events) {
  const told = events.slice(0, MOST_TOLD).map((event) => eventText(player, event));
  const more = events.length - told.length;
  return `${momentText(player)}: ${[...told, ...(more > 0 ? [`${more} more`] : [])].join("; ")}`;
}

function eventText(player, { what, packet, port }) {
  if (packet) {
    const where = what === "arrives" ? `at ${player.map.data.names[player.map.data.links[packet.port ^ 1]]}`
      : `${what === "leaves" ? "" : "at "}${labelOfPort(player.map, packet.port)}`;
    return `${packetName(player, packet)} ${what} ${where}`;
  }
  const { names, links } = player.map.data;
  const isLink = what === "goes down" || what === "is up again";
  return `${isLink ? `the link ${names[links[port]]} – ${names[links[port ^ 1]]}` : labelOfPort(player.map, port)} ${what}`;
}

/** A chosen node or link, at the shown time. */
function chosenText(player, key) {
  const { map } = player;
  const edge = map.edges.get(key);
  const item = map.places.items.get(key);
  if (edge) return [edge.there[0], edge.back[0]].map((port) => portText(player, port)).join("; ");
  if (!item) return "";
  const ports = portsOf(map, key).filter((port) => map.data.links[port] === item.node);
  const longest = Math.max(0, ...ports.map((port) => bytesOf(player.waitingAt(port))));
  return `${item.name}, ${counted(ports.length, "port")}: longest queue ${bytesText(longest)}`;
}

function portText(player, port) {
  const { time } = player;
  const moving = player.packets.filter((packet) => packet.port === port && packet.leaves <= time && bitsOf(packet, time));
  const state = new Set(player.pausedPorts(time)).has(port) ? ", paused" : "";
  const places = moving.slice(0, MOST_TOLD).map((packet) => {
    const [last, first] = bitsOf(packet, time).map((share) => `${digits(100 * share, 4)} %`);
    return `${packetName(player, packet)} from ${last} to ${first} of the way`;
  });
  return [`${labelOfPort(player.map, port)}: queue ${bytesText(bytesOf(player.waitingAt(port)))}, ${counted(moving.length, "packet")} on the link${state}`,
    ...places].join(", ");
}
