//! The recursion over the stages of a placed program (`docs/model.md` section 15) from its end: the time that remains
//! after a process ends a stage, if no message waits for a channel and every process has a processor.
//!
//! The longest of all from the start is the makespan of the prediction. The others tell a [bare run](super::bare_stages)
//! early that it cannot end below a limit.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_topology::{LinkTime, Machine, NodeId};

use crate::{Communication, Cycles, MessageRoutes, MessageTiming, Program, transfer_over};

/// The computations and messages of a stage program.
pub(super) trait Stages {
    /// The number of stages.
    fn count(&self) -> usize;

    fn processes(&self) -> usize;

    /// Replaces the list by the computations of a stage, by process \[cycles\].
    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>);

    /// Calls `visit` with the source, the destination and the units of each message of a stage.
    fn for_each_message(&self, stage: usize, visit: impl FnMut([usize; 2], u64));
}

impl Stages for &dyn Program {
    fn count(&self) -> usize {
        self.stage_count()
    }

    fn processes(&self) -> usize {
        usize::try_from(self.process_count()).unwrap_or(usize::MAX)
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        Program::list_computations(*self, stage, computations);
    }

    fn for_each_message(&self, stage: usize, mut visit: impl FnMut([usize; 2], u64)) {
        Program::for_each_message(*self, stage, &mut |source, destination, units| {
            visit([source, destination].map(|end| end.label() as usize), units);
        });
    }
}

/// The least time that a program continues from each process in each stage on.
#[derive(Debug)]
pub(super) struct Tails<'a> {
    transfers: Transfers<'a>,
    communication: Communication,
    processes: usize,
    are_kept: bool,         // whether the times of all stages are kept, or those of two
    cycles: Vec<u64>,       // by stage and process, from before its computation on; 0 after the last stage
    computations: Vec<u64>, // of one stage, by process
}

impl<'a> Tails<'a> {
    /// The times of a program, of which two stages are kept.
    pub(super) fn new(program: &impl Stages, machine: &'a Machine, communication: Communication) -> Self {
        let processes = program.processes();
        let transfers = Transfers::new(machine, communication);
        let cycles = vec![0; 2 * processes];
        Self { transfers, communication, processes, are_kept: false, cycles, computations: vec![] }
    }

    pub(super) fn keeping_all(self, program: &impl Stages) -> Self {
        let cycles = vec![0; (program.count() + 1) * self.processes];
        Self { are_kept: true, cycles, ..self }
    }

    /// Bytes for a program, with `kept` stages kept.
    pub(super) fn bytes(processes: u64, kept: u64, machine: &Machine) -> u64 {
        let tails = kept.saturating_add(1).saturating_mul(processes);
        tails.saturating_mul(size_of::<u64>() as u64).saturating_add(Transfers::bytes(machine))
    }

    /// The place of the first process of a stage.
    fn row(&self, stage: usize) -> usize {
        self.processes * if self.are_kept { stage } else { stage % 2 }
    }

    /// Goes through the stages of a program with its processes on these nodes; returns the makespan of the prediction.
    pub(super) fn measure(&mut self, program: &impl Stages, nodes: &[NodeId], work: &mut u64) -> Cycles {
        let stages = program.count();
        let last = self.row(stages);
        self.cycles[last..last + self.processes].fill(0);
        for stage in (0..stages).rev() {
            self.measure_stage(program, stage, nodes, work);
        }
        let first = self.row(0);
        Cycles::new(self.cycles[first..first + self.processes].iter().copied().max().unwrap_or(0))
    }

    /// The least time that the program continues after a process ends a stage \[cycles\].
    ///
    /// # Panics
    ///
    /// If only two stages are kept.
    #[inline]
    pub(super) fn after(&self, stage: u32, process: u32) -> u64 {
        debug_assert!(self.are_kept, "the times of all stages");
        self.cycles[(stage as usize + 1) * self.processes + process as usize]
    }

    fn measure_stage(&mut self, program: &impl Stages, stage: usize, nodes: &[NodeId], work: &mut u64) {
        let (row, later) = (self.row(stage), self.row(stage + 1));
        self.cycles.copy_within(later..later + self.processes, row);
        program.for_each_message(stage, |[source, destination], units| {
            let after = self.cycles[later + destination];
            let tail = after + self.transfers.between(nodes[source], nodes[destination], units);
            let of_source = &mut self.cycles[row + source];
            *of_source = tail.max(*of_source);
            if !self.communication.is_eager(units) {
                let of_destination = &mut self.cycles[row + destination];
                *of_destination = tail.max(*of_destination);
            }
            *work += 1;
        });
        program.list_computations(stage, &mut self.computations);
        for (tail, computation) in self.cycles[row..].iter_mut().zip(&self.computations) {
            *tail += computation;
        }
    }
}

