//! A stage program with numbers for its messages and visits.
//!
//! Messages are numbered by stage, source and destination; without turns, their numbers order them in a queue. A visit is a stage
//! of a process; visits are numbered stage by stage.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::tails::Stages;
use crate::{Communication, Cycles, End, Peer, Program};

/// The most messages of a program, and the most visits.
const MAX_COUNT: u64 = 1 << 20;

/// A message of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub(super) units: u64,
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) stage: u32,
    pub(super) is_eager: bool,
}

/// The computations and messages of each process in each stage.
#[derive(Debug)]
pub(super) struct NumberedProgram {
    pub(super) processes: usize,
    pub(super) stages: usize,
    pub(super) messages: Vec<Message>,    // by number
    pub(super) computations: Vec<Cycles>, // by visit
    pub(super) first_sent: Vec<u32>, // by visit, the number of its first message; one more for the end of the last
    pub(super) first_received: Vec<u32>, // by visit, the place of its first message in `received`; one more for the end
    pub(super) received: Vec<u32>,       // numbers of messages
    order: Vec<u32>, // of messages that take turns, by number, the place in the order of queues; else empty
}

/// The numbers of visits and messages of a program.
pub(super) struct Counts {
    pub(super) visits: u64,
    pub(super) messages: u64,
}

impl Counts {
    /// Counts a stage program; `None` for others and if it is too large to be numbered.
    pub(super) fn of(program: &dyn Program) -> Option<Self> {
        let visits = program.process_count().saturating_mul(program.stage_count() as u64);
        if program.special().has_no_stages() || visits > MAX_COUNT {
            return None;
        }
        let (mut messages, mut peers) = (0, vec![]);
        for stage in 0..program.stage_count() {
            for process in ProcessId::first(program.process_count()) {
                peers.clear();
                program.list(End::Destination, stage, process, &mut peers);
                messages += peers.len() as u64;
                if messages > MAX_COUNT {
                    return None;
                }
            }
        }
        Some(Self { visits, messages })
    }
}

impl NumberedProgram {
    /// Numbers a stage program; `None` if a process sends to itself, or messages differ between the lists at
    /// their ends.
    pub(super) fn new(program: &dyn Program, rules: Communication) -> Option<Self> {
        let processes = usize::try_from(program.process_count()).ok()?;
        let mut numbered = Self {
            processes,
            stages: program.stage_count(),
            messages: vec![],
            computations: vec![],
            first_sent: vec![0],
            first_received: vec![0],
            received: vec![],
            order: vec![],
        };
        (0..program.stage_count()).try_for_each(|stage| numbered.add_stage(program, stage, rules))?;
        if program.has_turns() {
            numbered.order = numbered.order_by_turns(program);
        }
        Some(numbered)
    }

    fn order_by_turns(&self, program: &dyn Program) -> Vec<u32> {
        let key = |number: &u32| {
            let Message { stage, source, destination, .. } = self.messages[*number as usize];
            let [from, to] = [source, destination].map(ProcessId::new);
            (stage, program.turn(stage as usize, from, to), *number)
        };
        let mut sorted: Vec<u32> = (0..narrow(self.messages.len() as u64)).collect();
        sorted.sort_by_cached_key(key);
        let mut order = vec![0; sorted.len()];
        for (place, number) in (0..).zip(sorted) {
            order[number as usize] = place;
        }
        order
    }

    /// The place of a message among those that join a queue in one cycle.
    #[inline]
    pub(super) fn order(&self, message: u32) -> u32 {
        self.order.get(message as usize).copied().unwrap_or(message)
    }

    fn add_stage(&mut self, program: &dyn Program, stage: usize, rules: Communication) -> Option<()> {
        let mut of_destination = vec![vec![]; self.processes];
        let mut peers = vec![];
        for process in ProcessId::first(program.process_count()) {
            self.computations.push(program.computation(stage, process));
            peers.clear();
            program.list(End::Source, stage, process, &mut peers);
            peers.sort_unstable_by_key(|peer| peer.process);
            for &Peer { process: destination, units } in &peers {
                if destination == process {
                    return None;
                }
                let number = narrow(self.messages.len() as u64);
                of_destination.get_mut(destination.label() as usize)?.push(number);
                self.messages.push(Message {
                    units,
                    source: process.label(),
                    destination: destination.label(),
                    stage: narrow(stage as u64),
                    is_eager: rules.is_eager(units),
                });
            }
            self.first_sent.push(narrow(self.messages.len() as u64));
        }
        for (process, received) in ProcessId::first(program.process_count()).zip(of_destination) {
            peers.clear();
            program.list(End::Destination, stage, process, &mut peers);
            peers.sort_unstable_by_key(|peer| peer.process);
            let sent = received.iter().map(|&number: &u32| self.messages[number as usize]);
            if !sent
                .map(|sent| (sent.source, sent.units))
                .eq(peers.iter().map(|peer| (peer.process.label(), peer.units)))
            {
                return None;
            }
            self.received.extend(received);
            self.first_received.push(narrow(self.received.len() as u64));
        }
        Some(())
    }

    pub(super) fn bytes(visits: u64, messages: u64) -> u64 {
        let a_message = (size_of::<Message>() + size_of::<u32>()) as u64;
        let a_visit = (size_of::<Cycles>() + 2 * size_of::<u32>()) as u64;
        2 * (visits * a_visit + messages * a_message) // lists grow by doubling
    }

    /// The number of a visit.
    #[inline]
    pub(super) fn visit(&self, stage: u32, process: u32) -> usize {
        stage as usize * self.processes + process as usize
    }
}

impl Stages for NumberedProgram {
    fn count(&self) -> usize {
        self.stages
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        let of_stage = &self.computations[stage * self.processes..][..self.processes];
        computations.clear();
        computations.extend(of_stage.iter().map(|computation| computation.get()));
    }

    #[inline]
    fn for_each_message(&self, stage: usize, mut visit: impl FnMut([usize; 2], u64)) {
        let [first, end] = [stage, stage + 1].map(|stage| self.first_sent[stage * self.processes] as usize);
        for &Message { source, destination, units, .. } in &self.messages[first..end] {
            visit([source as usize, destination as usize], units);
        }
    }
}
