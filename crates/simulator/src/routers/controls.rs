//! Controls: without the rules against deadlocks, deadlocks occur and are detected.

use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule, mix};

use super::{
    AdaptiveChoice, Deadlock, RouterRouting, RouterSettings, RoutingOptions, injection::Departure,
    network::RouterNetwork,
};
use crate::{Communication, Cycles};

fn rules(machine: &Machine, settings: RouterSettings) -> Communication {
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    rules.with_routers(settings, machine).unwrap()
}

/// Messages by source and destination, of four processes a node in turn, all at cycle 0; returns the number received.
fn run(network: &mut RouterNetwork<'_>, messages: &[[u64; 2]], units: u64) -> Result<usize, Deadlock> {
    for (message, &ends) in (0..).zip(messages) {
        let [from, to] = ends.map(|node| u32::try_from(node).unwrap());
        let draws = [u64::from(message), ends[0], ends[1]];
        network.join(&Departure {
            message,
            from,
            to,
            queue: 4 * from + message % 4,
            units,
            draws,
            first_packet: 0,
        });
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
    if let Some(deadlock) = network.deadlock() {
        return Err(deadlock);
    }
    assert!(network.is_empty(), "nothing is lost");
    Ok(count)
}

/// The channels follow one another around.
fn check_circle(deadlock: &Deadlock) {
    let channels = &deadlock.channels;
    assert!(channels.len() >= 2, "{deadlock}");
    let next = channels.iter().cycle().skip(1);
    assert!(channels.iter().zip(next).all(|(channel, next)| channel.to == next.from), "{deadlock}");
}

/// Every node of a ring sends over three links: all channels in that direction are taken immediately.
#[test]
fn a_torus_without_classes_comes_to_a_deadlock() {
    let machine = Machine::new(MachineKind::Ring, &[8]).unwrap();
    let settings =
        RouterSettings { virtual_channels: 2, buffer_units: 1, ..RouterSettings::default_of(&machine, 0) };
    let rules = rules(&machine, settings);
    let mut network = RouterNetwork::new(&machine, rules, &rules.router_rules().unwrap());
    let messages: Vec<[u64; 2]> = (0..4).flat_map(|_| (0..8).map(|node| [node, (node + 3) % 8])).collect();
    assert_eq!(run(&mut network, &messages, 30), Ok(32));
    network.reset();
    network.routes.ignore_classes(&machine, &settings);
    check_circle(&run(&mut network, &messages, 30).unwrap_err());
}

/// Random messages over adaptive routers with this number, with or without the rule on credits; whether they deadlock.
fn adaptive(number: u64, has_rule: bool) -> Result<usize, Deadlock> {
    let draw = |tag: u64| mix(mix(number) ^ tag);
    let side = 3 + draw(0) % 3;
    let machine = Machine::new(MachineKind::Torus, &[side, side]).unwrap();
    let buffer_units = u32::try_from(1 + draw(1) % 3).unwrap();
    let adaptive_choice = AdaptiveChoice::ALL[usize::from(draw(3) % 2 == 1)];
    let options = RoutingOptions { adaptive_choice, ..RoutingOptions::default() };
    let settings = RouterSettings {
        virtual_channels: 3,
        buffer_units,
        router_cycles: u32::try_from(1 + draw(2) % 4).unwrap(),
        routing: RouterRouting::named("adaptive", &machine).unwrap().with(options),
        ..RouterSettings::default_of(&machine, 0)
    };
    let rules = rules(&machine, settings);
    let mut network = RouterNetwork::new(&machine, rules, &rules.router_rules().unwrap());
    network.rules.needs_room &= has_rule;
    let nodes = side * side;
    let ends = |message: u64| {
        let from = message % nodes;
        [from, (from + 1 + draw(100 + message) % (nodes - 1)) % nodes]
    };
    let messages: Vec<[u64; 2]> = (0..20 * nodes).map(ends).collect();
    let units = 1 + draw(4) % (3 * u64::from(buffer_units));
    let received = run(&mut network, &messages, units)?;
    assert_eq!(received, messages.len());
    Ok(received)
}

#[test]
fn adaptive_routing_without_the_rule_on_credits_comes_to_a_deadlock() {
    let found = (0..200).find_map(|number| Some((number, adaptive(number, false).err()?)));
    let (number, deadlock) = found.expect("a deadlock in some of 200 runs");
    check_circle(&deadlock);
    assert!((0..=number.min(20)).chain([number]).all(|number| adaptive(number, true).is_ok()));
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
