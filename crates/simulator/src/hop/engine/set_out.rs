//! How messages set out, when both of their partners are ready.
//!
//! Those of several processes set out together, so that what they need of memory can be prefetched for all of them.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::{
    super::{Network, border::HopBorder, processes::InFlightMessage},
    HopEngine,
};
use crate::{Cycle, Observer, Program, slabs::ReadySource};

/// A message that has not set out yet, both partners being ready.
#[derive(Debug, Clone, Copy)]
pub(super) struct SettingOut {
    source: ProcessId,
    from: NodeId,
    destination: ProcessId,
}

impl<P: Program, N: Network, B: HopBorder<Leg = N::Leg>, O: Observer> HopEngine<'_, P, N, B, O> {
    /// The messages set out to a process that has just become ready, from the sources that are; returns the number of all
    /// its sources.
    pub(super) fn receive_from_ready(&mut self, stage: usize, process: ProcessId, label: ProcessId) -> usize {
        let mut count = 0;
        for source in self.program.sources(stage, label) {
            count += 1;
            if let Some(own) = self.border.index(source) {
                let is_ready = self.processes.was_ready(own, stage);
                self.inject_if(is_ready, (source, self.processes.node(own)), process);
            }
        }
        let mut sources = std::mem::take(&mut self.sources);
        self.border.take_kept(process, narrow(stage as u64), &mut sources); // no run has 2^32 stages
        for source in sources.drain(..) {
            self.inject(source, process);
        }
        self.sources = sources;
        count
    }

    /// The messages of a process that has just become ready set out, to the destinations that are.
    pub(super) fn send_to_ready(&mut self, stage: usize, process: ProcessId, label: ProcessId) {
        let from = self.processes.node(process);
        for destination in self.program.destinations(stage, label) {
            match self.border.index(destination) {
                Some(own) => self.inject_if(self.processes.was_ready(own, stage), (label, from), own),
                None => {
                    let stage = narrow(stage as u64);
                    self.border.announce(ReadySource { stage, source: label, from, destination });
                }
            }
        }
    }

    /// The message between two partners is to be injected, one of which has just become ready when the other was.
    #[inline]
    pub(super) fn inject(&mut self, (source, from): (ProcessId, NodeId), destination: ProcessId) {
        self.setting_out.push(SettingOut { source, from, destination });
    }

    /// It is to be injected if the partner was ready. Which partner was has no pattern, so that a branch would be foreseen
    /// badly.
    #[inline]
    fn inject_if(&mut self, is_ready: bool, source: (ProcessId, NodeId), destination: ProcessId) {
        let count = self.setting_out.len() + usize::from(is_ready);
        self.inject(source, destination);
        self.setting_out.truncate(count);
    }

    /// The messages that are to be injected set out.
    pub(super) fn set_out(&mut self, now: Cycle) {
        let mut setting_out = std::mem::take(&mut self.setting_out);
        let ends = |&SettingOut { from, destination, .. }: &_| (from, self.processes.node(destination));
        self.network.prepare(setting_out.iter().map(ends));
        for SettingOut { source, from, destination } in setting_out.drain(..) {
            let (distance, leg) = self.network.begin(from, self.processes.node(destination));
            self.message_count += 1;
            self.hop_count += distance;
            let (message, written) = self.processes.inject(destination);
            let distance = narrow(distance); // below 2^32, the number of nodes
            *written = InFlightMessage { start: now, source, distance };
            self.start_leg(message, from, leg, now);
        }
        self.setting_out = setting_out;
    }
}
