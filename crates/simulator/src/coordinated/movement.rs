//! One movement: messages that move at the same time, each in one direction.

use cubefold_topology::{Machine, NodeId};

use super::Message;
use crate::{
    Cycle, StageRouting,
    network::{Arbiter, Channels, Identity, Messages, SharedMedia, Transit},
};

/// Executes movements, one after another.
pub(super) struct Mover {
    channels: Channels,
    starts: Vec<u64>, // a bit a channel, set while a movement's starting channels are compared
    contended: Option<Box<SharedMedia>>, // made when the first movement needs it
}

impl Mover {
    pub(super) fn new(machine: &Machine) -> Self {
        let channels = Channels::new(machine);
        let starts = vec![0; channels.channel_places().div_ceil(64)];
        Self { channels, starts, contended: None }
    }

    pub(super) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Moves `transits`, whose message numbers are places in `messages`, to the ends of their legs.
    ///
    /// Messages that start on different channels and move at one pace never meet: then the movement takes
    /// as many steps as its longest leg. Otherwise it is gone through step by step.
    pub(super) fn execute(&mut self, transits: Vec<Transit>, messages: &mut [Message]) -> StageRouting {
        if self.start_apart(&transits) {
            let steps = transits.iter().map(|transit| u64::from(transit.hops)).max().unwrap_or(0);
            for transit in transits {
                messages[transit.message as usize].at = self.end(transit);
            }
            return StageRouting { steps, conflicts: 0 };
        }
        self.step_by_step(&transits, messages)
    }

    /// Whether no two messages start on the same channel.
    fn start_apart(&mut self, transits: &[Transit]) -> bool {
        let mut apart = true;
        let mut marked = 0;
        for transit in transits {
            let channel = self.channels.channel(transit);
            let bit = 1 << (channel % 64);
            if self.starts[channel / 64] & bit != 0 {
                apart = false;
                break;
            }
            self.starts[channel / 64] |= bit;
            marked += 1;
        }
        for transit in &transits[..marked] {
            self.starts[self.channels.channel(transit) / 64] = 0;
        }
        apart
    }

    /// Where a leg ends.
    fn end(&self, transit: Transit) -> NodeId {
        NodeId::new(self.channels.after(&transit, transit.hops))
    }

    /// Every channel moves one message a step, the smallest `(step it arrived here, source, destination)`
    /// first; each that is left suffers a conflict.
    fn step_by_step(&mut self, transits: &[Transit], moved: &mut [Message]) -> StageRouting {
        let identities = identities(moved);
        let arbiter = self.contended.get_or_insert_with(|| Box::new(SharedMedia::new(&self.channels)));
        for transit in transits {
            arbiter.join(*transit, Cycle::START, &identities);
        }
        let mut routing = StageRouting::default();
        let mut departed = vec![];
        arbiter.depart(&identities, &mut departed);
        while !departed.is_empty() {
            routing.steps += 1;
            routing.conflicts += arbiter.queued();
            for transit in &departed {
                arbiter.release(transit);
            }
            for transit in departed.drain(..) {
                let node = self.channels.next(&transit);
                if transit.hops > 1 {
                    let onward = Transit { node, hops: transit.hops - 1, ..transit };
                    arbiter.join(onward, Cycle::new(routing.steps), &identities);
                } else {
                    moved[transit.message as usize].at = NodeId::new(node);
                }
            }
            arbiter.depart(&identities, &mut departed);
        }
        routing
    }
}

/// The sources and destinations of the messages, as the arbiter compares them.
fn identities(messages: &[Message]) -> Messages {
    let mut identities = Messages::new(messages.len());
    for (place, message) in (0_u32..).zip(messages) {
        let (source, destination) = (message.source.label(), message.destination.label());
        identities.set(place, Identity { stage: 0, source, destination });
    }
    identities
}
