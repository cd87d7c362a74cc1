//! An algorithm in its file, checked as MSCCL's parsers check it (`msccl_parser.cc` of RCCL), and
//! more strictly where these do not check.

use std::collections::HashMap;
use std::io::Read;

use incast_diagnostic::{Diagnostic, excerpt};
use incast_units::Bytes;

use super::xml::{self, Element};

/// The attributes that elements may have.
const OF_ALGORITHM: [&str; 12] = [
    "name",
    "proto",
    "nchannels",
    "nchunksperloop",
    "ngpus",
    "coll",
    "inplace",
    "outofplace",
    "minBytes",
    "maxBytes",
    "maxcount",
    "nthreadblocks",
];
const OF_GPU: [&str; 4] = ["id", "i_chunks", "o_chunks", "s_chunks"];
const OF_BLOCK: [&str; 4] = ["id", "send", "recv", "chan"];
const OF_STEP: [&str; 10] = [
    "s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep",
];

/// Types of steps: their kind here, and which ends of the step are chunks in a buffer of the GPU.
const TYPES: [(&str, StepKind, &[ChunkEnd]); 9] = [
    ("s", StepKind::Send, &[ChunkEnd::Source]),
    ("r", StepKind::Receive, &[ChunkEnd::Destination]),
    ("rcs", StepKind::ReceiveAndSend, &[ChunkEnd::Destination]),
    ("rrs", StepKind::ReceiveAndSend, &[ChunkEnd::Source]),
    ("rrc", StepKind::Receive, &[]),
    (
        "rrcs",
        StepKind::ReceiveAndSend,
        &[ChunkEnd::Source, ChunkEnd::Destination],
    ),
    (
        "cpy",
        StepKind::Local,
        &[ChunkEnd::Source, ChunkEnd::Destination],
    ),
    (
        "re",
        StepKind::Local,
        &[ChunkEnd::Source, ChunkEnd::Destination],
    ),
    ("nop", StepKind::Local, &[]),
];

/// An algorithm.
pub(crate) struct Algorithm {
    /// Number of chunks of a GPU's larger buffer.
    pub(super) chunks: u32,
    /// The thread blocks of each GPU, by number.
    pub(super) gpus: Vec<Vec<ThreadBlock>>,
    /// The attributes of the algorithm itself: names and values.
    pub(crate) attributes: Vec<(&'static str, String)>,
    pub(crate) line: u64,
}

/// A thread block of a GPU, with its steps.
pub(super) struct ThreadBlock {
    pub(super) id: u32,
    pub(super) sends_to: Option<u32>,
    pub(super) receives_from: Option<u32>,
    pub(super) channel: u16,
    pub(super) steps: Vec<MscclStep>,
}

/// A step.
pub(super) struct MscclStep {
    pub(super) kind: StepKind,
    pub(super) chunks: u32,
    /// The step of another thread block of the GPU that must end before.
    pub(super) waits_for: Option<StepId>,
    /// Whether other steps may wait for this one.
    is_awaited: bool,
}

/// A step of a GPU, by thread block and index.
#[derive(Copy, Clone)]
pub(super) struct StepId {
    pub(super) block: u32,
    pub(super) step: u32,
}

/// The kind of a step.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum StepKind {
    Send,
    Receive,
    ReceiveAndSend,
    /// The step copies, reduces, or only waits.
    Local,
}

/// The two ends of a step: where chunks come from, and where they go.
#[derive(Copy, Clone)]
enum ChunkEnd {
    Source,
    Destination,
}

/// The facts about a GPU that its thread blocks are checked against.
struct Surroundings {
    gpus: u32,
    gpu: u32,
    /// Numbers of chunks of the buffers `i`, `o` and `s`.
    buffers: [u32; 3],
}

const BUFFERS: [&str; 3] = ["i", "o", "s"];

impl Algorithm {
    pub(crate) fn read(file: impl Read) -> Result<Self, Diagnostic> {
        let text = xml::text(file)?;
        let document = xml::document(&text)?;
        let root = Element::root(&document, "algo", &OF_ALGORITHM)?;
        let chunks = root.count("nchunksperloop", 1)?;
        let count = root.count("ngpus", 1)?;
        let mut gpus = HashMap::new();
        for gpu in root.children("gpu", &OF_GPU) {
            let gpu = gpu?;
            let id = gpu.integer("id", 0, i64::from(count) - 1)? as u32;
            if gpus.contains_key(&id) {
                return Err(gpu.wrong(twice("GPU", id).at("id")));
            }
            gpus.insert(id, read_gpu(gpu, id, count)?);
        }
        if let Some(missing) = (0..count).find(|gpu| !gpus.contains_key(gpu)) {
            return Err(root.wrong(gpu_missing(missing, count).at("ngpus")));
        }
        let attributes = OF_ALGORITHM.iter();
        let attributes = attributes.filter_map(|name| {
            let value = root.optional(name)?;
            Some((*name, value.to_owned()))
        });
        let mut gpus: Vec<_> = gpus.into_iter().collect();
        gpus.sort_by_key(|(id, _)| *id);
        Ok(Self {
            chunks,
            gpus: gpus.into_iter().map(|(_, blocks)| blocks).collect(),
            attributes: attributes.collect(),
            line: root.line(),
        })
    }

