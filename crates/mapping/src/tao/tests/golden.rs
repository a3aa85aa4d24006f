//! The checked cases of every construction, `tests/golden/tao_embeddings.json`, whose `conventions` explain its fields,
//! and figures 3.3, 3.4, 3.9 and 3.11 of Tao 1988, corrected (errata A10), `tests/golden/tao_figures.json`.
//! Measured steps and conflicts are for the crates that have time.

use std::collections::BTreeMap;

use cubefold_topology::{Extent, Length, LinkMode, Machine, MachineKind};
use serde::Deserialize;
use serde_json::Value;

use super::super::bijection::Expansion;
use super::super::factor::Factor;
use super::super::radix::{RadixBase, write_digits};
use super::super::sequence::Sequence;
use super::{check, describe, measured_dilation, processes};
use crate::{
    Construction, ConstructionKind, Exactness, PromisedSteps, RoutingSource, RoutingSpace,
    test_support::numbers as lengths,
};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    guest: Graph,
    host: Graph,
    construction: String,
    theorem: String,
    requested: Option<String>,
    parameters: BTreeMap<String, Value>,
    promised_dilation: u64,
    measured_dilation: u64,
    promised_is: String,
    load: Option<u64>,
    routing_vector: Option<Vec<u32>>,
    routing_vector_over: Option<String>,
    phase_limit: Option<BTreeMap<u32, Option<u64>>>,
    promised_steps_any_permutation_set: Option<BTreeMap<String, u64>>,
    promised_steps_by_subset: Option<BTreeMap<u32, BTreeMap<String, u64>>>,
    images: Option<Vec<Vec<u32>>>,
}

#[derive(Deserialize)]
struct Graph {
    kind: String,
    shape: Vec<u64>,
}

impl Graph {
    fn machine(&self) -> Machine {
        let kind = MachineKind::ALL.into_iter().find(|kind| kind.name() == self.kind).unwrap();
        Machine::new(kind, &self.shape).unwrap()
    }
}

/// Every case with the construction that it names or that is chosen for it.
fn cases() -> Vec<(Case, Construction)> {
    let text = include_str!("../../../../../tests/golden/tao_embeddings.json");
    let golden: Golden = serde_json::from_str(text).unwrap();
    assert_eq!(golden.cases.len(), 68);
    let with_construction = |case: Case| {
        let (guest, host) = (case.guest.machine(), case.host.machine());
        let kind = match case.requested.as_deref() {
            None => return (Construction::choose(&guest, &host).unwrap(), case),
            Some("general") => ConstructionKind::GeneralReduction,
            Some("expansionG") => ConstructionKind::ExpansionG,
            Some("square-meshproc") => ConstructionKind::SquareLoweringFolded,
            Some(other) => panic!("{other} is asked for"),
        };
        (Construction::named(kind, &guest, &host).unwrap(), case)
    };
    golden.cases.into_iter().map(with_construction).map(|(construction, case)| (case, construction)).collect()
}

