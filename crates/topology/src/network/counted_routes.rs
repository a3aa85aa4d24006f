//! The shortest routes from a node to a destination, in a word: how many they are, and with which links they begin.
//!
//! A link is drawn by the numbers of routes that begin with each (`docs/model.md` section 19). Where few links lead nearer and
//! the numbers are small, or where all are the same, the word has them, so that a draw looks at nothing else. Where it has no
//! room for them, it says which neighbours are to be looked at, whose words are scattered over memory. Few routes of two links
//! are there whole, so that the word of the node between is not looked at.

use std::ops::RangeInclusive;

use super::route_tables::RouteCounts;
use crate::{
    Network, NodeId, narrow,
    routing::{Draw, MAX_ROUTE_COUNT, ones, place_of, places},
};

/// The shortest routes from a node to a destination; to itself there is one. From the lowest bits on: the form of the first
/// links, the last bits of the length of the routes, and the first links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedRoutes(u64);

/// A port that leads nearer, with the number of shortest routes that begin with it.
type CountedPort = (u32, u64);

/// What a hash draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DrawnPort {
    pub(super) port: u32,
    pub(super) last: Option<u32>, // the port behind it, if it leads to the destination and is known
}

/// The forms of first links.
impl CountedRoutes {
    const FORM_BITS: u32 = 4;

    /// The number of all routes, less 1, and above it a bit for each group of ports some of which lead nearer: none at the
    /// destination, and without a route.
    const GROUPED: u64 = 0;

    /// So many ports, ascending, each with its number of routes above it.
    const LISTED: RangeInclusive<u64> = 1..=4;

    /// As [`Self::GROUPED`], with more groups and fewer bits for the number.
    const MORE_GROUPS: u64 = 5;

    /// The lowest port, a bit for each from that on, and a number of routes that all have.
    const ALIKE: u64 = 6;

    /// The same with bits for more ports, of one route each.
    const ONE_EACH: u64 = 7;

    /// A bit for each port; below, a bit for the first of the routes of each, which follow one another, and for the end of
    /// all.
    const SHARES: u64 = 8;

    /// So many routes of two links, ascending, each by the port of its first link and that of its last above.
    const TWO_LINKS: RangeInclusive<u64> = 9..=13;

    /// The bits below the ports there.
    const SHARE_BITS: u32 = 20;

    /// The bits for ports where they are alike.
    const PORTS_ALIKE: u32 = 32;

    /// Neighbours are as far away, or farther or nearer by a link: this tells which.
    const LINK_BITS: u32 = 2;

    const FIRST_BITS: u32 = u64::BITS - Self::FORM_BITS - Self::LINK_BITS;

    /// The bits of the number of all routes, less 1, without and with more groups: any number fits into the first.
    const COUNT_BITS: [u32; 2] = [MAX_ROUTE_COUNT.ilog2(), 12];
}

impl CountedRoutes {
    /// Returns those of all nodes to a destination.
    pub(super) fn row(network: &Network, to: NodeId) -> Box<[Self]> {
        let RouteCounts { distances, routes } = network.routes_to(to);
        let (mut first, mut last) = (Vec::<CountedPort>::new(), vec![]);
        let of_node = |(node, (&links, &count)): (NodeId, (&u16, &u64))| {
            first.clear();
            last.clear();
            // A node that no route leads to has no neighbours that one leads to.
            for (port, next) in (0..).zip(network.neighbours(node)) {
                let place = next.index() as usize;
                if Some(distances[place]) == links.checked_sub(1) {
                    first.push((port, routes[place]));
                    if links == 2 {
                        last.extend(network.port_to(next.index(), to.index()).map(u32::from));
                    }
                }
            }
            Self::new(network.port_bits, network.ports_of_group, (links, count), (&first, &last))
        };
        (0..).map(NodeId::new).zip(distances.iter().zip(&routes)).map(of_node).collect()
    }

    /// Those from a node, given their length and number, 0 without a route, the ports that lead nearer, ascending, and, if two
    /// links are left, those of the last ones.
    fn new(
        port_bits: u32,
        ports_of_group: [usize; 2],
        (links, count): (u16, u64),
        (first, last): (&[CountedPort], &[u32]),
    ) -> Self {
        let (form, first) = Self::two_links(port_bits, first, last)
            .or_else(|| Self::listed(port_bits, first))
            .or_else(|| Self::alike(port_bits, first))
            .or_else(|| Self::shares(first))
            .unwrap_or_else(|| Self::grouped(ports_of_group, count.saturating_sub(1), first));
        let links = u64::from(links) & ones(Self::LINK_BITS);
        Self(first << Self::LINK_BITS << Self::FORM_BITS | links << Self::FORM_BITS | form)
    }

