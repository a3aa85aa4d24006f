//! Pipelined exchanges, link sequences of Jacobi methods, and bounds and placements of dilation (`docs/model.md` section
//! 29): the published figures.

use cubefold_mapping::{
    DilationBound, EmbeddingKind, LinkSequence, SqueezeMethod, SqueezedMesh, coordinate_sum_order,
    mesh_in_cube, window_alphas,
};
use cubefold_simulator::{CubeProgram, Cycles, ExchangePorts, MessageSizes, PipelinedExchange, Pipelining};
use cubefold_topology::{HostDimension, LinkMode, MachineKind, NodeId, Shape};

use crate::{
    cases::{hypercube, links, machine, makespan, torus},
    claim::{Quantity, Trial, claims},
    cube::{cube, embed},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the model.
    pub(super) CLAIMS:

    "Díaz de Cerio et al. 1996":
        ALL_PORTS =
            "makespan in Q parts, all ports, between neighbours: S C + S Q sigma + (S + Q - 1) u L / Q";
        ONE_PORT = "makespan in Q parts, one port, between neighbours: S C + S Q sigma + S u L";
        GAIN = "communication without start-up, all ports, in L parts: u (L + d - 1), a gain of almost d";
        BEST_PARTS =
            "best number of parts on the 4-cube, L = C = 64, start-up 0, 1, 4, 16, 64: 64, 8, 4, 2, 1";

    "Gao & Thomas 1988, Royo et al. 1998":
        VISITS = "nodes that a link sequence of e dimensions visits, each once: 2^e";

    "Royo et al. 1998":
        LEAST_ALPHA =
            "alpha of a link sequence, the most frequent dimension: no less than ceil((2^e - 1) / e)";

    "Mantharam & Eberlein 1993":
        BR_ALPHA = "alpha of br: 2^(e-1)";

    "Royo et al. 1998":
        DEGREE_4_ALPHA = "alpha of degree-4: 2^(e-2) + 1";
        PERMUTED_ALPHA = "alpha of permuted-br, e = 4 .. 14: 5, 8, 14, 24, 44, 68, 132, 232, 456, 776, 1544";
        MINIMUM_ALPHA = "alpha of minimum-alpha, e <= 5: ceil((2^e - 1) / e)";
        DEGREE = "windows of four stages of degree-4 without four dimensions: 4";
        KERNEL_MEANS =
            "mean alpha of the kernel, e = 8, Q = 4 and 16, hundredths: br 200, 800, degree-4 102, 407, permuted-br 198, 767";

    "FitzGerald 1974":
        FITZGERALD =
            "dilation of k x k x k on a line by coordinate sums: floor((3k^2 + 2k) / 4), which is the bound";

    "Otachi & Suda 2011":
        LONG_MESH =
            "dilation on a line of a mesh whose longest side is at least the sum of the others less their number: the product of the others";

    "Li, Tao & Shen 1981":
        TORUS_ON_RING = "dilation of a torus a x b, a < b, on a line: no less than 2a, by the bound";

    "Chan 1991":
        CHAN = "dilation of a mesh of two sides in its smallest hypercube: no more than 2";

    "Ellis 1991":
        ELLIS = "dilation of a mesh squeezed into fewer rows, ratio up to 3/2 evenly: no more than 2";

    "After Huang, Liu & Verma":
        SNAKE = "dilation of a mesh of a rows squeezed into r in a snake: no more than ceil(a / r) + 1";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (cubes, sides, heights) = scope.quick_or_full((5, 20, 14), (8, 64, 40));
    let dimensions = |sequence: LinkSequence| 2..=sequence.most_dimensions().min(14);
    let sequences = LinkSequence::ALL.into_iter().flat_map(|one| dimensions(one).map(move |e| (one, e)));
    [
        for_each(2..=cubes, pipelines),
        vec![Box::new(best_parts), Box::new(kernel_means)],
        for_each(sequences, link_sequence),
        for_each(2..=9, on_line),
        for_each(2..=sides, move |first, findings| in_cubes(first, sides, findings)),
        for_each(3..=heights, squeezed),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The makespan of an exchange along each dimension in parts.
#[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
fn exchange(dimensions: u64, units: u64, compute: u64, pipelining: Pipelining) -> u64 {
    let host = hypercube(dimensions);
    let cube = cube(&host);
    let program =
        CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).expect("dimensions of the cube");
    let sizes = MessageSizes::same(units).expect("some units");
    let program = PipelinedExchange::new(&program, &sizes, &[Cycles::new(compute)], pipelining, None);
    let placement = embed(EmbeddingKind::Standard, &host);
    makespan(&program.expect("not too many parts"), &placement, links(LinkMode::FullDuplex))
}

fn parts(parts: u64, ports: ExchangePorts, startup: u64) -> Pipelining {
    Pipelining { parts: usize::try_from(parts).unwrap_or(1), ports, startup: Cycles::new(startup) }
}

fn pipelines(dimensions: u64, findings: &mut Findings) {
    let (units, stages) = (64, dimensions);
    for (count, startup, compute) in [(1, 3, 10), (2, 0, 64), (8, 5, 0), (32, 1, 32), (64, 0, 0)] {
        let case = format!("d = {dimensions}, Q = {count}, sigma = {startup}, C = {compute}");
        // C / Q is whole only if Q divides C.
        let compute = compute / count * count;
        let computing = stages * compute + stages * count * startup;
        let all = computing + (stages + count - 1) * (units / count);
        let one = computing + stages * units;
        for (claim, ports, promised) in
            [(ALL_PORTS, ExchangePorts::All, all), (ONE_PORT, ExchangePorts::One, one)]
        {
            let measured = exchange(dimensions, units, compute, parts(count, ports, startup));
            findings.add(claim, Trial::equal(promised, measured), &case);
        }
    }
    let measured = exchange(dimensions, units, 0, parts(units, ExchangePorts::All, 0));
    let case = format!("d = {dimensions}, L = {units}");
    findings.add(GAIN, Trial::equal(units + dimensions - 1, measured), &case);
}

fn best_parts(findings: &mut Findings) {
    for (startup, promised) in [(0, 64), (1, 8), (4, 4), (16, 2), (64, 1)] {
        let cycles = |&count: &u64| exchange(4, 64, 64, parts(count, ExchangePorts::All, startup));
        let tried = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32, 48, 64];
        let best = tried.into_iter().min_by_key(cycles).unwrap_or(0);
        findings.add(BEST_PARTS, Trial::equal(promised, best), &format!("sigma = {startup}"));
    }
}

