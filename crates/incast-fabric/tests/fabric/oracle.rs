//! The oracle: the fabric as a plain cycle-by-cycle model. In every cycle it visits every node, and
//! moves every flit by itself. It is slow, and written independently of the model that it checks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use incast_fabric::{
    Arbitration, FabricSimulation, InjectionChannels, InjectionControl, Leg, MatchAt, NEVER,
    OperationKind, OperationRecord, OwnOperation, PacketStart, RemoteRequest, Reserve, StepStart,
    Turn, UplinkChoice, WorkKind,
};
use incast_random::mix;

type Op = (u16, u32);
/// A flit on a link: cycle, sender, port, operation, leg, and the flit's number in its packet.
pub(crate) type FlitOnLink = (u64, u16, u16, Op, Leg, usize);
/// A copy that waits for room: its input, or none for a combined response; its table entry; the
/// packet.
type WaitingCopy = (Option<(usize, usize)>, (Op, usize), Stored);
/// A node and a port. Endpoint e has node number 10 000 + e.
type Place = (usize, usize);
const ENDPOINT: usize = 10_000;

#[derive(Clone, Debug)]
struct Info {
    op: Op,
    kind: OperationKind,
    leg: Leg,
    target: u16,
    data: u8,
}

impl Info {
    fn flits(&self) -> u32 {
        let with_data = match self.leg {
            Leg::Request => {
                matches!(
                    self.kind,
                    OperationKind::WriteMulticast | OperationKind::Write
                )
            }
            Leg::Response => {
                matches!(
                    self.kind,
                    OperationKind::ReadReduction | OperationKind::Read
                )
            }
        };
        if with_data {
            1 + u32::from(self.data)
        } else {
            1
        }
    }

    fn is_collective(&self) -> bool {
        matches!(
            self.kind,
            OperationKind::ReadReduction | OperationKind::WriteMulticast
        )
    }

    fn answer(&self) -> Self {
        Self {
            leg: Leg::Response,
            ..self.clone()
        }
    }
}

/// A packet in a buffer, with the cycles from which its flits can move on.
#[derive(Clone, Debug)]
struct Stored {
    info: Rc<Info>,
    /// For each packet that it is made of: the cycle from which each arrived flit can move on.
    parts: Vec<Rc<RefCell<Vec<u64>>>>,
}

impl Stored {
    fn flit_ready(&self, flit: usize, now: u64) -> bool {
        let ready =
            |part: &Rc<RefCell<Vec<u64>>>| part.borrow().get(flit).is_some_and(|&from| from <= now);
        self.parts.iter().all(ready)
    }
}

/// The order in which channels are served.
#[derive(Clone, Debug)]
struct Turns {
    policy: Arbitration,
    last_used: [u64; 3],
    uses: u64,
    pointer: usize,
}

impl Turns {
    fn new(policy: Arbitration) -> Self {
        Self {
            policy,
            last_used: [0; 3],
            uses: 0,
            pointer: 0,
        }
    }

    fn choose(&mut self, can_send: [bool; 3]) -> Option<usize> {
        let chosen = match self.policy {
            Arbitration::RoundRobin => (0..3)
                .map(|step| (self.pointer + step) % 3)
                .find(|&channel| can_send[channel]),
            Arbitration::LeastRecentlyUsed => {
                let able = (0..3).filter(|&channel| can_send[channel]);
                able.min_by_key(|&channel| (self.last_used[channel], channel))
            }
        }?;
        self.uses += 1;
        self.last_used[chosen] = self.uses;
        self.pointer = (chosen + 1) % 3;
        Some(chosen)
    }
}

/// The sending end of a link, and the flits on the wire.
#[derive(Debug)]
struct Link {
    to: Place,
    turns: Turns,
    /// The packet being sent, its channel at the receiver, and the number of its next flit.
    sending: Option<(Stored, usize, usize)>,
    /// Flits on the wire: arrival cycle, channel, flit number, packet.
    wire: VecDeque<(u64, usize, usize, Rc<Info>)>,
    credits: [i64; 3],
    credits_coming: VecDeque<(u64, usize, i64)>,
}

