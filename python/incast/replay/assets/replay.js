// A replay as a reader uses it: play and pause, steps, pace, time, the followed flow.

const stillScreen = matchMedia("(prefers-reduced-motion: reduce)");
/** Seconds for which a picture stands, where the screen asks for reduced motion. */
const STANDS = 0.6;
const PACES = [1, 2, 5].flatMap((factor) => [...Array(10).keys()].map((power) => factor * 10 ** (power + 2)));

ROOMS[".replay"] = (room) => new Player(room);

class Player {
  constructor(room) {
    this.map = mapIn(room);
    this.replay = this.map.data.replay;
    this.packets = packetsOf(this.replay);
    this.events = eventsOf(this.replay, this.packets);
    this.ends = this.packets.filter(({ fate }) => !["arrives", "waits"].includes(fate)).sort((a, b) => a.gone - b.gone);
    this.waiting = this.byPort(this.packets.filter((each) => isQueued(each) && each.since < each.leaves));
    this.rests = new Map(this.replay.rests);
    [this.time, this.pace, this.isPlaying, this.drawnAt] = [0, this.replay.pace, false, 0];
    Object.assign(this.map, {
      dock: () => this.arranged(), isEachLinkDrawn: true, sizes: { apart: 4, base: 1, more: 0, least: 1 },
      spacing: { row: this.rowHeight(), above: 30 }, keys: { ...MAP_KEYS, ...this.keys() },
      choices: [{ title: "", axis: { unit: "B" }, most: Infinity, valueOf: () => 0 }],
      shapes: {
        aboveLinks: (dark) => [(this.links = element("g", {}, ...linkShapes(this, dark)))],
        aboveNodes: (dark) => [(this.nodes = element("g", {}, ...portShapes(this, dark)))],
      },
      wordsOn: (key) => chosenText(this, key),
    });
    addPlayerControls(this);
    showMap(this.map);
    this.followCharts();
    this.show();
  }

  rowHeight() {
    const rows = new Set(this.map.data.y).size - 1;
    return rows > 2 ? 190 : 210;
  }

  arranged() {
    dock(this.map);
    this.lanes = this.map.data.links.map((_, port) => laneOf(this.map, port));
  }

  byPort(packets) {
    const found = new Map();
    for (const each of packets) found.set(each.port, [...(found.get(each.port) || []), each]);
    return found;
  }

  /** The packets that wait at a port, of all flows or of one, in the order in which they leave. */
  waitingAt(port, follow = -1) {
    const own = (this.waiting.get(port) || []).filter((each) => isWaiting(each, this.time));
    if (follow >= 0) return own.filter(({ flow }) => flow === follow);
    if (!this.rests.has(port)) return own;
    const before = own.filter(({ since }) => since === -Infinity);
    return [...before, { flow: null, wire: this.rests.get(port) }, ...own.slice(before.length)];
  }

  pausedPorts(time) {
    return this.replay.pauses.filter(([, since, until]) => since <= time && time < until).map(([port]) => port);
  }

  portsDown(time) {
    return this.replay.down.filter(([, since, until]) => since <= time && time < until)
      .flatMap(([link]) => [2 * link, 2 * link + 1]);
  }

  /** Shows a time, limited to the window. */
  goTo(time) {
    this.time = Math.max(0, Math.min(time, this.replay.length));
    this.show();
  }

  show() {
    const dark = isDark();
    this.links.replaceChildren(...linkShapes(this, dark));
    this.nodes.replaceChildren(...portShapes(this, dark));
    this.slider.value = this.time;
    this.clock.textContent = momentText(this);
    this.slider.setAttribute("aria-valuetext", momentText(this));
    this.state.textContent = sceneText(this);
    this.moveCharts();
  }

  play(isPlaying = !this.isPlaying) {
    this.isPlaying = isPlaying;
    this.button.textContent = isPlaying ? "Pause" : "Play";
    tell(this.map, isPlaying ? "" : this.map.selected);
    if (!isPlaying) return;
    if (this.time >= this.replay.length) this.goTo(0);
    this.drawnAt = performance.now();
    requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    if (!this.isPlaying) return;
    const seconds = (now - this.drawnAt) / 1000;
    if (!stillScreen.matches || seconds >= STANDS) {
      this.drawnAt = now;
      this.goTo(this.time + Math.max(seconds, 0) * this.pace);
    }
    if (this.time >= this.replay.length) this.play(false);
    else requestAnimationFrame((next) => this.frame(next));
  }