/// The name in the data, the kind and the formula of each construction.
const NAMES: [(&str, ConstructionKind, &str); 30] = [
    ("f_L", ConstructionKind::BasicF, "f_L"),
    ("h_L", ConstructionKind::BasicH, "h_L"),
    ("pi o h_L*", ConstructionKind::BasicH, "pi o h_L*"),
    ("g_L", ConstructionKind::BasicG, "g_L"),
    ("pi", ConstructionKind::SameShape, "pi"),
    ("pi o T_L", ConstructionKind::SameShape, "pi o T_L"),
    ("pi o F_V", ConstructionKind::ExpansionF, "pi o F_V"),
    ("pi o H_V", ConstructionKind::ExpansionH, "pi o H_V"),
    ("pi o G_V", ConstructionKind::ExpansionG, "pi o G_V"),
    ("U_V o pi", ConstructionKind::SimpleReduction, "U_V o pi"),
    ("U_V o T o pi", ConstructionKind::SimpleReduction, "U_V o T o pi"),
    ("beta o F'_S o alpha", ConstructionKind::GeneralReduction, "beta o F'_S o alpha"),
    ("beta o H'_S o alpha", ConstructionKind::GeneralReduction, "beta o H'_S o alpha"),
    ("beta o G'_S o alpha", ConstructionKind::GeneralReduction, "beta o G'_S o alpha"),
    ("beta o H''_S o alpha", ConstructionKind::GeneralReduction, "beta o H''_S o alpha"),
    ("beta o G''_S o alpha", ConstructionKind::GeneralReduction, "beta o G''_S o alpha"),
    ("square down: mesh", ConstructionKind::SquareLowering, "F'_S^k"),
    ("square down: even torus into torus", ConstructionKind::SquareLowering, "H'_S^k"),
    ("square down: even torus into mesh", ConstructionKind::SquareLowering, "T_M o H'_S^k"),
    ("square down: odd torus into mesh", ConstructionKind::SquareLowering, "F'_S^k o T_L"),
    ("square down: odd torus into torus", ConstructionKind::SquareLowering, "G'_S^k"),
    (
        "square down: odd torus into torus, by the mesh procedure",
        ConstructionKind::SquareLoweringFolded,
        "F'_S^k o T_L",
    ),
    ("square up: mesh", ConstructionKind::SquareRising, "U_W o pi o F_V"),
    ("square up: even torus", ConstructionKind::SquareRising, "U_W o pi o H_V"),
    ("square up: odd torus into mesh", ConstructionKind::SquareRising, "U_W o pi o T o H_V"),
    ("f_L o mu o nu", ConstructionKind::RingFold, "f_L o mu o nu"),
    ("pi o F_V o mu o nubar", ConstructionKind::TorusFold, "pi o F_V o mu o nubar"),
    ("mu o xi", ConstructionKind::Projection, "mu o xi"),
    ("mu o nubar o xi", ConstructionKind::FoldedProjection, "mu o nubar o xi"),
    ("(E) o mu", ConstructionKind::Contraction, "(E) o mu"),
];

#[test]
fn the_construction_chosen_is_the_one_in_the_data() {
    let mut seen = vec![];
    for (case, construction) in cases() {
        let context = describe(&construction);
        let general = case.construction.ends_with(") o mu");
        let name = if general { "(E) o mu" } else { &case.construction };
        let (_, kind, formula) = NAMES.iter().find(|(golden, _, _)| *golden == name).unwrap();
        assert_eq!(construction.kind(), *kind, "{context}");
        seen.push(name.to_owned());
        if general {
            assert_eq!(construction.formula(), case.construction);
        } else {
            let steps = construction.parameters().iter().find(|parameter| parameter.name == "steps");
            let exponent = steps.map_or("k", |parameter| parameter.value.as_str());
            assert_eq!(construction.formula(), formula.replace("^k", &format!("^{exponent}")), "{context}");
        }
        let theorem = match case.theorem.as_str() {
            "3.4.1(lemma)" => "lemma 3.4.1".to_owned(),
            "5.3" => "section 5.3".to_owned(),
            theorem => format!("theorem {}", theorem.trim_end_matches(" even")),
        };
        assert_eq!(construction.theorem(), theorem, "{context}");
    }
    assert!(NAMES.iter().all(|(name, _, _)| seen.iter().any(|seen| seen == name)));
}

#[test]
fn the_free_choices_are_those_in_the_data() {
    for (mut case, construction) in cases() {
        if let Some(Value::Object(inner)) = case.parameters.remove("inner") {
            case.parameters.extend(inner);
        }
        for parameter in construction.parameters() {
            let Some(expected) = case.parameters.get(parameter.name) else {
                // The data write the f_L of a contraction as F_V with one list.
                assert_eq!((parameter.name, construction.kind()), ("L", ConstructionKind::RingFold));
                let wrapped = format!("[{}]", parameter.value);
                assert_eq!(wrapped.replace(' ', ""), case.parameters["V"].to_string());
                continue;
            };
            let expected = expected.to_string().replace('"', "");
            assert_eq!(parameter.value.replace(' ', ""), expected, "{}", describe(&construction));
        }
    }
}

