//! Networks with hosts whose routes go along with messages, where these have room for them.

use crate::{
    RouteChoice, RoutedMessage,
    network::Moving,
    routing::{Hop, RouteSteps},
};

/// How routes lead from link to link.
pub(crate) trait KeepsRoutes {
    /// Whether the links of a route, but for that of its source to a switch, go along with a message.
    fn keeps_routes(&self) -> bool;

    /// The next link from a node of a route that does.
    fn take_step(&self, at: u32, steps: &mut RouteSteps) -> Hop;

    /// The link to that neighbour of a node that is nearer to another node and is drawn by a hash of the node, the lowest for a
    /// hash of 0.
    fn next(&self, at: u32, to: u32, hash: impl Fn() -> u64) -> Hop;

    /// The code of the link back from a link of a switch.
    fn back(&self, at: u32, hop: Hop) -> u32;

    /// Moves messages over the next links of their routes.
    fn advance<const LINKS: bool>(&self, choice: RouteChoice, moving: Moving<'_, LINKS>) {
        if self.keeps_routes() {
            let next = |message: &mut RoutedMessage| message.cross(|at, steps| self.take_step(at, steps));
            moving.each_there_and_back(next, |at, hop| self.back(at, hop));
        } else {
            let next = |message: &mut RoutedMessage| {
                let (at, to) = message.ends();
                self.next(at, to, || message.hash(choice))
            };
            moving.each_there_and_back(next, |at, hop| self.back(at, hop));
        }
    }
}
