//! The records of a run: the use of links, and rows of open-loop traffic (`docs/model.md` section 30.8).

use cubefold_topology::{Machine, NodeId};

use super::{RouterNetwork, nodes_and_ports};
use crate::routers::{
    open_loop::{BufferRow, ChannelEnd, ChannelRow, OpenLoopRows, RowRecorder, WantedRows},
    settings::Routers,
    wiring::End,
};

impl RouterNetwork<'_> {
    /// Bytes for rows of channels and buffers, with their counters.
    pub(in crate::routers) fn bytes_of_rows(machine: &Machine, routers: &Routers, wanted: WantedRows) -> u64 {
        let (_, ports) = nodes_and_ports(machine, routers);
        let of_channels = if wanted.channels { size_of::<u64>() + size_of::<ChannelRow>() } else { 0 } as u64;
        let of_buffers =
            if wanted.buffers { size_of::<[u64; 2]>() + size_of::<BufferRow>() } else { 0 } as u64;
        let channels = u64::from(routers.settings.virtual_channels);
        ports.saturating_mul(of_channels + channels * of_buffers)
    }

    /// Records rows of open-loop traffic, in these cycles.
    pub(in crate::routers) fn record_rows(&mut self, wanted: WantedRows, cycles: [u64; 2]) {
        let (ports, channels) = (self.wiring.port_count(), self.rules.channels as usize);
        self.recorder = Some(Box::new(RowRecorder::new(wanted, cycles, ports, channels)));
    }

    /// The links to which the head of a message has been sent, if packets are recorded.
    pub(in crate::routers) fn take_links(&mut self, message: u32) -> u64 {
        self.recorder.as_mut().map_or(0, |recorder| recorder.take_links(message))
    }

    /// The rows of channels and buffers that were recorded.
    pub(in crate::routers) fn rows(&self) -> OpenLoopRows {
        let Some(recorder) = &self.recorder else { return OpenLoopRows::default() };
        // The far end of a link, which a port of the router `sender` sends into.
        let end = |port: u32, sender: Option<u32>| match self.wiring.leads_to(port) {
            End::Router(other) if self.wiring.has_output(sender.unwrap_or(other)) => {
                Some(ChannelEnd::Switch(self.wiring.node(self.wiring.router(other))))
            }
            End::Nothing | End::Router(_) => None,
            End::Terminal(terminal) => Some(ChannelEnd::Terminal(NodeId::new(terminal))),
        };
        let node = |port: u32| self.wiring.node(self.wiring.router(port));
        let channels = (0_u32..).zip(&recorder.units).filter_map(|(port, &units)| {
            Some(ChannelRow { from: node(port), to: end(port, Some(port))?, units })
        });
        let buffers = (0_u32..).zip(&recorder.buffers).filter_map(|(channel, &(sum, max))| {
            let port = channel / self.rules.channels;
            let channel = channel % self.rules.channels;
            Some(BufferRow { at: node(port), from: end(port, None)?, channel, sum, max })
        });
        OpenLoopRows { packets: vec![], channels: channels.collect(), buffers: buffers.collect() }
    }

    /// Counts the flits that cross each link from now on.
    pub(crate) fn count_use(&mut self) {
        self.use_of_ports = Some(vec![0; self.wiring.port_count()]);
        self.use_of_terminals = vec![0; self.wiring.terminal_count() as usize];
    }

    /// Gives `take` every channel over which flits have moved, if they were counted: its node, the place of its link
    /// there among all, and the flits. Links to terminals count if hosts are not routers.
    pub(crate) fn for_each_use(&self, mut take: impl FnMut(NodeId, usize, u64)) {
        let used = (0..).zip(self.use_of_ports.iter().flatten()).filter(|(_, units)| **units > 0);
        for (port, &units) in used {
            if let Some(place) = self.wiring.place_of_link(port) {
                take(self.wiring.node(self.wiring.router(port)), place as usize, units);
            }
        }
        for (terminal, &units) in (0..).zip(&self.use_of_terminals).filter(|(_, units)| **units > 0) {
            if self.wiring.has_switches() {
                take(NodeId::new(terminal), 0, units);
            }
        }
    }
}
