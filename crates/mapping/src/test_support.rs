//! What the tests of several modules share: machines, and cases that an independent program has computed.

use cubefold_topology::{Machine, MachineKind, Wrap};
use serde_json::Value;

pub(crate) fn mesh(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Mesh, lengths).unwrap()
}

pub(crate) fn cube(dimensions: u32) -> Machine {
    Machine::new(MachineKind::Hypercube, &vec![2; dimensions as usize]).unwrap()
}

/// The grid of these lengths whose dimensions wrap where `wraps` says so.
pub(crate) fn wrapping(lengths: &[u64], wraps: &[bool]) -> Machine {
    let wrap = |&wraps: &bool| if wraps { Wrap::Around } else { Wrap::Open };
    let wraps: Vec<Wrap> = wraps.iter().map(wrap).collect();
    Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap()
}

/// The grid of these lengths whose dimension `i` wraps if bit `i` of `wraps` is 1.
pub(crate) fn wrapping_bits(lengths: &[u64], wraps: u32) -> Machine {
    let wraps: Vec<bool> = (0..lengths.len()).map(|at| wraps >> at & 1 == 1).collect();
    wrapping(lengths, &wraps)
}

/// All lists of lengths of at least 2 with this product.
pub(crate) fn shapes(product: u64) -> Vec<Vec<u64>> {
    let mut all = vec![];
    for first in (2..=product).filter(|&first| product.is_multiple_of(first)) {
        if first == product {
            all.push(vec![first]);
        }
        for mut longer in shapes(product / first) {
            longer.insert(0, first);
            all.push(longer);
        }
    }
    all
}

/// The cases of an item of `tests/golden/papers_rest.json`, at least one.
pub(crate) fn cases(item: &str) -> Vec<Value> {
    let mut golden: Value =
        serde_json::from_str(include_str!("../../../tests/golden/papers_rest.json")).unwrap();
    let mut cases: Vec<Value> = serde_json::from_value(golden["cases"].take()).unwrap();
    cases.retain(|case| case["item"] == item);
    assert!(!cases.is_empty(), "{item}");
    cases
}

/// The cases of a kind of `tests/golden/cubes.json`, at least one.
pub(crate) fn cases_of_cubes(kind: &str) -> Vec<Value> {
    let mut cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../tests/golden/cubes.json")).unwrap();
    cases.retain(|case| case["kind"] == kind);
    assert!(!cases.is_empty(), "{kind}");
    cases
}

pub(crate) fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}
