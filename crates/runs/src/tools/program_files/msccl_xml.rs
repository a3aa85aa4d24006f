//! MSCCL XML (Microsoft's msccl-tools): the steps of a collective, thread block by thread block.
//!
//! A rank is a GPU, a share a channel. The vector is cut into one chunk for each block of each share, `k P`
//! in all. If blocks belong to ranks, MSCCL makes the chunks of a rank consecutive: block `b` of share `c` is
//! chunk `b k + c`. In an all-reduce and a broadcast it is chunk `c P + b`, so that consecutive blocks are
//! consecutive chunks. A GPU has a thread block for each share, peer and direction, whose steps run one after
//! another. A step that needs results of another thread block depends on its latest such step (`depid`,
//! `deps`); further dependencies are `nop` steps before it. A message is a step for each run of consecutive
//! chunks.
//!
//! Collectives are in place, so that a chunk has one place per rank: all-reduce and reduce-scatter work in
//! the input, all-gather and broadcast in the output. All-to-all is out of place.

mod runtime;

use std::collections::{BTreeMap, BTreeSet};

use cubefold_collectives::{Collective, FlowMessage, Groups, Operation, Payload};
use cubefold_scenario::Run;
use quick_xml::{
    Writer,
    events::{BytesEnd, BytesStart, Event},
};

use self::runtime::Demand;
use super::{FormatDescriptor, ProgramFileError, ProgramFiles, ProgramOptions};

pub use self::runtime::MscclRuntime;

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "msccl-xml",
    summary: "the steps of a collective as XML, for MSCCL and ASTRA-sim's custom collectives",
    is_folder: false,
    extension: Some("xml"),
    write,
};

/// Largest number of ranks: payloads are enumerated, up to P^2 items per message.
const MAX_RANKS: u64 = 4096;

/// The format's name of an operation, and the buffers of its chunks.
struct CollectiveKind {
    name: &'static str,
    source: &'static str,
    destination: &'static str,
    is_in_place: bool,
    is_reduce_scatter: bool,
    has_blocks_of_ranks: bool, // whether a block is the input or output of one rank
}

fn kind_of(operation: Operation, runtime: MscclRuntime) -> Option<CollectiveKind> {
    let in_place = |name, buffer, has_blocks_of_ranks| {
        Some(CollectiveKind {
            name,
            source: buffer,
            destination: buffer,
            is_in_place: true,
            is_reduce_scatter: operation == Operation::ReduceScatter,
            has_blocks_of_ranks,
        })
    };
    match operation {
        Operation::AllReduce => in_place("allreduce", "i", false),
        Operation::ReduceScatter => in_place(runtime.reduce_scatter(), "i", true),
        Operation::AllGather => in_place("allgather", "o", true),
        Operation::Broadcast => in_place("broadcast", "o", false),
        Operation::AllToAll => Some(CollectiveKind {
            name: "alltoall",
            source: "i",
            destination: "o",
            is_in_place: false,
            is_reduce_scatter: false,
            has_blocks_of_ranks: true,
        }),
        Operation::Reduce | Operation::Gather | Operation::Scatter | Operation::Barrier => None,
    }
}

/// A direction between a share and a peer: a thread block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BlockKey {
    share: u32,
    is_receive: bool,
    peer: u32,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    kind: &'static str,
    buffers: [&'static str; 2],
    offsets: [u32; 2],
    count: u32,
    depends_on: Option<(usize, usize)>, // thread block and step
    is_depended_on: bool,
}

/// Thread blocks of a GPU.
#[derive(Debug, Default)]
struct Gpu {
    blocks: Vec<(BlockKey, Vec<Step>)>,
    numbers: BTreeMap<BlockKey, usize>,
    written: BTreeMap<u32, (usize, usize)>, // by chunk, its last writing step
    read: BTreeMap<u32, Vec<(usize, usize)>>, // by chunk, the reading steps since then
}

impl Gpu {
    fn block(&mut self, key: BlockKey) -> usize {
        let next = self.blocks.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.blocks.push((key, vec![]));
        }
        number
    }

    /// Adds a step that depends on the steps `before` of other thread blocks. Returns its position.
    fn add(&mut self, block: usize, step: Step, before: &[(usize, usize)]) -> (usize, usize) {
        // Only the latest step of each other thread block counts.
        let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
        for &(other, number) in before.iter().filter(|(other, _)| *other != block) {
            let known = latest.entry(other).or_insert(number);
            *known = number.max(*known);
        }
        let mut latest: Vec<(usize, usize)> = latest.into_iter().collect();
        for &(other, number) in &latest {
            self.blocks[other].1[number].is_depended_on = true;
        }
        let last = latest.pop();
        for depends_on in latest {
            let nothing = Step {
                kind: "nop",
                buffers: ["i"; 2],
                offsets: [0; 2],
                count: 0,
                depends_on: Some(depends_on),
                is_depended_on: false,
            };
            self.blocks[block].1.push(nothing);
        }
        self.blocks[block].1.push(Step { depends_on: last, ..step });
        (block, self.blocks[block].1.len() - 1)
    }
}

