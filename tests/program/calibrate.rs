//! `calibrate`: the machine fitted to the output of benchmarks.

use std::fmt::Write as _;

use super::command::{Scratch, done, refused, run, unframed};

/// The output of `osu_latency` and `osu_bw` for messages that cost 300 ns at either end, take 1 us to cross two links, and
/// 10 GB/s.
fn osu() -> [(&'static str, String); 2] {
    let mut latency = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n".to_owned();
    let mut bandwidth = "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n".to_owned();
    for power in 0..=22 {
        let bytes = f64::from(1_u32 << power);
        writeln!(latency, "{bytes} {:.4}", 1.6 + bytes / 10_000.0).unwrap();
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
    // The largest size reaches 4194304 B in 419.73 us.
    assert!(link.starts_with("link = { bandwidth = \"9.992"), "{text}");
    assert!(link.contains("latency = \"500") || link.contains("latency = \"499."), "{text}");
    assert!(text.contains("message_cost = \"300 ns\"") && text.contains("23 sizes"), "{text}");
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
    assert!(alone.contains("add a benchmark of bandwidth") && !alone.contains("message_cost ="), "{alone}");
}

#[test]
fn what_is_no_benchmark_is_refused_at_its_place() {
    let scratch = Scratch::with(&[
        ("wrong.txt", "# Size Latency (us)\n1 2.0\n2 x\n"),
        ("flat.txt", "# Size Latency (us)\n1 2.0\n"),
        ("other.txt", "# OSU MPI Barrier Latency Test v7.3\n# Avg Latency(us)\n2.0\n"),
    ]);
    let other = run(&["calibrate", &scratch.path("other.txt")]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("other.txt:1:3")
            && other.stderr.contains("\"OSU MPI Barrier Latency Test\", expected"),
        "{}",
        other.stderr
    );
    let said = refused(&["calibrate", &scratch.path("wrong.txt")]);
    assert!(said.contains("wrong.txt:3:1") && said.contains("\"2 x\""), "{said}");
    let flat = run(&["calibrate", &scratch.path("flat.txt")]);
    assert_eq!(flat.code, Some(2));
    assert!(flat.stderr.contains("flat.txt: 1 size, expected at least two"), "{}", flat.stderr);
}

/// The output of `calibrate` for a file of `cases`, which `check` accepts, and its bandwidth [GB/s].
fn calibrated(case: &str, options: &[&str]) -> (String, f64) {
    let file = format!("tests/program/cases/{case}");
    let text = done(&[&["calibrate", &file][..], options].concat());
    let scratch = Scratch::with(&[(
        "s.toml",
        text.replace("[machine]", "program.kind = \"cc-cube\"\n[machine]\nkind = \"ring\"\nshape = [4]"),
    )]);
    done(&["check", &scratch.path("s.toml")]);
    let rate = text.split("bandwidth = \"").nth(1).unwrap().split('"').next().unwrap();
    let (number, unit) = rate.split_once(' ').unwrap();
    let scale = [("TB/s", 1e3), ("GB/s", 1.0), ("MB/s", 1e-3), ("kB/s", 1e-6), ("B/s", 1e-9)];
    let scale = scale.iter().find(|(name, _)| *name == unit).unwrap().1;
    (text.clone(), number.parse::<f64>().unwrap() * scale)
}

/// Each file is from the log of somebody's job; the largest rate that it shows is the bandwidth.
#[test]
fn logs_of_jobs_are_read_and_no_bandwidth_is_above_what_they_measured() {
    for (case, options, measured, said) in [
        ("hpc_1.nccl-old.txt", &[][..], 80.53, "all-reduce of 4 ranks in 6 steps, 2 sizes"),
        ("ml_5.txt", &[], 135.0, "all-reduce of 16 ranks in 30 steps, 2 sizes"),
        ("hpc_6.latency.txt", &[], 23.302, "sizes 256 to "),
        ("hpc_6.bibw.txt", &[], 23.0, "sizes 16384 to 4194304 B: "),
        ("hpc_9a.tagged.txt", &[], 5.4614, "OSU MPI Latency Test: one message at a time, 2 sizes"),
        ("hpc_9b.trailing.txt", &[], 5.4614, "2 lines are left out"),
        ("hpc_9e.imb.txt", &[], 12.154, "IMB PingPong: one message at a time, 2 sizes"),
        ("ml_6.txt", &[], 175.0, "1 line is left out"),
        ("ml_6b.txt", &[], 175.0, "all-reduce of 8 ranks in 14 steps, 2 sizes"),
        ("attack_16.txt", &[], 4e-7, "many messages at once, 3 sizes"),
    ] {
        let (text, bandwidth) = calibrated(case, options);
        assert!(bandwidth <= measured * 1.0005 && bandwidth > 0.97 * measured, "{case}: {text}");
        assert!(text.contains(said), "{case}: {text}");
    }
    let (text, bandwidth) = calibrated("hpc_6.latency.txt", &["--from", "256", "--to", "16KiB"]);
    assert!(bandwidth < 3.28 && text.contains("4 sizes"), "{text}");
}

#[test]
fn logs_that_cannot_be_fitted_say_why_in_one_error() {
    for (case, said) in [
        ("hpc_9c.put.txt", "hpc_9c.put.txt:1:3"),
        ("hpc_9c.put.txt", "benchmark is \"OSU MPI_Put Bandwidth Test\", expected"),
        ("ml_4.txt", "a second benchmark, broadcast_perf after all_reduce_perf, expected one a file"),
    ] {
        let stderr = refused(&["calibrate", &format!("tests/program/cases/{case}")]);
        let plain = unframed(&stderr);
        assert!(plain.contains(said) || stderr.contains(said), "{case}: {stderr}");
    }
}

#[test]
fn the_written_machine_is_run_for_every_message_and_a_missing_latency_is_told() {
    let scratch = Scratch::with(&osu());
    let (latency, bandwidth) = (scratch.path("latency.txt"), scratch.path("bandwidth.txt"));
    let both = done(&["calibrate", &latency, &bandwidth, "--hops", "2"]);
    assert!(!both.contains("is not in these measurements"), "{both}");
    // Rows of single messages: the machine takes the measured times, to a cycle and a rounding.
    let rows = both.split("machine us").nth(1).unwrap().lines().skip(1).take(23);
    for row in rows {
        let off: f64 = row.trim_end_matches(" %").rsplit(' ').next().unwrap().parse().unwrap();
        assert!(off.abs() < 2.0, "{row}");
    }
    let alone = done(&["calibrate", &bandwidth]);
    assert!(alone.contains("The latency is not in these measurements and stands as 0 ps"), "{alone}");
}