fn link_sequence((sequence, dimensions): (LinkSequence, u8), findings: &mut Findings) {
    let case = format!("{sequence}, e = {dimensions}");
    let Some(path) = findings.or_fail(VISITS, &case, sequence.path(dimensions)) else { return };
    let visited = path.iter().scan(0_u32, |node, &link| {
        *node ^= 1 << link;
        Some(*node)
    });
    let mut nodes: Vec<u32> = std::iter::once(0).chain(visited).collect();
    nodes.sort_unstable();
    nodes.dedup();
    findings.add(VISITS, Trial::equal(1_u64 << dimensions, nodes.len() as u64), &case);
    let alpha = u64::from(window_alphas(&path, path.len()).max().unwrap_or(0));
    let least = ((1_u64 << dimensions) - 1).div_ceil(dimensions.into());
    findings.add(LEAST_ALPHA, Trial::at_least(least, alpha), &case);
    let published = [5, 8, 14, 24, 44, 68, 132, 232, 456, 776, 1544];
    let of_permuted = || usize::from(dimensions).checked_sub(4).and_then(|at| published.get(at).copied());
    let (claim, promised) = match sequence {
        LinkSequence::Br => (BR_ALPHA, Some(1 << (dimensions - 1))),
        LinkSequence::PermutedBr => (PERMUTED_ALPHA, of_permuted()),
        LinkSequence::Degree4 => (DEGREE_4_ALPHA, (dimensions >= 4).then(|| (1 << (dimensions - 2)) + 1)),
        LinkSequence::MinimumAlpha => (MINIMUM_ALPHA, Some(least)),
    };
    if let Some(promised) = promised {
        findings.add(claim, Trial::equal(promised, alpha), &case);
    }
    if sequence == LinkSequence::Degree4 && dimensions >= 4 {
        let has_four = |window: &&[u8]| {
            let mut links = window.to_vec();
            links.sort_unstable();
            links.dedup();
            links.len() < 4
        };
        findings.add(DEGREE, Trial::equal(4, path.windows(4).filter(has_four).count() as u64), &case);
    }
}

fn kernel_means(findings: &mut Findings) {
    let published = [
        (LinkSequence::Br, [200, 800]),
        (LinkSequence::Degree4, [102, 407]),
        (LinkSequence::PermutedBr, [198, 767]),
    ];
    for (sequence, means) in published {
        for (width, promised) in [4, 16].into_iter().zip(means) {
            let path = sequence.path(8).unwrap_or_default();
            let kernel: Vec<u64> = (window_alphas(&path, width).skip(width - 1))
                .take(path.len() + 1 - width)
                .map(u64::from)
                .collect();
            let mean = Quantity::fraction(kernel.iter().sum::<u64>() * 100, kernel.len() as u64);
            let rounded = (mean.value() + 0.5).floor();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a mean of at most 1600"
            )]
            let rounded = rounded as u64;
            findings.add(KERNEL_MEANS, Trial::equal(promised, rounded), &format!("{sequence}, Q = {width}"));
        }
    }
}

