//! Changes of an arrangement that a search tries: lists of exchanges of tokens.

use cubefold_topology::{Axis, Machine, NodeId};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{arrangement::Arrangement, traffic::Traffic};

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// Two tokens anywhere, one of them a process.
    Any,
    /// A process and a token on a site next to one of its partners.
    BesidePartner,
    /// Two blocks of processes with consecutive labels, aligned to their length.
    Blocks,
    /// Two parallel lines of a grid.
    Lines,
}

impl Move {
    pub(crate) const ALL: [Self; 4] = [Self::Any, Self::BesidePartner, Self::Blocks, Self::Lines];
}

/// The tables that moves are drawn from.
#[derive(Debug)]
pub(crate) struct Neighbourhood<'a> {
    processes: u32,
    beside: Vec<Vec<u32>>, // by site, the sites adjacent by a link or through a switch
    lines: Option<Lines<'a>>,
}

/// The lines of a grid whose nodes are all sites.
#[derive(Debug)]
struct Lines<'a> {
    axes: &'a [Axis],
    site_of: Vec<u32>, // by node
}

impl<'a> Neighbourhood<'a> {
    pub(crate) fn new(machine: &'a Machine, sites: &[NodeId], processes: usize) -> Self {
        let nodes = usize::try_from(machine.node_count()).unwrap_or(usize::MAX);
        let mut site_of = vec![u32::MAX; nodes];
        for (site, node) in (0..).zip(sites) {
            site_of[node.index() as usize] = site;
        }
        let beside = sites.iter().map(|&node| beside(machine, node, &site_of)).collect();
        let is_whole = machine.graph().is_none() && sites.len() == nodes;
        let lines = is_whole.then(|| Lines { axes: machine.axes(), site_of });
        Self { processes: u32::try_from(processes).unwrap_or(u32::MAX), beside, lines }
    }

    /// Draws a change of a kind, as exchanges to make in order; none if the draw has no change.
    pub(crate) fn draw(
        &self,
        kind: Move,
        arrangement: &Arrangement,
        traffic: &Traffic,
        generator: &mut ChaCha8Rng,
        exchanges: &mut Vec<(u32, u32)>,
    ) {
        exchanges.clear();
        let process = generator.random_range(0..self.processes);
        match kind {
            Move::Any => {
                let other = generator.random_range(0..arrangement.len());
                exchanges.push((process, u32::try_from(other).unwrap_or(0)));
            }
            Move::BesidePartner => {
                let flows = traffic.of(process);
                if flows.is_empty() {
                    return;
                }
                let partner = flows[generator.random_range(0..flows.len())].other;
                let beside = &self.beside[arrangement.site(partner)];
                if beside.is_empty() {
                    return;
                }
                let site = beside[generator.random_range(0..beside.len())] as usize;
                let place = site * arrangement.per_site() + generator.random_range(0..arrangement.per_site());
                exchanges.push((process, arrangement.token(u32::try_from(place).unwrap_or(0))));
            }
            Move::Blocks => self.draw_blocks(process, generator, exchanges),
            Move::Lines => {
                if let Some(lines) = &self.lines {
                    lines.draw(arrangement, generator, exchanges);
                }
            }
        }
        let sites = |&(one, other): &(u32, u32)| {
            one != other
                && (one < self.processes || other < self.processes)
                && arrangement.site(one) != arrangement.site(other)
        };
        exchanges.retain(sites);
    }

    fn draw_blocks(&self, process: u32, generator: &mut ChaCha8Rng, exchanges: &mut Vec<(u32, u32)>) {
        let most = self.processes.ilog2();
        if most < 2 {
            return;
        }
        let length = 1 << generator.random_range(1..most);
        let blocks = self.processes / length;
        let (one, other) = (process / length, generator.random_range(0..blocks));
        if one < blocks && one != other {
            exchanges.extend((0..length).map(|place| (one * length + place, other * length + place)));
        }
    }
}

/// The sites adjacent to a node: its neighbours that are sites, and through neighbours that are switches, the next sites.
fn beside(machine: &Machine, node: NodeId, site_of: &[u32]) -> Vec<u32> {
    let mut found = vec![];
    let mut before = vec![node];
    for _ in 0..3 {
        let mut next = vec![];
        for &at in &before {
            next.extend(machine.neighbours(at).filter(|&other| other != node));
        }
        let is_site = |other: &&NodeId| site_of[other.index() as usize] != u32::MAX;
        found.extend(next.iter().filter(is_site).map(|other| site_of[other.index() as usize]));
        if !found.is_empty() {
            break;
        }
        before = next;
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl Lines<'_> {
    fn draw(&self, arrangement: &Arrangement, generator: &mut ChaCha8Rng, exchanges: &mut Vec<(u32, u32)>) {
        let axis = &self.axes[generator.random_range(0..self.axes.len())];
        let (length, stride) = (axis.length(), axis.digit().stride());
        let nodes = self.site_of.len() as u64;
        let mut first = || {
            let node = generator.random_range(0..nodes);
            node - node / stride % length * stride
        };
        let (one, other) = (first(), first());
        let per_site = arrangement.per_site();
        for step in 0..length {
            let site = |first: u64| {
                let node = usize::try_from(first + step * stride).unwrap_or(0);
                self.site_of[node] as usize
            };
            let token = |first: u64, share: usize| {
                arrangement.token(u32::try_from(site(first) * per_site + share).unwrap_or(0))
            };
            exchanges.extend((0..per_site).map(|share| (token(one, share), token(other, share))));
        }
    }
}
