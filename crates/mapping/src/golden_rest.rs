//! The cases of `tests/golden/papers_rest.json` about placements: `docs/model.md` sections 28.4, 28.6
//! and 28.7, as computed by an independent program.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_topology::{Machine, MachineKind, NamedGrammar, TieRule};
use serde_json::Value;

use crate::{
    EmbeddingKind, GraphBounds, GraphGuest, Hypercube, Placement, PlacementMetrics, PlacementTable,
    RoutedEmbedding,
    classic::{
        ClassicError, CubeAndRectangle, Foldings, cube_in_rectangle, double_rooted_tree, k_ary_tree,
        mesh_of_trees, rectangle_in_cube, squeeze, stretched_tree, tree_in_cube, tree_in_larger_cube,
        tree_in_tree, two_trees, z_order_in_tree,
    },
    test_support::{cases, numbers, wrapping},
    truncation,
};

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn spectrum(value: &Value) -> BTreeMap<u64, u64> {
    let entries = value.as_object().unwrap().iter();
    entries.map(|(links, edges)| (links.parse().unwrap(), edges.as_u64().unwrap())).collect()
}

/// The number of edges with paths of each length.
fn lengths(embedding: &RoutedEmbedding) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    for (_, path) in embedding.paths() {
        *found.entry(path.len() as u64 - 1).or_default() += 1;
    }
    found
}

#[test]
fn graphs_of_grammars_are_truncated() {
    for case in cases("edge-grammar") {
        let named = NamedGrammar::with_name(case["grammar"].as_str().unwrap()).unwrap();
        let grammar = Arc::new(named.grammar());
        let machine = |key: &str| Machine::of_grammar(&grammar, number(&case[key])).unwrap();
        let (guest, host) = (machine("guest_size"), machine("host_size"));
        let expected = &case["expect"];
        assert_eq!(numbers(&expected["vertices"]), [guest.node_count(), host.node_count()], "{case}");
        assert_eq!(numbers(&expected["edges"]), [guest.link_count(), host.link_count()], "{case}");
        let placement = Placement::Table(truncation(&guest, &host).unwrap());
        let metrics = PlacementMetrics::measure_by_edge(&GraphGuest::new(guest), &placement, TieRule::Direct);
        assert_eq!(metrics.load.max, expected["load"], "{case}");
        assert_eq!(metrics.load.min, expected["least_load"], "{case}");
        assert_eq!(metrics.dilation.max(), expected["dilation"], "{case}");
        let mut loads: BTreeMap<u64, u64> = BTreeMap::new();
        for node in host.nodes() {
            *loads.entry(placement.processes(node).count() as u64).or_default() += 1;
        }
        assert_eq!(loads, spectrum(&expected["loads"]), "{case}");
    }
}

#[test]
fn placements_have_their_lower_bounds() {
    let machine = |lengths: &Value, wraps: &Value| {
        let wraps: Vec<bool> = serde_json::from_value(wraps.clone()).unwrap();
        wrapping(&numbers(lengths), &wraps)
    };
    for case in cases("lower-bounds") {
        let guest = machine(&case["guest"], &case["guest_wrap"]);
        let host = machine(&case["host"], &case["host_wrap"]);
        let nodes = numbers(&case["nodes"]).into_iter().map(|node| host.node(node).unwrap()).collect();
        let placement = Placement::Table(PlacementTable::new(&host, nodes).unwrap());
        let metrics =
            PlacementMetrics::measure_by_edge(&GraphGuest::new(guest.clone()), &placement, TieRule::Direct);
        let bounds = GraphBounds::new(&guest, &host, &metrics);
        let (bound, measured) = (&case["expect"]["bound"], &case["expect"]["measured"]);
        assert_eq!(bounds.load, bound["load"], "{case}");
        assert_eq!(bounds.dilation, bound["dilation"].as_u64(), "{case}");
        assert_eq!(bounds.congestion, bound["congestion"], "{case}");
        assert_eq!(metrics.load.max, measured["load"], "{case}");
        assert_eq!(metrics.dilation.max(), measured["dilation"], "{case}");
        assert_eq!(metrics.link_congestion.max, measured["link_congestion"], "{case}");
    }
}

#[test]
fn trees_have_the_measures_of_their_constructions() {
    type Embed = fn(u32) -> Result<RoutedEmbedding, ClassicError>;
    let items: [(&str, Embed); 5] = [
        ("double-rooted-tree", tree_in_cube),
        ("wide-tree", tree_in_larger_cube),
        ("stretched-tree", stretched_tree),
        ("two-trees", two_trees),
        ("mesh-of-trees", mesh_of_trees),
    ];
    for (item, embed) in items {
        for case in cases(item) {
            check_tree(&case, &embed(number(&case["levels"])).unwrap());
        }
    }
    for case in cases("k-ary-tree") {
        let [arity, levels] = ["k", "levels"].map(|key| number(&case[key]));
        let embedding = k_ary_tree(arity, levels).unwrap();
        check_tree(&case, &embedding);
        let promised = u64::from(arity.next_power_of_two().ilog2()) + 1;
        assert_eq!(Some(promised), case["expect"]["promised_dilation"].as_u64());
    }
    // The tree with two roots spans the same hypercube.
    assert_eq!(double_rooted_tree(3).unwrap().host(), tree_in_cube(3).unwrap().host());
}