/// The dilation of a mesh on a line by the sums of coordinates.
fn dilation_on_line(shape: &Shape) -> u64 {
    let mut places = vec![0_u64; usize::try_from(shape.node_count()).unwrap_or(0)];
    for (place, node) in (0..).zip(coordinate_sum_order(shape)) {
        places[node.index() as usize] = place;
    }
    let apart = |(node, dimension): (usize, HostDimension)| {
        let id = NodeId::new(u32::try_from(node).ok()?);
        let is_last = u64::from(shape.coordinate(id, dimension)) + 1 == shape.length(dimension);
        let next = node + usize::try_from(shape.stride(dimension)).ok()?;
        (!is_last).then(|| places[node].abs_diff(places[next]))
    };
    let edges = (0..places.len()).flat_map(|node| shape.dimensions().map(move |dimension| (node, dimension)));
    edges.filter_map(apart).max().unwrap_or(0)
}

fn on_line(side: u64, findings: &mut Findings) {
    let line = |count: u64| machine(MachineKind::Line, &[count]);
    let meshes = [
        (FITZGERALD, vec![side; 3], (3 * side * side + 2 * side) / 4),
        (LONG_MESH, vec![2 * side, side], side),
        (LONG_MESH, vec![2 * side, side, side + 1], side * (side + 1)),
    ];
    for (claim, lengths, promised) in meshes {
        let case = format!("{lengths:?}");
        let Ok(shape) = Shape::new(&lengths) else { continue };
        findings.add(claim, Trial::equal(promised, dilation_on_line(&shape)), &case);
        let guest = machine(MachineKind::Mesh, &lengths);
        let bound = DilationBound::new(&guest, &line(shape.node_count())).map_or(0, |bound| bound.links);
        findings.add(claim, Trial::equal(promised, bound), &format!("{case}, the bound"));
    }
    for longer in side + 1..side + 5 {
        let guest = torus(&[longer, side]);
        let Some(bound) = DilationBound::new(&guest, &line(longer * side)).filter(|_| side > 2) else {
            continue;
        };
        findings.add(TORUS_ON_RING, Trial::at_least(2 * side, bound.links), &format!("{side} x {longer}"));
    }
}

fn in_cubes(first: u64, most: u64, findings: &mut Findings) {
    for second in 2..=most {
        let case = format!("{first} x {second}");
        let nodes = mesh_in_cube([first, second]);
        let Some(nodes) = findings.or_fail(CHAN, &case, nodes) else { continue };
        let apart =
            |one: usize, other: usize| u64::from((nodes[one].index() ^ nodes[other].index()).count_ones());
        findings.add(CHAN, Trial::at_most(2_u64, longest_edge(first, nodes.len(), apart)), &case);
    }
}

/// The longest edge of a mesh whose first side is `height`.
fn longest_edge(height: u64, nodes: usize, apart: impl Fn(usize, usize) -> u64) -> u64 {
    let height = usize::try_from(height).unwrap_or(usize::MAX);
    let down = (1..nodes).filter(|at| at % height > 0).map(|at| apart(at - 1, at));
    let across = (height..nodes).map(|at| apart(at - height, at));
    down.chain(across).max().unwrap_or(0)
}

fn squeezed(height: u64, findings: &mut Findings) {
    const WIDTH: u64 = 16;
    for rows in 1..height {
        let case = format!("{height} x {WIDTH} on {rows} rows");
        let squeezed = SqueezedMesh::new(height, WIDTH, rows);
        let Some(squeezed) = findings.or_fail(SNAKE, &case, squeezed) else { continue };
        let places: Vec<(u32, u32)> = squeezed.places().collect();
        let apart = |one: usize, other: usize| {
            let (one, other) = (places[one], places[other]);
            u64::from(one.0.abs_diff(other.0) + one.1.abs_diff(other.1))
        };
        let longest = longest_edge(height, places.len(), apart);
        let (claim, most) = match squeezed.method() {
            SqueezeMethod::Balanced => (ELLIS, 2),
            SqueezeMethod::Snake => (SNAKE, height.div_ceil(rows) + 1),
        };
        findings.add(claim, Trial::at_most(most, longest), &case);
    }
}
