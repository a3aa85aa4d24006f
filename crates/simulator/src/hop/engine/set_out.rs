//! How messages set out, when both of their partners are ready.
//!
//! Those of several processes set out together, so that what they need of memory can be prefetched for all of them.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::{
    super::{Network, border::HopBorder, processes::InFlightMessage},
    HopEngine, PREFETCH_CHUNK,
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
    /// The messages to a process that is about to become ready are to be injected, from the sources that are.
    pub(super) fn receive_from_ready(&mut self, process: ProcessId) {
        let (stage, label) = (self.processes.next_stage(process), self.border.label(process));
        let mut count = 0;
        for source in self.program.sources(stage, label) {
            count += 1;
            if let Some(own) = self.border.index(source)
                && self.processes.was_ready(own, stage)
            {
                self.inject((source, self.processes.node(own)), process);
            }
        }
        let mut sources = std::mem::take(&mut self.sources);
        self.border.take_kept(process, narrow(stage as u64), &mut sources); // no run has 2^32 stages
        for source in sources.drain(..) {
            self.inject(source, process);
        }
        self.sources = sources;
        self.processes.await_messages(process, count);
        if count == 0 {
            self.awaiting_none.push(process);
        }
    }

    /// The messages of a process that has just become ready are to be injected, to the destinations that are.
    pub(super) fn send_to_ready(&mut self, process: ProcessId) {
        let ((stage, _), label) = (self.processes.current(process), self.border.label(process));
        let from = self.processes.node(process);
        for destination in self.program.destinations(stage, label) {
            match self.border.index(destination) {
                Some(own) if self.processes.was_ready(own, stage) => self.inject((label, from), own),
                Some(_) => {}
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

    /// The messages that are to be injected set out.
    pub(super) fn set_out(&mut self, now: Cycle) {
        let mut setting_out = std::mem::take(&mut self.setting_out);
        for chunk in setting_out.chunks(2 * PREFETCH_CHUNK) {
            self.processes.prefetch(chunk.iter().map(|message| message.destination));
            let ends = |&SettingOut { from, destination, .. }: &_| (from, self.processes.node(destination));
            self.network.prepare(chunk.iter().map(ends));
            for &SettingOut { source, from, destination } in chunk {
                let (distance, leg) = self.network.begin(from, self.processes.node(destination));
                self.message_count += 1;
                self.hop_count += distance;
                let (message, written) = self.processes.inject(destination);
                let distance = narrow(distance); // below 2^32, the number of nodes
                *written = InFlightMessage { start: now, source, distance };
                self.start_leg(message, from, leg, now);
            }
        }
        setting_out.clear();
        self.setting_out = setting_out;
    }
}
