//! The events of a run: partners find each other, messages set out, turn and arrive.

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{
    course::{CACHED, Course, FETCHED_STARTS},
    layout::Layout,
    meeting::Meeting,
    process::State,
    stages::Stages,
    starts::Start,
    terrain::Terrain,
};
use crate::{Cycle, Cycles, Observer, StageRecord};

/// A run on a machine or a line of one, cycle by cycle where anything happens.
///
/// It may be used for one run after another: at the end of a run nothing of it is left but memory.
#[derive(Debug)]
pub(super) struct Engine<'run, M, T: Terrain> {
    nodes: &'run [NodeId], // by process
    terrain: T,
    course: Course<'run, T::Events>,
    meeting: M,
}

impl<'run, M: Meeting, T: Terrain> Engine<'run, M, T> {
    /// For runs of processes on these nodes.
    pub(super) fn new(layout: &'run Layout, stages: &'run Stages, nodes: &'run [NodeId], terrain: T) -> Self {
        let course = Course::new(layout, stages, nodes.len());
        Self { nodes, terrain, meeting: M::new(&course), course }
    }

    /// Runs the stages from `stage` on, given when each process finished the one before; `finishes` then says
    /// when it finished the last.
    pub(super) fn run<O: Observer>(&mut self, stage: usize, finishes: &mut [u64], observer: &mut O) {
        self.begin(stage, finishes);
        while let Some(now) = self.next_cycle() {
            self.meeting.go_on(self.course.now, now);
            self.course.set_now(now);
            self.wake_all(observer);
            self.meeting.pick_all(&mut self.course);
        }
        for (finish, process) in finishes.iter_mut().zip(&self.course.processes) {
            *finish = process.finish;
        }
    }

    /// The most messages left in one queue after the picks of a cycle, over all runs so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.course.longest_queue
    }

    /// Everything that is planned for the present cycle, and what that brings about in the same cycle: who meets a
    /// partner may set out at once, and nobody arrives in the cycle in which it sets out.
    fn wake_all<O: Observer>(&mut self, observer: &mut O) {
        let is_large = self.nodes.len() > CACHED;
        while let Some(batch) = self.course.events.take(self.course.now) {
            if is_large {
                self.course.fetch(batch.as_ref());
            }
            for &process in batch.as_ref() {
                self.wake(process, observer);
            }
        }
        let mut taken = 0_usize;
        while let Some(start) = self.course.starts.take(self.course.now) {
            if is_large && taken.is_multiple_of(FETCHED_STARTS) {
                self.course.fetch_starts();
            }
            taken += 1;
            self.exchange(start);
        }
    }

    fn begin(&mut self, stage: usize, finishes: &[u64]) {
        let stage = number(stage);
        self.course.begin_again(self.nodes, stage, finishes);
        self.meeting.begin_again(&self.course);
        let Course { starts, stages, .. } = &mut self.course;
        starts.add_first_stage((0..).zip(finishes).filter_map(|(process, &finish)| {
            // Each pair once, by its lower label.
            let partner = stages.partner(process, stage).filter(|&partner| partner > process)?;
            let meeting = finish.max(finishes[partner as usize]);
            Some(Start { cycle: meeting + stages.compute, process, stage })
        }));
    }

    fn next_cycle(&self) -> Option<u64> {
        let pick = self.meeting.next_pick(&self.course);
        if pick == Some(self.course.now + 1) {
            return pick; // nothing can be sooner
        }
        let next = [pick, self.course.events.next_cycle(), self.course.starts.next_cycle()];
        next.into_iter().flatten().min()
    }

    /// The event that was planned for a process: what it means depends on what has happened since.
    #[inline]
    fn wake<O: Observer>(&mut self, process: u32, observer: &mut O) {
        let own = &mut self.course.processes[process as usize];
        own.planned = false;
        match own.state {
            // It was held up on the way.
            State::Moving if own.time > self.course.now => own.plan(process, &mut self.course.events),
            State::Moving => self.end_leg(process, observer),
            State::Queued | State::Alone => {}
        }
    }

    /// The messages of a process and its partner set out.
    #[inline]
    fn exchange(&mut self, start: Start) {
        let Start { process, stage, .. } = start;
        if let Some(partner) = self.course.stages.partner(process, stage) {
            self.set_out(partner, process);
            self.set_out(process, partner);
        }
    }

    /// The message from a process to its partner sets out.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn set_out(&mut self, from: u32, to: u32) {
        let Course { processes, now, .. } = &mut self.course;
        if let Some(leg) = self.terrain.first_leg(processes, from, to) {
            let own = &mut processes[to as usize];
            (own.start, own.hops, own.distance) = (*now, leg.hops, leg.hops);
            self.meeting.join(&mut self.course, to, leg.stop);
        }
    }

    /// A message has come to the end of its leg: it turns, or has arrived.
    #[inline]
    fn end_leg<O: Observer>(&mut self, process: u32, observer: &mut O) {
        self.meeting.leave(&mut self.course, process);
        let own = &mut self.course.processes[process as usize];
        if let Some(leg) = self.terrain.next_leg(own) {
            own.hops = leg.hops;
            own.distance += leg.hops;
            self.meeting.join(&mut self.course, process, leg.stop);
        } else {
            self.deliver(process, observer);
        }
    }

    /// The message for a process arrives: the stage is over for it.
    #[inline]
    fn deliver<O: Observer>(&mut self, process: u32, observer: &mut O) {
        let Course { processes, starts, stages, now, .. } = &mut self.course;
        let own = &mut processes[process as usize];
        observer.stage_finished(&StageRecord {
            process: ProcessId::new(process),
            stage: stages.number(own.stage),
            sharing: Cycles::ZERO,
            ready: Cycle::new(own.finish + stages.compute),
            start: Cycle::new(own.start),
            finish: Cycle::new(*now),
            transfer: Cycles::new(stages.hop * u64::from(own.distance)),
            idle: Cycles::ZERO,
        });
        own.finish = *now;
        own.stage += 1;
        own.state = State::Alone;
        let stage = own.stage;
        if let Some(partner) = stages.partner(process, stage) {
            let has_met = processes[partner as usize].stage == stage;
            // The partner has waited for this one.
            starts.add(Start { cycle: *now + stages.compute, process, stage }, u32::from(has_met));
        }
    }
}

/// A number of processes or stages, which a run has checked to fit.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