#[derive(Debug, Default)]
struct Input {
    packets: VecDeque<Stored>,
    /// Ports to which the first packet has yet to be copied; `None` until the packet is routed.
    copies: Option<BTreeSet<usize>>,
    waits_for_entry: bool,
    has_entry: bool,
}

#[derive(Debug, Default)]
struct OutputQueue {
    packets: VecDeque<Stored>,
    waiting: VecDeque<WaitingCopy>,
}

#[derive(Debug)]
struct Entry {
    awaits: BTreeSet<usize>,
    parts: Vec<Rc<RefCell<Vec<u64>>>>,
}

#[derive(Debug)]
struct Switch {
    inputs: BTreeMap<(usize, usize), Input>,
    outputs: BTreeMap<(usize, usize), OutputQueue>,
    /// Table entries by operation and by the port of the operation's request.
    table: BTreeMap<(Op, usize), Entry>,
    entry_queue: VecDeque<(usize, usize)>,
}

#[derive(Debug)]
struct End {
    control: Box<dyn InjectionControl>,
    /// Requests that have arrived: cycle of the last flit's arrival, and the packet.
    arrived: VecDeque<(u64, Rc<Info>)>,
    memory: Vec<(u64, Rc<Info>)>,
    responses: VecDeque<Rc<Info>>,
    owed: u32,
    reads: VecDeque<u32>,
    writes: VecDeque<u32>,
    /// Cycle since which the current first read has been first, and likewise the first write.
    first_since: [u64; 2],
    follow: BTreeSet<u32>,
    records: Vec<OperationRecord>,
    step: usize,
    left_in_step: u64,
    next_step: Option<u64>,
    probe: Option<u64>,
    probes: u32,
}

pub(crate) struct Oracle<'a> {
    run: &'a FabricSimulation,
    now: u64,
    links: BTreeMap<Place, Link>,
    switches: Vec<Switch>,
    /// By receiving end of a link: the packet whose flits are arriving.
    arriving: BTreeMap<Place, Rc<RefCell<Vec<u64>>>>,
    ends: Vec<End>,
    /// Every flit sent on any link.
    pub(crate) flits: Vec<FlitOnLink>,
}

