//! Benchmarks of every form, and texts that are not benchmarks.

use proptest::prelude::*;

use super::*;

const LATENCY: &str = "\n# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.50\n1024                    2.00\n";
const BANDWIDTH: &str = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1                       2.50\n1048576             10000.00\n";
const RATE: &str = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# Size                  MB/s        Messages/s\n8  4.00  500000.0\n16 8.00 500000.0\n";
const NCCL: &str = "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n#\n#                                                              out-of-place                       in-place\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n           8             2     float     sum      -1    30.00    0.00    0.00      0    29.00    0.00    0.00      0\n     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    50.00   20.97   36.70      0\n   134217728      33554432     float     sum      -1  1342.18  100.00  175.00      0  1342.18  100.00  175.00      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 105.85\n";

fn read(text: &str) -> Measurement {
    Measurement::parse("m", text, MeasurementOptions::default()).unwrap()
}

#[test]
fn benchmarks_are_recognised() {
    let latency = read(LATENCY);
    assert_eq!(latency.kind, SeriesKind::Single);
    assert!((latency.points[1].seconds - 2e-6).abs() < 1e-15 && latency.points[1].bytes == 1024);
    let bandwidth = read(BANDWIDTH);
    assert_eq!(bandwidth.kind, SeriesKind::Streaming);
    assert!((bandwidth.points[0].seconds - 4e-7).abs() < 1e-15);
    assert_eq!(read(RATE).kind, SeriesKind::Streaming);
    assert!((read(RATE).points[0].seconds - 2e-6).abs() < 1e-15);
    let nccl = read(NCCL);
    assert_eq!(ring(&nccl), (14, 1.75));
    assert_eq!((nccl.points.len(), nccl.left_out), (3, 0));
}

/// Steps and share of a collective.
fn ring(read: &Measurement) -> (u32, f64) {
    match read.kind {
        SeriesKind::Collective { steps, wire_share, .. } => (steps, wire_share),
        SeriesKind::Single | SeriesKind::Streaming => panic!("{}", read.kind),
    }
}

fn reported(text: &str) -> Vec<String> {
    Measurement::parse("m", text, MeasurementOptions::default()).unwrap_err().written()
}

/// Checks that the first error of a text contains this part.
fn assert_refused(text: &str, part: &str) {
    let wrong = reported(text);
    assert!(wrong[0].contains(part), "{wrong:?}, expected {part}");
}

fn seconds(text: &str) -> Vec<f64> {
    read(text).points.iter().map(|point| point.seconds).collect()
}

fn is_near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-12
}

#[test]
fn rates_of_both_directions_and_of_several_pairs_are_those_of_one() {
    let both = "# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000 200.0\n";
    assert_eq!(read(both).kind, SeriesKind::Streaming);
    assert!(is_near(seconds(both)[0], 1e-5));
    let pairs = RATE.replace("# Size ", "# [ pairs: 4 ] [ window size: 64 ]\n# Size ");
    assert!(is_near(seconds(&pairs)[0], 8e-6), "each of 4 pairs starts a message every 8 us");
    let cuda = LATENCY.replace("OSU MPI Latency", "OSU MPI-CUDA Latency");
    assert_eq!(read(&cuda).kind, SeriesKind::Single);
}

#[test]
fn lines_of_a_job_before_the_header_are_passed_over() {
    let log = format!("srun: job 17 started\n1 2 3\n# modules: gcc\n{LATENCY}");
    assert_eq!(read(&log).points, read(LATENCY).points);
}

#[test]
fn other_benchmarks_are_refused_by_their_names() {
    for name in
        ["Barrier Latency", "Multi Latency", "Non-blocking Allreduce Latency", "One Sided Put Bandwidth"]
    {
        let other = LATENCY.replace("MPI Latency Test", &format!("MPI {name} Test"));
        assert_eq!(reported(&other).len(), 1);
        assert_refused(&other, &format!("benchmark is \"OSU MPI {name} Test\", expected"));
    }
    let put = BANDWIDTH.replace("MPI Bandwidth", "MPI_Put Bandwidth");
    assert_refused(&put, "benchmark is \"OSU MPI_Put Bandwidth Test\", expected");
    let both = "a second benchmark, OSU MPI Bandwidth Test after OSU MPI Latency Test";
    assert_refused(&format!("{LATENCY}{BANDWIDTH}"), both);
    let twice = "OSU MPI Latency Test a second time, expected one benchmark a file";
    assert_refused(&format!("{LATENCY}{LATENCY}"), twice);
    for name in ["alltoallv_perf", "ring_perf"] {
        let other = format!("{STARTING}{name}\n{NCCL}");
        assert!(reported(&other)[0].starts_with("28.."));
        assert_refused(&other, &format!("benchmark is \"{name}\", expected all_reduce_perf"));
    }
    let barrier = "# Benchmarking Barrier\n# #processes = 4\n#repetitions t_min[usec]\n";
    assert_refused(barrier, "benchmark is \"Barrier\", expected PingPong");
}

