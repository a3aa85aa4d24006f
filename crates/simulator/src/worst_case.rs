//! The cycles that some permutation takes at least on any machine of a given degree (Gottlieb & Kruskal 1984; Tao 1988,
//! theorem 2.4.2).

use cubefold_topology::Machine;

/// Returns the cycles that some permutation of `items` items, spread evenly over the nodes of a machine, takes at
/// least, if an item crosses a link in a cycle: `(N / P) log2 P / (3 (log2 K + 1))` for `N` items, `P` nodes and a
/// degree of at most `K` (`docs/model.md` section 28.4).
///
/// ```
/// use cubefold_simulator::worst_case_bound;
/// use cubefold_topology::{Machine, MachineKind};
///
/// let torus = Machine::new(MachineKind::Torus, &[8, 8])?;
/// assert!((worst_case_bound(&torus, 100 * 64) - 200.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a bound of a few digits")]
pub fn worst_case_bound(machine: &Machine, items: u128) -> f64 {
    let (nodes, degree) = (machine.node_count() as f64, degree(machine) as f64);
    items as f64 / nodes * nodes.log2() / (3.0 * (degree.log2() + 1.0))
}

fn degree(machine: &Machine) -> u64 {
    match machine.graph() {
        Some(network) => network.max_degree() as u64,
        // Nodes inside a grid have the most: in a dimension longer than 2 two links, wrapping or not.
        None => machine.extents().map(|extent| if extent.length() > 2 { 2 } else { 1 }).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, NodeId, Wrap};
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Case {
        id: String,
        shape: Vec<u64>,
        wrap: Vec<bool>,
        items_per_node: u64,
        expect: Expected,
    }

    #[derive(Debug, Deserialize)]
    struct Expected {
        degree: u64,
        bound: f64,
    }

    #[test]
    fn golden_bounds() {
        let golden = include_str!("../../../tests/golden/papers_rest.json");
        let golden: serde_json::Value = serde_json::from_str(golden).unwrap();
        let mut checked = 0;
        for case in golden["cases"].as_array().unwrap().iter().filter(|case| case["item"] == "theorem-2.4.2")
        {
            let case: Case = serde_json::from_value(case.clone()).unwrap();
            let wraps: Vec<Wrap> =
                case.wrap.iter().map(|&around| if around { Wrap::Around } else { Wrap::Open }).collect();
            let machine = Machine::with_wraps(MachineKind::Mesh, &case.shape, &wraps).unwrap();
            assert_eq!(degree(&machine), case.expect.degree, "{}", case.id);
            let items = u128::from(machine.node_count() * case.items_per_node);
            let bound = worst_case_bound(&machine, items);
            assert!((bound - case.expect.bound).abs() < 1e-6, "{}: {bound}", case.id);
            checked += 1;
        }
        assert!(checked >= 3, "{checked} cases");
    }

    #[test]
    fn degrees_are_those_of_the_nodes() {
        let most = |machine: &Machine| {
            let degree = |node: NodeId| machine.neighbours(node).count() as u64;
            machine.nodes().map(degree).max().unwrap()
        };
        let machines = [
            Machine::new(MachineKind::Torus, &[8, 2, 3]).unwrap(),
            Machine::new(MachineKind::Mesh, &[4, 3]).unwrap(),
            Machine::new(MachineKind::Hypercube, &[2; 5]).unwrap(),
            Machine::of_dimensions(MachineKind::DeBruijn, 4).unwrap(),
        ];
        for machine in &machines {
            assert_eq!(degree(machine), most(machine));
        }
    }
}