fn write(run: &Run, options: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
    let not_said = |what: String, expected| ProgramFileError::NotSaid { format: FORMAT.name, what, expected };
    let expected = "all-reduce, reduce-scatter, all-gather, broadcast or all-to-all";
    let Some(collective) = run.program.collective.as_deref().and_then(Collective::single) else {
        let what = match run.program.collective.as_deref() {
            Some(_) => "a collective in groups or in several steps, as a hierarchical one is".to_owned(),
            None => format!("a program of kind {}", run.program.kind.name),
        };
        return Err(not_said(what, expected));
    };
    let runtime = options.runtime.unwrap_or(MscclRuntime::ALL[0]);
    let Some(kind) = kind_of(collective.specification().operation, runtime) else {
        return Err(not_said(run.program.kind.name.to_owned(), expected));
    };
    if collective.rank_count() > MAX_RANKS {
        return Err(not_said(format!("{} ranks", collective.rank_count()), "at most 4096"));
    }
    let gpus = gpus(collective, &kind).map_err(|what| {
        not_said(what, "an all-to-all whose items go to their destinations at once (direct, pairwise)")
    })?;
    let demand = demand(&gpus, &kind);
    if let Some(runtime) = options.runtime
        && let [first, ..] = &runtime.passed(demand)[..]
    {
        let message = format!("for the runtime {runtime} {first}");
        return Err(not_said(message, "fewer ranks, another algorithm or another --runtime"));
    }
    let file = document(run, collective, &kind, &gpus)?;
    let mut notes = notes(run, collective);
    if options.runtime.is_none() {
        notes.extend(notes_on_runtimes(demand, &kind));
    }
    Ok(ProgramFiles { files: vec![("program.xml".to_owned(), file)], notes })
}

/// The properties of the program that runtimes limit.
fn demand(gpus: &[Gpu], kind: &CollectiveKind) -> Demand {
    let steps = gpus.iter().flat_map(|gpu| gpu.blocks.iter().map(|(_, steps)| steps.len())).max();
    let peers = |gpu: &Gpu| {
        let mut peers: BTreeMap<(u32, bool), BTreeSet<u32>> = BTreeMap::new();
        for (key, _) in &gpu.blocks {
            peers.entry((key.share, key.is_receive)).or_default().insert(key.peer);
        }
        peers.values().map(BTreeSet::len).max().unwrap_or(0)
    };
    Demand {
        steps: steps.unwrap_or(0),
        peers: gpus.iter().map(peers).max().unwrap_or(0),
        moves_items: !kind.is_in_place,
    }
}

/// Says which runtimes cannot execute the file, and which expect another name.
fn notes_on_runtimes(demand: Demand, kind: &CollectiveKind) -> Vec<String> {
    let mut notes = vec![];
    for runtime in MscclRuntime::ALL {
        let passed = runtime.passed(demand);
        if !passed.is_empty() {
            notes.push(format!("{runtime} cannot execute it: {}", passed.join("; ")));
        }
    }
    let is_other = |runtime: &MscclRuntime| kind.is_reduce_scatter && runtime.reduce_scatter() != kind.name;
    let others: Vec<&str> = MscclRuntime::ALL.into_iter().filter(is_other).map(MscclRuntime::name).collect();
    if !others.is_empty() {
        notes.push(format!(
            "the collective is called {}; --runtime gives it the name that {} expect",
            kind.name,
            others.join(" and ")
        ));
    }
    notes
}

/// A bound above the size of every vector \[bytes\]: at least twice that of the scenario, or 2^62 if it has no size.
fn bytes_above(run: &Run) -> u64 {
    const MOST: u64 = 1 << 62;
    let bytes =
        run.program.bytes.and_then(|bytes| bytes.checked_add(1)?.checked_next_power_of_two()?.checked_mul(2));
    bytes.map_or(MOST, |bytes| bytes.min(MOST))
}

/// The thread blocks of every GPU, or the part that the format cannot express.
fn gpus(collective: &Groups, kind: &CollectiveKind) -> Result<Vec<Gpu>, String> {
    let mut gpus: Vec<Gpu> = (0..collective.rank_count()).map(|_| Gpu::default()).collect();
    let layout = Layout::new(collective, kind);
    for stage in 0..collective.stage_count() {
        let messages: Vec<(FlowMessage, Vec<[u32; 2]>)> = collective
            .flow(stage)
            .map(|message| chunks(&message, layout).map(|chunks| (message, chunks)))
            .collect::<Result<_, _>>()?;
        // All sends precede the receives: a message carries the contents of its source at the start of the stage.
        for (message, chunks) in &messages {
            add_sends(&mut gpus[message.source as usize], message, chunks, kind);
        }
        for (message, chunks) in &messages {
            add_receives(&mut gpus[message.destination as usize], message, chunks, kind);
        }
    }
    Ok(gpus)
}