#[test]
fn collectives_of_mpi_need_the_number_of_ranks() {
    let text = LATENCY.replace("MPI Latency", "MPI Allgather Latency");
    assert_refused(&text, "OSU MPI Allgather Latency Test without its number of ranks, expected --ranks N");
    let options = MeasurementOptions { ranks: Some(8), ..MeasurementOptions::default() };
    assert_eq!(ring(&Measurement::parse("m", &text, options).unwrap()), (3, 7.0));
    let imb = "# Benchmarking Allreduce \n# #processes = 16 \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n\
               0 1000 0.03 0.03 0.03\n4 1000 1 3 2.00\n8 1000 1 3 2.50\n";
    let read = read(imb);
    assert_eq!((ring(&read), read.points.len()), ((4, 1.875), 2));
    assert!(is_near(read.points[1].seconds, 2.5e-6));
}

#[test]
fn the_intel_benchmarks_are_read_by_their_columns() {
    let single = "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 1.5 0.00\n\
                  8 1000 1.66 4.81\n16 out-of-mem.; needed X= 1 GB\n\n# All processes entering MPI_Finalize\n";
    let read_single = read(single);
    assert_eq!(
        (read_single.kind, read_single.points.len(), read_single.left_out),
        (SeriesKind::Single, 2, 1)
    );
    let both = "# Benchmarking Biband\n# #processes = 4\n#bytes #repetitions Mbytes/sec Msg/sec\n1000 10 200.0 200000\n";
    assert_eq!(read(both).kind, SeriesKind::Streaming);
    assert!(is_near(seconds(both)[0], 2e-5), "each of 4 processes starts a message every 20 us");
    let more = format!("{single}{}", single.replace("= 2", "= 4"));
    assert_refused(&more, "PingPong a second time, with 4 processes for 2");
    let other = format!("{single}{}", single.replace("PingPong", "PingPing"));
    assert_refused(&other, "a second benchmark, PingPing after PingPong");
}

#[test]
fn lines_between_and_after_the_rows_are_counted() {
    let log = format!("{LATENCY}\nwarning: slow\n2048 3.00\n----\n7 nodes freed\nJob finished\n");
    let log = read(&log);
    assert_eq!((log.points.len(), log.left_out), (3, 4));
}

#[test]
fn sizes_can_be_chosen() {
    let between = |from, to| {
        let options = MeasurementOptions { from, to, ..MeasurementOptions::default() };
        Measurement::parse("m", LATENCY, options)
            .map(|read| read.points.len())
            .map_err(|errors| errors.kept()[0].message.clone())
    };
    assert_eq!(
        (between(Some(2), None), between(None, Some(1024)), between(None, Some(1))),
        (Ok(1), Ok(2), Ok(1))
    );
    assert_eq!(
        between(Some(4096), None),
        Err("sizes from 1 to 1024 B, expected some between those of --from and --to".to_owned())
    );
}

