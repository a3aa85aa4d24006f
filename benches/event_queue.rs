//! The time wheel against a binary heap, on events as messages with sizes make them: each event that is taken adds
//! another, after one of a few delays.
//!
//! `cargo bench -p cubefold-simulator --bench event_queue`

#[allow(dead_code, unused_imports, reason = "the bench needs neither revoked events nor the tests")]
#[path = "../crates/simulator/src/time_wheel.rs"]
mod time_wheel;

use std::{cmp::Reverse, collections::BinaryHeap, hint::black_box};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use time_wheel::TimeWheel;

/// An event of the engine has as many bytes.
type Event = [u32; 9];

/// The events that are pending at any time.
const PENDING: u32 = 1 << 16;
/// The events that are taken in all.
const TAKEN: u64 = 1 << 21;

/// Delays of transmissions: of one size; of sizes that halve from stage to stage; of large messages beside small ones.
const DELAYS: [(&str, &[u64]); 3] = [
    ("one size", &[19]),
    ("halving", &[4, 5, 7, 11, 19, 35, 67, 131, 259, 515, 1027, 2051]),
    ("large and small", &[4, 300, 1_048_576, 70_000_000]),
];

/// The sum of the cycles at which events are taken: the same whatever the queue.
fn checksum(sum: u64, cycle: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(cycle)
}

fn event(label: u32) -> Event {
    [label; 9]
}

fn delay(delays: &[u64], label: u32, taken: u64) -> u64 {
    delays[(u64::from(label).wrapping_mul(2_654_435_761).wrapping_add(taken) >> 8) as usize % delays.len()]
}

fn by_wheel(delays: &[u64]) -> u64 {
    let mut wheel = TimeWheel::new();
    for label in 0..PENDING {
        wheel.add(event(label), u64::from(label % 64));
    }
    let (mut sum, mut taken, mut events) = (0, 0, vec![]);
    while taken < TAKEN {
        let Some(now) = wheel.advance() else { break };
        let mut of_cycle = 0_u64;
        while wheel.take(&mut events) {
            of_cycle += events.len() as u64;
            for &own in &events {
                wheel.add(own, now + delay(delays, own[0], now));
            }
        }
        taken += of_cycle;
        sum = checksum(sum, now * of_cycle);
    }
    sum
}

fn by_heap(delays: &[u64]) -> u64 {
    let mut heap: BinaryHeap<Reverse<(u64, Event)>> =
        (0..PENDING).map(|label| Reverse((u64::from(label % 64), event(label)))).collect();
    let (mut sum, mut taken) = (0, 0);
    while taken < TAKEN {
        let Some(&Reverse((now, _))) = heap.peek() else { break };
        let mut of_cycle = 0_u64;
        while let Some(mut top) = heap.peek_mut().filter(|top| top.0.0 == now) {
            let own = top.0.1;
            of_cycle += 1;
            *top = Reverse((now + delay(delays, own[0], now), own));
        }
        taken += of_cycle;
        sum = checksum(sum, now * of_cycle);
    }
    sum
}

fn event_queues(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("event queue");
    group.sample_size(10).throughput(Throughput::Elements(TAKEN));
    for (name, delays) in DELAYS {
        assert_eq!(by_wheel(delays), by_heap(delays), "{name}");
        group.bench_function(BenchmarkId::new("time wheel", name), |bencher| {
            bencher.iter(|| black_box(by_wheel(delays)));
        });
        group.bench_function(BenchmarkId::new("binary heap", name), |bencher| {
            bencher.iter(|| black_box(by_heap(delays)));
        });
    }
    group.finish();
}

criterion_group!(benches, event_queues);
criterion_main!(benches);
