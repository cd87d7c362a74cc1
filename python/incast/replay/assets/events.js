// The window of a replay: its packets as objects, and its events in order.

const FATES = ["arrives", "lost", "dropped", "trimmed", "waits"];
const FRAMES = ["pause", "resume"];

function packetsOf(replay) {
  const { hops, kinds, sizes, delays, lost } = replay;
  const lostAt = new Map(lost);
  let leaves = 0;
  return hops.port.map((port, index) => {
    leaves += hops.later[index];
    const [wire, length] = sizes[hops.size[index]];
    const [delay, fate] = [delays[hops.delay[index]], FATES[hops.fate[index]]];
    const waits = hops.waits[index];
    const arrives = leaves + length + delay;
    const gone = fate === "arrives" ? arrives : fate === "lost" ? Math.max(lostAt.get(index), leaves + 1) : leaves;
    return {
      port, flow: hops.flow[index], kind: kinds[hops.kind[index]], sequence: hops.sequence[index],
      wire, length, delay, fate, leaves, gone, isMarked: hops.marked[index] === 1,
      since: waits < 0 ? -Infinity : leaves - waits,
    };
  });
}

/** Whether the queue of a port counts a packet of this kind. */
const isQueued = ({ kind }) => !FRAMES.includes(kind);
const isData = ({ kind }) => kind === "data" || kind === "trimmed";

/** Events in order of time: { time, what, packet } or { time, what, port }. */
function eventsOf(replay, packets) {
  const found = packets.flatMap((packet) => eventsOfPacket(packet));
  for (const [port, since, until] of replay.pauses) {
    found.push({ time: since, what: "is paused", port }, { time: until, what: "goes on", port });
  }
  for (const [link, since, until] of replay.down) {
    found.push({ time: since, what: "goes down", port: 2 * link }, { time: until, what: "is up again", port: 2 * link });
  }
  return found.filter(({ time }) => time >= 0 && time < replay.length).sort((a, b) => a.time - b.time);
}

function eventsOfPacket(packet) {
  const { since, leaves, gone, fate } = packet;
  const waits = since < leaves && isQueued(packet) ? [{ time: since, what: "waits", packet }] : [];
  if (fate === "waits") return waits;
  if (fate === "dropped" || fate === "trimmed") return [...waits, { time: leaves, what: `is ${fate}`, packet }];
  return [...waits, { time: leaves, what: "leaves", packet },
    { time: gone, what: fate === "lost" ? "is lost" : "arrives", packet }];
}

/** All events, or, if a flow is followed, those of its packets. */
const eventsSeen = (replay, events) => (replay.follow < 0 ? events
  : events.filter(({ packet }) => packet && packet.flow === replay.follow));

/** The index of the first event after a time. */
function firstAfter(events, time) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].time > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
