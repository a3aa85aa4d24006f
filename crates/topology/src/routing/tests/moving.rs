//! Messages that move along their routes, over channels and links with a number each.

use std::collections::{BTreeMap, BTreeSet};

use super::{super::*, machines};
use crate::{Machine, MachineKind, NetworkParameters, NodeId, Resource, RouteChoice, RoutedMessage};

/// Which channel, by its ends, and which link, by its lower and its higher end, has which number.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    channels: BTreeMap<u32, [NodeId; 2]>,
    links: BTreeMap<u32, [NodeId; 2]>,
}

impl Numbered {
    /// Stops where a number is that of another channel or link, or two numbers are of one.
    fn check(&self) {
        for numbered in [&self.channels, &self.links] {
            let all: BTreeSet<_> = numbered.values().collect();
            assert_eq!(all.len(), numbered.len());
        }
    }
}

/// Moves messages to a node from all these hosts together until all are there, and notes which channel and link has which
/// number.
pub(super) fn move_to(
    network: &Network,
    choice: RouteChoice,
    hosts: &[NodeId],
    to: NodeId,
    numbered: &mut Numbered,
) {
    let set_out = |&from: &NodeId| network.set_out(choice, from, to);
    let (mut moving, mut lengths) = (vec![], vec![]);
    network.set_out_together(choice, hosts.iter().map(|&from| (from, to)), &mut moving, &mut lengths);
    assert!(hosts.iter().zip(&lengths).all(|(&from, &links)| (from == to) == (links == 0)));
    let together = lengths.into_iter().zip(moving);
    assert!(hosts.iter().map(set_out).eq(together.clone()));
    let mut messages: Vec<_> = hosts.iter().copied().zip(together).filter(|(from, _)| *from != to).collect();
    let mut channels = vec![];
    for crossed in 1.. {
        let before: Vec<NodeId> = messages.iter().map(|(_, (_, message))| message.node()).collect();
        let mut moved: Vec<RoutedMessage> = messages.iter().map(|(_, (_, message))| *message).collect();
        let (mut alike, mut links) = (moved.clone(), vec![]);
        network.advance(choice, Resource::Channel, &mut moved, &mut channels);
        network.advance(choice, Resource::Link, &mut alike, &mut links);
        assert_eq!(alike, moved);
        for (number, (at, moved)) in links.into_iter().zip(before.iter().zip(&moved)) {
            let ends = [*at.min(&moved.node()), *at.max(&moved.node())];
            assert!(u64::from(number) < network.channel_numbers());
            assert_eq!(*numbered.links.entry(number).or_insert(ends), ends);
        }
        let crossings = before.into_iter().zip(moved).zip(channels.drain(..));
        for ((from, (links, message)), ((at, moved), number)) in messages.iter_mut().zip(crossings) {
            let direction = network.next(choice, *from, at, to).unwrap();
            assert_eq!(network.neighbour(at, direction), Some(moved.node()));
            assert_eq!(*links == crossed, moved.has_arrived());
            *message = moved;
            assert!(u64::from(number) < network.channel_numbers());
            let ends = [at, moved.node()];
            assert_eq!(*numbered.channels.entry(number).or_insert(ends), ends);
        }
        messages.retain(|(_, (_, message))| !message.has_arrived());
        if messages.is_empty() {
            break;
        }
    }
}

#[test]
fn messages_move_along_their_routes_over_channels_with_a_number_each() {
    let long = [MachineKind::DeBruijn, MachineKind::ShuffleExchange]
        .map(|kind| Machine::of_dimensions(kind, 13).unwrap());
    // Routes of more links than go along with a message.
    let failed = [&[300_u64][..], &[2, 150]].map(|lengths| {
        let torus = Machine::new(MachineKind::Torus, lengths).unwrap();
        torus.with_failures(&[(NodeId::new(0), NodeId::new(1))], &[]).unwrap()
    });
    for machine in machines().into_iter().chain(long).chain(failed) {
        let network = machine.graph().unwrap();
        for choice in [RouteChoice::Lowest, RouteChoice::Spread(7)] {
            let step = if network.node_count() > 1 << 10 { 331 } else { 31 };
            let step = if network.node_count() > 100 { step } else { 1 };
            let hosts: Vec<NodeId> = machine.hosts().step_by(step).collect();
            let mut numbered = Numbered::default();
            for &to in &hosts {
                move_to(network, choice, &hosts, to, &mut numbered);
            }
            numbered.check();
        }
    }
}

#[test]
fn routes_of_the_largest_trees_fit_into_their_steps_and_are_all_counted() {
    let mut most_bits = 0;
    for levels in 1..=20 {
        let tree = |arity: u64| NetworkParameters::KAryTree { arity, levels };
        for arity in (2..).take_while(|&arity| tree(arity).is_makeable()) {
            let bits = RouteSteps::bits_of_codes(2 * narrow(arity)) * 2 * narrow(levels);
            assert!(bits <= 128, "{bits} of {}", tree(arity));
            most_bits = most_bits.max(bits);
            assert!(arity.pow(narrow(levels - 1)) < MAX_ROUTE_COUNT);
        }
    }
    assert_eq!(most_bits, 68); // 34 links of the binary tree of 17 levels
    let deepest = Machine::of_parameters(&NetworkParameters::KAryTree { arity: 2, levels: 17 }).unwrap();
    let wide = Machine::of_parameters(&NetworkParameters::KAryTree { arity: 5, levels: 8 }).unwrap();
    for machine in [deepest, wide] {
        for choice in [RouteChoice::Lowest, RouteChoice::Spread(3)] {
            let hosts: Vec<NodeId> = machine.hosts().step_by(19_997).collect();
            for &to in &hosts {
                move_to(machine.graph().unwrap(), choice, &hosts, to, &mut Numbered::default());
            }
        }
    }
}
