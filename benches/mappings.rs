//! How fast the images of all processes are computed by formula, with a check sum asserted.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cubefold_mapping::{Construction, EmbeddingKind, Guest, Hypercube, Placement, ProcessId};
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

/// Measures how long the images of 2^24 processes take under the named embeddings.
fn embeddings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mapping/2^24");
    group.sample_size(10);
    let cube = Hypercube::new(24).expect("a cube");
    let torus = Machine::new(MachineKind::Torus, &[4096, 4096]).expect("a torus");
    for kind in EmbeddingKind::ALL {
        let placement = Placement::embed(kind, cube, &torus).expect("a placement");
        assert_eq!(sum_of_images(&placement), sum_of_all(cube.process_count()));
        group.throughput(Throughput::Elements(cube.process_count()));
        group.bench_function(kind.name(), |bencher| bencher.iter(|| black_box(sum_of_images(&placement))));
    }
    group.finish();
}

criterion_group!(benches, constructions, embeddings);
criterion_main!(benches);
