//! Pairs of hypercubic networks, and of those made of shuffles.

use cubefold_topology::{
    MachineKind::{Butterfly, CubeConnectedCycles, DeBruijn, ShuffleExchange, WrappedButterfly},
    NodeId,
};

use super::{Pair, Plan};
use crate::classic::{
    hypercubic_networks::{MAX_DIMENSIONS, MIN_DIMENSIONS, folded_places, merged_places, turned_places},
    shuffle_networks::{self, contracted_places, unshuffled_places},
};

/// The number of dimensions, when both have the same and it is in the range of the butterflies.
fn hypercubic([guest, host]: [u32; 2]) -> Option<u32> {
    let fits = guest == host && (MIN_DIMENSIONS..=MAX_DIMENSIONS).contains(&guest);
    fits.then_some(guest)
}

impl Pair<'_> {
    /// Every vertex on the node of its own number.
    fn as_numbered(self) -> Vec<NodeId> {
        self.host.nodes().collect()
    }

    pub(super) fn cycles_in_butterfly(self) -> Option<Plan> {
        let dimensions = hypercubic(self.dimensions(CubeConnectedCycles, WrappedButterfly)?)?;
        Some(Plan::exact(1, turned_places(dimensions)))
    }

    pub(super) fn butterfly_in_cycles(self) -> Option<Plan> {
        hypercubic(self.dimensions(WrappedButterfly, CubeConnectedCycles)?)?;
        Some(Plan::exact(2, self.as_numbered()))
    }

    pub(super) fn merged_levels(self) -> Option<Plan> {
        let dimensions = hypercubic(self.dimensions(Butterfly, WrappedButterfly)?)?;
        Some(Plan::exact(1, merged_places(dimensions)))
    }

    pub(super) fn folded_levels(self) -> Option<Plan> {
        let dimensions = hypercubic(self.dimensions(WrappedButterfly, Butterfly)?)?;
        Some(Plan::at_most(3, folded_places(dimensions)))
    }

    pub(super) fn unshuffled_words(self) -> Option<Plan> {
        let [guest, host] = self.dimensions(ShuffleExchange, DeBruijn)?;
        let fits = guest == host && host <= shuffle_networks::MAX_DIMENSIONS;
        fits.then(|| Plan::exact(1, unshuffled_places(host)))
    }

    pub(super) fn shuffle_then_exchange(self) -> Option<Plan> {
        let [guest, host] = self.dimensions(DeBruijn, ShuffleExchange)?;
        let fits = guest == host && (2..=shuffle_networks::MAX_DIMENSIONS).contains(&host);
        fits.then(|| Plan::exact(2, self.as_numbered()))
    }

    pub(super) fn contracted_exchanges(self) -> Option<Plan> {
        let [guest, host] = self.dimensions(ShuffleExchange, DeBruijn)?;
        let fits = guest == host + 1 && host <= shuffle_networks::MAX_DIMENSIONS;
        fits.then(|| Plan::exact(1, contracted_places(host)))
    }
}