    /// The form and both links of all routes, if there are two, and few routes.
    fn two_links(port_bits: u32, first: &[CountedPort], last: &[u32]) -> Option<(u64, u64)> {
        let routes = last.len() as u64;
        let form =
            Some(routes + Self::TWO_LINKS.start() - 1).filter(|form| Self::TWO_LINKS.contains(form))?;
        if 2 * port_bits * narrow(routes) > Self::FIRST_BITS {
            return None;
        }
        let mut both = 0;
        for (&(first, _), &last) in first.iter().zip(last).rev() {
            both = (both << port_bits | u64::from(last)) << port_bits | u64::from(first);
        }
        Some((form, both))
    }

    /// The form and the first links, if they can be listed.
    fn listed(port_bits: u32, first: &[CountedPort]) -> Option<(u64, u64)> {
        let form = Some(first.len() as u64).filter(|form| Self::LISTED.contains(form))?;
        let bits = Self::FIRST_BITS / narrow(form);
        let mut listed = 0;
        for &(port, count) in first.iter().rev() {
            if count > ones(bits.checked_sub(port_bits)?) {
                return None;
            }
            listed = listed << bits | count << port_bits | u64::from(port);
        }
        Some((form, listed))
    }

    /// The same, if all have as many routes.
    fn alike(port_bits: u32, first: &[CountedPort]) -> Option<(u64, u64)> {
        let &(lowest, each) = first.first()?;
        let mut ports = 0;
        for &(port, _) in first.iter().take_while(|(_, count)| *count == each) {
            ports |= 1_u64.checked_shl(port - lowest)?;
        }
        if ports.count_ones() as usize != first.len() {
            return None;
        }
        let bits = Self::FIRST_BITS - port_bits;
        let with_lowest = |first: u64| first << port_bits | u64::from(lowest);
        if each == 1 && ports <= ones(bits) {
            Some((Self::ONE_EACH, with_lowest(ports)))
        } else if ports <= ones(Self::PORTS_ALIKE) && each <= ones(bits.checked_sub(Self::PORTS_ALIKE)?) {
            Some((Self::ALIKE, with_lowest(each << Self::PORTS_ALIKE | ports)))
        } else {
            None
        }
    }

    /// The same, if routes are few.
    fn shares(first: &[CountedPort]) -> Option<(u64, u64)> {
        let (mut ports, mut shares, mut before) = (0, 0, 0);
        for &(port, count) in first {
            ports |= 1_u64.checked_shl(port)?;
            shares |= 1 << before;
            before += count;
            if before >= Self::SHARE_BITS.into() {
                return None;
            }
        }
        let fits = ports != 0 && ports <= ones(Self::FIRST_BITS - Self::SHARE_BITS);
        fits.then_some((Self::SHARES, ports << Self::SHARE_BITS | shares | 1 << before))
    }

    /// The form and the first links in groups, given the number of all routes, less 1.
    fn grouped(ports_of_group: [usize; 2], others: u64, first: &[CountedPort]) -> (u64, u64) {
        let has_more = !first.is_empty() && others <= ones(Self::COUNT_BITS[1]);
        let kind = usize::from(has_more);
        let groups = first.iter().map(|&(port, _)| 1 << (port as usize / ports_of_group[kind]));
        let groups = groups.fold(0, |all, group| all | group);
        (if has_more { Self::MORE_GROUPS } else { Self::GROUPED }, groups << Self::COUNT_BITS[kind] | others)
    }

    /// How many ports a group has without and with more groups, the last of a node perhaps fewer, where nodes have so many
    /// neighbours at most.
    pub(super) fn ports_of_group(max_degree: usize) -> [usize; 2] {
        Self::COUNT_BITS.map(|bits| max_degree.div_ceil((Self::FIRST_BITS - bits) as usize).max(1))
    }

    #[inline]
    fn form(self) -> u64 {
        self.0 & ones(Self::FORM_BITS)
    }

    #[inline]
    fn first(self) -> u64 {
        self.0 >> (Self::FORM_BITS + Self::LINK_BITS)
    }

