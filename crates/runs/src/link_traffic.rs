//! Loads of single links, for pictures.

use std::collections::BTreeMap;

use cubefold_records::{BusyLinks, LinkTraffic};
use cubefold_scenario::{CountedPaths, Run};
use cubefold_simulator::{CountLinkUse, simulate};
use cubefold_topology::{Channel, Direction, HostDimension, Link, NodeId};

use crate::{
    RunError,
    runner::{failed, request},
};

/// Lists the number of guest edges on each link that is used, by dimension and near end (`docs/model.md`
/// section 7).
///
/// An edge is routed once, from the end with the smaller label, or on the path of its embedding if the routing asks for
/// it. Memory is proportional to the number of used links: the caller must limit the size of the machine.
#[must_use]
pub fn link_congestion(run: &Run) -> Vec<LinkTraffic> {
    let machine = run.placement.machine();
    let mut counts = BTreeMap::new();
    let mut add = |channel: Channel| {
        let Link { near, dimension } = machine.link(channel);
        *counts.entry((dimension, near)).or_insert(0) += 1;
    };
    if let Some(CountedPaths::OfEmbedding(paths)) = run.counted_paths() {
        for pair in paths.all().flat_map(|path| path.windows(2)) {
            let leads_on = |direction: &Direction| machine.neighbour(pair[0], *direction) == Some(pair[1]);
            machine.directions().find(leads_on).into_iter().for_each(|direction| {
                add(Channel { node: pair[0], direction });
            });
        }
        return listed(counts);
    }
    for dimension in 0..run.program.guest().dimension_count() {
        for (from, to) in run.program.guest().edges(dimension) {
            let (from, to) = (run.placement.node(from), run.placement.node(to));
            for channel in machine.route(from, to, run.communication.tie()) {
                add(channel);
            }
        }
    }
    listed(counts)
}

/// The counts of links in their order.
fn listed(counts: BTreeMap<(HostDimension, NodeId), u64>) -> Vec<LinkTraffic> {
    let link = |((dimension, near), count)| LinkTraffic { link: Link { near, dimension }, count, ways: None };
    counts.into_iter().map(link).collect()
}

/// Lists the busy cycles of each link that is used, in the run at `place` of the results, both directions
/// together.
///
/// # Errors
///
/// If the simulation is refused or its outcome contradicts itself.
pub fn busy_links(run: &Run, place: usize) -> Result<BusyLinks, RunError> {
    let (placement, request) = (&run.placement, request(run, None).counting(CountLinkUse::Yes));
    let body = &*run.program.body;
    let outcome = simulate(body, placement, run.communication, &request, &mut ());
    let outcome = outcome.map_err(|error| failed(run, place, error))?;
    let makespan = outcome.summary.makespan().get();
    Ok(BusyLinks::of(&outcome).unwrap_or(BusyLinks { makespan, links: vec![] }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{finished, only_run};

    #[test]
    fn congestion_of_single_links_is_that_of_the_metrics() {
        for embedding in ["standard", "byweight", "gray"] {
            let scenario = format!(
                "[machine]\nkind = \"torus\"\nshape = [8, 4]\n[program]\nkind = \"cc-cube\"\n\
                 [mapping]\nembeddings = [\"{embedding}\"]\n"
            );
            let run = only_run(&scenario);
            let metrics = run.program.guest().measure(&run.placement, run.communication.tie());
            let links = link_congestion(&run);
            let counts = || links.iter().map(|traffic| traffic.count);
            assert_eq!(counts().max(), Some(metrics.link_congestion.max), "{embedding}");
            assert_eq!(counts().sum::<u64>(), metrics.link_congestion.sum, "{embedding}");
        }
    }

    #[test]
    fn links_are_busy_for_every_hop_of_every_message() {
        let scenario = "[machine]\nkind = \"torus\"\nshape = [8, 4]\nhop_cycles = 3\n[program]\n\
                        kind = \"cc-cube\"\n[mapping]\nembeddings = [\"byweight\"]\n";
        let run = only_run(scenario);
        let finished = finished(&run);
        let busy = busy_links(&run, 0).unwrap();
        let cycles: u64 = busy.links.iter().map(|traffic| traffic.count).sum();
        assert_eq!(cycles, 3 * finished.outcome.traffic.hops);
        assert_eq!(finished.busy_links(), Some(busy));
    }
}