/// Number of blocks of a share: one for each rank, or chunks that follow one another; below 2^32.
fn blocks(collective: &Groups) -> u32 {
    u32::try_from(collective.specification().block_count()).unwrap_or(u32::MAX)
}

/// The map from blocks of shares to chunks.
#[derive(Debug, Clone, Copy)]
struct Layout {
    of_block: u32, // stride between blocks
    of_share: u32, // stride between shares
}

impl Layout {
    fn new(collective: &Groups, kind: &CollectiveKind) -> Self {
        if kind.has_blocks_of_ranks {
            Self { of_block: collective.share_count(), of_share: 1 }
        } else {
            Self { of_block: 1, of_share: blocks(collective) }
        }
    }

    fn chunk(self, share: u32, block: u32) -> u32 {
        share * self.of_share + block * self.of_block
    }
}

/// The chunks of a message at its source and at its destination, ascending.
fn chunks(message: &FlowMessage, layout: Layout) -> Result<Vec<[u32; 2]>, String> {
    let of_share = |block: u32| layout.chunk(message.share, block);
    match &message.payload {
        Payload::Blocks(blocks) => Ok(blocks.iter().map(|&block| [of_share(block); 2]).collect()),
        Payload::Items(items) => items
            .iter()
            .map(|&(origin, destination)| {
                let is_direct = (origin, destination) == (message.source, message.destination);
                is_direct
                    .then(|| [of_share(destination), of_share(origin)])
                    .ok_or_else(|| "items that are relayed by other ranks".to_owned())
            })
            .collect(),
        Payload::Token => Err("a barrier".to_owned()),
    }
}

/// Runs of chunks that are consecutive at both ends: the first chunk and the length.
fn consecutive(chunks: &[[u32; 2]]) -> impl Iterator<Item = ([u32; 2], u32)> {
    let runs = chunks.chunk_by(|one, next| [one[0] + 1, one[1] + 1] == *next);
    runs.map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX)))
}

fn step(kind: &'static str, buffers: &CollectiveKind, offsets: [u32; 2], count: u32) -> Step {
    let buffers = [buffers.source, buffers.destination];
    Step { kind, buffers, offsets, count, depends_on: None, is_depended_on: false }
}

fn add_sends(gpu: &mut Gpu, message: &FlowMessage, chunks: &[[u32; 2]], kind: &CollectiveKind) {
    let key = BlockKey { share: message.share, is_receive: false, peer: message.destination };
    let block = gpu.block(key);
    for (offsets, count) in consecutive(chunks) {
        let range = offsets[0]..offsets[0] + count;
        let before: Vec<_> = range.clone().filter_map(|chunk| gpu.written.get(&chunk).copied()).collect();
        let place = gpu.add(block, step("s", kind, offsets, count), &before);
        if kind.is_in_place {
            range.for_each(|chunk| gpu.read.entry(chunk).or_default().push(place));
        }
    }
}

fn add_receives(gpu: &mut Gpu, message: &FlowMessage, chunks: &[[u32; 2]], kind: &CollectiveKind) {
    let key = BlockKey { share: message.share, is_receive: true, peer: message.source };
    let block = gpu.block(key);
    for (offsets, count) in consecutive(chunks) {
        let range = offsets[1]..offsets[1] + count;
        let mut before = vec![];
        for chunk in range.clone() {
            before.extend(gpu.read.remove(&chunk).unwrap_or_default());
            before.extend(gpu.written.get(&chunk).copied());
        }
        let name = if message.is_reduced { "rrc" } else { "r" };
        let place = gpu.add(block, step(name, kind, offsets, count), &before);
        if kind.is_in_place {
            range.for_each(|chunk| {
                gpu.written.insert(chunk, place);
            });
        }
    }
}

