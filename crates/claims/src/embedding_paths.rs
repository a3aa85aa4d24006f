//! Messages between neighbours on the paths of constructions: psi of CS838 1999.

use std::error::Error;

use cubefold_mapping::{ClassicPlacement, ClassicPlacementError, GraphGuest, Placement, classic::FlipBit};
use cubefold_simulator::{
    Cycles, EngineChoice, MessageRoutes, NeighbourProgram, Outcome, Pattern, Request, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind};

use crate::{
    cases::{MachineLabel, hypercube, links, mesh},
    claim::{Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order in which they are shown.
    pub(super) CLAIMS:

    "CS838, basic definitions":
        CONGESTION = "paths over one link of trees and meshes of trees in cubes: 1";
        SCATTER = "cycles of a scatter on paths of congestion 1: the dilation";

    "CS838, divide and conquer on 2D meshes":
        ONE_WAY =
            "blocked cycles of trees on meshes by their paths, to all children or to all parents at once: none";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (depth, levels, order) = scope.quick_or_full((6, 2, 3), (9, 3, 5));
    let trees = (2..=depth).map(|depth| (MachineKind::BinaryTree, depth, depth + 1));
    let meshes = (1..=levels).map(|levels| (MachineKind::MeshOfTrees, levels, 2 * levels + 2));
    let mut cases = for_each(trees.chain(meshes), scatter);
    cases.extend(for_each(1..=order, one_way));
    cases
}

/// A guest on a host by its construction.
fn placed(guest: &Machine, host: &Machine) -> Result<ClassicPlacement, ClassicPlacementError> {
    ClassicPlacement::choose(guest, host, &|_| FlipBit::LeftStays)
}

/// Runs a pattern of a guest over the paths of its placement.
fn run(guest: &Machine, placement: &ClassicPlacement, pattern: Pattern) -> Result<Outcome, Box<dyn Error>> {
    let program = NeighbourProgram::new(GraphGuest::new(guest.clone()), pattern, Cycles::ZERO)?;
    let placement = Placement::Classic(Box::new(placement.clone()));
    let rules = links(LinkMode::FullDuplex).with_routes(MessageRoutes::OfEmbedding);
    let request = Request::asynchronous(EngineChoice::Auto);
    Ok(simulate(&program, &placement, rules, &request, &mut ())?)
}

fn scatter((kind, dimensions, cube): (MachineKind, u64, u64), findings: &mut Findings) {
    let case = format!("{} of {dimensions} levels in Q_{cube}", kind.name());
    let measured = || -> Result<[u64; 3], Box<dyn Error>> {
        let guest = Machine::of_dimensions(kind, dimensions)?;
        let placement = placed(&guest, &hypercube(cube))?;
        let paths = placement.paths()?;
        let outcome = run(&guest, &placement, Pattern::Scatter)?;
        Ok([busiest(paths.all()), paths.longest(), outcome.summary.makespan().get()])
    };
    let Some([congestion, dilation, cycles]) = findings.or_fail(SCATTER, &case, measured()) else { return };
    findings.add(CONGESTION, Trial::equal(1, congestion), &case);
    findings.add(SCATTER, Trial::equal(dilation, cycles), &case);
}

/// The most paths over one link.
fn busiest<'paths>(paths: impl Iterator<Item = &'paths [cubefold_topology::NodeId]>) -> u64 {
    let links =
        paths.flat_map(|path| path.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))));
    let mut links: Vec<_> = links.collect();
    links.sort_unstable();
    links.chunk_by(|one, other| one == other).map(|alike| alike.len() as u64).max().unwrap_or(0)
}

fn one_way(order: u32, findings: &mut Findings) {
    let host = mesh(&[1 << order; 2]);
    for pattern in [Pattern::ToChildren, Pattern::ToParents] {
        let blocked = || -> Result<u128, Box<dyn Error>> {
            let guest = Machine::of_dimensions(MachineKind::BinaryTree, u64::from(2 * order))?;
            Ok(run(&guest, &placed(&guest, &host)?, pattern)?.summary.totals().blocked)
        };
        let Some(blocked) = findings.or_fail(ONE_WAY, &MachineLabel(&host), blocked()) else { continue };
        let blocked = u64::try_from(blocked).unwrap_or(u64::MAX);
        findings.add(ONE_WAY, Trial::equal(0, blocked), &MachineLabel(&host));
    }
}