#[test]
fn columns_of_nccl_tests_go_by_their_headings() {
    let rows = |heading: &str, row: &str| {
        read(&format!("{STARTING}all_reduce_perf\n#  Rank  0 Pid 1\n#  Rank  1 Pid 1\n# {heading}\n{row}\n"))
    };
    let assert_read = |heading: &str, row: &str| {
        assert!(is_near(rows(heading, row).points[0].seconds, 5e-5), "{heading}");
    };
    let in_place = "size count type redop root time algbw busbw #wrong time algbw busbw #wrong";
    assert_read(in_place, "1000000 250000 float sum -1 N/A N/A N/A N/A 50.0 20.00 20.00 0");
    assert_read("size count type time algbw busbw error", "1000000 250000 float 50.0 20.00 20.00 1e-7");
    let newest = "size count type redop root cputime algbw busbw #wrong i_min i_max cputime algbw busbw #wrong timestamp";
    assert_read(
        newest,
        "1000000 250000 float sum -1 50.0 20.00 20.00 0 1 2 50.0 20.00 20.00 0 2026-11-26 12:00:00",
    );
    // The first versions print milliseconds.
    assert_read("bytes N type time algbw busbw res", "1000000 250000 float 0.050 20.00 20.00 0e+00");
}

#[test]
fn options_choose_a_table_and_contradict_none() {
    let first = nccl("# Collective test starting: all_reduce_perf\n", 4, "sum", -1, 1.5);
    let second = nccl("# Collective test starting: all_gather_perf\n", 4, "none", -1, 0.75);
    let both = format!("{first}{second}");
    let read = |operation, ranks| {
        let options = MeasurementOptions { ranks, operation, ..MeasurementOptions::default() };
        let name = |read: Measurement| match read.kind {
            SeriesKind::Collective { name, ranks, .. } => (name, ranks),
            SeriesKind::Single | SeriesKind::Streaming => panic!("a collective"),
        };
        Measurement::parse("m", &both, options).map(name).map_err(|all| all.kept()[0].message.clone())
    };
    assert_eq!(read(Some("all-gather"), None), Ok(("all-gather", 4)));
    assert_eq!(read(Some("all-reduce"), Some(4)), Ok(("all-reduce", 4)));
    assert!(read(None, None).unwrap_err().contains("a second benchmark"));
    let of_one = |operation, ranks| {
        let options = MeasurementOptions { ranks, operation, ..MeasurementOptions::default() };
        Measurement::parse("m", &first, options).unwrap_err().kept()[0].message.clone()
    };
    assert_eq!(
        of_one(Some("all-gather"), None),
        "measurements of all-reduce, expected all-gather as --operation says"
    );
    assert_eq!(of_one(None, Some(8)), "measurements of 4 ranks, expected 8 as --ranks says");
}

#[test]
fn rows_of_nccl_tests_go_on_after_messages_of_the_library() {
    let broken = NCCL.replacen(
        "     1048576        262144     float     sum      -1    50.00",
        "     1048576        262144     float     sum      -1gpu01:713:722 [0] NCCL INFO Connected all rings\n\
         gpu01:713:722 [0] NCCL INFO Connected all trees\n    50.00",
        1,
    );
    let (whole, broken) = (read(NCCL), read(&broken));
    assert_eq!((&broken.points, broken.kind, broken.left_out), (&whole.points, whole.kind, 2));
    let unsound = NCCL.replacen("36.70      0", "36.70     12", 1);
    assert_refused(&unsound, "12 results are wrong (#wrong)");
    let alone = format!("{STARTING}all_reduce_perf\n#  Rank  0 Pid 1 on a device 0\n{NCCL}");
    assert_refused(&alone, "a run of 1 rank");
}

#[test]
fn a_second_table_of_nccl_tests_is_an_error_that_says_what_differs() {
    let first = nccl("# Collective test starting: all_reduce_perf\n", 4, "sum", -1, 1.5);
    let other = nccl("# Collective test starting: broadcast_perf\n", 4, "none", 0, 1.0);
    let more = nccl("# Collective test starting: all_reduce_perf\n", 8, "max", -1, 1.75);
    for (second, expected) in [
        (&other, "a second benchmark, broadcast_perf after all_reduce_perf, expected one a file"),
        (&more, "all_reduce_perf a second time, with redop max for sum, 8 ranks for 4, expected"),
        (&first, "a second time, with the same sizes and ranks, expected"),
    ] {
        assert_refused(&format!("{first}{second}"), expected);
    }
}

