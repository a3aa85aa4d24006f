//! The checked cases of the notes' embeddings: `tests/golden/cs838.json`, whose `note` explains
//! its fields.
//!
//! Every statement of the file is tested, here or, where it needs time, in the crate above.

use cubefold_topology::{Machine, MachineKind, Network, NodeId};
use serde_json::Value;

use super::*;
use crate::{Construction, ConstructionKind, ProcessId, test_support::numbers};

/// The statements of the file that are about programs, which this crate does not know.
const ABOUT_PROGRAMS: [&str; 1] = ["normal-algorithm"];

fn statements() -> Vec<Value> {
    let text = include_str!("../../../../tests/golden/cs838.json");
    let golden: Value = serde_json::from_str(text).unwrap();
    golden["statements"].as_array().unwrap().clone()
}

fn cases(id: &str) -> Vec<Value> {
    let statement = statements().into_iter().find(|statement| statement["id"] == id).unwrap();
    let cases = statement["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{id}");
    cases
}

fn number(case: &Value, key: &str) -> u32 {
    u32::try_from(case[key].as_u64().unwrap()).unwrap()
}

/// Measures named by the case are those of the embedding; bounds bind from above.
fn check(case: &Value, embedding: &RoutedEmbedding) {
    let measures = embedding.measures();
    let values = [
        ("guest_vertices", measures.vertices),
        ("host_nodes", measures.host_nodes),
        ("load", measures.load),
        ("least_load", measures.least_load),
        ("dilation", measures.dilation),
        ("link_congestion", measures.link_congestion),
        ("dilated_edges", measures.dilated_edges),
        ("routes_per_arc", measures.channel_congestion),
        ("nodes_with_load_0", embedding.nodes_with_load(0)),
        ("nodes_with_load_2", embedding.nodes_with_load(2)),
    ];
    for (key, measured) in values {
        if let Some(expected) = case.get(key) {
            assert_eq!(measured, expected.as_u64().unwrap(), "{key} of {case}");
        }
    }
    if let Some(expansion) = case.get("expansion") {
        let pair = [measures.host_nodes, measures.vertices].map(Value::from).to_vec();
        assert_eq!(*expansion, Value::from(pair), "{case}");
    }
    let bounds = [
        ("load_at_most", measures.load),
        ("dilation_at_most", measures.dilation),
        ("link_congestion_at_most", measures.link_congestion),
    ];
    for (key, measured) in bounds {
        for place in [Some(case), case.get("promised")].into_iter().flatten() {
            if let Some(bound) = place.get(key) {
                assert!(measured <= bound.as_u64().unwrap(), "{key} of {case}: {measured}");
            }
        }
    }
}

/// Checks every case of a statement, whose construction takes one number.
fn check_all(id: &str, key: &str, embed: fn(u32) -> Result<RoutedEmbedding, ClassicError>) {
    for case in cases(id) {
        check(&case, &embed(number(&case, key)).unwrap());
    }
}

#[test]
fn paths_and_cycles() {
    check_all("gray-cycle", "n", gray_cycle);
    for case in cases("gray-cycle") {
        check(&case, &gray_path(number(&case, "n")).unwrap());
    }
}

#[test]
fn trees_in_hypercubes() {
    check_all("cbt-q-n-plus-2", "n", tree_in_larger_cube);
    check_all("cbt-load-2", "n", tree_with_shared_nodes);
    check_all("cbt-dilation-2", "n", tree_in_cube);
    check_all("dnc-binomial", "n", binomial_tree);
    check_all("mesh-of-trees", "n", mesh_of_trees);
    check_all("cbt-in-mesh", "m", tree_on_mesh);
}

#[test]
fn a_tree_is_a_subgraph_of_the_next_cube_only_as_a_path_of_three_nodes() {
    for case in cases("cbt-not-subgraph") {
        let depth = number(&case, "n");
        // Levels alternate in colour, and a cube has 2^n nodes of each.
        let of_last_colour: u64 = (0..=depth).rev().step_by(2).map(|level| 1 << level).sum();
        let fits = of_last_colour <= 1 << depth;
        assert_eq!(case["subgraph"], fits, "{case}");
        // Where the colours allow it, the dilation is one.
        assert!(!fits || depth == 1, "{case}");
    }
}

#[test]
fn caterpillars() {
    for case in cases("caterpillar") {
        for caterpillar in balanced_caterpillars(1 << number(&case, "n")) {
            check(&case, &caterpillar_in_cube(&caterpillar).unwrap());
        }
    }
}

#[test]
fn growing_trees() {
    for case in cases("dynamic-tree") {
        let tree = GrowingTree::complete(number(&case, "depth"));
        let flip = |vertex: ProcessId| match vertex.label() * 7 % 5 {
            0 | 1 | 3 => FlipBit::LeftStays,
            _ => FlipBit::RightStays,
        };
        check(&case, &growing_tree(&tree, number(&case, "n"), flip).unwrap());
    }
}

#[test]
fn toruses_and_meshes() {
    for case in cases("torus-in-mesh") {
        check(&case, &torus_in_mesh(&numbers(&case["lengths"])).unwrap());
    }
    for case in cases("torus-in-cycle") {
        let lengths: [u64; 2] = numbers(&case["lengths"]).try_into().unwrap();
        check(&case, &torus_in_ring(lengths).unwrap());
        assert_eq!(case["promised"]["link_congestion_as_printed"], *lengths.iter().min().unwrap());
    }
    for case in cases("snake") {
        check(&case, &snake(&numbers(&case["host_lengths"])).unwrap());
    }
}