    /// The size of a chunk, for buffers of size `data`.
    pub(crate) fn chunk(&self, data: Bytes) -> Result<Bytes, Diagnostic> {
        let chunks = u64::from(self.chunks);
        let size = data.as_u64() / chunks;
        match data.as_u64().is_multiple_of(chunks) && size > 0 {
            true => Ok(Bytes::new(size)),
            false => Err(not_divided(data, self.chunks, size.max(1))),
        }
    }

    /// Number of GPUs of the algorithm.
    pub(crate) fn gpu_count(&self) -> usize {
        self.gpus.len()
    }

    /// A size of buffers that is divisible into the algorithm's chunks.
    pub(crate) fn some_data(&self) -> Bytes {
        Bytes::new(u64::from(self.chunks) << 16)
    }

    /// All thread blocks, each with its GPU.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u32, &ThreadBlock)> {
        let gpus = (0..).zip(&self.gpus);
        gpus.flat_map(|(gpu, blocks)| blocks.iter().map(move |block| (gpu, block)))
    }
}

impl StepKind {
    pub(super) fn sends(self) -> bool {
        matches!(self, Self::Send | Self::ReceiveAndSend)
    }

    pub(super) fn receives(self) -> bool {
        matches!(self, Self::Receive | Self::ReceiveAndSend)
    }
}

fn read_gpu(element: Element<'_>, gpu: u32, gpus: u32) -> Result<Vec<ThreadBlock>, Diagnostic> {
    let surroundings = Surroundings {
        gpus,
        gpu,
        buffers: [
            element.count("i_chunks", 0)?,
            element.count("o_chunks", 0)?,
            element.count("s_chunks", 0)?,
        ],
    };
    let mut blocks = Vec::new();
    let mut places = HashMap::new();
    let mut connections = HashMap::new();
    let mut elements = Vec::new();
    for child in element.children("tb", &OF_BLOCK) {
        let child = child?;
        let block = ThreadBlock::read(child, &surroundings)?;
        if places.insert(block.id, blocks.len()).is_some() {
            return Err(child.wrong(twice("thread block", block.id).at("id")));
        }
        for (key, verb, peer) in [
            ("send", "sends to", block.sends_to),
            ("recv", "receives from", block.receives_from),
        ] {
            let Some(peer) = peer else { continue };
            let held = connections.insert((key, peer, block.channel), block.id);
            if let Some(other) = held {
                let wrong = connection_twice(&block, verb, peer, other);
                return Err(child.wrong(wrong.at(key)));
            }
        }
        elements.push(child);
        blocks.push(block);
    }
    for (child, block) in elements.into_iter().zip(&blocks) {
        for (step, element) in block.steps.iter().zip(child.children("step", &OF_STEP)) {
            let Some(before) = step.waits_for else {
                continue;
            };
            let held = places.get(&before.block).map(|place| &blocks[*place]);
            let awaited = held.and_then(|block| block.steps.get(before.step as usize));
            let wrong = match awaited {
                Some(awaited) if awaited.is_awaited => continue,
                Some(_) => not_signalled(before),
                None => no_such_step(before, gpu),
            };
            return Err(element?.wrong(wrong.at("depid")));
        }
    }
    Ok(blocks)
}

impl ThreadBlock {
    fn read(element: Element<'_>, around: &Surroundings) -> Result<Self, Diagnostic> {
        let peer = |key| {
            let peer = element.number_or_none(key, around.gpus - 1)?;
            match peer == Some(around.gpu) {
                true => Err(element.wrong(to_itself(around.gpu).at(key))),
                false => Ok(peer),
            }
        };
        let mut block = Self {
            id: element.count("id", 0)?,
            sends_to: peer("send")?,
            receives_from: peer("recv")?,
            channel: element.integer("chan", -1, u16::MAX.into())?.max(0) as u16,
            steps: Vec::new(),
        };
        for step in element.children("step", &OF_STEP) {
            let step = step?;
            let due = block.steps.len() as u32;
            match step.count("s", 0)? {
                number if number == due => {}
                number => return Err(step.wrong(other_number(number, due).at("s"))),
            }
            block.steps.push(MscclStep::read(step, &block, around)?);
            step.check_empty()?;
        }
        Ok(block)
    }
}

