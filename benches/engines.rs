//! How fast the engines are, in hops a second, with their answers asserted.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up is to stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementMetrics};
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, Cycles, EngineChoice, Execution, Outcome, Routing, predict,
    simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

/// The program of one stage a dimension on a torus of `side` by `side`, `side` a power of two.
struct Setting {
    program: CubeProgram,
    placement: Placement,
    communication: Communication,
}

impl Setting {
    fn new(side: u64, kind: EmbeddingKind, links: LinkMode, compute: u64, hop: u64) -> Self {
        let machine = Machine::new(MachineKind::Torus, &[side, side]).expect("a torus");
        let cube = Hypercube::new(2 * u64::from(side.ilog2())).expect("a cube");
        Self {
            program: CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(compute)).expect("stages"),
            placement: Placement::embed(kind, cube, &machine).expect("a power of two"),
            communication: Communication::new(links, Cycles::new(hop), TieRule::Direct).expect("time"),
        }
    }

    fn run(&self, execution: &Execution) -> Outcome {
        simulate(&self.program, &self.placement, self.communication, execution, CountLinkUse::No, &mut ())
            .expect("a run")
    }

    fn predicted(&self) -> u64 {
        predict(&self.program, &self.placement, self.communication).get()
    }
}

/// Measures how long an asynchronous run takes, by embedding, machine and link mode.
fn asynchronous(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("asynchronous");
    group.sample_size(10);
    // 16 stages over distances 1, 2, .., 128 twice; xor halves the last of each.
    let uncontended = [(EmbeddingKind::Standard, 2 * 255), (EmbeddingKind::Xor, 2 * 191)];
    for (kind, makespan) in uncontended {
        let setting = Setting::new(256, kind, LinkMode::FullDuplex, 0, 1);
        let outcome = setting.run(&Execution::Asynchronous(EngineChoice::Hop));
        assert_eq!(outcome.summary.makespan().get(), makespan);
        group.throughput(Throughput::Elements(outcome.traffic.hops));
        group.bench_function(format!("full-duplex/{kind}/256x256"), |bencher| {
            bencher.iter(|| black_box(setting.run(&Execution::Asynchronous(EngineChoice::Hop))));
        });
    }
    for (links, hop) in [(LinkMode::FullDuplex, 1), (LinkMode::FullDuplex, 3), (LinkMode::HalfDuplex, 1)] {
        let setting = Setting::new(256, EmbeddingKind::Byweight, links, 10, hop);
        let outcome = setting.run(&Execution::Asynchronous(EngineChoice::Hop));
        assert!(outcome.summary.makespan().get() >= setting.predicted());
        group.throughput(Throughput::Elements(outcome.traffic.hops));
        group.bench_function(format!("{links}/byweight/256x256/hop-{hop}"), |bencher| {
            bencher.iter(|| black_box(setting.run(&Execution::Asynchronous(EngineChoice::Hop))));
        });
    }
    group.finish();
}

/// Measures how long a coordinated run takes.
fn coordinated(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("coordinated");
    group.sample_size(10);
    let execution = Execution::Coordinated(Routing::PLAIN);
    let setting = Setting::new(256, EmbeddingKind::Xor, LinkMode::FullDuplex, 0, 1);
    let outcome = setting.run(&execution);
    assert_eq!(outcome.summary.makespan().get(), 2 * 191);
    group.throughput(Throughput::Elements(outcome.traffic.messages));
    group.bench_function("full-duplex/xor/256x256", |bencher| {
        bencher.iter(|| black_box(setting.run(&execution)));
    });
    group.finish();
}

/// Measures how long the metrics of a placement take, by field and by edge.
fn metrics(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("metrics");
    group.sample_size(10);
    let setting = Setting::new(256, EmbeddingKind::Xor, LinkMode::FullDuplex, 0, 1);
    let cube = setting.program.cube();
    let by_field = PlacementMetrics::measure(&cube, &setting.placement, TieRule::Direct);
    assert_eq!(by_field, PlacementMetrics::measure_by_edge(&cube, &setting.placement, TieRule::Direct));
    group.bench_function("by-field/xor/256x256", |bencher| {
        bencher.iter(|| black_box(PlacementMetrics::measure(&cube, &setting.placement, TieRule::Direct)));
    });
    group.bench_function("by-edge/xor/256x256", |bencher| {
        bencher.iter(|| {
            black_box(PlacementMetrics::measure_by_edge(&cube, &setting.placement, TieRule::Direct))
        });
    });
    group.finish();
}

criterion_group!(benches, asynchronous, coordinated, metrics);
criterion_main!(benches);
