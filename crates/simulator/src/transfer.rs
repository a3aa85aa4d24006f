//! The time of a message without contention (`docs/model.md` sections 13.2, 15 and 21.3).
//!
//! If all links are alike, it follows from the number of links of the route. If they differ, the first packet continues
//! as soon as it can, and packet `k` follows it after `k` times the time of a packet on the slowest channel so far,
//! like equal jobs that pass through machines in a row; the last packet, which may be smaller, waits for the one ahead.

use std::sync::Arc;

use cubefold_topology::{Channel, LinkTime, Machine, NodeId};

use crate::{Communication, Cycles};

/// The times of messages between the nodes of a machine without contention.
#[derive(Debug, Clone)]
pub(crate) struct TransferTimes<'run> {
    machine: &'run Machine,
    communication: Communication,
    heads: Option<Arc<HeadTimes>>, // over routers whose links differ
}

/// The times of heads over the routers of a dragonfly whose links between groups have a separate latency
/// (section 30.1).
#[derive(Debug)]
struct HeadTimes {
    machine: Machine,   // its routes have the least sum of these times
    of_class: [u64; 3], // of a router and the link after it, by class: links of hosts do not count [cycles]
    plain: u64,         // the time that the timing of a message has for each link [cycles]
}

impl HeadTimes {
    /// The times over routers, if links between groups differ.
    fn new(machine: &Machine, communication: Communication) -> Option<Self> {
        let settings = communication.routers()?;
        let global = settings
            .global_latency
            .filter(|&global_latency| global_latency != communication.latency().get())?;
        let router = settings.speedup.head_cycles(settings.router_cycles);
        let head = |latency: u64| latency.saturating_add(router + 1);
        let of_class = [0, head(communication.latency().get()), head(global)];
        let times = of_class.map(|head| LinkTime { unit: 1, latency: head.saturating_sub(1) });
        let plain = of_class[1].min(of_class[2]);
        Some(Self { machine: machine.clone().with_link_times(&times), of_class, plain })
    }

    /// The extra cycles of a message's head compared with a route of the fewest links, all as fast as the fastest.
    fn beyond_plain(&self, from: NodeId, to: NodeId, links: u64) -> u64 {
        let route = self.machine.route(from, to, cubefold_topology::TieRule::default());
        let times = route.map(|channel| self.of_class[self.machine.link_class(channel)]);
        let sum = times.fold(0_u64, u64::saturating_add);
        sum.saturating_sub(self.plain.saturating_mul(links.saturating_sub(2)))
    }
}

impl<'run> TransferTimes<'run> {
    /// The times on a machine under these rules.
    pub(crate) fn new(machine: &'run Machine, communication: Communication) -> Self {
        let heads = HeadTimes::new(machine, communication).map(Arc::new);
        Self { machine, communication, heads }
    }

    /// The time of a message of `units` units over its route \[cycles\], and the number of its links: 0 inside a node.
    #[inline]
    pub(crate) fn between(&self, from: NodeId, to: NodeId, units: u64) -> (Cycles, u64) {
        if self.machine.link_times().is_some() {
            let route: Vec<Channel> = self.machine.route(from, to, self.communication.tie()).collect();
            return self.over(&route, units);
        }
        let links = self.machine.distance(from, to);
        let transfer = self.communication.timing_of(units).transfer(links);
        let more = match &self.heads {
            Some(heads) if links > 0 && units > 0 => heads.beyond_plain(from, to, links),
            Some(_) | None => 0,
        };
        (Cycles::new(transfer.get().saturating_add(more)), links)
    }

    /// The time of a message of `units` units over these channels \[cycles\], and their number: 0 inside a node.
    pub(crate) fn over(&self, route: &[Channel], units: u64) -> (Cycles, u64) {
        let links = route.len() as u64;
        let transfer = match self.machine.link_times() {
            None => self.communication.timing_of(units).transfer(links),
            Some(times) => {
                let times = route.iter().map(|&channel| times[self.machine.link_class(channel)]);
                transfer_over(times, self.communication, units)
            }
        };
        (transfer, links)
    }
}

/// The time of a message of `units` units over the channels of a route; inside a node (no channels), the time of messages
/// there. Times past 2^64 cycles saturate \[cycles\].
#[must_use]
pub fn transfer_over(
    links: impl IntoIterator<Item = LinkTime>,
    communication: Communication,
    units: u64,
) -> Cycles {
    if units == 0 {
        return Cycles::ZERO;
    }
    let mut links = links.into_iter();
    let Some(mut link) = links.next() else { return communication.timing_of(units).transfer(0) };
    let packets = u128::from(communication.packet_count(units));
    let whole = communication.packet().map_or(units, |packet| packet.get().min(units));
    let time = |unit: u64, units: u64| u128::from(unit).saturating_mul(units.into());
    let behind = |count: u128, unit: u64| count.saturating_mul(time(unit, whole));
    let rest = units - communication.packet().map_or(0, |packet| (units - 1) / packet * packet.get());
    let mut slowest = link.unit;
    // The starts of the first and the last packet over the link.
    let (mut first, mut last) = (0_u128, behind(packets - 1, link.unit));
    for next in links {
        first = first.saturating_add(communication.joins_after(link, next, whole));
        last = last.saturating_add(communication.joins_after(link, next, rest));
        slowest = slowest.max(next.unit);
        if packets > 1 {
            let before_last = first.saturating_add(behind(packets - 2, slowest));
            last = last.max(before_last.saturating_add(time(next.unit, whole)));
        }
        link = next;
    }
    let received = last.saturating_add(link.latency.into()).saturating_add(time(link.unit, rest));
    Cycles::new(u64::try_from(received).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::Switching;
    use cubefold_topology::{LinkMode, TieRule};

    #[test]
    fn over_equal_links_it_is_the_time_of_section_13_2() {
        for switching in Switching::ALL {
            for (unit, latency, packet) in [(1, 0, 0), (3, 7, 0), (2, 5, 4), (1, 40, 1), (7, 0, 16)] {
                let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(unit), TieRule::Direct);
                let rules = rules
                    .unwrap()
                    .with_latency(Cycles::new(latency))
                    .with_switching(switching)
                    .with_packets(NonZeroU64::new(packet));
                for (links, units) in (0..7).flat_map(|links| (1..40).map(move |units| (links, units))) {
                    let route = std::iter::repeat_n(LinkTime { unit, latency }, links);
                    let expected = rules.timing_of(units).transfer(links as u64);
                    assert_eq!(transfer_over(route, rules, units), expected);
                }
            }
        }
    }
}