  /** Jumps to the time of the next event, or of the one before. */
  stepEvent(direction) {
    this.play(false);
    const events = eventsSeen(this.replay, this.events);
    const index = direction > 0 ? firstAfter(events, this.time) : firstAfter(events, this.time - 0.5) - 1;
    if (!events[index]) return this.jumpTo(direction > 0 ? this.replay.length : 0);
    this.goTo(events[index].time);
    this.map.said.textContent = happeningText(this, events.filter(({ time }) => time === this.time));
  }

  stepTime(direction) {
    this.jumpTo(this.time + direction * this.replay.step);
  }

  /** Shows a time, and announces it in words. */
  jumpTo(time) {
    this.play(false);
    this.goTo(time);
    this.map.said.textContent = `${momentText(this)}: ${sceneText(this)}`;
  }

  follow(index) {
    this.replay.follow = index;
    this.show();
  }

  keys() {
    return {
      " ": () => this.play(),
      ".": () => this.stepEvent(1), ",": () => this.stepEvent(-1),
      "]": () => this.stepTime(1), "[": () => this.stepTime(-1),
      Home: () => this.jumpTo(0), End: () => this.jumpTo(this.replay.length),
    };
  }

  /** A click in the chart of queues moves the replay to the time clicked. */
  followCharts() {
    for (const plot of plots) {
      plot.over.addEventListener("click", () => {
        this.jumpTo(plot.posToVal(plot.cursor.left, "x") * 1e12 - this.replay.begin);
      });
    }
  }

  moveCharts() {
    for (const plot of plots) {
      const left = plot.valToPos((this.replay.begin + this.time) / 1e12, "x");
      if (Number.isFinite(left)) plot.setCursor({ left, top: plot.over.clientHeight / 2 }, true, false);
    }
  }
}

function addPlayerControls(player) {
  const { map, replay } = player;
  const button = (words, title, act) => {
    const made_ = made("button", { type: "button", title }, words);
    made_.addEventListener("click", act);
    return made_;
  };
  const step = format({ unit: "s" }, replay.step / 1e12, 3);
  player.button = button("Play", "Space, where the drawing is chosen", () => player.play());
  player.clock = made("output");
  player.slider = made("input", { type: "range", min: 0, max: replay.length, step: "any", value: 0 });
  player.slider.addEventListener("input", () => {
    const time = Number(player.slider.value);
    player.play(false);
    player.goTo(time);
    tell(map, map.selected);
  });
  player.state = map.room.querySelector(".state");
  map.room.querySelector(".controls").append(
    player.button,
    button("‹ event", "The event before (,)", () => player.stepEvent(-1)),
    button("event ›", "The next event (.)", () => player.stepEvent(1)),
    button(`‹ ${step}`, "Back by this time ([)", () => player.stepTime(-1)),
    button(`${step} ›`, "On by this time (])", () => player.stepTime(1)),
    ...(replay.most ? [button("Longest queue", "To the time of the longest queue", () => player.jumpTo(replay.peak))] : []),
    choiceOfPace(player), choiceOfFlow(player), choiceOfNode(map),
    made("label", { className: "time" }, "Time ", player.slider, player.clock));
}

function choiceOfPace(player) {
  const { length, pace } = player.replay;
  const paces = PACES.filter((each) => each >= length / 1000 && each <= length).sort((a, b) => a - b);
  const select = made("select", {}, ...paces.map((each) =>
    made("option", { value: each, selected: each === pace }, format({ unit: "s" }, each / 1e12, 3))));
  select.addEventListener("change", () => (player.pace = Number(select.value)));
  return made("label", {}, "A second shows ", select);
}

function choiceOfFlow(player) {
  const options = player.replay.flows.map((_, index) => made("option", { value: index }, flowName(player, index)));
  const select = made("select", {}, made("option", { value: -1 }, "all flows"), ...options);
  select.value = player.replay.follow;
  select.addEventListener("change", () => player.follow(Number(select.value)));
  return made("label", {}, "Follow ", select);
}