/// Lines of nccl-tests whose bus bandwidth is `share` times the other bandwidth.
fn nccl(name: &str, ranks: usize, redop: &str, root: i32, share: f64) -> String {
    let rank = |rank| format!("#  Rank  {rank} Group  0 Pid 1 on host device {rank} [0x07] NVIDIA\n");
    let listed: Vec<String> = (0..ranks).map(rank).collect();
    let bus = 100.0 * share;
    let row = |size: u64, time: &str| {
        format!("{size} {} float {redop} {root} {time} 100.00 {bus:.2} 0\n", size / 4)
    };
    let header = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
    [name, &listed.concat(), header, &row(1 << 20, "10.49"), &row(1 << 27, "1342.18")].concat()
}

const STARTING: &str = "# Collective test starting: ";

#[test]
fn collectives_are_told_by_name_operation_and_ranks() {
    let kind = |name: &str, ranks, redop: &str, root, share: f64| {
        let name = if name.is_empty() { String::new() } else { format!("{STARTING}{name}\n") };
        let text = nccl(&name, ranks, redop, root, share);
        Measurement::parse("m", &text, MeasurementOptions::default()).map(|read| match read.kind {
            SeriesKind::Collective { steps, wire_share, .. } => (steps, wire_share),
            SeriesKind::Single | SeriesKind::Streaming => (0, 1.0),
        })
    };
    let ring = |steps: u32, wire_share: f64| Ok((steps, wire_share));
    let single = ring(0, 1.0);
    assert_eq!(kind("all_reduce_perf", 0, "sum", -1, 1.0), ring(2, 1.0));
    assert_eq!(kind("all_reduce_perf", 4, "sum", -1, 1.5), ring(6, 1.5));
    assert_eq!(kind("all_gather_perf", 0, "none", -1, 0.75), ring(3, 0.75));
    // With many ranks, the ratio is 1 to two decimals: the list of ranks counts.
    assert_eq!(kind("reduce_scatter_perf", 512, "sum", -1, 1.0), ring(511, 511.0 / 512.0));
    assert_eq!(kind("sendrecv_perf", 2, "sum", -1, 1.0), single);
    // Without a name.
    assert_eq!(kind("", 0, "sum", -1, 1.5), ring(6, 1.5));
    assert_eq!(kind("", 0, "sum", -1, 0.5), ring(1, 0.5));
    assert_eq!(kind("", 4, "sum", -1, 1.0), single);
    for (ranks, redop, root, share) in [(2, "sum", -1, 1.0), (0, "sum", -1, 1.0), (4, "none", -1, 0.75)] {
        let unnamed = nccl("", ranks, redop, root, share);
        assert_eq!(reported(&unnamed).len(), 1);
        assert_refused(&unnamed, "expected the line \"# Collective test starting: NAME\"");
    }
}

#[test]
fn everything_wrong_is_reported() {
    assert!(reported("")[0].starts_with("0..0: no measurements"));
    assert!(reported("1 2\n")[0].starts_with("0..3: line is \"1 2\", expected \"# Size\""));
    let wrong = reported("# Size Latency (us)\n1 x\n2 -1\n3 inf\n4\n");
    assert_eq!(wrong.len(), 4);
    assert_eq!(wrong[0], "20..23: line is \"1 x\", expected a size in bytes and a number above 0");
    assert!(
        reported("# size algbw busbw\n8 2 float\n")[0].starts_with("2..18: columns are \"size algbw busbw\"")
    );
    let cut = "# size count type redop time algbw busbw\n8 2 float\n";
    assert!(reported(cut)[0].starts_with("41..50: line is \"8 2 float\""), "{:?}", reported(cut));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_output_is_too_strange(
        base in 0_usize..5,
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), "[-+0-9.a-z#() \n]{0,3}"), 1..6),
    ) {
        let mut text = [LATENCY, BANDWIDTH, RATE, NCCL, &format!("{STARTING}all_gather_perf\n{NCCL}")][base].to_owned();
        for (place, inserted) in edits {
            let place = place.index(text.len() + 1);
            text.replace_range(place..(place + inserted.len() / 2).min(text.len()), &inserted);
        }
        match Measurement::parse("m", &text, MeasurementOptions::default()) {
            Ok(measurement) => {
                prop_assert!(!measurement.points.is_empty());
                prop_assert!(measurement.points.iter().all(|point| point.seconds.is_finite() && point.seconds > 0.0));
            }
            Err(diagnostics) => {
                for one in diagnostics.kept() {
                    prop_assert!(one.span.start <= one.span.end && one.span.end <= text.len());
                }
            }
        }
    }
}