fn document(
    run: &Run,
    collective: &Groups,
    kind: &CollectiveKind,
    gpus: &[Gpu],
) -> Result<Vec<u8>, ProgramFileError> {
    let mut writer = Writer::new_with_indent(vec![], b' ', 2);
    let chunks = collective.share_count() * blocks(collective);
    let in_place = if kind.is_in_place { ["1", "0"] } else { ["0", "1"] };
    let attributes = [
        ("name", run.scenario.to_string()),
        ("proto", "Simple".to_owned()),
        ("nchannels", collective.share_count().to_string()),
        ("nchunksperloop", chunks.to_string()),
        ("ngpus", gpus.len().to_string()),
        ("coll", kind.name.to_owned()),
        ("inplace", in_place[0].to_owned()),
        ("outofplace", in_place[1].to_owned()),
        ("minBytes", "0".to_owned()),
        ("maxBytes", bytes_above(run).to_string()),
    ];
    open(&mut writer, "algo", &attributes)?;
    for (id, gpu) in gpus.iter().enumerate() {
        // A collective that works in place in one buffer has no chunks in the other.
        let input = if kind.source == "i" { chunks } else { 0 };
        let output = if kind.destination == "o" { chunks } else { 0 };
        let attributes = [
            ("id", id.to_string()),
            ("i_chunks", input.to_string()),
            ("o_chunks", output.to_string()),
            ("s_chunks", "0".to_owned()),
        ];
        open(&mut writer, "gpu", &attributes)?;
        for (number, (key, steps)) in gpu.blocks.iter().enumerate() {
            let peer = Some(key.peer);
            let [send, receive] = if key.is_receive { [None, peer] } else { [peer, None] };
            write_block(&mut writer, number, [send, receive], key.share, steps)?;
        }
        if !kind.is_in_place {
            write_block(&mut writer, gpu.blocks.len(), [None; 2], 0, &own_items(collective, kind, id))?;
        }
        writer.write_event(Event::End(BytesEnd::new("gpu")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("algo")))?;
    let mut file = writer.into_inner();
    file.push(b'\n');
    Ok(file)
}

/// The copies of a rank's own items in an all-to-all, which no message carries.
fn own_items(collective: &Groups, kind: &CollectiveKind, rank: usize) -> Vec<Step> {
    let (layout, rank) = (Layout::new(collective, kind), u32::try_from(rank).unwrap_or(u32::MAX));
    let copy = |share| step("cpy", kind, [layout.chunk(share, rank); 2], 1);
    (0..collective.share_count()).map(copy).collect()
}

/// A number; -1 if there is none.
fn or_minus_one<N: ToString>(number: Option<N>) -> String {
    number.map_or_else(|| "-1".to_owned(), |number| number.to_string())
}

/// Writes a thread block, with the peers to which it sends and from which it receives.
fn write_block(
    writer: &mut Writer<Vec<u8>>,
    number: usize,
    peers: [Option<u32>; 2],
    channel: u32,
    steps: &[Step],
) -> Result<(), ProgramFileError> {
    let [send, receive] = peers.map(or_minus_one);
    let attributes =
        [("id", number.to_string()), ("send", send), ("recv", receive), ("chan", channel.to_string())];
    open(writer, "tb", &attributes)?;
    for (at, step) in steps.iter().enumerate() {
        write_step(writer, at, step)?;
    }
    writer.write_event(Event::End(BytesEnd::new("tb")))?;
    Ok(())
}

fn write_step(writer: &mut Writer<Vec<u8>>, at: usize, step: &Step) -> Result<(), ProgramFileError> {
    let attributes = [
        ("s", at.to_string()),
        ("type", step.kind.to_owned()),
        ("srcbuf", step.buffers[0].to_owned()),
        ("srcoff", step.offsets[0].to_string()),
        ("dstbuf", step.buffers[1].to_owned()),
        ("dstoff", step.offsets[1].to_string()),
        ("cnt", step.count.to_string()),
        ("depid", or_minus_one(step.depends_on.map(|depends_on| depends_on.0))),
        ("deps", or_minus_one(step.depends_on.map(|depends_on| depends_on.1))),
        ("hasdep", u8::from(step.is_depended_on).to_string()),
    ];
    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    writer.write_event(Event::Empty(BytesStart::new("step").with_attributes(attributes)))?;
    Ok(())
}

fn open(
    writer: &mut Writer<Vec<u8>>,
    name: &str,
    attributes: &[(&str, String)],
) -> Result<(), ProgramFileError> {
    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    writer.write_event(Event::Start(BytesStart::new(name).with_attributes(attributes)))?;
    Ok(())
}

/// Describes the parts that the file leaves out.
fn notes(run: &Run, collective: &Groups) -> Vec<String> {
    let specification = collective.specification();
    let most = bytes_above(run);
    let mut notes =
        vec![format!("the caller of the collective gives the size of the vector, below {most} bytes")];
    let chunks = u64::from(collective.share_count()) * specification.block_count();
    if !specification.vector_units.is_multiple_of(chunks) {
        notes.push(format!(
            "MSCCL expects equal chunks: blocks of {} units in {chunks} are not",
            specification.vector_units
        ));
    }
    if run.program.body.facts().total_compute > 0 {
        notes.push("the costs of starting steps and of reducing are those of the machine".to_owned());
    }
    notes.push(
        "ranks start a step as soon as the steps that it depends on are done, not stage by stage".to_owned(),
    );
    notes
}
