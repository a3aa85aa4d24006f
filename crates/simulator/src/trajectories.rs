//! Runs of messages with sizes on one line, with times computed message by message instead of link by link.
//!
//! Under first-come service no message of one direction of a line overtakes another: one that is behind at a
//! channel stays behind at all further ones. So a message departs from a channel when it joins it, or when
//! the message ahead has been transmitted, whichever is later:
//!
//! ```text
//! start(m, c) = max(start(m, c - 1) + step(m), start(ahead, c) + occupancy(ahead))
//! ```
//!
//! with the cycle of injection as the first term at its first channel. A message moves at its own pace, or it
//! is *in contact* with the message ahead: then it crosses each link the occupancy of that message later than
//! it. Its crossings are a piecewise linear function of the channel, its [trajectory], with few segments,
//! since few places on routes of thousands of links change anything: where a message is injected ahead, where
//! the message ahead ends its route, and where a message comes into contact.
//!
//! A message is planned when it is injected, from the trajectory of the message ahead ([`LineTraffic`]).
//! Events that change a plan are known before the message gets there:
//!
//! - a message injected between the two: messages behind it in contact are planned again from its first
//!   channel on, one after another, as far as anything changes;
//! - the end of the route of the message ahead, after which the next one ahead counts. The message ahead is
//!   received before the one behind can join a channel after its route, since that takes at least the time of
//!   one more link. Until then the message behind counts as free from there on;
//! - contact with the message ahead, an event of the cycle in which the message joins the first channel where
//!   it has to wait.
//!
//! A plan is cut after some segments. It is continued when the message joins the channel after the last
//! planned one, and the plans of those behind end there until then.
//!
//! On a ring the foremost message has the rearmost ahead, a turn further on. Longest queues follow from occupancies
//! ([`queue_watch`]). All numbers are those of [`engine`](crate::engine), which the tests compare.

mod message_order;
mod queue_watch;
#[cfg(test)]
mod tests;
mod traffic;
mod trajectory;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Extent, LinkMode, Sign, TieRule, narrow};

use self::{
    traffic::{Injection, LineTraffic},
    trajectory::{Slopes, TrajectorySegment},
};
use crate::{
    Communication, CubeProgram, Cycle, Observer, Program, ServiceOrder, StageRecord, time_wheel::TimeWheel,
};

/// A program on one line whose trajectories are planned.
#[derive(Debug)]
pub(crate) struct PlannedLine<'run> {
    program: &'run CubeProgram,
    extent: Extent,
    tie: TieRule,
    nodes: Vec<u32>, // by process, one process per node
    stages: Vec<LineStage>,
    planned_segments: usize,
}

/// Number of segments after which a plan is cut: on long lines most plans change before more are needed.
const PLANNED_SEGMENTS: usize = 16;

#[derive(Debug, Clone, Copy)]
struct LineStage {
    bit: u32,       // of the label, in which partners differ
    occupancy: u64, // of a channel, at least 1 [cycles]
    step: u64,      // from joining an idle channel to joining the next [cycles]
}

#[derive(Debug, Clone, Copy)]
struct LineEvent {
    message: u32, // its destination
    link: u32,
    kind: LineEventKind,
}

#[derive(Debug, Clone, Copy)]
enum LineEventKind {
    /// A process has computed.
    Computed,
    /// A message is received, unless it was planned again.
    Receipt,
    /// A message comes into contact with the one ahead, unless it was planned again.
    Contact,
    /// A message joins the channel of a link, possibly as the last of a long queue.
    QueueCheck,
}

impl LineEvent {
    fn new(message: u32, kind: LineEventKind) -> Self {
        Self { message, link: 0, kind }
    }
}

impl<'run> PlannedLine<'run> {
    /// A program on a line; `None` under other rules than those of this module, which
    /// [`engine`](crate::engine) has.
    ///
    /// The rules are: full-duplex links with first-come service, store-and-forward of undivided messages,
    /// rendezvous, and a node for every process.
    pub(crate) fn new(
        program: &'run CubeProgram,
        placement: &Placement,
        communication: Communication,
    ) -> Option<Self> {
        let [axis] = placement.machine().axes() else { return None };
        let is_plain = communication.links() == LinkMode::FullDuplex
            && communication.service() == ServiceOrder::FirstCome
            && placement.is_one_to_one();
        let stage = |(stage, dimension): (usize, &cubefold_mapping::CubeDimension)| {
            let units = program.max_units(stage);
            Some(LineStage {
                bit: 1 << dimension.number(),
                occupancy: communication.timing_of(units).occupancy().get(),
                step: communication.stored_hop(units)?.get(),
            })
        };
        Some(Self {
            program,
            extent: axis.extent(),
            tie: communication.tie(),
            nodes: placement.nodes().iter().map(|node| node.index()).collect(),
            stages: program.stages().iter().enumerate().map(stage).collect::<Option<_>>()?,
            planned_segments: PLANNED_SEGMENTS,
        })
        .filter(|_| is_plain)
    }

    /// Approximate memory for a number of processes \[bytes\].
    pub(crate) fn bytes(processes: u64) -> u64 {
        const SEGMENTS_PER_MESSAGE: u64 = 6 * PLANNED_SEGMENTS as u64; // measured on lines of 65536
        let segments = SEGMENTS_PER_MESSAGE * size_of::<TrajectorySegment>() as u64;
        let message = size_of::<traffic::LineMessage>() as u64 + 2 * TimeWheel::<LineEvent>::BYTES_PER_EVENT;
        processes.saturating_mul(message + segments + 40)
    }