fn check_tree(case: &Value, embedding: &RoutedEmbedding) {
    let (expected, measures) = (&case["expect"], embedding.measures());
    assert_eq!(measures.host_nodes, 1 << number(&case["dimensions"]), "{case}");
    assert_eq!(measures.load, expected["load"], "{case}");
    assert_eq!(measures.dilation, expected["dilation"], "{case}");
    assert_eq!(lengths(embedding), spectrum(&expected["spectrum"]), "{case}");
    if let Some(congestion) = expected.get("link_congestion_of_paths") {
        assert_eq!(measures.link_congestion, congestion.as_u64().unwrap(), "{case}");
    }
}

#[test]
fn k_ary_trees_lie_in_binary_trees() {
    for case in cases("k-ary-tree-in-binary-tree") {
        let embedding = tree_in_tree(number(&case["k"]), number(&case["levels"])).unwrap();
        let nodes: Vec<u64> = embedding.nodes().iter().map(|node| node.index().into()).collect();
        assert_eq!(nodes, numbers(&case["expect"]["nodes"]), "{case}");
        let measures = embedding.measures();
        assert_eq!(measures.dilation, case["expect"]["dilation"], "{case}");
        assert_eq!(measures.load, case["expect"]["load"], "{case}");
    }
}

#[test]
fn meshes_lie_on_the_leaves_of_trees() {
    for case in cases("z-order-in-tree") {
        let order = case["side"].as_u64().unwrap().ilog2();
        let embedding = z_order_in_tree(number(&case["dimensions"]), order).unwrap();
        let total: u64 = lengths(&embedding).iter().map(|(links, edges)| links * edges).sum();
        assert_eq!(total, case["expect"]["total_dilation"], "{case}");
        assert_eq!(embedding.paths().count() as u64, case["expect"]["edges"], "{case}");
        assert_eq!(embedding.measures().dilation, case["expect"]["dilation"], "{case}");
    }
}

#[test]
fn cubes_lie_in_rectangles() {
    for case in cases("cube-in-rectangle") {
        let lengths_of_mesh: Vec<u64> =
            numbers(&case["mesh"]).into_iter().filter(|&number| number > 1).collect();
        let dimensions = numbers(&case["cube"]).len();
        let embedding = cube_in_rectangle(dimensions, &lengths_of_mesh).unwrap();
        let (expected, measures) = (&case["expect"], embedding.measures());
        assert_eq!(measures.dilation, expected["dilation"], "{case}");
        assert_eq!(measures.load, expected["load"], "{case}");
        assert_eq!(lengths(&embedding), spectrum(&expected["spectrum"]), "{case}");
        assert!(
            measures.load <= CubeAndRectangle::new(dimensions, &lengths_of_mesh).unwrap().load(),
            "{case}"
        );
    }
}

#[test]
fn rectangles_are_folded_into_cubes() {
    for case in cases("rectangle-in-cube") {
        let rectangle = numbers(&case["mesh"]);
        let (expected, foldings) = (&case["expect"], Foldings::new(&rectangle).unwrap());
        let measures = rectangle_in_cube(&rectangle).unwrap().measures();
        assert_eq!(measures.dilation, expected["dilation"], "{case}");
        assert_eq!(measures.load, expected["load"], "{case}");
        assert_eq!(foldings.load(), expected["load_promise"].as_u64(), "{case}");
        let steps = foldings.steps().iter();
        let steps =
            steps.map(|step| vec![step.long as u64 + 1, step.short as u64 + 1, step.length, step.width]);
        let found = steps.map(Value::from).collect::<Vec<_>>();
        assert_eq!(Value::from(found), expected["foldings"], "{case}");
    }
}

#[test]
fn meshes_are_squeezed() {
    for case in cases("squeeze") {
        let guest: [u64; 2] = numbers(&case["guest"]).try_into().unwrap();
        let embedding = squeeze(guest, case["rows"].as_u64().unwrap()).unwrap();
        let (expected, measures) = (&case["expect"], embedding.measures());
        assert_eq!(embedding.host().shape().lengths(), numbers(&expected["host"]), "{case}");
        assert!(measures.dilation <= expected["dilation"].as_u64().unwrap(), "{case}: {measures:?}");
        assert_eq!(measures.load, expected["load"], "{case}");
    }
}

#[test]
fn toruses_have_the_numbers_of_gonzalez_1995() {
    for case in cases("gonzalez-1995") {
        let machine = Machine::new(MachineKind::Torus, &numbers(&case["torus"])).unwrap();
        let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
        let kind = match case["embedding"].as_str().unwrap() {
            "standard" => EmbeddingKind::Standard,
            _ => EmbeddingKind::Xor,
        };
        let placement = Placement::embed(kind, cube, &machine).unwrap();
        let metrics = PlacementMetrics::measure(&cube, &placement, TieRule::Direct);
        let expected = &case["expect"];
        assert_eq!(metrics.dilation.spectrum, spectrum(&expected["spectrum"]), "{case}");
        let values = [
            ("longest", metrics.dilation.max()),
            ("total", metrics.dilation.total()),
            ("max_load", metrics.node_load.max),
            ("min_load", metrics.node_load.min),
        ];
        for (key, measured) in values {
            assert_eq!(measured, expected[key].as_u64().unwrap(), "{key} of {case}");
        }
        let [sum, count] = ["mean_load_num", "mean_load_den"].map(|key| expected[key].as_u64().unwrap());
        assert_eq!(metrics.node_load.sum * count, metrics.node_load.count * sum, "{case}");
    }
}