impl MscclStep {
    fn read(
        element: Element<'_>,
        block: &ThreadBlock,
        around: &Surroundings,
    ) -> Result<Self, Diagnostic> {
        let name = element.text("type")?;
        let Some((_, kind, ends)) = TYPES.iter().find(|(known, ..)| *known == name) else {
            let known = TYPES.iter().map(|(name, ..)| *name);
            let wrong = Diagnostic::unknown("type of step", &excerpt(name), known);
            return Err(element.wrong(wrong.at("type")));
        };
        for (is_needed, key, peer) in [
            (kind.sends(), "send", block.sends_to),
            (kind.receives(), "recv", block.receives_from),
        ] {
            if is_needed && peer.is_none() {
                return Err(element.wrong(no_peer(name, block.id, key).at("type")));
            }
        }
        let is_message = *kind != StepKind::Local;
        let chunks = element.count("cnt", is_message.into())?;
        for (end, buffer, offset) in [
            (ChunkEnd::Source, "srcbuf", "srcoff"),
            (ChunkEnd::Destination, "dstbuf", "dstoff"),
        ] {
            let known = BUFFERS
                .iter()
                .position(|name| element.optional(buffer) == Some(name));
            let Some(place) = known else {
                let found = excerpt(element.text(buffer)?);
                let wrong = Diagnostic::unknown("buffer", &found, BUFFERS);
                return Err(element.wrong(wrong.at(buffer)));
            };
            let first = element.number_or_none(offset, u32::MAX)?;
            let is_used = ends.iter().any(|used| *used as u8 == end as u8);
            let held = around.buffers[place];
            let end = first.map(|first| u64::from(first) + u64::from(chunks));
            if is_used && end.is_none_or(|end| end > held.into()) {
                let wrong = beyond_buffer(BUFFERS[place], held);
                return Err(element.wrong(wrong.at(offset)));
            }
        }
        Ok(Self {
            kind: *kind,
            chunks,
            waits_for: waits_for(element)?,
            is_awaited: element.integer("hasdep", 0, 1)? == 1,
        })
    }
}

fn waits_for(element: Element<'_>) -> Result<Option<StepId>, Diagnostic> {
    let block = element.number_or_none("depid", u32::MAX)?;
    let step = element.number_or_none("deps", u32::MAX)?;
    match (block, step) {
        (Some(block), Some(step)) => Ok(Some(StepId { block, step })),
        (None, None) => Ok(None),
        _ => Err(element.wrong(half_a_dependence().at("deps"))),
    }
}

fn twice(what: &str, id: u32) -> Diagnostic {
    Diagnostic::new(format!("{what} {id} stands there twice"), "leave one")
}

fn gpu_missing(gpu: u32, gpus: u32) -> Diagnostic {
    Diagnostic::new(
        format!("the algorithm is of {gpus} GPUs, but GPU {gpu} is not there"),
        "is the file cut off?",
    )
}

fn not_divided(data: Bytes, chunks: u32, size: u64) -> Diagnostic {
    let nearest = Bytes::new(size * u64::from(chunks));
    Diagnostic::new(
        format!("{data} are not a multiple of the algorithm's {chunks} chunks, as MSCCL needs"),
        format!("write e.g. \"{nearest}\""),
    )
}

fn connection_twice(block: &ThreadBlock, verb: &str, peer: u32, other: u32) -> Diagnostic {
    Diagnostic::new(
        format!(
            "thread block {} {verb} GPU {peer} on channel {}, as thread block {other} does: which \
             message is whose is not known before the run",
            block.id, block.channel
        ),
        "give each a channel of its own",
    )
}

fn to_itself(gpu: u32) -> Diagnostic {
    Diagnostic::new(
        format!("GPU {gpu} has itself at the other end"),
        "name another GPU, or -1 for none",
    )
}

fn other_number(number: u32, due: u32) -> Diagnostic {
    Diagnostic::new(
        format!("step {number} stands where step {due} is due"),
        "steps stand in their order, from 0 on",
    )
}

fn no_peer(name: &str, block: u32, key: &str) -> Diagnostic {
    Diagnostic::new(
        format!("a step `{name}` of thread block {block}, whose `{key}` is -1"),
        format!("name the GPU at the other end: <tb … {key}=\"…\">"),
    )
}

fn beyond_buffer(buffer: &str, chunks: u32) -> Diagnostic {
    Diagnostic::new(
        format!("its chunks are not all in buffer `{buffer}`, which has {chunks}"),
        format!("correct them, or `{buffer}_chunks` of the GPU"),
    )
}

fn half_a_dependence() -> Diagnostic {
    Diagnostic::new(
        "`depid` and `deps` must both name something, or both be -1",
        "`depid` is a thread block of this GPU, `deps` a step of it",
    )
}

fn no_such_step(wanted: StepId, gpu: u32) -> Diagnostic {
    let StepId { block, step } = wanted;
    Diagnostic::new(
        format!("it waits for step {step} of thread block {block}, which GPU {gpu} does not have"),
        "is the file cut off?",
    )
}

fn not_signalled(wanted: StepId) -> Diagnostic {
    let StepId { block, step } = wanted;
    Diagnostic::new(
        format!("it waits for step {step} of thread block {block}, of which `hasdep` is 0"),
        "write hasdep=\"1\" there: MSCCL does not signal other steps",
    )
}