/// The most nodes between which routes are kept.
const MAX_NODES: u64 = 1 << 10;

/// A pair of nodes whose route is not known yet.
const UNKNOWN: u16 = u16::MAX;

/// Times of messages without contention, by routes that are kept once they are known.
#[derive(Debug)]
struct Transfers<'a> {
    machine: &'a Machine,
    communication: Communication,
    times: Option<&'a [LinkTime]>, // by class, if a time depends on more than the number of links
    nodes: usize,
    kept: Vec<u16>, // by pair of nodes, the links, or the number of the route if links differ
    routes: Vec<Arc<[LinkTime]>>, // by number
    numbers: BTreeMap<Arc<[LinkTime]>, u16>,
    timing: (u64, MessageTiming), // of the last requested size
}

impl<'a> Transfers<'a> {
    fn new(machine: &'a Machine, communication: Communication) -> Self {
        // If a message may take another route than the machine's, the fastest links are assumed.
        let takes_routes_of_machine = communication.routes() == MessageRoutes::OfMachine;
        let times = machine.link_times().filter(|_| takes_routes_of_machine);
        let communication =
            if takes_routes_of_machine { communication } else { communication.with_shortest(machine) };
        let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
        let kept = vec![UNKNOWN; usize::try_from(Self::places(machine)).unwrap_or(0)];
        let timing = (1, communication.timing());
        Self { machine, communication, times, nodes, kept, routes: vec![], numbers: BTreeMap::new(), timing }
    }

    /// Bytes on a machine, roughly.
    fn bytes(machine: &Machine) -> u64 {
        const KINDS_OF_ROUTES: u64 = 1 << 10;
        let link = if machine.link_times().is_some() { size_of::<LinkTime>() as u64 } else { 0 };
        let route = machine.distance_bound().saturating_mul(link);
        let places = Self::places(machine);
        (places * size_of::<u16>() as u64).saturating_add(route.saturating_mul(places.min(KINDS_OF_ROUTES)))
    }

    /// The pairs of nodes whose routes are kept.
    fn places(machine: &Machine) -> u64 {
        let nodes = machine.node_count();
        if nodes <= MAX_NODES { nodes * nodes } else { 0 }
    }

    #[inline]
    fn between(&mut self, from: NodeId, to: NodeId, units: u64) -> u64 {
        if self.timing.0 != units {
            self.timing = (units, self.communication.timing_of(units));
        }
        let pair = from.index() as usize * self.nodes + to.index() as usize;
        let kept = match self.kept.get(pair) {
            Some(&UNKNOWN) => self.ask(pair, from, to),
            Some(&kept) => Some(kept),
            None => None,
        };
        let time = match (kept, self.times) {
            (Some(links), None) => self.timing.1.transfer(links.into()),
            (None, None) => self.timing.1.transfer(self.machine.distance(from, to)),
            (Some(number), Some(_)) => {
                transfer_over(self.routes[number as usize].iter().copied(), self.communication, units)
            }
            (None, Some(times)) => transfer_over(self.route(from, to, times), self.communication, units),
        };
        time.get()
    }

    /// The times of the links between two nodes.
    fn route(&self, from: NodeId, to: NodeId, times: &'a [LinkTime]) -> impl Iterator<Item = LinkTime> {
        let route = self.machine.route(from, to, self.communication.tie());
        route.map(move |channel| times[self.machine.link_class(channel)])
    }

    /// The links or the route between two nodes, which are kept unless numbers run out.
    fn ask(&mut self, pair: usize, from: NodeId, to: NodeId) -> Option<u16> {
        let number = match self.times {
            None => u16::try_from(self.machine.distance(from, to)).ok()?,
            Some(times) => {
                let route: Arc<[LinkTime]> = self.route(from, to, times).collect();
                let next = u16::try_from(self.routes.len()).ok()?;
                *self.numbers.entry(route).or_insert_with_key(|route| {
                    self.routes.push(Arc::clone(route));
                    next
                })
            }
        };
        self.kept[pair] = number;
        (number != UNKNOWN).then_some(number)
    }
}
