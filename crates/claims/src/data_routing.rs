//! Data routing by sorting and at random, against routing under embeddings (Tao 1988, 2.4), and the gain of twists in
//! toruses (Camarero, Martinez & Beivide 2013).

use cubefold_mapping::{ChannelCongestion, Construction, PatternMessage, Placement, all_to_all_pattern};
use cubefold_simulator::{
    MessageRoutes, PhaseLength, Routing, SimulationError, SortedOrder, worst_case_bound,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

use crate::{
    cases::{MachineLabel, hypercube, identity, links, mesh, message_set, most, route, route_by, shifts},
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order in which they are shown.
    pub(super) CLAIMS:

    "Tao 1988, figure 2.3":
        FIGURE = "nodes that the read of the figure leaves without the data they ask for";

    "Tao 1988, 2.4, rank":
        RANK = "records that the ranks of the example leave wrong";

    "Tao 1988, 2.4, concentrate":
        CONCENTRATE = "records that the example of a concentrate leaves elsewhere";

    "Tao 1988, 2.4, distribute":
        DISTRIBUTE = "records that the example of a distribute leaves elsewhere";

    "Tao 1988, 2.4, generalize":
        GENERALIZE = "records that the example of a generalize leaves elsewhere";

    "Tao 1988, 2.4, rank to generalize":
        PASS = "steps of one rank, concentrate, distribute or generalize on Q_d: O(d), here d";

    "Tao 2.4.1":
        READ_ON_CUBES = "steps of a random access read on Q_d: O(d^2), here d^2 + 6 d";
        WRITE_ON_CUBES =
            "steps of a random access write of one item a node on Q_d: O(d^2), here d (d + 1) / 2 + 3 d";
        READ_ON_MESHES =
            "steps of a read on q dimensions of n = 2^m: O(q^2 n), here 2 q^2 (2 n - m - 2) + (6 - q) q (n - 1)";
        WRITE_ON_MESHES =
            "steps of a write on q dimensions of n = 2^m: O(q^2 n), here at most half of the read's, and 3 q n";
        WRITE_ALL =
            "steps of a write of at most d items a node on Q_n: O(n^2 + d n), here n (n + 1) / 2 + n (1 + 3 d)";
        WRITTEN = "items that writes of several a node leave out, or hold in another order than by source";

    "Tao 2.4.2":
        WORST_CASE (erratum "T3") =
            "cycles that are enough for any permutation of an item a node on Q_n, 2n - 1, against a bound with 1/3 as a factor: no \
             less; with the sum as a divisor they are";
        SLOWEST =
            "steps of the slowest of four permutations on Q_d by dimension order: no less than d / (3 (log2 d + 1))";

    "Valiant 1982; Tao 2.4":
        VALIANT =
            "steps of 95 in 100 seeds of two phases by a random node on Q_d, d > 3, any of four permutations: under 6 d";

    "Borodin & Hopcroft 1985":
        SQUARE_ROOT =
            "messages over one channel by dimension order on Q_d, d even, under transpose and bit reversal: 2^(d/2 - 1)";
        SQUARE_ROOT_STEPS = "steps of these by dimension order: no less than 2^(d/2 - 1)";

    "Tao 2.4, last paragraph":
        NEIGHBOURS =
            "steps of the slowest shift of a guest under its embedding: fewer than of sorting on the host";
}

claims! {
    /// In the order in which they are shown.
    pub(super) TWIST_CLAIMS:

    "Camarero et al. 2013":
        BALANCED =
            "all-to-all on k x k x 2k and k x 2k x 2k, with and without the double twist: load of the busiest channel, balanced";
        BALANCED_ROUTES = "the same by the routes that are used: no less than balanced";
        DIAMETER = "diameter of these toruses";
        MEAN_DISTANCE = "mean distance of two nodes of these toruses, in units of 1/10000";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (cube, seeds, mesh) = scope.quick_or_full((8, 20, 64), (12, 100, 1024));
    let meshes = (1..=3_u32).flat_map(|q| (1..=6).map(move |m| (q, 1_u64 << m)));
    [
        vec![Box::new(figure) as Case, Box::new(operations)],
        for_each(1..=cube, pass_on_cube),
        for_each(1..=cube, access_on_cube),
        for_each((2..=10).chain([29, 30]), worst_case),
        for_each(meshes.filter(|&(q, side)| side.pow(q) <= mesh), access_on_mesh),
        for_each(4..=cube, move |dimensions, findings| at_random(dimensions, seeds, findings)),
        for_each((4..=cube).step_by(2), by_dimension_order),
        for_each(neighbour_pairs(), |(guest, host), findings| neighbours(&guest, &host, findings)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The order in which a grid whose sides are powers of two is sorted.
#[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
fn order(machine: &Machine) -> SortedOrder {
    SortedOrder::new(machine.grid().expect("a grid")).expect("sides that are powers of two")
}

fn figure(findings: &mut Findings) {
    let asked = [Some(2), Some(6), Some(2), None, Some(5), Some(6), None, Some(6)];
    let data: Vec<usize> = (10..18).collect();
    let order = order(&hypercube(3_u32));
    let read = order.read(&asked, &data);
    let right = |(found, asked): &(&Option<usize>, &Option<usize>)| **found == asked.map(|place| data[place]);
    let wrong = read.records.iter().zip(&asked).filter(|pair| !right(pair)).count();
    findings.add(FIGURE, Trial::equal(0, wrong as u64), &"8 nodes");
}

/// The examples of the four operations on 8 nodes, where records of letters carry a rank, a destination or a height.
fn operations(findings: &mut Findings) {
    fn wrong<T: PartialEq>(found: &[T], expected: &[T]) -> Trial {
        let pairs = found.iter().zip(expected);
        Trial::equal(0, pairs.filter(|(found, expected)| found != expected).count() as u64)
    }
    let order = order(&hypercube(3_u32));
    let entries = |letters: &str, numbers: &[usize]| -> Vec<Option<(usize, char)>> {
        let mut numbers = numbers.iter().copied();
        letters.chars().map(|letter| (letter != '-').then(|| Some((numbers.next()?, letter)))?).collect()
    };
    let letters = |letters: &str| -> Vec<Option<char>> {
        letters.chars().map(|letter| (letter != '-').then_some(letter)).collect()
    };
    let selected = [false, false, false, true, false, true, true, true];
    let ranks = [None, None, None, Some(0), None, Some(1), Some(2), Some(3)];
    findings.add(RANK, wrong(&order.rank(&selected).records, &ranks), &"8 nodes");
    let concentrated = order.concentrate(entries("A--B-C-D", &[0, 1, 2, 3])).records;
    findings.add(CONCENTRATE, wrong(&concentrated, &letters("ABCD----")), &"8 nodes");
    let distributed = order.distribute(entries("ABC-----", &[1, 5, 6])).records;
    findings.add(DISTRIBUTE, wrong(&distributed, &letters("-A---BC-")), &"8 nodes");
    let generalized = order.generalize(entries("ABC-----", &[1, 5, 6])).records;
    findings.add(GENERALIZE, wrong(&generalized, &letters("AABBBBC-")), &"8 nodes");
}

/// The steps of each operation on a cube.
fn pass_on_cube(dimensions: u32, findings: &mut Findings) {
    let case = format!("d = {dimensions}");
    let order = order(&hypercube(dimensions));
    let nodes = order.node_count();
    let first = || (0..nodes).map(|place| (place < nodes / 2).then_some((place, ()))).collect::<Vec<_>>();
    let steps = [
        order.rank(&vec![true; nodes]).steps,
        order.concentrate(first()).steps,
        order.distribute(first()).steps,
        order.generalize(first()).steps,
    ];
    for steps in steps {
        findings.add(PASS, Trial::equal(u64::from(dimensions), steps), &case);
    }
}

/// Requests of most nodes, each to the node at the square of its place, so that many request the same.
fn requests(nodes: usize) -> (Vec<Option<usize>>, Vec<usize>) {
    let asked = (0..nodes).map(|place| (place % 5 != 3).then_some(place * place % nodes)).collect();
    (asked, (0..nodes).collect())
}

fn access_on_cube(dimensions: u32, findings: &mut Findings) {
    let case = format!("d = {dimensions}");
    let order = order(&hypercube(dimensions));
    let (asked, data) = requests(order.node_count());
    let d = u64::from(dimensions);
    findings.add(READ_ON_CUBES, Trial::equal(d * d + 6 * d, order.read(&asked, &data).steps), &case);
    write_all(&order, &asked, &case, findings);
    let promised = d * (d + 1) / 2 + 3 * d;
    findings.add(WRITE_ON_CUBES, Trial::equal(promised, order.write(&asked, &data, &data).steps), &case);
}

/// A write of several items a node on a cube, whose places are its nodes.
fn write_all(order: &SortedOrder, named: &[Option<usize>], case: &str, findings: &mut Findings) {
    let sources: Vec<usize> = (0..named.len()).collect();
    let mut expected = vec![vec![]; named.len()];
    for (&source, named) in sources.iter().zip(named) {
        if let Some(node) = named {
            expected[*node].push(source);
        }
    }
    let most = expected.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let written = order.write_all(named, &sources, &sources);
    let n = u64::from(named.len().ilog2());
    let promised = n * (n + 1) / 2 + n * (1 + 3 * most);
    findings.add(WRITE_ALL, Trial::equal(promised, written.steps), &case);
    let wrong = written.records.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
    findings.add(WRITTEN, Trial::equal(0, wrong as u64), &case);
}

/// Theorem 2.4.2: both readings against a sufficient time for any permutation on a cube.
fn worst_case(dimensions: u32, findings: &mut Findings) {
    let case = format!("n = {dimensions}");
    // In thousandths of a cycle.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of a few digits"
    )]
    let thousandths = |bound: f64| Quantity::fraction((bound * 1000.0).round() as u64, 1000);
    let (n, enough) = (f64::from(dimensions), u64::from(2 * dimensions - 1));
    findings.add(WORST_CASE, Trial::at_least(thousandths(n / 3.0 * (n.log2() + 1.0)), enough), &case);
    if dimensions > 10 {
        // The formula itself, since a larger cube may have too many nodes for a machine.
        let bound = n / (3.0 * (n.log2() + 1.0));
        return findings.add_reading(WORST_CASE, Trial::at_least(thousandths(bound), enough), &case);
    }
    let cube = hypercube(dimensions);
    let bound = worst_case_bound(&cube, u128::from(cube.node_count()));
    findings.add_reading(WORST_CASE, Trial::at_least(thousandths(bound), enough), &case);
    let steps = |&(_, permutation): &(&str, LabelPermutation)| {
        let program = message_set(1 << dimensions, &messages(dimensions, permutation));
        let stages = route(&program, &identity(&cube), LinkMode::FullDuplex, PhaseLength::Unlimited)?;
        Ok(stages.iter().map(|stage| stage.steps).sum())
    };
    let steps = PERMUTATIONS.iter().map(steps).collect::<Result<Vec<u64>, SimulationError>>();
    let Some(steps) = findings.or_fail(SLOWEST, &case, steps) else { return };
    let slowest = steps.into_iter().max().unwrap_or(0);
    findings.add(SLOWEST, Trial::at_least(thousandths(bound), slowest), &case);
}

fn access_on_mesh((q, side): (u32, u64), findings: &mut Findings) {
    let case = format!("{side}^{q}");
    let order = order(&mesh(&vec![side; q as usize]));
    let (asked, data) = requests(order.node_count());
    let (q, m) = (u64::from(q), u64::from(side.trailing_zeros()));
    let promised = 2 * q * q * (2 * side - m - 2) + (6 - q) * q * (side - 1);
    findings.add(READ_ON_MESHES, Trial::equal(promised, order.read(&asked, &data).steps), &case);
    let write = order.write(&asked, &data, &data).steps;
    findings.add(WRITE_ON_MESHES, Trial::at_most(promised / 2 + 3 * q * side, write), &case);
}

/// The destination of a label of `bits` bits.
type LabelPermutation = fn(u32, u32) -> u32;

/// The permutations of labels of `bits` bits that cases take.
const PERMUTATIONS: [(&str, LabelPermutation); 4] = [
    ("transpose", |label, bits| (label << (bits / 2) | label >> (bits - bits / 2)) & ((1 << bits) - 1)),
    ("bit reversal", |label, bits| label.reverse_bits() >> (u32::BITS - bits)),
    ("shuffle", |label, bits| (label << 1 | label >> (bits - 1)) & ((1 << bits) - 1)),
    ("complement", |label, bits| !label & ((1 << bits) - 1)),
];

fn messages(bits: u32, permutation: LabelPermutation) -> Vec<(u32, u32)> {
    let all = (0..1_u32 << bits).map(|label| (label, permutation(label, bits)));
    all.filter(|(source, destination)| source != destination).collect()
}

fn at_random(dimensions: u32, seeds: u64, findings: &mut Findings) {
    for (name, permutation) in PERMUTATIONS {
        let case = format!("{name}, d = {dimensions}");
        let cube = hypercube(dimensions);
        let program = message_set(1 << dimensions, &messages(dimensions, permutation));
        let placement = identity(&cube);
        let steps = |seed| {
            let rules = links(LinkMode::FullDuplex).with_routes(MessageRoutes::Valiant { seed });
            let stages = route_by(&program, &placement, rules, &Routing::PLAIN)?;
            Ok(stages.iter().map(|stage| stage.steps).sum::<u64>())
        };
        let steps = (0..seeds).map(steps).collect::<Result<Vec<u64>, SimulationError>>();
        let Some(mut steps) = findings.or_fail(VALIANT, &case, steps) else { continue };
        steps.sort_unstable();
        let quantile = steps[steps.len() * 95 / 100 - 1];
        findings.add(VALIANT, Trial::at_most(6 * u64::from(dimensions), quantile), &case);
    }
}

fn by_dimension_order(dimensions: u32, findings: &mut Findings) {
    for (name, permutation) in &PERMUTATIONS[..2] {
        let case = format!("{name}, d = {dimensions}");
        let cube = hypercube(dimensions);
        let messages = messages(dimensions, *permutation);
        let pattern: Vec<PatternMessage> =
            messages.iter().map(|&(source, to)| (NodeId::new(source), NodeId::new(to), 1)).collect();
        let routed = ChannelCongestion::of(&cube, &pattern, TieRule::Direct).routed;
        let promised = 1_u64 << (dimensions / 2 - 1);
        findings.add(SQUARE_ROOT, Trial::equal(promised, routed), &case);
        let program = message_set(1 << dimensions, &messages);
        let stages = route(&program, &identity(&cube), LinkMode::FullDuplex, PhaseLength::Unlimited);
        let Some(stages) = findings.or_fail(SQUARE_ROOT_STEPS, &case, stages) else { continue };
        let steps: u64 = stages.iter().map(|stage| stage.steps).sum();
        findings.add(SQUARE_ROOT_STEPS, Trial::at_least(promised, steps), &case);
    }
}

/// Guests and hosts of a size, with sides that are powers of two.
fn neighbour_pairs() -> Vec<(Machine, Machine)> {
    let shapes: [&[u64]; 10] =
        [&[16], &[4, 4], &[2; 4], &[64], &[8, 8], &[4, 4, 4], &[16, 4], &[2; 6], &[256], &[16, 16]];
    let kinds = [MachineKind::Torus, MachineKind::Mesh];
    let machines: Vec<Machine> = shapes
        .iter()
        .flat_map(|shape| kinds.into_iter().filter_map(|kind| Machine::new(kind, shape).ok()))
        .collect();
    let fits = |(guest, host): &(Machine, Machine)| {
        guest.node_count() == host.node_count()
            && guest.shape() != host.shape()
            && host.shape().dimension_count() > 1
    };
    let pairs = machines.iter().flat_map(|guest| machines.iter().map(|host| (guest.clone(), host.clone())));
    pairs.filter(fits).collect()
}

fn neighbours(guest: &Machine, host: &Machine, findings: &mut Findings) {
    // Pairs covered by no theorem have no embedding to compare.
    let Ok(construction) = Construction::choose(guest, host) else { return };
    let case = format!("{} on {}", MachineLabel(guest), MachineLabel(host));
    let placement = Placement::Construction(Box::new(construction));
    let sorting = order(host).steps_of_sort();
    let stages = route(&shifts(guest), &placement, LinkMode::FullDuplex, PhaseLength::OfPlacement);
    let trial = stages.map(|stages| Trial::at_most(sorting - 1, most(&stages).steps));
    findings.try_add(NEIGHBOURS, trial, &case);
}

/// A torus with its twists, and its published values.
struct PublishedTorus {
    lengths: [u64; 3],
    twists: [[u64; 3]; 3],
    load: (u64, u64), // of the busiest channel, as a fraction
    diameter: u64,
    mean_distance: u64, // in units of 1/10000
}

const PLAIN: [[u64; 3]; 3] = [[0; 3]; 3];

/// The table of all-to-all: k x k x 2k and k x 2k x 2k for k = 4 and 8, each plain and with the double twist.
const PUBLISHED: [PublishedTorus; 8] = [
    published([4, 4, 8], PLAIN, (128, 1), 8, 40_315),
    published([4, 4, 8], [[0, 0, 4], [0, 0, 4], [0; 3]], (220, 3), 6, 34_646),
    published([4, 8, 8], PLAIN, (256, 1), 10, 50_196),
    published([4, 8, 8], [[0, 4, 4], [0; 3], [0; 3]], (184, 1), 6, 43_294),
    published([8, 8, 16], PLAIN, (2048, 1), 16, 80_078),
    published([8, 8, 16], [[0, 0, 8], [0, 0, 8], [0; 3]], (3568, 3), 12, 69_756),
    published([8, 16, 16], PLAIN, (4096, 1), 20, 100_049),
    published([8, 16, 16], [[0, 8, 8], [0; 3], [0; 3]], (2976, 1), 12, 87_230),
];

const fn published(
    lengths: [u64; 3],
    twists: [[u64; 3]; 3],
    load: (u64, u64),
    diameter: u64,
    mean_distance: u64,
) -> PublishedTorus {
    PublishedTorus { lengths, twists, load, diameter, mean_distance }
}

pub(super) fn twist_cases(scope: Scope) -> Vec<Case> {
    for_each(scope.quick_or_full(&PUBLISHED[..4], &PUBLISHED), twisted)
}

fn twisted(published: &PublishedTorus, findings: &mut Findings) {
    let case = format!("{:?}, twists {:?}", published.lengths, published.twists);
    let machine = Machine::twisted_torus(&published.lengths, &published.twists.map(Vec::from));
    let Some(machine) = findings.or_fail(BALANCED, &case, machine) else { return };
    let nodes: Vec<NodeId> = machine.nodes().collect();
    let congestion = ChannelCongestion::of(&machine, &all_to_all_pattern(&nodes), TieRule::Direct);
    let (numerator, denominator) = published.load;
    // The balanced load is known up to rounding: to a millionth of a message.
    let scale = 1_000_000 * denominator;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a positive number of a few digits"
    )]
    let measured = (congestion.balanced * scale as f64).round() as u64;
    let measured = Quantity::fraction(measured, scale);
    findings.add(BALANCED, Trial::equal(Quantity::fraction(numerator, denominator), measured), &case);
    findings.add(BALANCED_ROUTES, Trial::at_least(measured, congestion.routed), &case);
    let from_first: Vec<u64> = nodes.iter().map(|&node| machine.distance(NodeId::new(0), node)).collect();
    let diameter = from_first.iter().copied().max().unwrap_or(0);
    findings.add(DIAMETER, Trial::equal(published.diameter, diameter), &case);
    let (sum, others) = (from_first.iter().sum::<u64>(), nodes.len() as u64 - 1);
    let mean = (10_000 * sum + others / 2) / others;
    findings.add(MEAN_DISTANCE, Trial::equal(published.mean_distance, mean), &case);
}