    /// Runs the program, reporting to `observer`; the processes begin at `begins`. Returns the longest queue
    /// at the end of a cycle \[messages\].
    ///
    /// # Errors
    ///
    /// The first process that did not finish: a defect of the engine.
    pub(crate) fn run(&self, begins: &[Cycle], observer: &mut dyn Observer) -> Result<u32, ProcessId> {
        let mut run = LineRun::new(self, observer);
        for (process, begin) in begins.iter().enumerate() {
            run.begin_stage(narrow(process as u64), begin.get());
        }
        run.execute();
        let unfinished = run.stages.iter().position(|&stage| stage as usize != self.stages.len());
        match unfinished {
            None => Ok(run.traffic.longest_queue),
            Some(process) => Err(ProcessId::new(narrow(process as u64))),
        }
    }

    /// The route of a message of a stage.
    fn route(&self, stage: u32, source: u32, destination: u32, slope: u32) -> Option<Injection> {
        let [from, to] = [source, destination].map(|process| self.nodes[process as usize]);
        let way = self.extent.displacement(from, to, self.tie)?;
        Some(Injection {
            stage,
            source,
            direction: u32::from(way.sign == Sign::Negative),
            position: self.extent.position(from, way.sign),
            hops: narrow(way.hops),
            occupancy: self.stages[stage as usize].occupancy,
            slope,
        })
    }
}

struct LineRun<'run> {
    line: &'run PlannedLine<'run>,
    slope_of: Vec<u32>, // by stage
    traffic: LineTraffic,
    stages: Vec<u32>,        // by process, its current stage
    ready: Vec<u64>,         // by process, when it became ready in it; `NOT_READY` before
    checks: Vec<(u32, u32)>, // checks of queues due at the end of the cycle
    observer: &'run mut dyn Observer,
}

/// Marks a process that is not ready.
const NOT_READY: u64 = u64::MAX;

impl<'run> LineRun<'run> {
    fn new(line: &'run PlannedLine<'run>, observer: &'run mut dyn Observer) -> Self {
        let processes = line.nodes.len();
        let (slopes, slope_of) = Slopes::new(line.stages.iter().map(|stage| stage.step));
        let least = line.stages.iter().map(|stage| stage.occupancy).min().unwrap_or(1);
        let ring = line.extent.is_ring().then_some(line.extent.length());
        Self {
            line,
            slope_of,
            traffic: LineTraffic::new(processes, ring, slopes, (least, line.planned_segments)),
            stages: vec![0; processes],
            ready: vec![NOT_READY; processes],
            checks: vec![],
            observer,
        }
    }

    /// Starts the computation of a process at the present cycle or later.
    fn begin_stage(&mut self, process: u32, cycle: u64) {
        let ready = cycle + self.line.program.facts().compute.get();
        self.traffic.events.add(LineEvent::new(process, LineEventKind::Computed), ready);
    }

    fn execute(&mut self) {
        let mut events = vec![];
        while let Some(now) = self.traffic.events.advance() {
            while self.traffic.events.take(&mut events) {
                for event in &events {
                    self.process(event, now);
                }
            }
            let mut checks = std::mem::take(&mut self.checks);
            for (message, link) in checks.drain(..) {
                self.traffic.check_queue(message, link, now);
            }
            self.checks = checks;
        }
    }

    fn process(&mut self, event: &LineEvent, now: u64) {
        let id = event.message;
        match event.kind {
            LineEventKind::Computed => self.become_ready(id, now),
            LineEventKind::Receipt => self.receive(id, now),
            LineEventKind::Contact => self.traffic.contact(id, now),
            LineEventKind::QueueCheck => self.checks.push((id, event.link)),
        }
    }

    /// Marks a process as ready; if its partner is ready too, their messages are injected.
    fn become_ready(&mut self, process: u32, now: u64) {
        let stage = self.stages[process as usize];
        self.ready[process as usize] = now;
        let partner = process ^ self.line.stages[stage as usize].bit;
        if self.stages[partner as usize] != stage || self.ready[partner as usize] == NOT_READY {
            return;
        }
        let slope = self.slope_of[stage as usize];
        for (source, destination) in [(process, partner), (partner, process)] {
            // Partners are on different nodes of the line.
            if let Some(injection) = self.line.route(stage, source, destination, slope) {
                self.traffic.inject(destination, &injection, now);
            }
        }
    }

    /// Receives a message at `now`, or schedules its receipt if others have delayed it.
    fn receive(&mut self, id: u32, now: u64) {
        let receipt = self.traffic.receipt(id);
        if receipt > now {
            self.traffic.events.add(LineEvent::new(id, LineEventKind::Receipt), receipt);
            return;
        }
        self.traffic.remove(id, now);
        let message = &self.traffic.messages[id as usize];
        let stage = self.stages[id as usize] as usize;
        self.stages[id as usize] += 1;
        let ready = std::mem::replace(&mut self.ready[id as usize], NOT_READY);
        let (process, times) = (ProcessId::new(id), [ready, message.injected, now]);
        let transfer = self.line.stages[stage].step * u64::from(message.hops);
        self.observer.stage_finished(&StageRecord::plain(process, stage, times, transfer));
        if stage + 1 < self.line.stages.len() {
            self.begin_stage(id, now);
        }
    }
}
