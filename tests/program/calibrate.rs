//! `calibrate`: the machine behind the output of benchmarks.

use std::fmt::Write as _;

use super::command::{Scratch, done, run};

/// What `osu_latency` and `osu_bw` would print for messages that take 300 ns to start, 1 us to cross two links, and
/// 10 GB/s.
fn osu() -> [(&'static str, String); 2] {
    let mut latency = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n".to_owned();
    let mut bandwidth = "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n".to_owned();
    for power in 0..=22 {
        let bytes = f64::from(1_u32 << power);
        writeln!(latency, "{bytes} {:.4}", 1.3 + bytes / 10_000.0).unwrap();
        writeln!(bandwidth, "{bytes} {:.4}", bytes / (0.3 + bytes / 10_000.0)).unwrap();
    }
    [("latency.txt", latency), ("bandwidth.txt", bandwidth)]
}

#[test]
fn the_machine_behind_two_benchmarks_is_found_and_can_be_simulated() {
    let scratch = Scratch::with(&osu());
    let (latency, bandwidth) = (scratch.path("latency.txt"), scratch.path("bandwidth.txt"));
    let text = done(&["calibrate", &latency, &bandwidth, "--hops", "2"]);
    let link = text.lines().nth(1).unwrap();
    assert!(link.starts_with("link = { bandwidth = \"10000."), "{text}");
    assert!(link.contains("latency = \"500.") || link.contains("latency = \"499."), "{text}");
    assert!(text.contains("compute = \"300.0 ns\"") && text.contains("23 sizes"), "{text}");
    let scenario = text.replace("[machine]", "[machine]\nkind = \"torus\"\nshape = [4, 4]");
    std::fs::write(scratch.path("s.toml"), scenario).unwrap();
    done(&["check", &scratch.path("s.toml")]);
    // The same as a machine file.
    std::fs::write(scratch.path("machine.toml"), &text).unwrap();
    let beside = "machine = { file = \"machine.toml\", kind = \"torus\", shape = [4, 4] }\nprogram.kind = \"cc-cube\"\n";
    std::fs::write(scratch.path("beside.toml"), beside).unwrap();
    let checked = done(&["check", &scratch.path("beside.toml")]);
    assert!(checked.contains("xor"), "{checked}");
    let alone = done(&["calibrate", &latency]);
    assert!(alone.contains("add a benchmark of bandwidth") && !alone.contains("compute ="), "{alone}");
}

#[test]
fn what_is_no_benchmark_is_refused_at_its_place() {
    let scratch = Scratch::with(&[
        ("wrong.txt", "# Size Latency (us)\n1 2.0\n2 x\n"),
        ("flat.txt", "# Size Latency (us)\n1 2.0\n"),
        ("other.txt", "# OSU MPI Allreduce Latency Test v7.3\n# Size Avg Latency(us)\n4 2.0\n8 3.0\n"),
    ]);
    let other = run(&["calibrate", &scratch.path("other.txt")]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("other.txt:1:3")
            && other.stderr.contains("\"OSU MPI Allreduce Latency Test\", expected"),
        "{}",
        other.stderr
    );
    let finished = run(&["calibrate", &scratch.path("wrong.txt")]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    assert!(
        finished.stderr.contains("wrong.txt:3:1") && finished.stderr.contains("\"2 x\""),
        "{}",
        finished.stderr
    );
    let flat = run(&["calibrate", &scratch.path("flat.txt")]);
    assert_eq!(flat.code, Some(2));
    assert!(flat.stderr.contains("flat.txt: 1 size, expected at least two"), "{}", flat.stderr);
}
