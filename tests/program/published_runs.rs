//! Steps without contention take as long as in the published simulations of De Sensi et al. (Swing, NSDI 2024).
//!
//! A formula reproduces their curves for messages of `B` bytes over `h` links of 400 Gb/s, see
//! `docs/real-machines.md`:
//!
//! ```text
//! T(step) = 0.5134 us + 0.4 us h + floor(B / 8192) 163.84 ns
//! ```
//!
//! Here the constant is the computation of a stage and 0.4 us is the latency of a link. Under cut-through the last term
//! is the time of the message on one link. The formula leaves out the last packet if it is not full, so that only
//! messages of at most a unit and whole packets compare.

use super::command::{Scratch, json};

/// The machine of the published runs: 50 GB/s and 400 ns a link, cut-through. A cycle is 0.64 ns.
const LINKS: &str = "link = { bandwidth = \"400 Gb/s\", latency = \"400 ns\" }\nunit_bytes = 32\n\
                     switching = \"cut-through\"\n";

/// Sizes that the formula covers [bytes]: a unit, and whole packets of 8 KiB.
const SIZES: [u32; 6] = [32, 8 << 10, 16 << 10, 128 << 10, 2 << 20, 512 << 20];

/// The duration of a step [microseconds].
fn step(links: u32, bytes: u32) -> f64 {
    0.5134 + 0.4 * f64::from(links) + f64::from(bytes / 8192) * 0.163_84
}

/// Asserts that the only run of a scenario on these `machine` lines has no blocked cycle and takes `microseconds`, to 1 %.
fn assert_takes(microseconds: f64, machine: &str, rest: &str, files: &[(&str, String)]) {
    let text = format!("[machine]\n{machine}\n{LINKS}\n[program]\ncompute = \"513.4 ns\"\n{rest}\n");
    let files: Vec<_> = [("s.toml", text.clone())].into_iter().chain(files.iter().cloned()).collect();
    let document = json(&["run", &Scratch::with(&files).path("s.toml")]);
    let runs = document["runs"].as_array().unwrap();
    assert_eq!((runs.len(), runs[0]["totals"]["blocked_cycles"].as_u64()), (1, Some(0)), "{text}");
    let taken = runs[0]["makespan_seconds"].as_f64().unwrap() * 1e6;
    assert!((taken / microseconds - 1.0).abs() < 0.01, "{taken} us, published {microseconds} us: {text}");
}

const STANDARD: &str = "[mapping]\nembeddings = [\"standard\"]\n";

#[test]
fn recursive_doubling_of_32_bytes_takes_the_published_time() {
    for shape in [&[8, 8][..], &[64, 16], &[128, 8], &[256, 4], &[64, 64], &[8, 8, 8], &[8, 8, 8, 8]] {
        let machine = format!("kind = \"torus\"\nshape = {shape:?}");
        let distances = |length: &u32| (0..length.ilog2()).map(|bit| 1 << bit);
        let published = shape.iter().flat_map(distances).map(|links| step(links, 32)).sum();
        assert_takes(published, &machine, &format!("kind = \"cc-cube\"\nbytes = 32\n{STANDARD}"), &[]);
    }
}

#[test]
fn exchanges_of_two_processes_take_the_published_time_at_every_distance() {
    for (links, bytes) in [1, 2, 3, 8, 32].into_iter().flat_map(|links| SIZES.map(|bytes| (links, bytes))) {
        let units = bytes / 32;
        let messages = format!("stage,source,destination,units\n0,0,{links},{units}\n0,{links},0,{units}\n");
        assert_takes(
            step(links, bytes),
            "kind = \"ring\"\nshape = [64]",
            "kind = \"stages\"\nfile = \"exchange.csv\"",
            &[("exchange.csv", messages)],
        );
    }
}

#[test]
fn recursive_doubling_with_neighbours_takes_the_published_time() {
    for bytes in SIZES {
        let rest = format!("kind = \"cc-cube\"\nstages = [0, 3]\nbytes = {bytes}\n{STANDARD}");
        assert_takes(2.0 * step(1, bytes), "kind = \"torus\"\nshape = [8, 8]", &rest, &[]);
    }
}

#[test]
fn steps_of_a_ring_take_the_published_time() {
    for bytes in SIZES {
        let rest = format!(
            "kind = \"neighbour-exchange\"\nguest = {{ kind = \"ring\", shape = [64] }}\nbytes = {bytes}\n"
        );
        // Two stages: every process sends up the ring, then down.
        assert_takes(2.0 * step(1, bytes), "kind = \"torus\"\nshape = [8, 8]", &rest, &[]);
    }
}
