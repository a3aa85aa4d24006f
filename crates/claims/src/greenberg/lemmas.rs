//! Lemmas of Greenberg 1987 on every case of a range, and printed statements that fail, with the
//! readings that hold.

use cubefold_mapping::{
    GreenbergMethod, GreenbergStage, MeshSides, ReflectionMethod, Slot, SlotTable, disjoint_paths,
    flexed_dimension, gray_code_word,
};
use cubefold_scenario::generator_key;
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;

use super::meshes::{MeshLabel, doubled_columns, most_side, slots};
use crate::{
    claim::{Claim, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

pub(super) const LEMMA_1: Claim = Claim::new(
    "Greenberg 1987, lemma 1",
    "links between nodes of the n-cube whose positions on the Gray code differ by 2^i, 0 < i < n: 2",
);

claims! {
    /// The lemmas after section 2, in the order of the report.
    pub(super) OTHERS:

    "Greenberg 1987, lemma 2.1":
        LEMMA_2_1 = "nodes pebbled other than once after 2^(n-i) rounds of 2^i pebbles";

    "Greenberg 1987, lemma 2.2":
        LEMMA_2_2 = "difference in the number of times that two neighbours have been pebbled: at most 1";

    "Greenberg 1987, lemma 2.3":
        LEMMA_2_3 =
            "largest difference for any two nodes of the n-cube: n (a bound, measured it is ceil(n/2))";

    "Greenberg 1987, lemma 3":
        LEMMA_3 = "nodes beside two nodes of a shortest path that are on no shortest path between its ends";

    "Greenberg 1987, lemma 4":
        LEMMA_4 =
            "sets of n - 1 homes in the n-cube of which some can claim no pair of neighbours of its own";

    "Greenberg 1987, lemma 5":
        LEMMA_5 = "disjoint paths from p <= n sources to p sinks of the n-cube: p (errata G12)";
}

claims! {
    /// The printed statements that fail.
    pub(super) PRINTED:

    "Greenberg 1987, footnote 1":
        FOOTNOTE (erratum "G4") =
            "meshes W <= L for which WL > under(W) over(L) does not tell whether the Gray code is minimal, both strict; over is not";

    "Greenberg 1987, 4.2, step 2":
        STEP_2 (erratum "G7") =
            "dilation before percolation with block c across G~(c-1) only: 3; across G~(1) to G~(c-1) it is";

    "Greenberg 1987, 4.2, step 3":
        STEP_3 (erratum "G8") =
            "slots with two nodes after packing, both nodes of a doublet at c + DB: none; side by side, none";

    "Greenberg 1987, 4.2, step 4":
        STEP_4 (erratum "G9") =
            "columns from the first with two nodes to the last, by the formula c1 - over(L): log W1 - 1; reflected they are";

    "Greenberg 1987, lemma 4, proof":
        /// Printed for home `i` of an order, counted from 0, with `x` adjacent homes.
        LEMMA_4_PROOF (erratum "G21") =
            "orders of n - 1 homes in the n-cube with fewer than 2 free neighbours for some, n - x - i: 0; n - i less the later homes \
             beside it holds";

    "Greenberg 1987, lemma 5":
        LEMMA_5_PRINTED (erratum "G12") =
            "disjoint paths from p <= n sources to p sinks of the n-cube: n; they are p";
}

/// A cube in words.
fn cube(dimensions: u32) -> String {
    format!("{dimensions}-cube")
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let random = scope.quick_or_full(100, 2000);
    [
        for_each(2..=10, check_code),
        for_each(1..=8, check_subcubes),
        for_each(1..=7, check_pebbling),
        for_each(2..=5, check_shortest_paths),
        for_each(2..=5, check_homes),
        for_each(2..=4, check_orders),
        for_each(1..=6, move |dimensions, findings| check_paths(dimensions, random, findings)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn check_code(dimensions: u32, findings: &mut Findings) {
    let nodes = 1_u32 << dimensions;
    for power in 1..dimensions {
        let links = (0..nodes).map(|position| {
            // Also across the end of the code.
            (gray_code_word(position) ^ gray_code_word((position + (1 << power)) % nodes)).count_ones()
        });
        let (least, most) = (links.clone().min().unwrap_or(0), links.max().unwrap_or(0));
        for measured in [least, most] {
            findings.add(LEMMA_1, Trial::equal(2, u64::from(measured)), &cube(dimensions));
        }
    }
}

/// The number of times each node has been pebbled, by round (definition 7).
struct Pebbling {
    dimensions: u32,
    pebbles: u32,
    crossed: u32, // the dimensions over which the pebbles were moved
    counts: Vec<u64>,
}

impl Pebbling {
    fn new(dimensions: u32, pebbles: u32) -> Self {
        Self { dimensions, pebbles, crossed: 0, counts: vec![0; 1 << dimensions] }
    }

    fn round(&mut self, number: u32) {
        for position in 0..self.pebbles {
            self.counts[(gray_code_word(position) ^ self.crossed) as usize] += 1;
        }
        self.crossed ^= 1 << flexed_dimension(number, self.dimensions);
    }

    fn greatest_difference(&self) -> u64 {
        self.counts.iter().max().unwrap_or(&0) - self.counts.iter().min().unwrap_or(&0)
    }

    fn greatest_difference_of_neighbours(&self) -> u64 {
        let nodes = self.counts.iter().enumerate();
        let differences = nodes.flat_map(|(node, &count)| {
            (0..self.dimensions).map(move |dimension| count.abs_diff(self.counts[node ^ (1 << dimension)]))
        });
        differences.max().unwrap_or(0)
    }
}

/// Every primary subcube.
fn check_subcubes(dimensions: u32, findings: &mut Findings) {
    for power in 0..=dimensions {
        let mut pebbling = Pebbling::new(dimensions, 1 << power);
        (1..=1 << (dimensions - power)).for_each(|number| pebbling.round(number));
        let wrong = pebbling.counts.iter().filter(|&&count| count != 1).count() as u64;
        findings.add(LEMMA_2_1, Trial::equal(0, wrong), &cube(dimensions));
    }
}

/// Every number of pebbles.
fn check_pebbling(dimensions: u32, findings: &mut Findings) {
    let mut most = 0;
    for pebbles in 1..=1 << dimensions {
        let mut pebbling = Pebbling::new(dimensions, pebbles);
        let mut beside = 0;
        // Twice through the flexed sequence.
        for number in 1..=2 << dimensions {
            pebbling.round(number);
            beside = beside.max(pebbling.greatest_difference_of_neighbours());
            most = most.max(pebbling.greatest_difference());
        }
        findings.add(LEMMA_2_2, Trial::at_most(1, beside), &format!("{pebbles} pebbles, {dimensions}-cube"));
    }
    findings.add(LEMMA_2_3, Trial::stated(u64::from(dimensions), most), &cube(dimensions));
}

/// Paths between 0 and every node, which suffices by symmetry.
fn check_shortest_paths(dimensions: u32, findings: &mut Findings) {
    let links = |one: u32, other: u32| (one ^ other).count_ones();
    let mut wrong = 0;
    for end in 0..1 << dimensions {
        for node in 0..1 << dimensions {
            let beside = || (0..dimensions).map(|dimension| node ^ (1 << dimension));
            let is_between =
                |one: u32, other: u32| links(0, one) + links(one, other) + links(other, end) == links(0, end);
            let has_two = beside().any(|one| beside().any(|other| one != other && is_between(one, other)));
            wrong += u64::from(has_two && links(0, node) + links(node, end) != links(0, end));
        }
    }
    findings.add(LEMMA_3, Trial::equal(0, wrong), &cube(dimensions));
}

fn check_homes(dimensions: u32, findings: &mut Findings) {
    let mut wrong = 0;
    for_each_set(1 << dimensions, dimensions as usize - 1, &mut vec![], &mut |homes| {
        wrong += u64::from(!claim_pairs(homes, dimensions, &mut vec![]));
    });
    findings.add(LEMMA_4, Trial::equal(0, wrong), &cube(dimensions));
}

/// Every order of homes: the count of free neighbours in the proof, and the correct one.
fn check_orders(dimensions: u32, findings: &mut Findings) {
    let size = dimensions as usize - 1;
    let (mut printed, mut read) = (0, 0);
    for_each_order(1 << dimensions, size, &mut vec![], &mut |homes| {
        let beside = |home: u32, others: &[u32]| {
            others.iter().filter(|&&other| (home ^ other).is_power_of_two()).count()
        };
        let falls_short = |others: &dyn Fn(usize) -> usize| {
            (0..size).any(|earlier| (dimensions as usize) < 2 + earlier + others(earlier))
        };
        printed += u64::from(falls_short(&|place| beside(homes[place], homes)));
        read += u64::from(falls_short(&|place| beside(homes[place], &homes[place + 1..])));
    });
    findings.add(LEMMA_4_PROOF, Trial::equal(0, printed), &cube(dimensions));
    findings.add_reading(LEMMA_4_PROOF, Trial::equal(0, read), &cube(dimensions));
}

/// Every order of `size` of the first `nodes` nodes; `order` is initially empty.
fn for_each_order(nodes: u32, size: usize, order: &mut Vec<u32>, check: &mut impl FnMut(&[u32])) {
    if order.len() == size {
        return check(order);
    }
    for node in 0..nodes {
        if !order.contains(&node) {
            order.push(node);
            for_each_order(nodes, size, order, check);
            order.pop();
        }
    }
}

/// Every set of `size` of the first `nodes` nodes, in ascending order; `set` is initially
/// empty.
fn for_each_set(nodes: u32, size: usize, set: &mut Vec<u32>, check: &mut impl FnMut(&[u32])) {
    if set.len() == size {
        return check(set);
    }
    for node in set.last().map_or(0, |last| last + 1)..nodes {
        set.push(node);
        for_each_set(nodes, size, set, check);
        set.pop();
    }
}

/// Whether every home after those that have claimed the nodes in `taken` can claim two neighbours that
/// no other has.
fn claim_pairs(homes: &[u32], dimensions: u32, taken: &mut Vec<u32>) -> bool {
    let Some(&home) = homes.get(taken.len() / 2) else { return true };
    let neighbours = (0..dimensions).map(|dimension| home ^ (1 << dimension));
    let free: Vec<u32> = neighbours.filter(|node| !taken.contains(node) && !homes.contains(node)).collect();
    for (at, &one) in free.iter().enumerate() {
        for &other in &free[at + 1..] {
            taken.extend([one, other]);
            if claim_pairs(homes, dimensions, taken) {
                return true;
            }
            taken.truncate(taken.len() - 2);
        }
    }
    false
}

/// All sources and sinks up to three dimensions, and `random` ones per number in higher dimensions.
fn check_paths(dimensions: u32, random: usize, findings: &mut Findings) {
    for count in 1..=dimensions as usize {
        for (sources, sinks) in ends(dimensions, count, random) {
            let case = format!("{sources:?} to {sinks:?} in the {dimensions}-cube");
            let paths = disjoint_paths(dimensions, &sources, &sinks);
            let Some(paths) = findings.or_fail(LEMMA_5, &case, paths) else { continue };
            let found = paths.len() as u64;
            findings.add(LEMMA_5, Trial::equal(count as u64, joined(&paths, &sinks)), &case);
            findings.add(LEMMA_5_PRINTED, Trial::equal(u64::from(dimensions), found), &case);
            findings.add_reading(LEMMA_5_PRINTED, Trial::equal(count as u64, found), &case);
        }
    }
}

/// The number of paths that go from node to neighbour, end at a sink, and meet no earlier path.
fn joined(paths: &[Vec<u32>], sinks: &[u32]) -> u64 {
    let mut met = vec![];
    let mut is_good = |path: &&Vec<u32>| {
        let steps = path.windows(2).all(|pair| (pair[0] ^ pair[1]).is_power_of_two());
        let ends = path.last().is_some_and(|last| sinks.contains(last));
        let apart = path.iter().all(|node| !met.contains(node));
        met.extend_from_slice(path);
        steps && ends && apart
    };
    paths.iter().filter(|path| is_good(path)).count() as u64
}

/// Sets of sources and sinks to try.
fn ends(dimensions: u32, count: usize, random: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let nodes = 1 << dimensions;
    if dimensions <= 3 {
        let mut sets = vec![];
        for_each_set(nodes, count, &mut vec![], &mut |set| sets.push(set.to_vec()));
        let with_all = |sources: &Vec<u32>| {
            let pair = |sinks: &Vec<u32>| (sources.clone(), sinks.clone());
            sets.iter().map(pair).collect::<Vec<_>>()
        };
        return sets.iter().flat_map(with_all).collect();
    }
    let task = format!("lemma 5; {count} of the {dimensions}-cube");
    let mut generator = ChaCha12Rng::from_seed(generator_key(0, &task));
    let mut draw = || {
        let mut all: Vec<u32> = (0..nodes).collect();
        all.shuffle(&mut generator);
        all.truncate(count);
        all
    };
    (0..random).map(|_| (draw(), draw())).collect()
}

pub(super) fn misprint_cases(scope: Scope) -> Vec<Case> {
    let most = most_side(scope);
    let mut cases: Vec<Case> = vec![Box::new(move |findings| check_footnote(most, findings))];
    cases.extend(for_each([(3, 5), (5, 11), (13, 19), (45, 45)], |(rows, columns), findings| {
        if let Ok(sides) = MeshSides::new(rows, columns) {
            check_steps(sides, findings);
        }
    }));
    cases
}

fn check_footnote(most: u64, findings: &mut Findings) {
    let (mut printed, mut read) = (0, 0);
    for rows in 2..=most {
        for columns in rows..=most {
            let Ok(sides) = MeshSides::new(rows, columns) else { continue };
            let is_minimal = sides.method() == GreenbergMethod::Gray;
            let under = rows.next_power_of_two() / 2;
            let over = columns.next_power_of_two();
            let strictly_over = (columns + 1).next_power_of_two();
            printed += u64::from((rows * columns > under * strictly_over) != is_minimal);
            read += u64::from((rows * columns > under * over) != is_minimal);
        }
    }
    let case = format!("sides 2 to {most}");
    findings.add(FOOTNOTE, Trial::equal(0, printed), &case);
    findings.add_reading(FOOTNOTE, Trial::equal(0, read), &case);
}

fn check_steps(sides: MeshSides, findings: &mut Findings) {
    let Some((method, read)) = slots(STEP_2, sides, GreenbergStage::Swap, findings) else { return };
    let Some((_, packed)) = slots(STEP_3, sides, GreenbergStage::Pack, findings) else { return };
    let (mesh, case) = (method.intermediate(), MeshLabel(sides));
    findings.add(STEP_2, Trial::at_most(3, across_one_only(method, &packed)), &case);
    findings.add_reading(STEP_2, Trial::at_most(3, longest(&read.spectrum(mesh))), &case);
    findings.add(STEP_3, Trial::equal(0, shared(in_one_place(method, &packed))), &case);
    findings.add_reading(STEP_3, Trial::equal(0, shared(packed.iter().map(|(_, _, slot)| slot))), &case);
    let allowed = u64::from(mesh.row_bits().saturating_sub(1));
    // As printed, columns past the last wrap around.
    let wrapped = packed.iter().map(|(_, _, slot)| Slot { column: slot.column % mesh.columns(), ..slot });
    findings.add(STEP_4, Trial::at_most(allowed, doubled_columns(mesh, wrapped)), &case);
    let reflected = read.iter().map(|(_, _, slot)| slot);
    findings.add_reading(STEP_4, Trial::at_most(allowed, doubled_columns(mesh, reflected)), &case);
}

/// The last index with a count.
fn longest(spectrum: &[u64]) -> u64 {
    spectrum.len().saturating_sub(1) as u64
}

/// Step 2 as printed: the most links between neighbours within a row, in the best outcome of steps 3
/// to 5. Already the rows of the slots may be two dimensions apart, and the columns of singlets
/// are given.
fn across_one_only(method: ReflectionMethod, packed: &SlotTable) -> u64 {
    let (mesh, sides) = (method.intermediate(), packed.sides());
    let mut doublets = vec![0_u32; mesh.rows() as usize]; // by code word
    let mut most = 0;
    let mut before: Vec<(u32, u32)> = vec![]; // code words of the singlets of the previous block
    for column in 0..sides.columns() {
        let crossed = if column == 0 { 0 } else { 1 << flexed_dimension(column, mesh.row_bits()) };
        let word = |row: u32| gray_code_word(row) ^ crossed;
        let place = |row: u32| (word(row), gray_code_word(column + doublets[word(row) as usize]));
        let singlets: Vec<(u32, u32)> = (0..method.singlet_rows()).map(place).collect();
        for (one, other) in singlets.iter().zip(&before) {
            most = most.max((one.0 ^ other.0).count_ones() + (one.1 ^ other.1).count_ones());
        }
        before = singlets;
        for row in method.singlet_rows()..mesh.rows() {
            doublets[word(row) as usize] += 1;
        }
    }
    most.into()
}

/// Step 3 as printed: the second node of a doublet in the place of the first.
fn in_one_place(method: ReflectionMethod, packed: &SlotTable) -> impl Iterator<Item = Slot> {
    packed.iter().map(move |(row, _, slot)| {
        let is_second = row.checked_sub(method.singlet_rows()).is_some_and(|below| below % 2 == 1);
        Slot { row: slot.row, column: slot.column - u32::from(is_second) }
    })
}

/// The number of slots with two nodes or more.
fn shared(slots: impl Iterator<Item = Slot>) -> u64 {
    let mut slots: Vec<Slot> = slots.collect();
    slots.sort_unstable();
    slots.chunk_by(|one, other| one == other).filter(|nodes| nodes.len() > 1).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_difference_of_lemma_2_3_is_half_the_dimensions() {
        for dimensions in 1..=7 {
            let mut findings = Findings::default();
            check_pebbling(dimensions, &mut findings);
            let measured = findings.checked("a part", LEMMA_2_3).worst;
            assert_eq!(measured, Some(u64::from(dimensions.div_ceil(2)).into()), "{dimensions} dimensions");
        }
    }
}
