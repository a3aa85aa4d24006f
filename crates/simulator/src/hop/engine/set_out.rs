//! How processes become ready, and messages set out, when both of their partners are.
//!
//! Many processes become ready together: first the messages to them are found whose sources were ready before, then those
//! from them whose destinations are ready now. So messages between them set out by ascending sources where the processes are
//! ascending, and come to the ends of queues; and what all of them need of memory is prefetched together.

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};

use super::{
    super::{Network, border::HopBorder, processes::InFlightMessage},
    HopEngine, PREFETCH_CHUNK,
};
use crate::{Cycle, Cycles, End, Peer, slabs::ReadySource};

/// Processes become ready together that receive at most so many messages then, so that their records stay in a cache near
/// the core.
const READY_TOGETHER: usize = 1 << 14;

/// The number of messages that set out together, so that their cache misses overlap.
const TOGETHER: usize = 64;

/// The most processes that become ready together, where each receives up to `width` messages.
pub(super) fn ready_together(width: usize) -> usize {
    (READY_TOGETHER / width.max(1)).max(PREFETCH_CHUNK)
}

/// A message that has not set out yet, both partners being ready.
#[derive(Debug, Clone, Copy)]
pub(super) struct SettingOut {
    source: ProcessId,
    from: NodeId,
    destination: ProcessId,
}

impl<N: Network, B: HopBorder<Leg = N::Leg>> HopEngine<'_, N, B> {
    /// The processes whose computations end, or that do not compute, become ready for their
    /// messages.
    pub(super) fn become_all_ready(&mut self, now: Cycle) {
        let mut processes = std::mem::take(&mut self.becoming_ready);
        // Messages that set out by ascending sources come to the ends of queues.
        self.ready_without_compute.reverse();
        loop {
            let Self { computing, ready_without_compute, .. } = self;
            let next = || computing.take_ended(now).or_else(|| ready_without_compute.pop());
            processes.extend(std::iter::from_fn(next).take(self.ready_together));
            if processes.is_empty() {
                break;
            }
            self.become_ready_together(&processes, now);
            processes.clear();
        }
        self.becoming_ready = processes;
    }

    /// Processes become ready for the messages of their stages, after their computations or without one.
    fn become_ready_together(&mut self, processes: &[ProcessId], now: Cycle) {
        for chunk in processes.chunks(PREFETCH_CHUNK) {
            self.prefetch(chunk);
            for &process in chunk {
                self.receive_from_ready(process);
            }
        }
        for &process in processes {
            let stage = self.processes.become_ready(process, now);
            if let Some(processors) = &mut self.processors
                && self.program.computation(stage, self.border.label(process)) > Cycles::ZERO
            {
                processors.release(process);
            }
        }
        for &process in processes {
            self.send_to_ready(process);
        }
        self.set_out(now);
        let mut awaiting_none = std::mem::take(&mut self.awaiting_none);
        for process in awaiting_none.drain(..) {
            self.finish_stage(process, now, Cycles::ZERO, now);
        }
        self.awaiting_none = awaiting_none;
    }

    /// Prefetches the records of these processes and of their partners.
    fn prefetch(&mut self, processes: &[ProcessId]) {
        if self.processes.stay_in_cache() {
            return;
        }
        self.processes.prefetch(processes.iter().copied());
        let are_exchanges = self.program.special().cube().is_some(); // whose sources are their destinations
        for &process in processes {
            self.border.prefetch_kept(process);
            let stage = self.processes.next_stage(process);
            self.program.list(End::Source, stage, self.border.label(process), &mut self.peers);
            if !are_exchanges {
                self.program.list(End::Destination, stage, self.border.label(process), &mut self.peers);
            }
            self.processes.prefetch(self.peers.drain(..).filter_map(|peer| self.border.index(peer.process)));
        }
    }

    /// The messages to a process that is about to become ready are to be injected, from the sources that are.
    fn receive_from_ready(&mut self, process: ProcessId) {
        let (stage, label) = (self.processes.next_stage(process), self.border.label(process));
        let mut peers = std::mem::take(&mut self.peers);
        self.program.list(End::Destination, stage, label, &mut peers);
        let count = peers.len();
        for Peer { process: source, .. } in peers.drain(..) {
            if let Some(own) = self.border.index(source)
                && self.processes.was_ready(own, stage)
            {
                self.inject((source, self.processes.node(own)), process);
            }
        }
        self.peers = peers;
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
    fn send_to_ready(&mut self, process: ProcessId) {
        let ((stage, _), label) = (self.processes.current(process), self.border.label(process));
        let from = self.processes.node(process);
        let mut peers = std::mem::take(&mut self.peers);
        self.program.list(End::Source, stage, label, &mut peers);
        for Peer { process: destination, .. } in peers.drain(..) {
            match self.border.index(destination) {
                Some(own) if self.processes.was_ready(own, stage) => self.inject((label, from), own),
                Some(_) => {}
                None => {
                    let stage = narrow(stage as u64);
                    self.border.announce(ReadySource { stage, source: label, from, destination });
                }
            }
        }
        self.peers = peers;
    }

    /// The message between two partners is to be injected, one of which has just become ready when the other was.
    #[inline]
    pub(super) fn inject(&mut self, (source, from): (ProcessId, NodeId), destination: ProcessId) {
        self.setting_out.push(SettingOut { source, from, destination });
    }

    /// The messages that are to be injected set out.
    pub(super) fn set_out(&mut self, now: Cycle) {
        let mut setting_out = std::mem::take(&mut self.setting_out);
        for chunk in setting_out.chunks(TOGETHER) {
            self.processes.prefetch(chunk.iter().map(|message| message.destination));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_messages_each_receives_the_fewer_become_ready_together() {
        let together = [0, 1, 3, 1 << 9, 1 << 10, 1 << 20].map(ready_together);
        assert_eq!(together, [1 << 14, 1 << 14, 5461, 32, 32, 32]);
    }
}
