//! Tao 1988, 2.3: graphs of edge grammars, truncated to smaller ones (`docs/model.md` section 28.4).

use std::sync::Arc;

use cubefold_mapping::{Placement, truncation};
use cubefold_topology::{EDGE_GRAMMARS, EdgeGrammar, Machine};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{
    cases::{key, metrics},
    claim::{Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    pub(super) CLAIMS:

    "Tao 2.3, theorem 2.3.2":
        DILATION = "dilation of G(x) truncated to G(y), y < x, of the grammars with names: 1 at most";

    "Tao 2.3, figure 2.2":
        LOAD = "largest load of G(x) on G(y): 2^(x-y), 4^(x-y) of two dimensions, 2^(x-y+1) - 1 of the tree";

    "Tao 2.3, theorem 2.3.2":
        SUBGRAPH =
            "links of truncated G(n+1) that G(n) lacks, of random grammars that meet the conditions: 0";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (size, seeds) = scope.quick_or_full((5, 60), (7, 3000));
    let named = (0..EDGE_GRAMMARS.len()).flat_map(move |place| (2..=size).map(move |size| (place, size)));
    let mut cases = for_each(named, truncate_named);
    cases.extend(for_each(0..seeds, truncate_random));
    cases
}

/// Truncates the grammar at this place of the list from this size to all smaller ones.
fn truncate_named((place, size): (usize, u32), findings: &mut Findings) {
    let grammar = Arc::new(EDGE_GRAMMARS[place].grammar());
    for shorter in 1..size {
        let case = format!("{grammar}, {size} to {shorter}");
        let machines = [size, shorter].map(|size| Machine::of_grammar(&grammar, size));
        let [Ok(guest), Ok(host)] = &machines else {
            findings.fail(DILATION, &case, &"no graph");
            continue;
        };
        let Some(table) = findings.or_fail(DILATION, &case, truncation(guest, host)) else { continue };
        let metrics = metrics(guest, &Placement::Table(table));
        findings.add(DILATION, Trial::at_most(1, metrics.dilation.max()), &case);
        let cut = size - shorter;
        let load: u64 = match grammar.name() {
            "complete-binary-tree" => (2 << cut) - 1,
            "line" | "ring" | "hypercube" => 1 << cut,
            _ => 1 << (2 * cut),
        };
        findings.add(LOAD, Trial::equal(load, metrics.load.max), &case);
    }
}

fn truncate_random(seed: u32, findings: &mut Findings) {
    let task = format!("edge grammar {seed}");
    let mut generator = ChaCha12Rng::from_seed(key(&task));
    let text = random_productions(&mut generator);
    let Ok(grammar) = EdgeGrammar::parse("random", &text) else {
        findings.fail(SUBGRAPH, &task, &text);
        return;
    };
    let grammar = Arc::new(grammar);
    for size in 1..=4 {
        let [Ok((short, links)), Ok((long, long_links))] = [size, size + 1].map(|size| grammar.graph(size))
        else {
            continue;
        };
        let places: Vec<Option<u32>> = long.truncated(&short).collect();
        let is_missing = |&&(one, other): &&(u32, u32)| {
            let ends = places[one as usize].zip(places[other as usize]);
            let is_there = |(a, b): (u32, u32)| a == b || links.binary_search(&(a.min(b), a.max(b))).is_ok();
            !ends.is_some_and(is_there)
        };
        let missing = long_links.iter().filter(is_missing).count() as u64;
        findings.add(SUBGRAPH, Trial::equal(0, missing), &format!("{task}, {} to {size}", size + 1));
    }
}

/// Productions of up to four nonterminals and three symbols that meet the two conditions.
fn random_productions(generator: &mut ChaCha12Rng) -> String {
    let (nonterminals, symbols) = (generator.random_range(1..=4), generator.random_range(2..=3));
    let name = |number: u32| if number == 0 { "G".to_owned() } else { format!("A{number}") };
    let mut lines: Vec<String> = (1..nonterminals).map(|number| format!("G -> {}", name(number))).collect();
    for left in 0..nonterminals {
        for _ in 0..generator.random_range(1..=4) {
            let [one, other] = [0; 2].map(|_| generator.random_range(0..symbols));
            let right = if generator.random_range(0..3) == 0 {
                String::new()
            } else {
                name(generator.random_range(0..nonterminals))
            };
            lines.push(format!("{} -> {right} ({one},{other})", name(left)));
        }
    }
    lines.join("\n")
}
