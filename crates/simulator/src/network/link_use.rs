//! How long each link was busy.

use cubefold_mapping::Placement;
use cubefold_topology::{Leg, Link, TieRule};

use super::{Channels, Transit};
use crate::{Cycles, Program};

/// The busy cycles of every link of a run, both directions together.
#[derive(Debug, Clone)]
pub struct LinkUse {
    channels: Channels,
    transmissions: Vec<u64>, // by the link's place
    hop: Cycles,
}

impl LinkUse {
    pub(crate) fn new(channels: Channels, hop: Cycles) -> Self {
        let transmissions = vec![0; channels.link_places()];
        Self { channels, transmissions, hop }
    }

    /// Counts one hop of a message.
    pub(crate) fn count(&mut self, transit: &Transit) {
        self.transmissions[self.channels.link(transit)] += 1;
    }

    /// Counts the hops of all messages of a program by their routes, whenever they are made.
    pub(crate) fn count_routes<P: Program>(&mut self, program: &P, placement: &Placement, tie: TieRule) {
        let machine = placement.machine();
        for stage in 0..program.stage_count() {
            for (source, destination) in program.messages(stage) {
                for channel in machine.route(placement.node(source), placement.node(destination), tie) {
                    let leg = Leg { direction: channel.direction, hops: 1 };
                    self.count(&Channels::transit(0, channel.node, leg));
                }
            }
        }
    }

    /// The links that were busy at all, by dimension and near end, with the cycles they were.
    pub fn busy_links(&self) -> impl Iterator<Item = (Link, Cycles)> {
        self.transmissions
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count > 0)
            .map(|(place, &count)| (self.channels.link_at(place), self.hop * count))
    }
}