#[test]
fn images_are_those_in_the_data() {
    let mut with_images = 0;
    for (case, construction) in cases() {
        let Some(images) = &case.images else { continue };
        with_images += 1;
        for (process, expected) in processes(construction.guest()).zip(images) {
            let node = construction.host().shape().coordinates(construction.node(process));
            assert_eq!(node.as_slice(), expected, "{}", describe(&construction));
        }
        assert_eq!(images.len() as u64, construction.guest().node_count());
    }
    assert_eq!(with_images, 52);
}

#[test]
fn dilations_promised_and_measured_are_those_in_the_data() {
    for (case, construction) in cases() {
        let context = describe(&construction);
        check(&construction);
        assert_eq!(measured_dilation(&construction), case.measured_dilation, "{context}");
        assert_eq!(construction.dilation().links, case.promised_dilation, "{context}");
        let exactness = match case.promised_is.as_str() {
            "exact" => Exactness::Exact,
            _ => Exactness::AtMost,
        };
        assert_eq!(construction.dilation().exactness, exactness, "{context}");
        assert_eq!(construction.load(), case.load.unwrap_or(1), "{context}");
    }
}

#[test]
fn routing_vectors_phase_lengths_and_promised_steps_are_those_in_the_data() {
    for (case, construction) in cases() {
        let (context, routing) = (describe(&construction), construction.routing().unwrap());
        let Some(vector) = &case.routing_vector else {
            // The dissertation promises nothing for the chain of G'; errata C11 does.
            assert_eq!(routing.source(), RoutingSource::Errata, "{context}");
            assert_eq!(routing.steps().full_duplex, 5, "{context}");
            continue;
        };
        assert_eq!(routing.source(), RoutingSource::Dissertation, "{context}");
        assert_eq!(routing.vector(), vector, "{context}");
        let between = case.routing_vector_over.is_some();
        assert_eq!(routing.space() == RoutingSpace::FirstStage, between, "{context}");
        let limits: BTreeMap<u32, Option<u64>> =
            routing.subsets().iter().map(|subset| (subset.number, subset.phase_length)).collect();
        assert_eq!(Some(limits), case.phase_limit, "{context}");
        assert_eq!(Some(by_mode(routing.steps())), case.promised_steps_any_permutation_set, "{context}");
        let by_subset: BTreeMap<u32, BTreeMap<String, u64>> =
            routing.subsets().iter().map(|subset| (subset.number, by_mode(subset.steps))).collect();
        assert_eq!(Some(by_subset), case.promised_steps_by_subset, "{context}");
    }
}

fn by_mode(steps: PromisedSteps) -> BTreeMap<String, u64> {
    LinkMode::ALL.into_iter().map(|mode| (mode.name().to_owned(), steps.under(mode).unwrap())).collect()
}

fn figure(name: &str) -> Value {
    let text = include_str!("../../../../../tests/golden/tao_figures.json");
    let all: Value = serde_json::from_str(text).unwrap();
    let figures = all["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["figure"] == name).unwrap().clone()
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| u32::try_from(number.as_u64().unwrap()).unwrap()).collect()
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
fn figures_3_4_and_3_9_radix_numbers_and_the_sequences_over_them() {
    let reflection = [(Sequence::F, "P_prime")];
    let all = [(Sequence::F, "f"), (Sequence::G, "g"), (Sequence::H, "h")];
    for (name, radix_column, sequences) in [("3.4", "P", &reflection[..]), ("3.9", "radix", &all)] {
        let figure = figure(name);
        let base = lengths(&figure["L"]);
        let rows = figure["rows"].as_array().unwrap();
        for (x, row) in (0..).zip(rows) {
            assert_eq!(radix(&base, x), numbers(&row[radix_column]));
            for &(sequence, column) in sequences {
                assert_eq!(element(sequence, &base, x), numbers(&row[column]));
            }
        }
        assert_eq!(rows.len(), 24);
    }
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
