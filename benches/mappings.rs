//! How fast placements say where processes are, and how fast they are measured, with the answers asserted.
//!
//! Everything runs on one thread: the rows are those of the table in `docs/performance.md`.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cubefold_mapping::{
    Congestion, Construction, Dilation, DimensionDistances, EmbeddingKind, GreenbergEmbedding, Hypercube,
    Placement, PlacementMetrics, PlacementTable, ProcessId, ProductPlacement,
};
use cubefold_topology::{Machine, MachineKind, TieRule};

/// The sum of the indices of all images: the same for every bijection.
fn sum_of_images(placement: &Placement) -> u64 {
    ProcessId::first(placement.process_count())
        .map(|process| u64::from(placement.node(process).index()))
        .sum()
}

fn sum_of_all(processes: u64) -> u64 {
    processes * (processes - 1) / 2
}

/// Measures how long the images of 2^24 processes take under the constructions of Tao 1988.
fn constructions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mapping/2^24");
    group.sample_size(10);
    let cases: [(MachineKind, &[u64], MachineKind, &[u64]); 7] = [
        (MachineKind::Torus, &[4096, 4096], MachineKind::Hypercube, &[2; 24]),
        (MachineKind::Torus, &[16; 6], MachineKind::Torus, &[8; 8]),
        (MachineKind::Torus, &[4096, 4096], MachineKind::Mesh, &[16, 256, 4096]),
        (MachineKind::Torus, &[16; 6], MachineKind::Torus, &[4096, 4096]),
        (MachineKind::Torus, &[16; 6], MachineKind::Mesh, &[4096, 4096]),
        (MachineKind::Ring, &[1 << 24], MachineKind::Mesh, &[256, 256, 256]),
        (MachineKind::Torus, &[64; 4], MachineKind::Mesh, &[4096, 4096]),
    ];
    for (guest_kind, guest, host_kind, host) in cases {
        let guest = Machine::new(guest_kind, guest).expect("a guest");
        let host = Machine::new(host_kind, host).expect("a host");
        let construction = Construction::choose(&guest, &host).expect("a construction");
        let shape = |machine: &Machine| format!("{}{:?}", machine.kind(), machine.shape().lengths());
        let name = format!("{}/{}-to-{}", construction.kind(), shape(&guest), shape(&host));
        let placement = Placement::Construction(Box::new(construction));
        assert_eq!(sum_of_images(&placement), sum_of_all(guest.node_count()));
        group.throughput(Throughput::Elements(guest.node_count()));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(sum_of_images(&placement))));
    }
    group.finish();
}

/// Measures how long it takes to place meshes of about 2^20 nodes in their smallest hypercubes (Greenberg 1987): by the Gray
/// code, by reflection, and by reflection with nodes that percolate from many slots.
fn meshes_in_hypercubes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("greenberg/2^20");
    group.sample_size(10);
    for (lengths, dilations, percolates) in
        [([1024, 1024], 1..=1, false), ([521, 1531], 3..=3, false), ([615, 1705], 3..=5, true)]
    {
        let embedding = GreenbergEmbedding::new(lengths).expect("an embedding");
        let dilation = embedding.table().spectrum(embedding.intermediate()).len() - 1;
        assert!(dilations.contains(&dilation), "{lengths:?}: {dilation}");
        let doubled = embedding.numbers().map_or(0, |numbers| numbers.doubled_slots);
        assert_eq!(doubled > 0, percolates, "{lengths:?}");
        group.throughput(Throughput::Elements(lengths[0] * lengths[1]));
        let name = format!("{}/{}x{}", embedding.method(), lengths[0], lengths[1]);
        group.bench_function(name, |bencher| bencher.iter(|| black_box(GreenbergEmbedding::new(lengths))));
    }
    group.finish();
}

/// The d-cube on the square torus of `2^d` nodes.
fn on_square_torus(kind: EmbeddingKind, dimensions: u32) -> ProductPlacement {
    let side = 1 << (dimensions / 2);
    let torus = Machine::new(MachineKind::Torus, &[side, side]).expect("a torus");
    ProductPlacement::new(kind, Hypercube::new(dimensions.into()).expect("a cube"), &torus)
        .expect("2^d nodes")
}

/// The same with its nodes listed, so that nothing is known of its fields.
fn listed(product: &ProductPlacement) -> Placement {
    Placement::Table(PlacementTable::new(product.machine(), product.nodes()).expect("nodes of the machine"))
}