    /// The ports of so many that are listed, each with its number of routes.
    #[inline]
    fn list<const N: usize>(self, port_bits: u32) -> [CountedPort; N] {
        let bits = Self::FIRST_BITS / narrow(N as u64);
        let of_place = |place: usize| self.first() >> (bits * narrow(place as u64)) & ones(bits);
        std::array::from_fn(of_place).map(|own| (narrow(own & ones(port_bits)), own >> port_bits))
    }

    /// The lowest port of those that have equally many routes, a bit for each from that on, and how many.
    #[inline]
    fn ports_alike(self, port_bits: u32) -> (u32, u64, u64) {
        let (lowest, above) = (narrow(self.first() & ones(port_bits)), self.first() >> port_bits);
        if self.form() == Self::ALIKE {
            (lowest, above & ones(Self::PORTS_ALIKE), above >> Self::PORTS_ALIKE)
        } else {
            (lowest, above, 1)
        }
    }

    /// The port that a hash draws of those that lead nearer; none where [`Self::groups`] are to be looked at, if there are any.
    #[inline]
    pub(super) fn draw(self, port_bits: u32, hash: impl FnOnce() -> u64) -> Option<DrawnPort> {
        let port = match self.form() {
            Self::GROUPED | Self::MORE_GROUPS => return None,
            1 => {
                let [(port, _)] = self.list(port_bits);
                port
            }
            2 => drawn(self.list::<2>(port_bits), hash()),
            3 => drawn(self.list::<3>(port_bits), hash()),
            4 => drawn(self.list::<4>(port_bits), hash()),
            Self::SHARES => {
                let drawn = hash() % self.count(port_bits);
                // Of the firsts of shares, the last up to there.
                let firsts = (self.first() & ones(narrow(drawn) + 1)).count_ones();
                places(self.first() >> Self::SHARE_BITS).nth(firsts as usize - 1)?
            }
            Self::ALIKE | Self::ONE_EACH => {
                let (lowest, ports, each) = self.ports_alike(port_bits);
                let drawn = hash() % (each * u64::from(ports.count_ones()));
                lowest + place_of(ports, narrow(drawn / each))?
            }
            _ => {
                let drawn = narrow(hash() % self.count(port_bits));
                let both = self.first() >> (2 * port_bits * drawn);
                let [port, last] = [both, both >> port_bits].map(|port| narrow(port & ones(port_bits)));
                return Some(DrawnPort { port, last: Some(last) });
            }
        };
        Some(DrawnPort { port, last: None })
    }

    /// The groups of ports some of which lead nearer, a bit each, from the lowest on; 0 to [`Self::ports_of_group`] has those
    /// without more groups, 1 those with more.
    #[inline]
    pub(super) fn groups(self) -> (u64, usize) {
        match self.form() {
            Self::GROUPED => (self.first() >> Self::COUNT_BITS[0], 0),
            Self::MORE_GROUPS => (self.first() >> Self::COUNT_BITS[1], 1),
            _ => (0, 0),
        }
    }

    /// The number of routes.
    #[inline]
    pub(super) fn count(self, port_bits: u32) -> u64 {
        match self.form() {
            Self::GROUPED => (self.first() & ones(Self::COUNT_BITS[0])) + 1,
            Self::MORE_GROUPS => (self.first() & ones(Self::COUNT_BITS[1])) + 1,
            1 => sum(self.list::<1>(port_bits)),
            2 => sum(self.list::<2>(port_bits)),
            3 => sum(self.list::<3>(port_bits)),
            4 => sum(self.list::<4>(port_bits)),
            Self::SHARES => (self.first() & ones(Self::SHARE_BITS)).ilog2().into(),
            Self::ALIKE | Self::ONE_EACH => {
                let (_, ports, each) = self.ports_alike(port_bits);
                each * u64::from(ports.count_ones())
            }
            form => form - Self::TWO_LINKS.start() + 1,
        }
    }

    /// The number of shortest routes from here, if it is nearer than a neighbour, else 0.
    #[inline]
    pub(super) fn count_nearer_than(self, farther: Self, port_bits: u32) -> u64 {
        let apart = (farther.0 >> Self::FORM_BITS).wrapping_sub(self.0 >> Self::FORM_BITS);
        if apart & ones(Self::LINK_BITS) == 1 { self.count(port_bits) } else { 0 }
    }
}

