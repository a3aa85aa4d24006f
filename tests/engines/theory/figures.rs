//! The figures of González & Valero 1993, as data in `tests/golden` (`docs/model.md` section 8).

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::Machine;

use super::setting::{distances, embed, line, mesh, ring, torus};

/// The numbers of a golden file, row by row; its first line says what it is.
fn rows(file: &str) -> Vec<Vec<u64>> {
    let row = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    file.lines().skip(1).map(row).collect()
}

/// Checks that the node in row `p_2` and column `p_1` of `file` holds the process that is printed there,
/// both ways: by the embedding and by its inverse.
fn check_labels(kind: EmbeddingKind, machine: &Machine, file: &str) {
    let placement = embed(kind, machine);
    let labels = rows(file).concat();
    assert_eq!(labels.len() as u64, machine.node_count());
    for (node, label) in machine.nodes().zip(labels) {
        let process = placement.processes(node).next().unwrap();
        assert_eq!(u64::from(process.label()), label, "{kind} on node {node}");
        assert_eq!(placement.node(process), node, "{kind} of process {process}");
    }
}

/// Checks that row `n` of `file` holds the distances of process `n` in all dimensions.
fn check_distances(kind: EmbeddingKind, machine: &Machine, file: &str) {
    let found = distances(&embed(kind, machine));
    for (process, printed) in rows(file).into_iter().enumerate() {
        let own: Vec<u64> = found.iter().map(|dimension| dimension[process]).collect();
        assert_eq!(own, printed, "{kind}, process {process}");
    }
    assert_eq!(rows(file).len() as u64, machine.node_count());
}

#[test]
fn standard_on_a_line_or_ring_of_8_is_figure_2a() {
    let file = include_str!("../../golden/standard_line_or_ring_8.txt");
    check_labels(EmbeddingKind::Standard, &line(3), file);
    check_labels(EmbeddingKind::Standard, &ring(3), file);
}

#[test]
fn standard_on_a_4_by_4_mesh_or_torus_is_figure_2b() {
    let file = include_str!("../../golden/standard_mesh_or_torus_4x4.txt");
    check_labels(EmbeddingKind::Standard, &mesh(&[4, 4]), file);
    check_labels(EmbeddingKind::Standard, &torus(&[4, 4]), file);
}

#[test]
fn byweight_on_a_line_of_8_is_figure_3a() {
    check_labels(EmbeddingKind::Byweight, &line(3), include_str!("../../golden/byweight_line_8.txt"));
}

#[test]
fn distances_on_a_line_of_8_are_figure_4a() {
    let standard = include_str!("../../golden/standard_line_8_distances.txt");
    let byweight = include_str!("../../golden/byweight_line_8_distances.txt");
    check_distances(EmbeddingKind::Standard, &line(3), standard);
    check_distances(EmbeddingKind::Byweight, &line(3), byweight);
}

#[test]
fn xor_on_a_ring_of_16_is_figure_5() {
    check_labels(EmbeddingKind::Xor, &ring(4), include_str!("../../golden/xor_ring_16.txt"));
}

#[test]
fn xor_on_an_8_by_8_torus_is_figure_6() {
    check_labels(EmbeddingKind::Xor, &torus(&[8, 8]), include_str!("../../golden/xor_torus_8x8.txt"));
}
