//! Messages between neighbours on the paths of constructions: psi of CS838 1999.

use cubefold_mapping::{ClassicPlacement, GraphGuest, Placement, classic::FlipBit};
use cubefold_simulator::{
    Cycles, EngineChoice, MessageRoutes, NeighbourProgram, Outcome, Pattern, Request, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind};

use crate::{
    cases::{MachineLabel, links, mesh},
    claim::{Trial, claims},
    findings::{Case, Findings, Scope},
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
    let (depth, levels, order) = match scope {
        Scope::Quick => (6, 2, 3),
        Scope::Full => (9, 3, 5),
    };
    let mut cases: Vec<Case> = vec![];
    for depth in 2..=depth {
        cases.push(Box::new(move |findings| scatter(MachineKind::BinaryTree, depth, depth + 1, findings)));
    }
    for levels in 1..=levels {
        cases.push(Box::new(move |findings| {
            scatter(MachineKind::MeshOfTrees, levels, 2 * levels + 2, findings);
        }));
    }
    for order in 1..=order {
        cases.push(Box::new(move |findings| one_way(order, findings)));
    }
    cases
}

/// A guest on a host by its construction.
fn placed(guest: &Machine, host: &Machine) -> Result<ClassicPlacement, String> {
    ClassicPlacement::choose(guest, host, &|_| FlipBit::LeftStays).map_err(|error| error.to_string())
}

/// Runs a pattern of a guest over the paths of its placement.
fn run(guest: &Machine, placement: &ClassicPlacement, pattern: Pattern) -> Result<Outcome, String> {
    let program = NeighbourProgram::new(GraphGuest::new(guest.clone()), pattern, Cycles::ZERO)
        .map_err(|error| error.to_string())?;
    let placement = Placement::Classic(Box::new(placement.clone()));
    let rules = links(LinkMode::FullDuplex).with_routes(MessageRoutes::OfEmbedding);
    let request = Request::asynchronous(EngineChoice::Auto);
    simulate(&program, &placement, rules, &request, &mut ()).map_err(|error| error.to_string())
}

fn scatter(kind: MachineKind, dimensions: u64, cube: u64, findings: &mut Findings) {
    let case = format!("{} of {dimensions} levels in Q_{cube}", kind.name());
    let measured = || -> Result<[u64; 3], String> {
        let guest = Machine::of_dimensions(kind, dimensions).map_err(|error| error.to_string())?;
        let lengths = vec![2; usize::try_from(cube).unwrap_or(0)];
        let host = Machine::new(MachineKind::Hypercube, &lengths).map_err(|error| error.to_string())?;
        let placement = placed(&guest, &host)?;
        let paths = placement.paths().map_err(|error| error.to_string())?;
        let outcome = run(&guest, &placement, Pattern::Scatter)?;
        Ok([busiest(paths.all()), paths.longest(), outcome.summary.makespan().get()])
    };
    match measured() {
        Ok([congestion, dilation, cycles]) => {
            findings.add(CONGESTION, Trial::equal(1, congestion), &case);
            findings.add(SCATTER, Trial::equal(dilation, cycles), &case);
        }
        Err(error) => findings.fail(SCATTER, &case, &error),
    }
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
        let blocked = || -> Result<u128, String> {
            let levels = u64::from(2 * order);
            let guest =
                Machine::of_dimensions(MachineKind::BinaryTree, levels).map_err(|error| error.to_string())?;
            Ok(run(&guest, &placed(&guest, &host)?, pattern)?.summary.totals().blocked)
        };
        match blocked() {
            Ok(blocked) => {
                let blocked = u64::try_from(blocked).unwrap_or(u64::MAX);
                findings.add(ONE_WAY, Trial::equal(0, blocked), &MachineLabel(&host));
            }
            Err(error) => findings.fail(ONE_WAY, &MachineLabel(&host), &error),
        }
    }
}
