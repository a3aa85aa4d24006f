//! Figures 3.3, 3.4, 3.9 and 3.11 of Tao 1988, corrected (errata A10).

use cubefold_topology::{Extent, Machine, MachineKind};
use serde_json::Value;

use super::super::expansion::Expansion;
use super::super::factor::Factor;
use super::super::length::Length;
use super::super::mixed_radix::write_digits;
use super::super::radix_base::RadixBase;
use super::super::sequence::Sequence;

fn figure(name: &str) -> Value {
    let text = include_str!("../../../../../tests/golden/tao_figures.json");
    let all: Value = serde_json::from_str(text).unwrap();
    let figures = all["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["figure"] == name).unwrap().clone()
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| u32::try_from(number.as_u64().unwrap()).unwrap()).collect()
}

fn lengths(value: &Value) -> Vec<u64> {
    numbers(value).into_iter().map(u64::from).collect()
}

fn element(sequence: Sequence, base: &[u64], position: u32) -> Vec<u32> {
    let mut element = vec![0; base.len()];
    sequence.write_element(&RadixBase::new(base), position, &mut element);
    element
}

fn radix(base: &[u64], number: u32) -> Vec<u32> {
    let mut digits = vec![0; base.len()];
    write_digits(&Length::all(base), number, &mut digits);
    digits
}

fn distance(kind: MachineKind, lengths: &[u64], a: &[u32], b: &[u32]) -> u64 {
    let machine = Machine::new(kind, lengths).unwrap();
    let along = |(extent, (a, b)): (Extent, (&u32, &u32))| extent.distance(*a, *b);
    machine.extents().zip(a.iter().zip(b)).map(along).sum()
}

#[test]
fn figure_3_3_distances_between_successive_elements() {
    let figure = figure("3.3");
    let base = lengths(&figure["L"]);
    let rows = figure["rows"].as_array().unwrap();
    for (row, next) in rows.iter().zip(rows.iter().cycle().skip(1)) {
        let (here, there) = (numbers(&row["f"]), numbers(&next["f"]));
        assert_eq!(distance(MachineKind::Mesh, &base, &here, &there), row["delta_m"].as_u64().unwrap());
        assert_eq!(distance(MachineKind::Torus, &base, &here, &there), row["delta_t"].as_u64().unwrap());
    }
    assert_eq!(rows.len(), 9);
}

#[test]
fn figure_3_4_radix_numbers_and_their_reflection() {
    let figure = figure("3.4");
    let base = lengths(&figure["L"]);
    let rows = figure["rows"].as_array().unwrap();
    for (x, row) in (0..).zip(rows) {
        assert_eq!(radix(&base, x), numbers(&row["P"]));
        assert_eq!(element(Sequence::F, &base, x), numbers(&row["P_prime"]));
    }
    assert_eq!(rows.len(), 24);
}

#[test]
fn figure_3_9_the_three_sequences() {
    let figure = figure("3.9");
    let base = lengths(&figure["L"]);
    let rows = figure["rows"].as_array().unwrap();
    for (x, row) in (0..).zip(rows) {
        assert_eq!(radix(&base, x), numbers(&row["radix"]));
        assert_eq!(element(Sequence::F, &base, x), numbers(&row["f"]));
        assert_eq!(element(Sequence::G, &base, x), numbers(&row["g"]));
        assert_eq!(element(Sequence::H, &base, x), numbers(&row["h"]));
    }
    assert_eq!(rows.len(), 24);
}

#[test]
fn figure_3_11_as_errata_a10_corrects_it() {
    let figure = figure("3.11");
    let lists: Vec<Vec<u64>> = figure["V"].as_array().unwrap().iter().map(lengths).collect();
    let rows = figure["rows"].as_array().unwrap();
    for row in rows {
        let from = numbers(&row["i"]);
        for (sequence, column) in [(Sequence::F, "F"), (Sequence::G, "G"), (Sequence::H, "H")] {
            let expansion = Expansion::new(sequence, Factor::new(&lists));
            let (mut image, mut origin) = ([0; 4], [0; 2]);
            expansion.write_image(&from, &mut image);
            assert_eq!(image.as_slice(), numbers(&row[column]));
            expansion.write_origin(&image, &mut origin);
            assert_eq!(origin.as_slice(), from);
        }
    }
    assert_eq!(rows.len(), 24);
}
