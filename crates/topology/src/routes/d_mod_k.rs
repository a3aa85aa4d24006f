//! Routes by the number of the destination: D-Mod-K (Zahavi 2010; `docs/model.md` section 19).
//!
//! On the way up the number of the destination chooses the cable, level by level in another digit; on the way down a
//! message takes the cables over which it would have gone up. So shifts meet nowhere on trees with full bisection.

use super::{NetworkRoutes, RouteKey};
use crate::{Network, NodeId};

/// The numbers by which destinations choose cables.
#[derive(Debug)]
pub(crate) struct Destinations {
    strides: Box<[u64]>, // by level, the product of the widths below
}

impl Destinations {
    pub(crate) fn new(network: &Network) -> Self {
        let levels = network.levels();
        let mut stride = 1_u64;
        let strides = (0..levels.count()).map(|level| {
            let level_stride = stride;
            stride = stride.saturating_mul(levels.width(level).max(1));
            level_stride
        });
        Self { strides: strides.collect() }
    }

    /// The divisor of destination numbers at a level, `delta_i`.
    pub(super) fn stride(&self, level: u32) -> u64 {
        self.strides.get(level as usize).copied().unwrap_or(1)
    }
}

/// A neighbour whose cables begin best routes.
#[derive(Debug, Clone, Copy)]
struct Onward {
    port: u16, // of the first cable
    cables: u16,
}

impl Network {
    /// The number of a destination, `D`: in a cluster its node if there are rails, else its NIC, or the first of them.
    fn number(&self, to: NodeId) -> u64 {
        let host = u64::from(to.index());
        self.cluster().map_or(host, |cluster| cluster.destination_number(host))
    }

    /// The number that chooses the cable upwards at a node, `floor(D / delta_i)`.
    pub(super) fn number_upwards(&self, at: NodeId, to: NodeId) -> u64 {
        let level = self.levels().of(at).unwrap_or(0);
        self.number(to) / self.destinations().stride(level)
    }
}

impl NetworkRoutes<'_> {
    /// The port of the cable that a message to `to` takes at `at`, where best routes begin with the links at `ports`, in
    /// ascending order, at least the first of parallel links.
    pub(super) fn destination_port(
        &self,
        [_, at, to]: [NodeId; 3],
        ports: impl Iterator<Item = u16>,
        key: RouteKey,
    ) -> Option<u16> {
        let (network, levels) = (self.network, self.network.levels());
        let neighbour = |port: u16| network.neighbours(at)[usize::from(port)];
        let mut onward: Vec<Onward> = vec![];
        for port in ports {
            if onward.last().is_none_or(|last| neighbour(last.port) != neighbour(port)) {
                onward.push(Onward { port, cables: network.links_at(at.index(), port) });
            }
        }
        let level = levels.of(at);
        let leads_up = |candidate: &Onward| levels.of(neighbour(candidate.port)) > level;
        let share = network.cluster().filter(|cluster| cluster.has_nics_to_choose()).map(|_| match key {
            RouteKey::Share(share) => u64::from(share),
            RouteKey::Ends | RouteKey::Hash(_) => 0,
        });
        if onward.iter().any(leads_up) {
            onward.retain(leads_up);
            let is_host = u64::from(at.index()) < network.host_count();
            let number = match (share, network.cluster()) {
                (Some(share), _) if is_host => share,
                (_, Some(cluster))
                    if is_host
                        && onward
                            .iter()
                            .all(|candidate| cluster.is_inside_switch(neighbour(candidate.port))) =>
                {
                    u64::from(to.index()) % cluster.devices_per_node
                }
                _ => network.number_upwards(at, to),
            };
            return cable_at(&onward, number);
        }
        let place = match share {
            Some(share) => share,
            None if levels.width(0) > 1 => network.number(to),
            None => 0,
        };
        let next = onward.get(usize::try_from(place % (onward.len() as u64).max(1)).ok()?)?;
        let number = match share {
            Some(share) if neighbour(next.port) == to => share,
            _ => {
                let level = levels.of(neighbour(next.port)).unwrap_or(0);
                network.number(to) / network.destinations().stride(level) / levels.width(level).max(1)
            }
        };
        Some(next.port + u16::try_from(number % u64::from(next.cables)).ok()?)
    }
}

/// The port of the cable at a place, modulo their number, where cables are sorted by their number among parallel ones,
/// then by neighbour.
fn cable_at(onward: &[Onward], place: u64) -> Option<u16> {
    let all: u64 = onward.iter().map(|candidate| u64::from(candidate.cables)).sum();
    let mut left = place.checked_rem(all)?;
    for number in 0_u16.. {
        let of_number = || onward.iter().filter(|candidate| candidate.cables > number);
        let count = of_number().count() as u64;
        if left < count {
            return of_number().nth(usize::try_from(left).ok()?).map(|candidate| candidate.port + number);
        }
        left -= count;
    }
    None
}
