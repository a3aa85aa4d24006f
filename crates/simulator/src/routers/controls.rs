//! Controls: what the rules against deadlocks prevent happens without them, and is found.

use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule, mix};

use super::{
    AdaptiveChoice, Deadlock, RouterRouting, RouterSettings,
    injection::Departure,
    network::{Need, RouterNetwork},
};
use crate::{Communication, Cycles};

fn torus() -> Machine {
    Machine::new(MachineKind::Torus, &[4, 4]).unwrap()
}

fn rules(machine: &Machine, settings: RouterSettings) -> Communication {
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    rules.with_routers(settings, machine).unwrap()
}

/// Messages between random nodes, of two processes a node, all at cycle 0.
fn run(network: &mut RouterNetwork<'_>, nodes: u64, units: u64, draws: u64) -> Result<u64, Deadlock> {
    let messages: u32 = 96;
    for message in 0..messages {
        let draw = |number: u64| mix(mix(draws) ^ mix(u64::from(message)) ^ number);
        let small = |number: u64| u32::try_from(number).unwrap();
        let from = small(draw(1) % nodes);
        let to = small((u64::from(from) + 1 + draw(2) % (nodes - 1)) % nodes);
        let queue = 2 * from + message % 2;
        network.join(&Departure { message, from, to, queue, units, draws: [message.into(), 0, 0] });
    }
    let (mut now, mut received, mut count) = (0, vec![], 0);
    loop {
        network.arrive(now, &mut received);
        count += received.drain(..).count();
        network.advance(now);
        match network.next() {
            Some(next) => now = next,
            None => break,
        }
    }
    match network.deadlock() {
        Some(deadlock) => Err(deadlock),
        None => {
            assert_eq!((count, network.is_empty()), (messages as usize, true), "nothing is lost");
            Ok(now)
        }
    }
}

/// The channels follow one another around.
fn check_circle(deadlock: &Deadlock) {
    let channels = &deadlock.channels;
    assert!(channels.len() >= 2, "{deadlock}");
    let next = channels.iter().cycle().skip(1);
    assert!(channels.iter().zip(next).all(|(own, next)| own.to == next.from), "{deadlock}");
}

#[test]
fn a_torus_without_classes_comes_to_a_deadlock() {
    let machine = torus();
    let settings =
        RouterSettings { virtual_channels: 2, buffer_units: 1, ..RouterSettings::default_of(&machine, 0) };
    let rules = rules(&machine, settings);
    let network = || RouterNetwork::new(&machine, rules, &rules.router_rules().unwrap());
    for draws in 0..5 {
        assert!(run(&mut network(), 16, 20, draws).is_ok());
        let mut without = network();
        without.routes.ignore_classes();
        check_circle(&run(&mut without, 16, 20, draws).unwrap_err());
    }
}

#[test]
fn adaptive_routing_without_the_rule_on_credits_comes_to_a_deadlock() {
    let machine = torus();
    let routing = RouterRouting::Adaptive(AdaptiveChoice::Credits);
    let settings = RouterSettings {
        virtual_channels: 3,
        buffer_units: 2,
        routing,
        ..RouterSettings::default_of(&machine, 0)
    };
    let rules = rules(&machine, settings);
    let network = || RouterNetwork::new(&machine, rules, &rules.router_rules().unwrap());
    let is_found = (0..200).any(|draws| {
        assert!(run(&mut network(), 16, 4, draws).is_ok());
        let mut without = network();
        without.rules.need = Need::Nothing;
        let found = run(&mut without, 16, 4, draws);
        found.inspect_err(check_circle).is_err()
    });
    assert!(is_found, "no deadlock in 200 runs");
}

#[test]
fn a_deadlock_names_its_channels() {
    use super::RouterChannel;
    use crate::Cycle;
    use cubefold_topology::NodeId;

    let channel = |from, to, number| RouterChannel { from: NodeId::new(from), to: NodeId::new(to), number };
    let deadlock = Deadlock { cycle: Cycle::new(7), channels: vec![channel(0, 1, 0), channel(1, 0, 2)] };
    assert_eq!(
        deadlock.to_string(),
        "a deadlock at cycle 7: channel 0 from node 0 to 1, channel 2 from node 1 to 0 wait for one another in a \
         circle"
    );
}
