//! Channels and switches are granted, and flits move (`docs/model.md` section 26.2, phases 4 to 6).

use std::cmp::Reverse;

use super::{
    injection::all_channels,
    matching::{Request, bits, bits_from},
    network::{NONE, RouterNetwork},
    routing::AdaptiveChoice,
    speedup::Step,
    wiring::End,
};

/// An input channel that asks for channels of an output port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask {
    port: u32,    // of the input, in the router
    channel: u32, // of the input port
    output: u32,  // port, in the router
    channels: u64,
}

impl RouterNetwork<'_> {
    /// The phases 4 to 6 of a router; whether anything was matched.
    pub(super) fn grant(&mut self, router: u32, step: Step) -> bool {
        let (first, count) = self.wiring.ports(router);
        self.list_asks(first, count);
        self.list_switch_requests(first, count);
        if self.scratch.asks.is_empty() && self.scratch.switch_requests.is_empty() {
            return false;
        }
        // The switch is matched by the state before channels are granted.
        let requests = std::mem::take(&mut self.scratch.switch_requests);
        let ports = &self.ports[first as usize..];
        let matched = self.scratch.switch.pairs(
            &requests,
            count,
            |output| ports[output as usize].grant,
            |input| ports[input as usize].accept,
        );
        let matched: smallvec::SmallVec<[Request; 8]> = matched.into();
        self.scratch.switch_requests = requests;
        let has_channels = !self.scratch.asks.is_empty() && self.grant_channels(first, count);
        for pair in &matched {
            self.ports[(first + pair.output) as usize].grant = next(pair.input, count);
            self.ports[(first + pair.input) as usize].accept = next(pair.output, count);
            self.ports[(first + pair.input) as usize].channel = next(pair.channel, self.rules.channels);
            let channel = (first + pair.input) * self.rules.channels + pair.channel;
            let output = self.inputs[channel as usize].output;
            let is_granted = output != NONE
                && output / self.rules.channels == first + pair.output
                && self.outputs[output as usize].credits > 0;
            if !pair.is_speculative || is_granted {
                self.move_flit(channel, output, step);
            }
        }
        has_channels || !matched.is_empty()
    }

    /// Lists the channels that heads ask for.
    fn list_asks(&mut self, first: u32, count: u32) {
        let mut asks = std::mem::take(&mut self.scratch.asks);
        asks.clear();
        for port in 0..count {
            for channel in bits(self.ports[(first + port) as usize].asking) {
                self.ask(first, port, channel, &mut asks);
            }
        }
        self.scratch.asks = asks;
    }

    /// Lists the channels that the head in an input channel asks for, escape channels only if no other is free.
    #[inline]
    fn ask(&self, first: u32, port: u32, channel: u32, asks: &mut Vec<Ask>) {
        let number = self.front((first + port) * self.rules.channels + channel).packet();
        let packet = &self.packets[number];
        let need = if self.rules.needs_room { packet.room } else { 0 };
        let ask = |output: u32, channels: u64| Ask { port, channel, output, channels };
        let (route, listed_before) = (packet.route, asks.len());
        if let Some(choice) = route.choice {
            let candidates = &self.candidates[number as usize];
            let listed = |is_escape: bool| {
                let of_kind = candidates.iter().filter(move |candidate| candidate.is_escape == is_escape);
                of_kind.map(|candidate| ask(candidate.port, candidate.channels))
            };
            self.list_free(first, need, choice, listed(false), asks);
            if asks.len() == listed_before {
                self.list_free(first, need, AdaptiveChoice::Any, listed(true), asks);
            }
            return;
        }
        if route.adaptive_ports != 0 {
            let adaptive = all_channels(self.rules.channels) & !((1 << self.rules.escape_channels) - 1);
            let nearer = bits(route.adaptive_ports).map(|output| ask(output, adaptive));
            self.list_free(first, need, self.rules.adaptive_choice, nearer, asks);
        }
        if asks.len() == listed_before {
            let only = std::iter::once(ask(route.port, route.channels));
            self.list_free(first, need, AdaptiveChoice::Any, only, asks);
        }
    }

    /// Appends the free channels among those asked for: of all ports, or of the first with the most credits.
    #[inline]
    fn list_free(
        &self,
        first: u32,
        need: u32,
        choice: AdaptiveChoice,
        wanted: impl Iterator<Item = Ask>,
        asks: &mut Vec<Ask>,
    ) {
        let free = wanted.filter_map(|ask| {
            let channels = self.free(first + ask.output, ask.channels, need);
            (channels != 0).then_some((ask.channels, Ask { channels, ..ask }))
        });
        match choice {
            AdaptiveChoice::Any => asks.extend(free.map(|(_, ask)| ask)),
            AdaptiveChoice::Credits => {
                let most =
                    free.min_by_key(|&(all, ask)| Reverse(self.unused_credits(first + ask.output, all)));
                asks.extend(most.map(|(_, ask)| ask));
            }
        }
    }

    /// Returns those of `channels` of an output port that are unused and have at least `need` credits.
    #[inline]
    fn free(&self, port: u32, channels: u64, need: u32) -> u64 {
        let unused = channels & !self.ports[port as usize].used;
        if need == 0 { unused } else { self.with_credits(port, unused, need) }
    }

    /// Returns those of `channels` of an output port that have at least `need` credits.
    #[inline]
    fn with_credits(&self, port: u32, channels: u64, need: u32) -> u64 {
        let base = port * self.rules.channels;
        let has_credits = |&channel: &u32| u32::from(self.outputs[(base + channel) as usize].credits) >= need;
        bits(channels).filter(has_credits).fold(0, |all, channel| all | 1 << channel)
    }

    /// Returns the sum of the credits of the unused ones among `channels` of an output port.
    fn unused_credits(&self, port: u32, channels: u64) -> u64 {
        let base = port * self.rules.channels;
        let unused = channels & !self.ports[port as usize].used;
        bits(unused).map(|channel| u64::from(self.outputs[(base + channel) as usize].credits)).sum()
    }

    /// Lists for every input port and output port the channel that represents the input.
    fn list_switch_requests(&mut self, first: u32, count: u32) {
        self.scratch.switch_requests.clear();
        self.scratch.seen.fill(NONE);
        let channels = self.rules.channels;
        let mut begin = 0; // of the asks of this input port
        for input in 0..count {
            let port = &self.ports[(first + input) as usize];
            for channel in bits_from(port.sending, port.channel) {
                let output = self.inputs[((first + input) * channels + channel) as usize].output;
                if self.outputs[output as usize].credits > 0 {
                    let request =
                        Request { input, output: output / channels - first, channel, is_speculative: false };
                    self.scratch.add_switch_request(request);
                }
            }
            if !self.rules.is_speculative {
                continue;
            }
            let end = begin + self.scratch.asks[begin..].iter().take_while(|ask| ask.port == input).count();
            let pointer = port.channel;
            let middle = begin + self.scratch.asks[begin..end].partition_point(|ask| ask.channel < pointer);
            for place in (middle..end).chain(begin..middle) {
                let Ask { channel, output, channels: asked, .. } = self.scratch.asks[place];
                if self.with_credits(first + output, asked, 1) != 0 {
                    self.scratch.add_switch_request(Request { input, output, channel, is_speculative: true });
                }
            }
            begin = end;
        }
    }

    /// Phase 4: output channels are granted, and input channels become active. Returns whether any did.
    fn grant_channels(&mut self, first: u32, count: u32) -> bool {
        let channels = self.rules.channels;
        let base = first * channels;
        let mut requests = std::mem::take(&mut self.scratch.requests);
        requests.clear();
        for ask in &self.scratch.asks {
            let input = ask.port * channels + ask.channel;
            let outputs = bits(ask.channels).map(|channel| ask.output * channels + channel);
            requests.extend(outputs.map(|output| Request {
                input,
                output,
                channel: 0,
                is_speculative: false,
            }));
        }
        let (inputs, outputs) = (&self.inputs[base as usize..], &self.outputs[base as usize..]);
        let pairs = self.scratch.channels.pairs(
            &requests,
            count * channels,
            |output| outputs[output as usize].grant,
            |input| inputs[input as usize].accept,
        );
        let pairs: smallvec::SmallVec<[Request; 8]> = pairs.into();
        for pair in &pairs {
            self.activate(base, count * channels, pair);
        }
        self.scratch.requests = requests;
        !pairs.is_empty()
    }

    /// Assigns an output channel to an input channel of a router, whose channels start at `base`.
    fn activate(&mut self, base: u32, count: u32, pair: &Request) {
        let (input, output) = (base + pair.input, base + pair.output);
        let channels = self.rules.channels;
        self.outputs[output as usize].grant = next(pair.input, count);
        self.inputs[input as usize].accept = next(pair.output, count);
        self.inputs[input as usize].output = output;
        let bit = 1 << (input % channels);
        let port = &mut self.ports[(input / channels) as usize];
        port.asking &= !bit;
        port.sending |= bit;
        self.ports[(output / channels) as usize].used |= 1 << (output % channels);
        let packet = self.front(input).packet();
        self.packets[packet].progress.is_escaping = output % channels < self.rules.escape_channels;
    }

    /// The first flit of an input channel leaves by the output channel that its packet has.
    fn move_flit(&mut self, channel: u32, output: u32, step: Step) {
        let flit = self.pop(channel);
        let channels = self.rules.channels;
        let (from, to) = (channel / channels, output / channels);
        self.outputs[output as usize].credits -= 1;
        if let Some(spent) = &mut self.spent {
            spent.add(to, step.cycle);
        }
        if flit.is_head() && matches!(self.wiring.leads_to(to), End::Router(_)) {
            self.crossings += 1;
        }
        if let Some(units) = &mut self.use_of_ports {
            units[to as usize] += 1;
        }
        match &mut self.departures {
            None => {
                self.send_flit(output, flit, step.cycle);
                self.send_credit(channel, step.cycle);
            }
            Some(departures) => {
                departures.add_flit(to, output, flit, step);
                departures.add_credit(from, channel);
            }
        }
        self.leave(channel, output, flit.is_tail(), step);
    }

    /// A flit has left an input channel.
    fn leave(&mut self, channel: u32, output: u32, is_tail: bool, step: Step) {
        let channels = self.rules.channels;
        let is_empty = self.inputs[channel as usize].len == 0;
        if is_empty || is_tail {
            self.ports[(channel / channels) as usize].sending &= !(1 << (channel % channels));
        }
        if is_tail {
            self.ports[(output / channels) as usize].used &= !(1 << (output % channels));
            self.inputs[channel as usize].output = NONE;
            if !is_empty {
                let next = self.rules.speedup.next(step);
                let from = self.rules.speedup.asks_from(next, self.rules.router_cycles);
                self.start(from, channel);
            }
        }
    }
}

impl super::network::Scratch {
    /// Adds a request for the switch, unless an input already asks for its output port.
    #[inline]
    fn add_switch_request(&mut self, request: Request) {
        let seen = &mut self.seen[request.output as usize];
        if *seen != request.input {
            *seen = request.input;
            self.switch_requests.push(request);
        }
    }
}

/// The place after one, cyclically.
#[inline]
fn next(place: u32, count: u32) -> u32 {
    if place + 1 == count { 0 } else { place + 1 }
}
