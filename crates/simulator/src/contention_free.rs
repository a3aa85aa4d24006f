//! Asynchronous runs in which no two messages can want a channel at a time.
//!
//! If every channel (under half-duplex every link) is on the routes of at most one source and one
//! destination, no message waits for another. Messages of the same two processes do not meet:
//! under rendezvous the later one sets out when its destination is ready for it, after it has
//! received the earlier one as a whole. With a processor for every process the run then is the
//! recursion of the prediction ([`stage_recursion`]), and takes a step per message instead of one
//! per link. This holds for rings and buckets on their own torus, for neighbour exchanges at unit
//! dilation, for recursive doubling on a hypercube, under every switching, size and service order.
//!
//! [`stage_recursion`]: crate::stage_recursion

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Leg, LinkMode};

use crate::{
    Communication, Cycle, Cycles, ImbalanceError, MessageRoutes, Observer, Program, StageRecord, Summary,
    Traffic,
    channels::{Channels, Transit},
    stage_recursion::{LastReceived, ListedStage, PlacedProgram, common_step},
};

const NONE: u32 = u32::MAX;

/// Whether no two messages of a run can want a channel at a time.
///
/// # Complexity
///
/// Visits every message that differs from the previous one of its source, until two want one channel.
pub(crate) fn applies(program: &dyn Program, placement: &Placement, communication: Communication) -> bool {
    let has_processors = placement.max_load() <= communication.processors().get();
    let takes_turns = communication.links() == LinkMode::SingleDirection;
    let has_own_routes = communication.routes() != MessageRoutes::OfMachine;
    let is_excluded = program.special().has_no_stages() || communication.eager() > 0 || takes_turns;
    let has_cost = communication.message_cost() > Cycles::ZERO;
    if is_excluded || has_own_routes || has_cost || !has_processors {
        return false;
    }
    let machine = placement.machine();
    // Packets queue before a channel slower than those before it.
    if communication.packet().is_some() && machine.link_times().is_some() {
        return false;
    }
    let nodes = placement.listed_nodes();
    machine.prepare_routes(&nodes);
    let channels = Channels::new(machine);
    let is_full_duplex = communication.links() == LinkMode::FullDuplex;
    let places = if is_full_duplex { channels.channel_places() } else { channels.link_places() };
    let mut users = vec![[NONE; 2]; places];
    let mut last_destinations = vec![NONE; nodes.len()];
    let mut claims = |source: ProcessId, destination: ProcessId| {
        let pair = [source.label(), destination.label()];
        let [from, to] = pair.map(|label| nodes[label as usize]);
        machine.route(from, to, communication.tie()).all(|channel| {
            let leg = Leg { direction: channel.direction, hops: 1 };
            let transit = Transit::new(0, channel.node, leg);
            let place = if is_full_duplex { channels.channel(&transit) } else { channels.link(&transit) };
            let user = &mut users[place];
            let is_free = user[0] == NONE || *user == pair;
            *user = pair;
            is_free
        })
    };
    let mut is_free = true;
    for (stage, _) in program.distinct_stages() {
        program.for_each_message(stage, &mut |source, destination, _| {
            let last = &mut last_destinations[source.label() as usize];
            if is_free && *last != destination.label() {
                is_free = claims(source, destination);
                *last = destination.label();
            }
        });
        if !is_free {
            return false;
        }
    }
    true
}

/// Runs a program to which this applies, reporting to `observer`.
///
/// # Errors
///
/// When the times do not add up: a defect of the simulator.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), ImbalanceError> {
    let nodes = placement.listed_nodes();
    let placed = PlacedProgram::new(program, placement, &nodes, communication);
    let zeros = vec![0; nodes.len()];
    let summary = Summary::of_program(program);
    let mut processes = Processes { finishes: zeros.clone(), readies: zeros.clone(), next: zeros, summary };
    let mut traffic = Traffic { messages: 0, hops: 0, longest_queue: Some(0), routing: None, link_use: None };
    let mut stage = 0;
    while stage < program.stage_count() {
        let listed = ListedStage::new(&placed, stage);
        let times = placed.repetitions(stage);
        count(&listed, times as u64, &mut traffic);
        processes.go_through(&listed, stage, times, observer);
        stage += times;
    }
    Ok((processes.close()?, traffic))
}

/// Counts the messages of a stage and its repetitions.
fn count(listed: &ListedStage, times: u64, traffic: &mut Traffic) {
    traffic.messages += times * listed.messages.len() as u64;
    for message in &listed.messages {
        traffic.hops += times * message.packets * message.distance;
        // The second packet joins its first queue when the first one departs, and waits until it has.
        if message.packets > 1 && message.distance > 0 {
            traffic.longest_queue = Some(1);
        }
    }
}

struct Processes {
    finishes: Vec<u64>, // of the stage before
    readies: Vec<u64>,
    next: Vec<u64>, // the finishes of this stage
    summary: Summary,
}

impl Processes {
    /// Goes through a stage and its repetitions, `times` stages in all.
    fn go_through(&mut self, listed: &ListedStage, first: usize, times: usize, observer: &mut dyn Observer) {
        let (mut stage, end) = (first, first + times);
        let mut alike = 1;
        while stage < end {
            let step = self.go_through_alike(listed, stage, alike, observer);
            stage += alike;
            alike = match step {
                Some(_) if !observer.wants_records() => end - stage,
                _ => 1,
            };
        }
    }

    /// Goes through `alike` stages; if there are several, each adds the same to all times. Returns the time that the
    /// first of them added, if it added the same to all.
    fn go_through_alike(
        &mut self,
        listed: &ListedStage,
        stage: usize,
        alike: usize,
        observer: &mut dyn Observer,
    ) -> Option<u64> {
        listed.become_ready(&self.finishes, &mut self.readies);
        let wants_records = observer.wants_records();
        let mut without_message = 0;
        for (process, next) in ProcessId::first(self.next.len() as u64).zip(&mut self.next) {
            if !wants_records && listed.receives_none(process.label() as usize) {
                *next = self.readies[process.label() as usize];
                without_message += 1;
                continue;
            }
            let ready = self.readies[process.label() as usize];
            let LastReceived { start, finish, transfer } =
                listed.last_received(process.label() as usize, &self.readies);
            let record = StageRecord::plain(process, stage, [ready, start, finish], transfer);
            self.summary.add_stage(&record, 1);
            self.summary.add_repetitions(&record, alike as u64 - 1);
            observer.stage_finished(&record);
            *next = finish;
        }
        // They neither wait nor are blocked.
        let zeros = || std::iter::once((0, without_message * alike as u64));
        self.summary.add_counts(stage, zeros(), zeros(), 0);
        observer.pairs_finished(without_message);
        let step = common_step(&self.finishes, &self.next);
        std::mem::swap(&mut self.finishes, &mut self.next);
        if alike > 1 {
            let further = alike as u64 - 1;
            self.summary.copy_stage(stage, alike - 1);
            observer.pairs_finished(further * self.finishes.len() as u64);
            let added = step.unwrap_or(0) * further;
            self.finishes.iter_mut().for_each(|finish| *finish += added);
        }
        step
    }

    fn close(mut self) -> Result<Summary, ImbalanceError> {
        for &finish in &self.finishes {
            self.summary.add_finish(Cycle::new(finish), 1);
        }
        self.summary.check_balance()?;
        Ok(self.summary)
    }
}
