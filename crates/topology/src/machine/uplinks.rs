//! Parallel links: between switches, and those of hosts.

use super::{Machine, MachineForm};

impl Machine {
    /// The same machine with parallel links between switches that its list of links does not count, given or assumed; a
    /// grid is unchanged.
    #[must_use]
    pub fn with_chosen_uplinks(mut self, are_assumed: bool) -> Self {
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.assumes_uplinks = Some(are_assumed);
        }
        self
    }

    /// Whether the parallel links between switches were assumed, on networks whose links were listed without their number;
    /// `None` for others.
    #[must_use]
    pub fn assumes_uplinks(&self) -> Option<bool> {
        self.graph_form()?.assumes_uplinks
    }

    /// The greatest number of parallel links between switches of adjacent levels, from the leaves up; empty for a grid, and
    /// without switches.
    #[must_use]
    pub fn uplinks(&self) -> Vec<u64> {
        let Some(network) = self.graph().filter(|network| network.host_count() < network.node_count()) else {
            return vec![];
        };
        let levels = network.levels();
        let mut most = vec![0; levels.count().saturating_sub(2) as usize];
        for node in self.nodes() {
            let Some(level) = levels.of(node).filter(|&level| level > 0) else { continue };
            let above = network.neighbours(node).iter().filter(|&&next| levels.of(next) == Some(level + 1));
            let (mut previous, mut count) = (None, 0);
            for next in above {
                count = if previous == Some(next) { count + 1 } else { 1 };
                previous = Some(next);
                if let Some(greatest) = most.get_mut(level as usize - 1) {
                    *greatest = count.max(*greatest);
                }
            }
        }
        most
    }

    /// Whether it is a cluster whose devices have several NICs, of which messages choose one.
    #[must_use]
    pub fn has_several_nics(&self) -> bool {
        self.graph().and_then(|network| network.cluster()).is_some_and(crate::Cluster::has_nics_to_choose)
    }
}