/// How many routes ports have together.
#[inline]
fn sum<const N: usize>(ports: [CountedPort; N]) -> u64 {
    ports.iter().fold(0, |sum, (_, count)| sum + count)
}

/// The port that a hash draws of those that are listed.
#[inline]
fn drawn<const N: usize>(ports: [CountedPort; N], hash: u64) -> u32 {
    Draw::new(hash, sum(ports)).among(ports, |(_, count)| count).0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routing::RouteSteps;

    /// Ports of a node with so many, and numbers of routes, by a generator of numbers below its argument.
    fn some_ports(degree: u64, random: &mut impl FnMut(u64) -> u64) -> Vec<CountedPort> {
        // Near powers of two, where numbers begin to take one more bit; all alike, or not.
        let bits = if random(2) == 0 { random(2) } else { random(49) };
        let mut number = || {
            let near_power = ((1_u64 << random(bits + 1)) + random(3)).saturating_sub(1);
            near_power.clamp(1, MAX_ROUTE_COUNT)
        };
        let alike = Some(number()).filter(|own| own % 2 == 1);
        let numbers: Vec<u64> = std::iter::repeat_with(number).take(60).collect();
        // Of so many ports that lie side by side the first and the last, and some between.
        let width = 1 + random(degree.min(60));
        let last = degree - 1 - random(degree - width + 1);
        let between = (0..random(20)).map(|_| last - random(width));
        let mut ports: BTreeSet<u64> = between.chain([last, last + 1 - width]).collect();
        if random(20) == 0 {
            ports.clear();
        }
        let numbered = ports.into_iter().zip(numbers);
        numbered.map(|(port, number)| (narrow(port), alike.unwrap_or(number))).collect()
    }

    #[test]
    fn words_draw_as_their_ports_and_numbers_of_routes_do() {
        let mut word = 1_u64;
        let mut random = |below: u64| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) % below // Knuth 1997, 3.3.4
        };
        let mut forms = BTreeSet::new();
        for degree in [1, 2, 6, 10, 11, 12, 32, 38, 39, 46, 47, 100, 1000, 65_535].repeat(400) {
            let port_bits = RouteSteps::bits_of_codes(narrow(degree.max(2)));
            let ports_of_group = CountedRoutes::ports_of_group(narrow(degree) as usize);
            let first = some_ports(degree, &mut random);
            let sum: u64 = first.iter().map(|(_, count)| count).sum();
            let count = sum.clamp(1, MAX_ROUTE_COUNT);
            let is_last = random(2) == 0 && first.iter().all(|(_, count)| *count == 1);
            let mut last: Vec<u32> = first.iter().map(|_| narrow(random(degree))).collect();
            last.truncate(if is_last { first.len() } else { 0 });
            let own = |links| CountedRoutes::new(port_bits, ports_of_group, (links, count), (&first, &last));
            for links in 5..9 {
                for (other, expected) in [(links - 1, 0), (links, 0), (links + 1, count)] {
                    let other = CountedRoutes::new(port_bits, ports_of_group, (other, 1), (&[], &[]));
                    assert_eq!(own(links).count_nearer_than(other, port_bits), expected);
                }
            }
            let own = own(5);
            forms.insert(own.form());
            assert_eq!(own.count(port_bits), count, "{first:?}");
            for _ in 0..40 {
                let hash = random(1 << 31) << 33 | random(1 << 31) << 2;
                let mut draw = Draw::new(hash, sum);
                let expected = first.iter().position(|(_, count)| draw.falls_on(*count));
                let Some(drawn) = own.draw(port_bits, || hash) else { continue };
                let place = expected.expect("a route");
                assert_eq!(drawn.port, first[place].0, "{first:?}");
                let has_last = CountedRoutes::TWO_LINKS.contains(&own.form());
                assert_eq!(drawn.last, has_last.then(|| last[place]), "{first:?} {last:?}");
            }
            if own.draw(port_bits, || 0).is_none() {
                let (groups, kind) = own.groups();
                let group = |port: u32| port as usize / ports_of_group[kind];
                let expected: BTreeSet<usize> = first.iter().map(|&(port, _)| group(port)).collect();
                assert!((0..64).filter(|&group| groups >> group & 1 == 1).eq(expected), "{first:?}");
            }
        }
        assert!(forms.into_iter().eq(0..=*CountedRoutes::TWO_LINKS.end()));
    }
}
