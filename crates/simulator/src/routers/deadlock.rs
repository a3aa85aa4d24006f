//! Packets that wait for one another in a circle.

use super::{
    Deadlock, RouterChannel,
    matching::bits,
    network::{NONE, RouterNetwork},
    wiring::End,
};
use crate::Cycle;

impl RouterNetwork<'_> {
    /// A circle of channels whose packets wait for one another, if packets are in the network and nothing moves.
    ///
    /// No routing of the model deadlocks: the check is for rules that do.
    pub(crate) fn deadlock(&self) -> Option<Deadlock> {
        if self.next().is_some() || self.packets.count() == 0 {
            return None;
        }
        let occupied = (0..).zip(&self.inputs).filter(|(_, input)| input.len > 0);
        let circles = occupied.map(|(channel, _): (u32, _)| self.circle(channel));
        let channels = circles.into_iter().find(|circle| !circle.is_empty()).unwrap_or_default();
        let named = channels.into_iter().filter_map(|channel| self.channel_by_name(channel));
        Some(Deadlock { cycle: Cycle::new(self.now), channels: named.collect() })
    }

    /// The circle that the waiting channels reach from one; empty if there is none.
    fn circle(&self, mut channel: u32) -> Vec<u32> {
        let mut passed = vec![];
        loop {
            if let Some(place) = passed.iter().position(|&other| other == channel) {
                return passed.split_off(place);
            }
            passed.push(channel);
            match self.waits_for(channel) {
                Some(next) => channel = next,
                None => return vec![],
            }
        }
    }

    /// The input channel for which the packet in another waits: beyond the output channel that it holds, or beyond one
    /// that it requests.
    fn waits_for(&self, channel: u32) -> Option<u32> {
        let (channels, input) = (self.rules.channels, &self.inputs[channel as usize]);
        if input.output != NONE {
            return self.beyond(input.output);
        }
        if input.len == 0 {
            return None;
        }
        let (first, _) = self.wiring.ports(self.wiring.router(channel / channels));
        let route = self.packets[self.front(channel).packet()].route;
        let candidate = bits(route.channels).next()?;
        self.beyond((first + route.port) * channels + candidate)
    }

    /// The input channel of the router that an output channel leads to.
    fn beyond(&self, output: u32) -> Option<u32> {
        let channels = self.rules.channels;
        match self.wiring.leads_to(output / channels) {
            End::Router(port) => Some(port * channels + output % channels),
            End::Terminal(_) | End::Nothing => None,
        }
    }

    /// An input channel by its nodes.
    fn channel_by_name(&self, channel: u32) -> Option<RouterChannel> {
        let port = channel / self.rules.channels;
        Some(RouterChannel {
            from: self.node_beyond(port)?,
            to: self.wiring.node(self.wiring.router(port)),
            number: channel % self.rules.channels,
        })
    }
}
