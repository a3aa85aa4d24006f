//! The channels of the route from every site to every other.

use cubefold_simulator::Communication;
use cubefold_topology::{Channel, Direction, LinkMode, Machine, NodeId, Sign};

use crate::Problem;

/// The most channels, of all routes together, that are kept in a table.
const MAX_TABLE: u64 = 1 << 23;

/// Routes between sites, by their numbers. Under half-duplex both channels of a link are one.
#[derive(Debug)]
pub(crate) struct Routes<'a> {
    machine: &'a Machine,
    rules: Communication,
    sites: &'a [NodeId],
    firsts: Vec<usize>, // by node of a network, the place of its first channel
    places: usize,
    by_link: bool,
    ends: Vec<u32>, // by site and site, the end of its route in `crossed`; empty if there are too many
    crossed: Vec<u32>, // places
    units: Vec<u64>, // by place, if links differ, the occupancy of a unit [cycles]
}

impl<'a> Routes<'a> {
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        let Problem { machine, rules, sites, .. } = *problem;
        machine.prepare_routes(sites);
        let (mut firsts, mut places) =
            (vec![], machine.node_count().saturating_mul(2 * machine.axes().len() as u64));
        if machine.graph().is_some() {
            places = 0;
            for node in machine.nodes() {
                firsts.push(usize::try_from(places).unwrap_or(usize::MAX));
                places += machine.neighbours(node).count() as u64;
            }
        }
        let places = usize::try_from(places).unwrap_or(usize::MAX);
        let by_link = rules.links() == LinkMode::HalfDuplex;
        let mut routes = Self {
            machine,
            rules,
            sites,
            firsts,
            places,
            by_link,
            ends: vec![],
            crossed: vec![],
            units: vec![],
        };
        if table_size(machine, sites.len() as u64) <= MAX_TABLE {
            routes.fill_table();
        }
        routes
    }

    /// Bytes for the routes between `sites` sites.
    pub(crate) fn bytes(machine: &Machine, sites: u64) -> u64 {
        let size = table_size(machine, sites);
        // The list of channels may double while it grows.
        let table = if size <= MAX_TABLE { (2 * size + sites * sites) * size_of::<u32>() as u64 } else { 0 };
        let a_place = 2 * size_of::<u64>() as u64;
        machine
            .channel_places()
            .saturating_add(machine.node_count())
            .saturating_mul(a_place)
            .saturating_add(table)
    }

    fn fill_table(&mut self) {
        let (mut ends, mut crossed) = (vec![], vec![]);
        let mut units = if self.machine.link_times().is_some() { vec![0; self.places] } else { vec![] };
        for &from in self.sites {
            for &to in self.sites {
                self.for_each_channel(from, to, &mut |place, unit| {
                    crossed.push(u32::try_from(place).unwrap_or(u32::MAX));
                    if let Some(unit_of_channel) = units.get_mut(place) {
                        *unit_of_channel = unit;
                    }
                });
                ends.push(u32::try_from(crossed.len()).unwrap_or(u32::MAX));
            }
        }
        (self.ends, self.crossed, self.units) = (ends, crossed, units);
    }

    /// The number of places of channels, or links.
    pub(crate) fn place_count(&self) -> usize {
        self.places
    }

    /// The channels of a route, on average, rounded up.
    pub(crate) fn mean_length(&self) -> u64 {
        if self.ends.is_empty() {
            return self.machine.distance_bound().div_ceil(2);
        }
        (self.crossed.len() as u64).div_ceil(self.ends.len() as u64)
    }

    /// Calls `visit` with the place of every channel of the route, and the time for which a unit occupies it \[cycles\].
    #[inline]
    pub(crate) fn for_each(&self, from: usize, to: usize, mut visit: impl FnMut(usize, u64)) {
        let pair = from * self.sites.len() + to;
        let Some(&end) = self.ends.get(pair) else {
            return self.for_each_channel(self.sites[from], self.sites[to], &mut visit);
        };
        let first = if pair == 0 { 0 } else { self.ends[pair - 1] };
        let hop = self.rules.hop().get();
        let crossed = self.crossed[first as usize..end as usize].iter().map(|&place| place as usize);
        if self.units.is_empty() {
            crossed.for_each(|place| visit(place, hop));
        } else {
            crossed.for_each(|place| visit(place, self.units[place]));
        }
    }

    fn for_each_channel(&self, from: NodeId, to: NodeId, visit: &mut impl FnMut(usize, u64)) {
        if from == to {
            return;
        }
        for channel in self.machine.route(from, to, self.rules.tie()) {
            let channel = if self.by_link { self.near_channel(channel) } else { channel };
            let unit = match self.machine.link_times() {
                Some(times) => times[self.machine.link_class(channel)].unit,
                None => self.rules.hop().get(),
            };
            visit(self.place(channel), unit);
        }
    }

    /// The place of a channel.
    #[inline]
    fn place(&self, channel: Channel) -> usize {
        let Channel { node, direction } = channel;
        match self.firsts.get(node.index() as usize) {
            Some(first) => first + direction.dimension.index(),
            None => node.index() as usize * 2 * self.machine.axes().len() + direction.index(),
        }
    }

    /// The channel of the same link by which its near end sends.
    fn near_channel(&self, channel: Channel) -> Channel {
        let link = self.machine.link(channel);
        Channel { node: link.near, direction: Direction { dimension: link.dimension, sign: Sign::Positive } }
    }
}

/// The most channels that all routes between `sites` sites have together.
fn table_size(machine: &Machine, sites: u64) -> u64 {
    sites.saturating_mul(sites).saturating_mul(machine.distance_bound())
}
