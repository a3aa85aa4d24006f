//! What every single link has to carry, for pictures.

use std::collections::BTreeMap;

use cubefold_simulator::{CountLinkUse, Cycles, LinkUse, Outcome};
use cubefold_topology::{Direction, Link, Machine, NodeId, Sign};

use crate::{
    runs::{
        FinishedRun, RunError,
        runner::{execution, failed},
    },
    scenario::Run,
};

/// A link and what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkTraffic {
    /// The link.
    pub link: Link,
    /// Guest edges, or cycles.
    pub count: u64,
    /// The busy cycles in each direction, from the near end and back; none of guest edges.
    pub ways: Option<[u64; 2]>,
}

impl LinkTraffic {
    /// The busy cycles of a link in a run.
    pub(crate) fn busy((link, ways): (Link, [Cycles; 2])) -> Self {
        let ways = ways.map(Cycles::get);
        Self { link, count: ways.iter().sum(), ways: Some(ways) }
    }

    /// The nodes at the ends of the link, the one from which `+` leads over it first.
    #[must_use]
    pub fn ends(&self, machine: &Machine) -> Option<[NodeId; 2]> {
        let Link { near, dimension } = self.link;
        let far = machine.neighbour(near, Direction { dimension, sign: Sign::Positive })?;
        Some([near, far])
    }
}

/// The links that are busy in a run, and how long the run takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyLinks {
    /// The makespan \[cycles\].
    pub makespan: u64,
    /// The links that are busy at all, by dimension and near end.
    pub links: Vec<LinkTraffic>,
}

impl BusyLinks {
    /// Those of an outcome for which they were counted.
    fn of(outcome: &Outcome) -> Option<Self> {
        let counted: &LinkUse = outcome.traffic.link_use.as_ref()?;
        let links = counted.busy_channels().map(LinkTraffic::busy).collect();
        Some(Self { makespan: outcome.summary.makespan().get(), links })
    }
}

impl FinishedRun {
    /// The links that were busy; none of a run so large that they were not counted.
    #[must_use]
    pub fn busy_links(&self) -> Option<BusyLinks> {
        BusyLinks::of(&self.outcome)
    }
}

/// How many guest edges use each link that is used at all, by dimension and near end (`docs/model.md` section 7).
///
/// An edge is routed once, from the end with the smaller label. It holds a number for every link that is used: the
/// caller sees to it that the machine is not too large.
#[must_use]
pub fn link_congestion(run: &Run) -> Vec<LinkTraffic> {
    let machine = run.placement.machine();
    let mut counts = BTreeMap::new();
    for dimension in 0..run.program.dimension_count() {
        for (from, to) in run.program.edges(dimension) {
            let (from, to) = (run.placement.node(from), run.placement.node(to));
            for channel in machine.route(from, to, run.communication.tie()) {
                let Link { near, dimension } = machine.link(channel);
                *counts.entry((dimension, near)).or_insert(0) += 1;
            }
        }
    }
    let link = |((dimension, near), count)| LinkTraffic { link: Link { near, dimension }, count, ways: None };
    counts.into_iter().map(link).collect()
}

/// How many cycles each link that is used at all is busy in the run at `place` of the results, both directions
/// together.
///
/// # Errors
///
/// When the simulation is refused or its outcome contradicts itself.
pub fn busy_links(run: &Run, place: usize) -> Result<BusyLinks, RunError> {
    let (placement, execution) = (&run.placement, execution(run, None));
    let outcome = run.program.simulate(placement, run.communication, &execution, CountLinkUse::Yes, None);
    let outcome = outcome.map_err(|error| failed(run, place, error))?;
    let makespan = outcome.summary.makespan().get();
    Ok(BusyLinks::of(&outcome).unwrap_or(BusyLinks { makespan, links: vec![] }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{
        runs::{KeepRecords, Progress, execute},
        scenario::load_text,
    };

    fn run(scenario: &str) -> Run {
        load_text(Path::new("a test"), scenario).unwrap().runs.remove(0)
    }

    #[test]
    fn congestion_of_single_links_is_that_of_the_metrics() {
        for embedding in ["standard", "byweight", "gray"] {
            let scenario = format!(
                "[machine]\nkind = \"torus\"\nshape = [8, 4]\n[program]\nkind = \"cc-cube\"\n\
                 [mapping]\nembeddings = [\"{embedding}\"]\n"
            );
            let run = run(&scenario);
            let metrics = run.program.measure(&run.placement, run.communication.tie());
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
        let run = run(scenario);
        let finished = execute(&run, 0, KeepRecords::No, &Progress::default()).unwrap();
        let busy = busy_links(&run, 0).unwrap();
        let cycles: u64 = busy.links.iter().map(|traffic| traffic.count).sum();
        assert_eq!(cycles, 3 * finished.outcome.traffic.hops);
        assert_eq!(finished.busy_links(), Some(busy));
    }
}