#[test]
fn squares_and_rectangles() {
    for case in cases("square-in-rectangle") {
        check(&case, &square_in_rectangle(numbers(&case["host_lengths"]).try_into().unwrap()).unwrap());
    }
    for case in cases("rectangle-in-square") {
        check(&case, &rectangle_in_square(numbers(&case["guest_lengths"]).try_into().unwrap()).unwrap());
    }
    for case in cases("mesh-2x9-3x6") {
        let guest = numbers(&case["guest_lengths"]);
        let example =
            ExampleMeshes::BOTH.into_iter().find(|example| example.guest_lengths()[..] == guest[..]);
        check(&case, &example_meshes(example.unwrap()).unwrap());
    }
}

#[test]
fn numberings() {
    for case in cases("numberings") {
        let order = number(&case, "i");
        let embeddings = [
            ("dilation_recursive_path", recursive_path(order)),
            ("dilation_recursive_cycle", recursive_cycle(order)),
            ("dilation_peano", z_order(order)),
        ];
        for (key, embedding) in embeddings {
            let embedding = embedding.unwrap();
            check(&case, &embedding);
            assert_eq!(embedding.measures().dilation, case[key].as_u64().unwrap(), "{key} of {case}");
        }
    }
}

#[test]
fn hamiltonian_cycles_of_meshes_and_toruses() {
    for case in cases("hamiltonian") {
        let lengths = numbers(&case["mesh"]);
        let expected = case["hamiltonian_cycle"].as_bool().unwrap();
        let mesh = Machine::new(MachineKind::Mesh, &lengths).unwrap();
        assert_eq!(Walk::round(&mesh), expected, "{lengths:?}");
        // Where there is one, h_L of Tao's goes along it; so it does in every torus of three nodes
        // or more.
        assert_eq!(circuit(&mesh), expected, "{lengths:?}");
        let torus = Machine::new(MachineKind::Torus, &lengths).unwrap();
        assert_eq!(circuit(&torus), lengths != [2], "{lengths:?}");
    }
}

/// Whether `h_L` lays a ring of three vertices or more round the whole machine with dilation 1.
fn circuit(machine: &Machine) -> bool {
    let ring = Machine::new(MachineKind::Ring, &[machine.node_count()]).unwrap();
    let Ok(construction) = Construction::named(ConstructionKind::BasicH, &ring, machine) else {
        return false;
    };
    let nodes = ProcessId::first(ring.node_count()).map(|process| construction.node(process)).collect();
    let edges = machines::guest_edges(&ring);
    let embedding = RoutedEmbedding::along_routes_of_the_host(machine.clone(), nodes, edges).unwrap();
    embedding.measures().dilation == 1 && ring.node_count() > 2
}

/// A walk over different nodes from node 0: the exhaustive search for a Hamiltonian cycle.
struct Walk<'machine> {
    machine: &'machine Machine,
    visited: Vec<bool>,
}

impl<'machine> Walk<'machine> {
    fn round(machine: &'machine Machine) -> bool {
        let mut visited = vec![false; usize::try_from(machine.node_count()).unwrap()];
        visited[0] = true;
        machine.node_count() > 2 && Self { machine, visited }.goes_on(NodeId::new(0), 1)
    }

    fn goes_on(&mut self, at: NodeId, length: u64) -> bool {
        let beside: Vec<NodeId> = self.machine.neighbours(at).collect();
        if length == self.machine.node_count() {
            return beside.contains(&NodeId::new(0));
        }
        beside.into_iter().any(|next| {
            let index = next.index() as usize;
            if self.visited[index] {
                return false;
            }
            self.visited[index] = true;
            let found = self.goes_on(next, length + 1);
            self.visited[index] = found;
            found
        })
    }
}

#[test]
fn hypercubic_networks() {
    check_all("ccc-in-wbf", "n", cycles_in_butterfly);
    check_all("wbf-in-ccc", "n", butterfly_in_cycles);
    check_all("obf-in-wbf", "n", merged_levels);
    check_all("wbf-in-obf", "n", folded_levels);
}

#[test]
fn shuffle_networks() {
    check_all("se-in-db", "n", unshuffled_words);
    check_all("db-in-se", "n", shuffle_then_exchange);
}

#[test]
fn a_cycle_in_any_network() {
    for case in cases("cycle-anywhere") {
        let links: Vec<(u32, u32)> = match case["network"].as_str().unwrap() {
            "star with 6 leaves" => (1..=6).map(|leaf| (0, leaf)).collect(),
            "path of 7 nodes, root at an end" => (1..=6).map(|node| (node - 1, node)).collect(),
            "complete binary tree of depth 3" => (1..=14).map(|node| ((node - 1) / 2, node)).collect(),
            other => panic!("{other}"),
        };
        let network = Network::from_edges(number(&case, "host_nodes"), &links).unwrap();
        check(&case, &tour_cycle(&Machine::network(MachineKind::Network, network).unwrap()).unwrap());
    }
}

#[test]
fn every_statement_is_tested() {
    let tested = [
        "gray-cycle",
        "cbt-not-subgraph",
        "cbt-q-n-plus-2",
        "cbt-load-2",
        "cbt-dilation-2",
        "dnc-binomial",
        "caterpillar",
        "dynamic-tree",
        "mesh-of-trees",
        "torus-in-mesh",
        "torus-in-cycle",
        "snake",
        "square-in-rectangle",
        "rectangle-in-square",
        "mesh-2x9-3x6",
        "numberings",
        "hamiltonian",
        "cycle-anywhere",
        "cbt-in-mesh",
        "wbf-in-obf",
        "ccc-in-wbf",
        "wbf-in-ccc",
        "obf-in-wbf",
        "se-in-db",
        "db-in-se",
    ];
    let listed: Vec<String> =
        statements().iter().map(|statement| statement["id"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<&str> = tested.into_iter().chain(ABOUT_PROGRAMS).collect();
    assert_eq!(listed, expected);
}