pub(crate) fn records(oracle: &Oracle<'_>) -> Vec<OperationRecord> {
    oracle
        .ends
        .iter()
        .flat_map(|end| end.records.clone())
        .collect()
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(run: &'a FabricSimulation) -> Self {
        let config = &run.config;
        let shape = config.shape;
        let link = |to| Link {
            to,
            turns: Turns::new(config.arbitration),
            sending: None,
            wire: VecDeque::new(),
            credits: [i64::from(config.input_depth); 3],
            credits_coming: VecDeque::new(),
        };
        let mut links = BTreeMap::new();
        for endpoint in 0..shape.endpoints() {
            let at = (
                shape.tor_of(endpoint).into(),
                shape.local_port(endpoint).into(),
            );
            let end = (ENDPOINT + usize::from(endpoint), 0);
            links.insert(end, link(at));
            links.insert(at, link(end));
        }
        // Uplink l·cores + c of ToR t goes to port t·lanes + l of core c.
        for tor in 0..usize::from(shape.tors) {
            for uplink in 0..usize::from(shape.uplinks()) {
                let (lane, core) = (
                    uplink / usize::from(shape.cores),
                    uplink % usize::from(shape.cores),
                );
                let below = (tor, usize::from(shape.endpoints_per_tor) + uplink);
                let above = (
                    usize::from(shape.tors) + core,
                    tor * usize::from(shape.lanes) + lane,
                );
                links.insert(below, link(above));
                links.insert(above, link(below));
            }
        }
        let switch = |_| Switch {
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            table: BTreeMap::new(),
            entry_queue: VecDeque::new(),
        };
        let ends = (0..shape.endpoints()).map(|number| {
            let control = run
                .control
                .build(config.seed, number, shape.endpoints(), &run.groups);
            let steps = run
                .scripts
                .get(usize::from(number))
                .map(|script| &script.steps);
            End {
                control,
                arrived: VecDeque::new(),
                memory: Vec::new(),
                responses: VecDeque::new(),
                owed: 0,
                reads: VecDeque::new(),
                writes: VecDeque::new(),
                first_since: [0; 2],
                follow: BTreeSet::new(),
                records: Vec::new(),
                step: 0,
                left_in_step: 0,
                next_step: steps
                    .and_then(|steps| steps.first())
                    .map(|step| match step.start {
                        StepStart::At(cycle) | StepStart::After(cycle) => cycle,
                    }),
                probe: None,
                probes: 0,
            }
        });
        Self {
            run,
            now: 0,
            switches: (0..shape.switches()).map(switch).collect(),
            ends: ends.collect(),
            links,
            arriving: BTreeMap::new(),
            flits: Vec::new(),
        }
    }

    /// Runs until all work is done, at most to cycle `limit`.
    pub(crate) fn run(&mut self, limit: u64) {
        while self.now < limit && !self.is_done() {
            self.cycle();
            self.now += 1;
        }
        assert!(self.now < limit, "not done after {limit} cycles");
    }

    fn is_done(&self) -> bool {
        let idle = |end: &End| {
            end.next_step.is_none()
                && end.left_in_step == 0
                && end.probe.is_none()
                && end.arrived.is_empty()
                && end.memory.is_empty()
                && end.responses.is_empty()
        };
        let quiet = |link: &Link| link.wire.is_empty() && link.sending.is_none();
        self.ends.iter().all(idle)
            && self.links.values().all(quiet)
            && self.switches.iter().all(|switch| {
                switch.inputs.values().all(|input| input.packets.is_empty())
                    && switch
                        .outputs
                        .values()
                        .all(|output| output.packets.is_empty())
            })
    }

    fn cycle(&mut self) {
        self.deliver();
        for end in 0..self.ends.len() {
            self.end_cycle(end);
        }
        for switch in 0..self.switches.len() {
            self.switch_cycle(switch);
        }
        self.transmit();
    }

    /// Cycles between a flit's arrival at a node and the node's first action on it.
    fn crossing(&self, node: usize) -> u64 {
        if node >= ENDPOINT {
            0
        } else {
            self.run.config.switch_latency.into()
        }
    }

    fn deliver(&mut self) {
        let now = self.now;
        let places: Vec<Place> = self.links.keys().copied().collect();
        for from in places {
            let link = self.links.get_mut(&from).unwrap();
            while link
                .credits_coming
                .front()
                .is_some_and(|credit| credit.0 <= now)
            {
                let (_, channel, flits) = link.credits_coming.pop_front().unwrap();
                link.credits[channel] += flits;
            }
            let to = link.to;
            let mut arrived = Vec::new();
            while link.wire.front().is_some_and(|flit| flit.0 == now) {
                arrived.push(link.wire.pop_front().unwrap());
            }
            for (_, channel, flit, info) in arrived {
                self.arrive(to, channel, flit, &info);
            }
        }
    }

    fn arrive(&mut self, to: Place, channel: usize, flit: usize, info: &Rc<Info>) {
        if to.0 >= ENDPOINT {
            return self.arrive_at_end(to.0 - ENDPOINT, flit, info);
        }
        let ready = self.now + self.crossing(to.0);
        let input = self.switches[to.0]
            .inputs
            .entry((to.1, channel))
            .or_default();
        if flit == 0 {
            let part = Rc::new(RefCell::new(vec![ready]));
            let parts = vec![Rc::clone(&part)];
            input.packets.push_back(Stored {
                info: Rc::clone(info),
                parts,
            });
            self.arriving.insert(to, part);
        } else {
            // The packet's first flits may have left the buffer already.
            self.arriving[&to].borrow_mut().push(ready);
        }
    }

    fn arrive_at_end(&mut self, number: usize, flit: usize, info: &Rc<Info>) {
        let now = self.now;
        let flits = info.flits() as usize;
        if flit == 0 {
            if info.leg == Leg::Request {
                if self.run.config.match_at == MatchAt::Arrival {
                    self.hear(number, info);
                }
                let end = &mut self.ends[number];
                end.arrived
                    .push_back((now + flits as u64 - 1, Rc::clone(info)));
            } else {
                self.give_credit((ENDPOINT + number, 0), 1, flits);
            }
        }
        if flit + 1 == flits && info.leg == Leg::Response {
            self.complete(number, info);
        }
    }

    fn hear(&mut self, number: usize, info: &Info) {
        if info.is_collective() && usize::from(info.op.0) != number {
            let operation = OwnOperation {
                kind: info.kind,
                target: info.target,
                data: info.data,
            };
            let request = RemoteRequest {
                from: info.op.0,
                operation,
            };
            self.ends[number]
                .control
                .on_remote_request(self.now, &request);
        }
    }

    fn complete(&mut self, number: usize, info: &Info) {
        let now = self.now;
        let end = &mut self.ends[number];
        if info.kind == OperationKind::Probe {
            let sent = end.probe.take().expect("a probe was sent");
            return end.control.on_probe(now, now - sent);
        }
        let record = &mut end.records[info.op.1 as usize];
        assert_eq!(record.completed, NEVER);
        record.completed = now;
        let operation = OwnOperation {
            kind: info.kind,
            target: info.target,
            data: info.data,
        };
        let latency = now - record.injected;
        end.control.on_completion(now, &operation, latency);
        if end.follow.remove(&info.op.1) {
            self.issue(
                number,
                OwnOperation {
                    kind: OperationKind::WriteMulticast,
                    ..operation
                },
            );
        }
        self.ends[number].left_in_step -= 1;
        self.plan_step(number);
    }

    fn plan_step(&mut self, number: usize) {
        let end = &mut self.ends[number];
        if end.left_in_step == 0 && end.next_step.is_none() {
            let steps = &self.run.scripts[number].steps;
            end.next_step = steps.get(end.step).map(|step| match step.start {
                StepStart::At(cycle) => cycle.max(self.now),
                StepStart::After(cycles) => self.now + cycles,
            });
        }
    }

    fn issue(&mut self, number: usize, operation: OwnOperation) -> u32 {
        let now = self.now;
        let end = &mut self.ends[number];
        let sequence = end.records.len() as u32;
        end.records.push(OperationRecord {
            initiator: number as u16,
            kind: operation.kind,
            target: operation.target,
            data: operation.data,
            issued: now,
            injected: NEVER,
            completed: NEVER,
        });
        let writes = matches!(
            operation.kind,
            OperationKind::Write | OperationKind::WriteMulticast
        );
        let own_queue = writes && self.run.config.injection == InjectionChannels::Separate;
        let queue = if own_queue {
            &mut end.writes
        } else {
            &mut end.reads
        };
        if queue.is_empty() {
            end.first_since[usize::from(own_queue)] = now;
        }
        queue.push_back(sequence);
        sequence
    }

    fn end_cycle(&mut self, number: usize) {
        self.accept(number);
        self.answer(number);
        self.begin_steps(number);
        self.inject(number);
    }

    fn accept(&mut self, number: usize) {
        let (now, config) = (self.now, &self.run.config);
        loop {
            let end = &mut self.ends[number];
            let Some((tail, info)) = end.arrived.front().cloned() else {
                break;
            };
            let answer = info.answer();
            if config
                .owed_limit
                .is_some_and(|limit| end.owed + answer.flits() > limit)
            {
                break;
            }
            end.arrived.pop_front();
            end.owed += answer.flits();
            let is_write = matches!(
                info.kind,
                OperationKind::Write | OperationKind::WriteMulticast
            );
            let ready = if is_write {
                tail.max(now) + u64::from(config.write_latency)
            } else {
                now + u64::from(config.read_latency)
            };
            end.memory.push((ready, Rc::new(answer)));
            if config.match_at == MatchAt::Acceptance {
                self.hear(number, &info);
            }
            self.give_credit((ENDPOINT + number, 0), 0, info.flits() as usize);
        }
    }

    fn answer(&mut self, number: usize) {
        let now = self.now;
        let end = &mut self.ends[number];
        for writes in [false, true] {
            let memory = std::mem::take(&mut end.memory);
            for (ready, info) in memory {
                let is_write = matches!(
                    info.kind,
                    OperationKind::Write | OperationKind::WriteMulticast
                );
                if ready <= now && is_write == writes {
                    end.responses.push_back(info);
                } else {
                    end.memory.push((ready, info));
                }
            }
        }
    }

    fn begin_steps(&mut self, number: usize) {
        while self.ends[number].next_step.is_some_and(|at| at <= self.now) {
            let step = &self.run.scripts[number].steps[self.ends[number].step];
            self.ends[number].next_step = None;
            self.ends[number].step += 1;
            for work in &step.work {
                for _ in 0..work.count {
                    let kind = match work.kind {
                        WorkKind::Single(kind) => kind,
                        WorkKind::Transaction => OperationKind::ReadReduction,
                    };
                    let operation = OwnOperation {
                        kind,
                        target: work.target,
                        data: work.data,
                    };
                    let sequence = self.issue(number, operation);
                    self.ends[number].left_in_step += 1;
                    if work.kind == WorkKind::Transaction {
                        self.ends[number].left_in_step += 1;
                        self.ends[number].follow.insert(sequence);
                    }
                }
            }
            self.plan_step(number);
        }
    }

    fn inject(&mut self, number: usize) {
        let now = self.now;
        let place = (ENDPOINT + number, 0);
        if self.links[&place].sending.is_some() {
            return;
        }
        let busy = self.ends[number]
            .records
            .iter()
            .any(|record| record.completed == NEVER);
        let end = &mut self.ends[number];
        let probing = end.control.uses_probes() && end.probe.is_none() && busy;
        let mut heads: [Option<Info>; 3] = [None, None, None];
        let of = |record: &OperationRecord, sequence| Info {
            op: (number as u16, sequence),
            kind: record.kind,
            leg: Leg::Request,
            target: record.target,
            data: record.data,
        };
        heads[0] = end.reads.front().map(|&s| of(&end.records[s as usize], s));
        heads[1] = end.responses.front().map(|info| (**info).clone());
        heads[2] = end.writes.front().map(|&s| of(&end.records[s as usize], s));
        if probing {
            let endpoints = u32::from(self.run.config.shape.endpoints());
            let others = endpoints - 1;
            let hashed = mix(number as u64) as u32 % others;
            let step = 1 + (hashed + end.probes) % others;
            heads[0] = Some(Info {
                op: (number as u16, 1 << 31 | (end.probes + 1)),
                kind: OperationKind::Probe,
                leg: Leg::Request,
                target: ((number as u32 + step) % endpoints) as u16,
                data: 0,
            });
        }
        let mut able = [false; 3];
        for channel in 0..3 {
            let Some(info) = &heads[channel] else {
                continue;
            };
            let room = i64::from(info.flits()) <= self.links[&place].credits[channel];
            let own = info.leg == Leg::Request && info.kind != OperationKind::Probe;
            let operation = OwnOperation {
                kind: info.kind,
                target: info.target,
                data: info.data,
            };
            able[channel] = room && (!own || end.control.may_inject_from(now, &operation) == now);
        }
        let link = self.links.get_mut(&place).unwrap();
        let Some(channel) = link.turns.choose(able) else {
            return;
        };
        let info = heads[channel].take().unwrap();
        if info.leg == Leg::Response {
            end.responses.pop_front();
            end.owed -= info.flits();
        } else if info.kind == OperationKind::Probe {
            end.probe = Some(now);
            end.probes += 1;
        } else {
            let queue = usize::from(channel == 2);
            if queue == 0 {
                end.reads.pop_front()
            } else {
                end.writes.pop_front()
            };
            let waited = now - std::mem::replace(&mut end.first_since[queue], now);
            let operation = OwnOperation {
                kind: info.kind,
                target: info.target,
                data: info.data,
            };
            end.control.on_injection(now, &operation, waited);
            end.records[info.op.1 as usize].injected = now;
        }
        link.credits[channel] -= i64::from(info.flits());
        assert!(link.credits[channel] >= 0, "credits below zero");
        let times = (0..info.flits()).map(|_| now).collect();
        let parts = vec![Rc::new(RefCell::new(times))];
        link.sending = Some((
            Stored {
                info: Rc::new(info),
                parts,
            },
            channel,
            0,
        ));
    }

    /// Gives room back to the sender of the link that ends at `at`.
    fn give_credit(&mut self, at: Place, channel: usize, flits: usize) {
        let from = self.links[&at].to;
        let ready = self.now + 1 + u64::from(self.run.config.link_delay) + self.crossing(from.0);
        let link = self.links.get_mut(&from).unwrap();
        link.credits_coming
            .push_back((ready, channel, flits as i64));
    }

    fn uplink(&self, op: Op) -> usize {
        let config = &self.run.config;
        let uplinks = u64::from(config.shape.uplinks()).max(1);
        let number = match config.uplink_choice {
            UplinkChoice::Hash => mix(config.seed ^ mix((u64::from(op.0) << 32) | u64::from(op.1))),
            UplinkChoice::Rotate => u64::from(op.0) + u64::from(op.1),
        };
        (number % uplinks) as usize
    }

    /// The ports by which a packet leaves, and whether this switch gathers its responses.
    fn route(&self, switch: usize, port: usize, info: &Info) -> (BTreeSet<usize>, bool) {
        let config = &self.run.config;
        let shape = config.shape;
        let down = usize::from(shape.endpoints_per_tor);
        let is_core = switch >= usize::from(shape.tors);
        let uplink = self.uplink(info.op);
        let lane = uplink / usize::from(shape.cores).max(1);
        let core_port = |tor: u16| usize::from(tor) * usize::from(shape.lanes) + lane;
        if info.leg == Leg::Response || !info.is_collective() {
            let to = if info.leg == Leg::Response {
                info.op.0
            } else {
                info.target
            };
            let tor = shape.tor_of(to);
            let port = if is_core {
                core_port(tor)
            } else if usize::from(tor) == switch {
                shape.local_port(to).into()
            } else {
                down + uplink
            };
            return (BTreeSet::from([port]), false);
        }
        let members = self.run.groups[usize::from(info.target)].members();
        if is_core {
            return (
                members
                    .iter()
                    .map(|&m| core_port(shape.tor_of(m)))
                    .collect(),
                true,
            );
        }
        let own = |&&m: &&u16| usize::from(shape.tor_of(m)) == switch;
        let local = members
            .iter()
            .filter(own)
            .map(|&m| shape.local_port(m).into());
        let all_here = members.iter().all(|m| own(&m));
        let turns = shape.cores == 0 || (config.turn == Turn::Nearest && all_here);
        if port < down && !turns {
            return (
                BTreeSet::from([down + uplink]),
                config.reserve == Reserve::Path,
            );
        }
        (local.collect(), true)
    }

    fn switch_cycle(&mut self, number: usize) {
        self.give_entries(number);
        self.fill_outputs(number);
        let keys: Vec<_> = self.switches[number].inputs.keys().copied().collect();
        for key in keys {
            while self.move_first(number, key) {}
        }
        self.start_links(number);
    }

    fn table_is_full(&self, number: usize) -> bool {
        let used = self.switches[number].table.len();
        self.run
            .config
            .table_entries
            .is_some_and(|limit| used >= limit as usize)
    }

    fn enter(&mut self, number: usize, key: (usize, usize)) {
        let info = Rc::clone(&self.switches[number].inputs[&key].packets[0].info);
        let (awaits, _) = self.route(number, key.0, &info);
        let entry = Entry {
            awaits,
            parts: Vec::new(),
        };
        let before = self.switches[number].table.insert((info.op, key.0), entry);
        assert!(before.is_none(), "an operation twice in one table");
    }

    fn give_entries(&mut self, number: usize) {
        while !self.table_is_full(number)
            && let Some(key) = self.switches[number].entry_queue.pop_front()
        {
            self.enter(number, key);
            let input = self.switches[number].inputs.get_mut(&key).unwrap();
            (input.waits_for_entry, input.has_entry) = (false, true);
        }
    }

    /// Whether an output queue has room for `flits` flits.
    fn has_room(&self, number: usize, output: (usize, usize), flits: u32) -> bool {
        let queue = self.switches[number].outputs.get(&output);
        let held: u32 = queue.map_or(0, |q| q.packets.iter().map(|p| p.info.flits()).sum());
        held + flits <= self.run.config.output_depth
    }

    fn fill_outputs(&mut self, number: usize) {
        let keys: Vec<_> = self.switches[number].outputs.keys().copied().collect();
        for output in keys {
            loop {
                let waiting = &self.switches[number].outputs[&output].waiting;
                let Some(first) = waiting.front() else { break };
                if !self.has_room(number, output, first.2.info.flits()) {
                    break;
                }
                let queue = self.switches[number].outputs.get_mut(&output).unwrap();
                let (input, entry, packet) = queue.waiting.pop_front().unwrap();
                queue.packets.push_back(packet);
                let Some(key) = input else {
                    self.switches[number].table.remove(&entry);
                    continue;
                };
                let input = self.switches[number].inputs.get_mut(&key).unwrap();
                let copies = input.copies.as_mut().unwrap();
                copies.remove(&output.0);
                if copies.is_empty() {
                    self.drop_first(number, key);
                }
            }
        }
    }

    fn drop_first(&mut self, number: usize, key: (usize, usize)) {
        let input = self.switches[number].inputs.get_mut(&key).unwrap();
        (input.copies, input.has_entry) = (None, false);
        let packet = input.packets.pop_front().unwrap();
        self.give_credit((number, key.0), key.1, packet.info.flits() as usize);
    }

    /// Handles the first packet of an input. Returns whether the packet has gone.
    fn move_first(&mut self, number: usize, key: (usize, usize)) -> bool {
        let now = self.now;
        let input = &self.switches[number].inputs[&key];
        if input.waits_for_entry || input.copies.is_some() {
            return false;
        }
        let Some(first) = input.packets.front().cloned() else {
            return false;
        };
        if !first.flit_ready(0, now) {
            return false;
        }
        let info = Rc::clone(&first.info);
        if info.leg == Leg::Response && self.gather(number, key.0, &first) {
            self.drop_first(number, key);
            return true;
        }
        let (_, gathers) = self.route(number, key.0, &info);
        let has_entry = self.switches[number].inputs[&key].has_entry;
        if gathers && !has_entry {
            if self.table_is_full(number) || !self.switches[number].entry_queue.is_empty() {
                let switch = &mut self.switches[number];
                switch.entry_queue.push_back(key);
                switch.inputs.get_mut(&key).unwrap().waits_for_entry = true;
                return false;
            }
            self.enter(number, key);
        }
        self.spread(number, key)
    }

    /// Copies the first packet of an input to its outputs. Returns whether all copies have gone.
    fn spread(&mut self, number: usize, key: (usize, usize)) -> bool {
        let packet = self.switches[number].inputs[&key].packets[0].clone();
        let (ports, _) = self.route(number, key.0, &packet.info);
        let channel = usize::from(packet.info.leg == Leg::Response);
        let mut left = BTreeSet::new();
        for port in ports {
            if !self.put(number, (port, channel), Some(key), &packet) {
                left.insert(port);
            }
        }
        let done = left.is_empty();
        self.switches[number].inputs.get_mut(&key).unwrap().copies = Some(left);
        if done {
            self.drop_first(number, key);
        }
        done
    }

    fn put(
        &mut self,
        number: usize,
        output: (usize, usize),
        from: Option<(usize, usize)>,
        packet: &Stored,
    ) -> bool {
        let room = self.has_room(number, output, packet.info.flits());
        let queue = self.switches[number].outputs.entry(output).or_default();
        if room && queue.waiting.is_empty() {
            queue.packets.push_back(packet.clone());
            return true;
        }
        let back = from.map_or(output.0, |key| key.0);
        queue
            .waiting
            .push_back((from, (packet.info.op, back), packet.clone()));
        false
    }

    /// Adds a response to the table entry that waits for it. Returns whether there is such an
    /// entry.
    fn gather(&mut self, number: usize, port: usize, packet: &Stored) -> bool {
        let table = &mut self.switches[number].table;
        let op = packet.info.op;
        let mut mine = table.iter_mut().filter(|(key, _)| key.0 == op);
        let Some((&key, entry)) = mine.find(|(_, entry)| entry.awaits.contains(&port)) else {
            return false;
        };
        entry.awaits.remove(&port);
        entry.parts.extend(packet.parts.iter().cloned());
        if entry.awaits.is_empty() {
            let whole = Stored {
                info: Rc::clone(&packet.info),
                parts: std::mem::take(&mut entry.parts),
            };
            if self.put(number, (key.1, 1), None, &whole) {
                self.switches[number].table.remove(&key);
            }
        }
        true
    }

    fn start_links(&mut self, number: usize) {
        let ports: BTreeSet<usize> = self.switches[number]
            .outputs
            .keys()
            .map(|output| output.0)
            .collect();
        for port in ports {
            let link = &self.links[&(number, port)];
            if link.sending.is_some() {
                continue;
            }
            let mut able = [false; 3];
            for (channel, able) in able.iter_mut().enumerate().take(2) {
                let queue = self.switches[number].outputs.get(&(port, channel));
                let first = queue.and_then(|queue| queue.packets.front());
                *able = first
                    .is_some_and(|packet| i64::from(packet.info.flits()) <= link.credits[channel]);
            }
            let link = self.links.get_mut(&(number, port)).unwrap();
            let Some(channel) = link.turns.choose(able) else {
                continue;
            };
            let queue = self.switches[number]
                .outputs
                .get_mut(&(port, channel))
                .unwrap();
            let packet = queue.packets.pop_front().unwrap();
            link.credits[channel] -= i64::from(packet.info.flits());
            assert!(link.credits[channel] >= 0, "credits below zero");
            link.sending = Some((packet, channel, 0));
        }
    }

    /// Moves one flit on every link that is sending.
    fn transmit(&mut self) {
        let now = self.now;
        let flight = 1 + u64::from(self.run.config.link_delay);
        for (&(node, port), link) in &mut self.links {
            let Some((packet, channel, flit)) = link.sending.take() else {
                continue;
            };
            assert!(
                packet.flit_ready(flit, now),
                "a flit leaves before it has come"
            );
            let info = Rc::clone(&packet.info);
            let (node, port) = if node >= ENDPOINT {
                (PacketStart::ENDPOINTS, (node - ENDPOINT) as u16)
            } else {
                (node as u16, port as u16)
            };
            self.flits.push((now, node, port, info.op, info.leg, flit));
            link.wire
                .push_back((now + flight, channel, flit, Rc::clone(&info)));
            if flit + 1 < info.flits() as usize {
                link.sending = Some((packet, channel, flit + 1));
            }
        }
    }
}
