//! The routes of a machine: those of messages on a graph, and those of packets from a table.

use std::sync::Arc;

use super::{Machine, MachineForm};
use crate::{Network, PacketRoutes, RouteChoice, TieRule};

impl Machine {
    /// The same machine with routes of packets over its routers from a table that was read for it.
    #[must_use]
    pub fn with_packet_routes(self, routes: Arc<PacketRoutes>) -> Self {
        Self { packet_routes: Some(routes), ..self }
    }

    /// The routes of packets over routers, if they are from a table.
    #[must_use]
    pub fn packet_routes(&self) -> Option<&Arc<PacketRoutes>> {
        self.packet_routes.as_ref()
    }

    /// The same machine with all messages on the shortest routes of a graph that `choice` selects; a grid is unchanged
    /// ([`Machine::as_network`]).
    #[must_use]
    pub fn with_route_choice(mut self, choice: RouteChoice) -> Self {
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.choice = choice;
            if graph.order.take().is_some() {
                graph.network = Arc::new(graph.network.without_formula());
            }
        }
        self
    }

    /// The tie rule of the dimension-order routes that messages take on a grid with failures if the whole route is up;
    /// `None` for other machines.
    #[must_use]
    pub fn order_tie(&self) -> Option<TieRule> {
        self.graph_form()?.order.as_ref().map(|order| order.tie())
    }

    /// The same machine with another tie rule for the routes in dimension order of a grid with failures; others are
    /// unchanged.
    #[must_use]
    pub fn with_tie(mut self, tie: TieRule) -> Self {
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.order = graph.order.as_ref().map(|order| order.with_tie(tie));
        }
        self
    }

    /// The same machine with the routes already found for a machine with the same links; a grid, or a machine with other
    /// links, is unchanged.
    #[must_use]
    pub fn with_known_routes(mut self, network: &Arc<Network>) -> Self {
        if let MachineForm::Graph(graph) = &mut self.form
            && graph.network == *network
            && graph.network.has_tables() == network.has_tables()
        {
            graph.network = Arc::clone(network);
        }
        self
    }

    /// Which of the shortest routes of a graph messages take; `None` for a grid.
    #[must_use]
    pub fn route_choice(&self) -> Option<RouteChoice> {
        self.graph_form().map(|graph| graph.choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkParameters;

    #[test]
    fn routes_are_taken_over_from_a_machine_of_the_same_links_only() {
        let [this, same, other] = [(4, 8), (4, 8), (5, 8)].map(|(leaves, hosts_per_switch)| {
            let tree = NetworkParameters::leaf_spine(leaves, hosts_per_switch, 2);
            Machine::of_parameters(&tree).unwrap()
        });
        for (known, is_taken_over) in [(&same, true), (&other, false)] {
            let network = known.graph().unwrap();
            let with_routes = this.clone().with_known_routes(network);
            assert_eq!(with_routes, this);
            assert_eq!(Arc::ptr_eq(with_routes.graph().unwrap(), network), is_taken_over);
        }
    }
}
