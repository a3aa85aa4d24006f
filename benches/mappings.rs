//! The time that constructions and embeddings take to place processes, on one thread, with the answers asserted.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cubefold_mapping::{
    Construction, EmbeddingKind, GreenbergEmbedding, Hypercube, Placement, ProcessId, ProductPlacement,
};
use cubefold_topology::{Machine, MachineKind};

/// The sum of the indices of all images: the same for every bijection.
fn sum_of_images(placement: &Placement) -> u64 {
    ProcessId::first(placement.process_count())
        .map(|process| u64::from(placement.node(process).index()))
        .sum()
}

fn sum_of_all(processes: u64) -> u64 {
    processes * (processes - 1) / 2
}

/// The images of 2^24 processes under the constructions of Tao 1988.
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

/// A mesh of about 2^20 nodes in its smallest hypercube (Greenberg 1987), by reflection with percolation.
fn mesh_in_hypercube(criterion: &mut Criterion) {
    let lengths = [615, 1705];
    let embedding = GreenbergEmbedding::new(lengths).expect("an embedding");
    let dilation = embedding.table().spectrum(embedding.intermediate()).len() - 1;
    assert!((3..=5).contains(&dilation), "{dilation}");
    assert!(embedding.numbers().is_some_and(|numbers| numbers.doubled_slots > 0));
    let mut group = criterion.benchmark_group("greenberg/2^20");
    group.sample_size(10).throughput(Throughput::Elements(lengths[0] * lengths[1]));
    let name = format!("{}/{}x{}", embedding.method(), lengths[0], lengths[1]);
    group.bench_function(name, |bencher| bencher.iter(|| black_box(GreenbergEmbedding::new(lengths))));
    group.finish();
}

/// The d-cube on the square torus of `2^d` nodes.
fn on_square_torus(kind: EmbeddingKind, dimensions: u32) -> ProductPlacement {
    let side = 1 << (dimensions / 2);
    let torus = Machine::new(MachineKind::Torus, &[side, side]).expect("a torus");
    ProductPlacement::new(kind, Hypercube::new(dimensions.into()).expect("a cube"), &torus)
        .expect("2^d nodes")
}

/// The nodes of 2^24 processes under the named embeddings.
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

/// The nodes of the neighbours of random processes.
fn neighbours(criterion: &mut Criterion) {
    const ASKED: u64 = 1 << 16;
    let product = on_square_torus(EmbeddingKind::Xor, 24);
    let cube = product.cube();
    // Multiples of an odd number: every process equally often, in an order that no cache predicts.
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
    let mut group = criterion.benchmark_group("neighbours/2^24");
    group.throughput(Throughput::Elements(ASKED));
    group.bench_function("xor", |bencher| {
        bencher.iter(|| {
            asked.iter().fold(0, |bits, &(process, dimension)| {
                bits ^ product.neighbour_node(process, dimension).index()
            })
        });
    });
    group.finish();
}

/// All benchmarks, on this thread alone.
fn on_one_thread(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the only pool");
    for bench in [constructions, mesh_in_hypercube, embeddings, neighbours] {
        bench(criterion);
    }
}

criterion_group!(benches, on_one_thread);
criterion_main!(benches);