/// The sum over the fields of the distances that the xor embedding has: `3 * 2^(d-2) - 1` a ring of `2^d`, a
/// half of `2^24` edges each.
const XOR_TOTAL_DILATION: u64 = (1 << 23) * 2 * (3 * (1 << 10) - 1);

/// Measures how long it takes to list the nodes of 2^24 processes under the named embeddings.
fn embeddings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("list-of-nodes/2^24");
    group.sample_size(10);
    for kind in EmbeddingKind::ALL {
        let product = on_square_torus(kind, 24);
        let sum: u64 = product.nodes().iter().map(|node| u64::from(node.index())).sum();
        assert_eq!(sum, sum_of_all(1 << 24));
        group.throughput(Throughput::Elements(1 << 24));
        group.bench_function(kind.name(), |bencher| bencher.iter(|| black_box(product.nodes())));
    }
    group.finish();
}

/// Measures how long the nodes of neighbours take, asked for one by one for random processes and dimensions.
fn neighbours(criterion: &mut Criterion) {
    const ASKED: u64 = 1 << 16;
    let mut group = criterion.benchmark_group("physical-address-of-a-neighbour/d24");
    for kind in EmbeddingKind::ALL {
        let product = on_square_torus(kind, 24);
        let cube = product.cube();
        // Multiples of an odd number: every process as often, in no order that a cache could know.
        let asked: Vec<_> = (0..ASKED)
            .map(|question| {
                let process = question.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                let dimension = cube.dimension(question % 24).expect("a dimension");
                (ProcessId::new(u32::try_from(process).expect("24 bits")), dimension)
            })
            .collect();
        for &(process, dimension) in &asked {
            let neighbour = product.process(product.neighbour_node(process, dimension));
            assert_eq!(neighbour, cube.neighbour(process, dimension));
        }
        group.throughput(Throughput::Elements(ASKED));
        group.bench_function(kind.name(), |bencher| {
            bencher.iter(|| {
                asked.iter().fold(0, |bits, &(process, dimension)| {
                    bits ^ product.neighbour_node(process, dimension).index()
                })
            });
        });
    }
    group.finish();
}

/// Measures how long each metric of a listed placement of 2^24 processes takes, edge by edge.
fn metrics_by_edge(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("metrics/by-edge/d24");
    group.sample_size(10);
    for kind in [EmbeddingKind::Xor, EmbeddingKind::Byweight, EmbeddingKind::Gray] {
        let product = on_square_torus(kind, 24);
        let (cube, placement) = (product.cube(), listed(&product));
        let expected = PlacementMetrics::measure(&cube, &Placement::Product(product), TieRule::Direct);
        assert_eq!(PlacementMetrics::measure_by_edge(&cube, &placement, TieRule::Direct), expected);
        group.throughput(Throughput::Elements(expected.dilation.edges()));
        group.bench_function(format!("all-distances/{kind}"), |bencher| {
            bencher.iter(|| black_box(DimensionDistances::by_edge(&cube, &placement)));
        });
        group.bench_function(format!("spectrum/{kind}"), |bencher| {
            bencher.iter(|| black_box(Dilation::by_edge(&cube, &placement)));
        });
        group.bench_function(format!("link-congestion-and-node-load/{kind}"), |bencher| {
            bencher.iter(|| black_box(Congestion::by_edge(&cube, &placement, TieRule::Direct)));
        });
    }
    group.finish();
}

/// Measures how long all metrics of a product placement take, factored by field.
fn metrics_by_field(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("metrics/by-field");
    for dimensions in [24, 32] {
        for kind in [EmbeddingKind::Xor, EmbeddingKind::Byweight, EmbeddingKind::Gray] {
            let product = on_square_torus(kind, dimensions);
            let (cube, placement) = (product.cube(), Placement::Product(product));
            let metrics = PlacementMetrics::measure(&cube, &placement, TieRule::Direct);
            assert_eq!(metrics.dilation.edges(), u64::from(dimensions) << (dimensions - 1));
            if kind == EmbeddingKind::Xor && dimensions == 24 {
                assert_eq!(metrics.dilation.total(), XOR_TOTAL_DILATION);
            }
            group.bench_function(format!("d{dimensions}/{kind}"), |bencher| {
                bencher.iter(|| black_box(PlacementMetrics::measure(&cube, &placement, TieRule::Direct)));
            });
        }
    }
    group.finish();
}

/// All benchmarks, on this thread alone.
fn on_one_thread(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the only pool");
    for bench in
        [constructions, meshes_in_hypercubes, embeddings, neighbours, metrics_by_edge, metrics_by_field]
    {
        bench(criterion);
    }
}

criterion_group!(benches, on_one_thread);
criterion_main!(benches);
