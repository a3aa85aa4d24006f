//! Messages over routers with finite buffers (`docs/model.md` section 26).

use std::num::NonZeroU64;

use cubefold_mapping::ProcessId;
use cubefold_topology::{Machine, NodeId, narrow};

use super::{Arrivals, Messages, Packet, Reusable, Transport};
use crate::{
    Communication, Cycle, Cycles, Deadlock,
    engine::{MessageRecord, border::Border},
    observe::traffic::LinkUseCounter,
    routers::{injection::Departure, network::RouterNetwork, settings::Routers},
    transfer::TransferTimes,
};

/// The number of a message from which the random choices of its packets follow, besides its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DrawnBy {
    /// Its stage.
    Stage,
    /// The operation of a task graph that sends it.
    Operation,
}

/// The routers of a machine, for the messages of a program.
#[derive(Debug)]
pub(crate) struct OverRouters<'run> {
    machine: &'run Machine,
    network: RouterNetwork<'run>,
    drawn_by: DrawnBy,
    packet: Option<NonZeroU64>,
    end_links: u64,       // of a packet, to and from hosts that are no routers
    crossed_at_ends: u64, // those of all packets
    // Messages of this cycle by stage, source, destination and operation: a program's order of its messages is one of
    // queues of channels, not of injection queues.
    setting_out: Vec<([u32; 4], Departure)>,
    transfers: Option<TransferTimes<'run>>, // if links between groups differ
}

impl<'run> OverRouters<'run> {
    /// The routers of a machine while nothing moves.
    pub(crate) fn new(
        machine: &'run Machine,
        communication: Communication,
        routers: &Routers,
        drawn_by: DrawnBy,
    ) -> Self {
        Self {
            machine,
            network: RouterNetwork::new(machine, communication, routers),
            drawn_by,
            packet: communication.packet(),
            end_links: routers.end_links,
            crossed_at_ends: 0,
            setting_out: vec![],
            transfers: (routers.settings.global_latency.is_some())
                .then(|| TransferTimes::new(machine, communication)),
        }
    }

    /// Counts the flits that cross each link.
    pub(crate) fn counting_use(mut self) -> Self {
        self.network.count_use();
        self
    }

    /// Adds the flits that have crossed each link to a count.
    pub(crate) fn add_use(&self, counter: &mut LinkUseCounter) {
        let is_grid = self.machine.grid().is_some();
        self.network.for_each_use(|node, port, units| {
            // Signs of directions of a graph do not count.
            counter.count(node, if is_grid { port } else { 2 * port }, 1, units);
        });
    }
}

impl Transport for OverRouters<'_> {
    fn next(&self) -> Option<Cycle> {
        self.network.next().map(Cycle::new)
    }

    fn arrive<B: Border>(&mut self, now: Cycle, _: &Messages<'_, B>, arrivals: &mut Arrivals) {
        self.network.arrive(now.get(), &mut arrivals.received);
    }

    fn set_out<B: Border>(
        &mut self,
        message: u32,
        from: NodeId,
        _: Cycle,
        messages: &Messages<'_, B>,
        _: &mut Arrivals,
    ) -> u32 {
        let (record, units) = (messages.table.record(message), messages.table.units(message));
        let [source, destination] = [record.source, record.destination].map(ProcessId::label);
        let number = match self.drawn_by {
            DrawnBy::Stage => record.stage,
            DrawnBy::Operation => record.operation,
        };
        let draws = [number, source, destination].map(u64::from);
        let (from_terminal, to) = (from.index(), record.to.index());
        let departure =
            Departure { message, from: from_terminal, to, queue: source, units, draws, first_packet: 0 };
        self.setting_out.push(([record.stage, source, destination, record.operation], departure));
        let packets = self.packet.map_or(1, |packet| units.div_ceil(packet.get()));
        self.crossed_at_ends += self.end_links * packets;
        narrow(self.machine.distance(from, record.to))
    }

    fn transfer(&self, _: u32, [from, to]: [NodeId; 2], units: u64) -> Option<Cycles> {
        Some(self.transfers.as_ref()?.between(from, to, units).0)
    }

    /// A single engine has all routers.
    fn admit<B: Border>(&mut self, _: &Packet, _: Cycle, _: &Messages<'_, B>) {}

    fn depart<B: Border>(&mut self, now: Cycle, _: &Messages<'_, B>) {
        self.setting_out.sort_unstable_by_key(|entry| entry.0);
        for (_, departure) in self.setting_out.drain(..) {
            self.network.join(&departure);
        }
        self.network.advance(now.get());
    }

    /// The packets of the longest injection queue; no run has 2^32.
    fn longest_queue(&self) -> u32 {
        u32::try_from(self.network.terminals.longest_queue).unwrap_or(u32::MAX)
    }

    fn entered(&self, message: u32, record: &MessageRecord) -> Option<Cycle> {
        let is_inside = record.distance == 0;
        Some(if is_inside { record.start } else { Cycle::new(self.network.entered(message)) })
    }

    fn crossings(&self) -> Option<u64> {
        Some(self.network.crossings + self.crossed_at_ends)
    }

    fn deadlock(&self) -> Option<Deadlock> {
        self.network.deadlock()
    }
}

impl Reusable for OverRouters<'_> {
    fn reset(&mut self) {
        self.network.reset();
        self.setting_out.clear();
        self.crossed_at_ends = 0;
    }
}
