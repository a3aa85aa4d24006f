//! The constructions of `docs/model.md` section 28.5: the Gray code in any hypercube, the longer side
//! compressed or folded, tiles of 3 x 3 x 3 nodes, and polymorphic arrays (6.3).

use cubefold_mapping::{
    GreenbergConstruction, GreenbergMethod, GreenbergPlacement, MeshSides, Placement, PlacementMetrics,
    ReflectionMethod,
};
use cubefold_topology::{Machine, MachineKind, Wrap};

use super::meshes::{MeshLabel, by_rows, most_side, reflected};
use crate::{
    cases::{MachineLabel, hypercube, mesh, metrics, torus},
    claim::{Claim, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    pub(super) CLAIMS:

    "Greenberg 1987, theorem 1":
        GRAY =
            "dilation by the Gray code along every side, in any cube that it fits: 1, 2 where a ring is odd";

    "Greenberg 1987, figure 6":
        LONGER = "dilation with the longer side compressed: at most 3, 5 where nodes percolate";

    "Greenberg 1987, 6.2":
        FOLDED =
            "dilation with the longer side, which wraps, folded (errata G18): at most 6, 8 where nodes percolate";
        TILES = "dilation of three sides 3 * 2^a in the smallest cube by tiles: 2";

    "Greenberg 1987, 6.3":
        ARRAY = "dilation of an array on a polymorphic one of F_n x L_n: at most 2";
        ARRAY_IN_CUBE =
            "dilation of an array on a polymorphic one in its smallest hypercube: at most twice that of the torus, which is 2 by \
             the Gray code, else 6 or 8 by the folded side";
        ARRAY_LOAD = "most elements on a node of an array of area M / sqrt 5 on a polymorphic one of M: 1";
        ARRAY_EVENNESS =
            "difference of the loads of two nodes of a polymorphic array, arrays of up to 150 x 150: at most 4";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases = by_rows(&reflected(scope), check_folded);
    cases.extend(by_rows(&transposed(scope), check_longer));
    cases.extend(for_each(2..=most_side(scope), check_gray));
    cases.extend(for_each(0..3, check_tiles));
    cases.extend(for_each([[3, 7], [5, 11], [13, 29], [21, 47]], check_array));
    cases
}

fn measured(placement: &GreenbergPlacement) -> PlacementMetrics {
    metrics(placement.guest(), &Placement::Greenberg(Box::new(placement.clone())))
}

fn place(
    claim: Claim,
    construction: GreenbergConstruction,
    (guest, host): (&Machine, &Machine),
    findings: &mut Findings,
) -> Option<GreenbergPlacement> {
    findings.or_fail(claim, &MachineLabel(guest), GreenbergPlacement::named(construction, guest, host))
}

/// Grids of two and three dimensions with a side, wrapped in every way, in the least cube and a larger
/// one.
fn check_gray(side: u64, findings: &mut Findings) {
    let shapes = [vec![side, 5], vec![side, side], vec![3, side, 6]];
    for (shape, code) in
        shapes.iter().flat_map(|shape| (0..1_u32 << shape.len()).map(move |code| (shape, code)))
    {
        let wraps: Vec<Wrap> =
            (0..shape.len()).map(|at| if code >> at & 1 == 1 { Wrap::Around } else { Wrap::Open }).collect();
        let Ok(guest) = Machine::with_wraps(MachineKind::Mesh, shape, &wraps) else { continue };
        let is_odd_ring =
            |(side, wrap): (&u64, &Wrap)| *wrap == Wrap::Around && *side > 2 && !side.is_multiple_of(2);
        let promised: u64 = if shape.iter().zip(&wraps).any(is_odd_ring) { 2 } else { 1 };
        let least: u32 = shape.iter().map(|length| length.next_power_of_two().trailing_zeros()).sum();
        for dimensions in [least, least + 1] {
            let host = hypercube(dimensions);
            if let Some(placed) = place(GRAY, GreenbergConstruction::Gray, (&guest, &host), findings) {
                let links = measured(&placed).dilation.max();
                findings.add(GRAY, Trial::equal(promised, links), &MachineLabel(&guest));
            }
        }
    }
}

/// The meshes `W < L` by reflection to which the method applies with the longer side compressed.
fn transposed(scope: Scope) -> Vec<MeshSides> {
    let applies = |sides: &MeshSides| {
        let swapped = MeshSides::new(sides.columns().into(), sides.rows().into());
        sides.rows() < sides.columns()
            && sides.method() == GreenbergMethod::Reflection
            && swapped.is_ok_and(|swapped| ReflectionMethod::new(swapped).is_ok())
    };
    reflected(scope).into_iter().filter(applies).collect()
}

fn check_longer(sides: MeshSides, findings: &mut Findings) {
    let guest = mesh(&[sides.rows().into(), sides.columns().into()]);
    let host = hypercube(sides.cube_dimensions());
    match GreenbergPlacement::named(GreenbergConstruction::LongerSide, &guest, &host) {
        Ok(placed) => check_reflected(LONGER, [3, 5], sides, &placed, findings),
        // Paths for percolation are not promised.
        Err(cubefold_mapping::GreenbergError::Percolation(_)) => {}
        Err(error) => findings.fail(LONGER, &MeshLabel(sides), &error),
    }
}

fn check_folded(sides: MeshSides, findings: &mut Findings) {
    let lengths = [sides.rows().into(), sides.columns().into()];
    let Ok(guest) = Machine::with_wraps(MachineKind::Torus, &lengths, &[Wrap::Around; 2]) else { return };
    let host = hypercube(sides.cube_dimensions());
    if let Some(placed) = place(FOLDED, GreenbergConstruction::Folded, (&guest, &host), findings) {
        check_reflected(FOLDED, [6, 8], sides, &placed, findings);
    }
}

/// At most the first number of links without percolation, and the second with it.
fn check_reflected(
    claim: Claim,
    [before, after]: [u64; 2],
    sides: MeshSides,
    placed: &GreenbergPlacement,
    findings: &mut Findings,
) {
    let numbers = placed.parts().iter().filter_map(|part| part.embedding().numbers());
    let percolates = numbers.map(|numbers| numbers.doubled_slots).sum::<u32>() > 0;
    let promised = if percolates { after } else { before };
    findings.add(claim, Trial::at_most(promised, measured(placed).dilation.max()), &MeshLabel(sides));
}

fn check_tiles(powers: u32, findings: &mut Findings) {
    for (second, third) in (0..3_u32).flat_map(|second| (0..3_u32).map(move |third| (second, third))) {
        let guest = mesh(&[3 << powers, 3 << second, 3 << third]);
        let host = hypercube(guest.node_count().next_power_of_two().trailing_zeros());
        if let Some(placed) = place(TILES, GreenbergConstruction::Tiles, (&guest, &host), findings) {
            let links = measured(&placed).dilation.max();
            findings.add(TILES, Trial::equal(2, links), &MachineLabel(&guest));
        }
    }
}

fn check_array(sides: [u64; 2], findings: &mut Findings) {
    let (host, nodes) = (torus(&sides), sides[0] * sides[1]);
    for rows in (2..=150).step_by(7) {
        // The most columns with area^2 <= M^2 / 5, and an array folded many times.
        let fits = |columns: &u64| 5 * (rows * columns).pow(2) <= nodes.pow(2);
        let most = (2..=nodes).take_while(fits).last();
        for (columns, is_alone) in most.map(|most| (most, true)).into_iter().chain([(152 - rows, false)]) {
            let guest = mesh(&[rows, columns]);
            let construction = GreenbergConstruction::Polymorphic;
            let Some(placed) = place(ARRAY, construction, (&guest, &host), findings) else { continue };
            let (metrics, case) = (measured(&placed), MachineLabel(&guest));
            findings.add(ARRAY, Trial::at_most(2, metrics.dilation.max()), &case);
            findings.add(ARRAY_EVENNESS, Trial::at_most(4, metrics.load.max - metrics.load.min), &case);
            if is_alone {
                findings.add(ARRAY_LOAD, Trial::equal(1, metrics.load.max), &case);
            }
            let host = hypercube(nodes.next_power_of_two().trailing_zeros());
            if let Some(placed) = place(ARRAY_IN_CUBE, construction, (&guest, &host), findings) {
                let (promised, links) = (placed.promised_dilation().links, measured(&placed).dilation.max());
                findings.add(ARRAY_IN_CUBE, Trial::at_most(promised, links), &case);
            }
        }
    }
}
