//! Flits and credits: from terminals into the network, over links, into and out of buffers, and to terminals.

use super::{NONE, NOT_ENTERED, RouterNetwork};
use crate::routers::{packet::Flit, speedup::Speedup, wiring::End};

impl RouterNetwork<'_> {
    /// A credit for an output channel.
    #[inline]
    pub(super) fn add_credit(&mut self, channel: u32) {
        self.outputs[channel as usize].credits += 1;
        self.awake.add(self.wiring.router(channel / self.rules.channels));
    }

    /// A flit joins the buffer of its input channel.
    #[inline]
    pub(super) fn push(&mut self, channel: u32, flit: Flit, now: u64) {
        let input = &mut self.inputs[channel as usize];
        let buffer = self.rules.buffer;
        debug_assert!(u32::from(input.len) < buffer, "a credit for every flit");
        let mut place = u32::from(input.first) + u32::from(input.len);
        if place >= buffer {
            place -= buffer;
        }
        self.buffers[channel as usize * buffer as usize + place as usize] = flit;
        input.len += 1;
        if input.len > 1 {
            return;
        }
        if input.output == NONE {
            // It was idle: the flit is a head.
            let from = self.rules.speedup.asks_from(Speedup::first(now), self.rules.router_cycles);
            self.start(from, channel);
        } else {
            let port = channel / self.rules.channels;
            self.ports[port as usize].sending |= 1 << (channel % self.rules.channels);
            self.awake.add(self.wiring.router(port));
        }
    }

    /// The first flit of a channel, which has one.
    #[inline]
    pub(in crate::routers) fn front(&self, channel: u32) -> Flit {
        let first = usize::from(self.inputs[channel as usize].first);
        self.buffers[channel as usize * self.rules.buffer as usize + first]
    }

    /// Removes the first flit of a channel, which has one.
    #[inline]
    pub(in crate::routers) fn pop(&mut self, channel: u32) -> Flit {
        let flit = self.front(channel);
        let input = &mut self.inputs[channel as usize];
        input.first = if u32::from(input.first) + 1 == self.rules.buffer { 0 } else { input.first + 1 };
        input.len -= 1;
        flit
    }

    /// A flit is consumed at a terminal, which gives a credit.
    pub(super) fn consume(
        &mut self,
        terminal: u32,
        channel: u32,
        flit: Flit,
        now: u64,
        received: &mut Vec<u32>,
    ) {
        let port = self.wiring.port_of_terminal(terminal);
        self.in_flight.credits_of_terminals.push(now, port * self.rules.channels + channel);
        self.consumed += 1;
        if flit.is_tail() {
            received.push(self.packets[flit.packet()].message);
            self.packets.remove(flit.packet());
        }
    }

    /// Phase 3 at a terminal.
    pub(super) fn inject(&mut self, terminal: u32, now: u64) {
        let Some(sent) = self.terminals.send(terminal, &mut self.packets) else { return };
        if let Some(message) = sent.entered {
            let place = message as usize;
            if self.entered.len() <= place {
                self.entered.resize(place + 1, NOT_ENTERED);
            }
            self.entered[place] = now;
        }
        if let Some(units) = self.use_of_terminals.get_mut(terminal as usize) {
            *units += 1;
        }
        let port = self.wiring.port_of_terminal(terminal);
        self.in_flight.injected.push(now, (port * self.rules.channels + sent.channel, sent.flit));
        if self.terminals.has_queue(terminal) {
            self.awake_terminals.add(terminal);
        }
    }

    /// Sends a flit to the far end of an output channel.
    #[inline]
    pub(in crate::routers) fn send_flit(&mut self, output: u32, flit: Flit, now: u64) {
        let (port, channel) = (output / self.rules.channels, output % self.rules.channels);
        if let Some(recorder) = &mut self.recorder {
            let enters = now + self.rules.link_after;
            recorder.enter_link(port, enters);
            if flit.is_head() && matches!(self.wiring.leads_to(port), End::Router(_)) {
                recorder.send_head(self.packets[flit.packet()].message);
            }
        }
        match self.wiring.leads_to(port) {
            End::Router(beyond) => {
                let input = beyond * self.rules.channels + channel;
                self.in_flight.to_routers[self.wiring.line(port)].push(now, (input, flit));
            }
            End::Terminal(terminal) => self.in_flight.to_terminals.push(now, (terminal, channel, flit)),
            End::Nothing => {}
        }
    }

    /// Sends a credit to the sender of an input channel.
    #[inline]
    pub(in crate::routers) fn send_credit(&mut self, input: u32, now: u64) {
        let (port, channel) = (input / self.rules.channels, input % self.rules.channels);
        match self.wiring.leads_to(port) {
            End::Router(beyond) => {
                let output = beyond * self.rules.channels + channel;
                self.in_flight.credits[self.wiring.line(port)].push(now, output);
            }
            End::Terminal(terminal) => self.in_flight.credits_to_terminals.push(now, (terminal, channel)),
            End::Nothing => {}
        }
    }

    /// With a speedup, the first flit and the first credit of every queue leave after the last step of a cycle.
    pub(super) fn leave_queues(&mut self, now: u64) {
        let Some(mut departures) = self.departures.take() else { return };
        departures.take_flits(now, |output, flit| self.send_flit(output, flit, now));
        departures.take_credits(|input| self.send_credit(input, now));
        self.departures = Some(departures);
    }
}
