//! Distances between sites, and the sums over messages that follow from them.

use cubefold_topology::{Machine, NodeId};

use crate::traffic::{Flow, Traffic};

/// The most sites whose distances are kept in a table.
const MAX_TABLE: usize = 4096;

/// Distances between sites, by their numbers \[links\].
#[derive(Debug)]
pub(crate) struct Distances<'a> {
    machine: &'a Machine,
    sites: &'a [NodeId],
    table: Vec<u32>, // by site and site; empty if there are too many
}

impl<'a> Distances<'a> {
    pub(crate) fn new(machine: &'a Machine, sites: &'a [NodeId]) -> Self {
        machine.prepare_routes(sites);
        let mut table = vec![];
        if sites.len() <= MAX_TABLE {
            let rows = sites.iter().flat_map(|&from| sites.iter().map(move |&to| machine.distance(from, to)));
            table = rows.map(|links| u32::try_from(links).unwrap_or(u32::MAX)).collect();
        }
        Self { machine, sites, table }
    }

    /// Bytes for the distances of `sites` sites; 0 if there are too many for a table.
    pub(crate) fn bytes(sites: u64) -> u64 {
        if sites <= MAX_TABLE as u64 { sites * sites * size_of::<u32>() as u64 } else { 0 }
    }

    /// The distance of two sites.
    #[inline]
    pub(crate) fn between(&self, one: usize, other: usize) -> u64 {
        match self.table.get(one * self.sites.len() + other) {
            Some(&links) => links.into(),
            None => self.machine.distance(self.sites[one], self.sites[other]),
        }
    }

    /// The site with the least sum of distances to the others of a list, of equal ones the first.
    ///
    /// # Panics
    ///
    /// When the list is empty.
    pub(crate) fn centre(&self, sites: &[usize]) -> usize {
        let sum = |&&one: &&usize| sites.iter().map(|&other| self.between(one, other)).sum::<u64>();
        *sites.iter().min_by_key(sum).unwrap_or(&sites[0])
    }

    /// The sum over messages of units times links, with every process on a site.
    pub(crate) fn hop_units(&self, traffic: &Traffic, sites: &[u32]) -> u128 {
        let weight = |(one, other, units): (u32, u32, u64)| {
            let links = self.between(sites[one as usize] as usize, sites[other as usize] as usize);
            u128::from(units) * u128::from(links)
        };
        traffic.pairs().map(weight).sum()
    }

    /// The part of this sum that belongs to one process.
    #[inline]
    pub(crate) fn hop_units_of(&self, traffic: &Traffic, sites: &[u32], process: u32) -> u128 {
        let site = sites[process as usize] as usize;
        let weight = |flow: &Flow| {
            let units = u128::from(flow.sent) + u128::from(flow.received);
            units * u128::from(self.between(site, sites[flow.other as usize] as usize))
        };
        traffic.of(process).iter().map(weight).sum()
    }

    /// The largest distance between two processes that exchange messages, and the sum of the distances of all such
    /// pairs \[links\].
    pub(crate) fn dilation(&self, traffic: &Traffic, sites: &[u32]) -> (u64, u128) {
        let links = |(one, other, _)| -> u64 {
            self.between(sites[one as usize] as usize, sites[other as usize] as usize)
        };
        let pairs = traffic.pairs().map(links);
        pairs.fold((0, 0), |(largest, sum), links| (largest.max(links), sum + u128::from(links)))
    }
}
