//! Times of messages over links, and those that are alike.

use super::*;

fn links(hop: u64) -> Communication {
    Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct).unwrap()
}

#[test]
fn one_unit_takes_the_same_time_over_every_link() {
    let timing = links(3).timing();
    assert_eq!([0, 1, 2, 7].map(|links| timing.transfer(links).get()), [0, 3, 6, 21]);
    assert_eq!(timing.uniform(), Some(Cycles::new(3)));
}

#[test]
fn the_time_without_contention_is_that_of_section_13_2() {
    let switchings = Switching::ALL.into_iter();
    for (switching, packet) in
        switchings.flat_map(|switching| (0..=16).map(move |packet| (switching, packet)))
    {
        for (hop, latency, units) in [(1, 0, 1), (1, 7, 5), (2, 3, 33), (3, 0, 16), (3, 7, 17)] {
            let rules = links(hop)
                .with_latency(Cycles::new(latency))
                .with_switching(switching)
                .with_packets(NonZeroU64::new(packet));
            let grain = match (switching, packet) {
                (Switching::CutThrough, _) => 1,
                (Switching::StoreAndForward, 0) => units,
                (Switching::StoreAndForward, packet) => units.min(packet),
            };
            for distance in 1..=8 {
                let expected = distance * latency + (distance - 1) * hop * grain + hop * units;
                assert_eq!(rules.timing_of(units).transfer(distance).get(), expected);
            }
        }
    }
}

#[test]
fn messages_of_one_size_that_are_stored_and_forwarded_are_units_over_slower_links() {
    let equivalent = |rules: Communication, units| rules.unit_equivalent(units, false);
    assert_eq!(equivalent(links(3), 5), Some(links(15)));
    let cut_through = links(3).with_switching(Switching::CutThrough);
    assert_eq!((equivalent(cut_through, 1), equivalent(cut_through, 2)), (Some(links(3)), None));
    let packets = links(3).with_packets(NonZeroU64::new(4));
    assert_eq!((equivalent(packets, 4), equivalent(packets, 5)), (Some(links(12)), None));
    assert_eq!(equivalent(links(3).with_latency(Cycles::new(1)), 1), None);
    assert_eq!(equivalent(links(3).with_eager(5), 5), None);
    assert_eq!(equivalent(links(3).with_eager(4), 5), Some(links(15)));
    assert_eq!(equivalent(links(3).with_service(ServiceOrder::RoundRobin), 1), None);
    let two = links(3).with_processors(NonZeroU64::new(2).unwrap());
    assert_eq!((two.unit_equivalent(1, false), two.unit_equivalent(1, true)), (Some(links(3)), None));
}
