//! Pairs of shapes that no theorem covers, and names that do not fit.

use cubefold_topology::{Machine, MachineKind};

use crate::{Construction, ConstructionKind, UnmetCondition};

fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
    Machine::new(kind, lengths).unwrap()
}

fn unmet(guest: &[u64], host: &[u64]) -> Vec<UnmetCondition> {
    let torus = |lengths| machine(MachineKind::Torus, lengths);
    Construction::choose(&torus(guest), &torus(host)).unwrap_err().unmet
}

#[test]
fn an_uncovered_pair_of_equal_dimension_fails_every_condition() {
    let found = unmet(&[4, 6], &[3, 8]);
    for condition in [
        UnmetCondition::SameLengths,
        UnmetCondition::ExpansionDimensions { guest: 2, host: 2 },
        UnmetCondition::SimpleReductionDimensions { guest: 2, host: 2 },
        UnmetCondition::GeneralReductionDimensions { guest: 2, host: 2 },
        UnmetCondition::SquareLoweringDimensions { guest: 2, host: 2 },
        UnmetCondition::SquareRisingDimensions { guest: 2, host: 2 },
    ] {
        assert!(found.contains(&condition), "{condition} among {found:?}");
    }
}

#[test]
fn an_uncovered_pair_of_other_dimension_lacks_factors() {
    let rising = unmet(&[6, 6], &[4, 3, 3]);
    assert!(rising.contains(&UnmetCondition::ExpansionFactor), "{rising:?}");
    assert!(rising.contains(&UnmetCondition::Square), "{rising:?}");
    let lowering = unmet(&[4, 9, 5], &[6, 30]);
    assert!(lowering.contains(&UnmetCondition::SimpleReductionFactor), "{lowering:?}");
    assert!(lowering.contains(&UnmetCondition::GeneralReductionFactor), "{lowering:?}");
    assert!(lowering.contains(&UnmetCondition::Square), "{lowering:?}");
}

#[test]
fn sizes_must_fit() {
    assert_eq!(unmet(&[4, 4], &[4, 5]), [UnmetCondition::EqualSizes { processes: 16, nodes: 20 }]);
    assert_eq!(unmet(&[4, 5], &[4, 4]), [UnmetCondition::MultipleSizes { processes: 20, nodes: 16 }]);
}

#[test]
fn a_name_that_does_not_fit_says_why() {
    let torus = machine(MachineKind::Torus, &[9, 4]);
    let mesh = machine(MachineKind::Mesh, &[3, 3, 4]);
    let message = |kind, guest, host| Construction::named(kind, guest, host).unwrap_err().to_string();
    assert_eq!(
        message(ConstructionKind::ExpansionH, &torus, &mesh),
        "expansion-h does not map this guest on this host: expansion by H: in no factor is every list (2), \
         or of two lengths or more with an even one first"
    );
    assert_eq!(
        message(ConstructionKind::ExpansionF, &torus, &mesh),
        "expansion-f does not map this guest on this host: f: a guest dimension wraps, expected a line or mesh"
    );
}

#[test]
fn searches_on_the_largest_shapes_end() {
    let twos = machine(MachineKind::Hypercube, &[2; 32]);
    let fours = machine(MachineKind::Torus, &[4; 16]);
    let mixed = machine(MachineKind::Torus, &[2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 16, 2, 2]);
    let other = machine(MachineKind::Mesh, &[16, 16, 4, 4, 8, 8, 32, 2, 2, 2, 4, 4, 4]);
    let awkward = machine(MachineKind::Torus, &[2, 3, 2, 5, 7, 2, 3, 11, 13, 2, 3, 2, 2, 2]);
    let large = machine(MachineKind::Mesh, &[22, 26, 15, 21, 6, 4, 2, 2]);
    for (guest, host) in
        [(&twos, &fours), (&fours, &twos), (&mixed, &other), (&other, &mixed), (&awkward, &large)]
    {
        // Whether it is covered is beside the point: that an answer comes is the test.
        let _ = Construction::choose(guest, host);
        assert_eq!(guest.node_count(), host.node_count());
    }
}
