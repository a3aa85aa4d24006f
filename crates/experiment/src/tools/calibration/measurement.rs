//! Sizes and times from the output of benchmarks; [`osu`] and [`nccl_tests`] know the forms.
//!
//! Benchmarks that measure anything else than [`SeriesKind`] are refused by name.

use std::fmt;

use super::{nccl_tests, osu};
use crate::input::diagnostic::Diagnostics;

/// The quantity that a series measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeriesKind {
    /// One message at a time, one way.
    Single,
    /// Many messages in flight at once; the time is that between two of them.
    Streaming,
    /// A collective in the steps of a ring.
    Ring {
        /// Number of consecutive steps, at least 1.
        steps: u32,
        /// The fraction of the vector that passes a link, above 0.
        wire_share: f64,
    },
}

impl SeriesKind {
    /// Number of consecutive steps.
    pub(super) fn steps(self) -> u32 {
        match self {
            Self::Single | Self::Streaming => 1,
            Self::Ring { steps, .. } => steps,
        }
    }
}

impl fmt::Display for SeriesKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => formatter.write_str("one message at a time"),
            Self::Streaming => formatter.write_str("many messages at once"),
            Self::Ring { steps, .. } => write!(formatter, "a ring of {steps} steps"),
        }
    }
}

/// A size and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) bytes: u64,
    pub(super) seconds: f64, // above 0, finite
}

/// A series of sizes and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub(super) name: String,
    pub(super) kind: SeriesKind,
    pub(super) points: Vec<Point>, // at least one
}

impl Measurement {
    /// Bytes that pass a link for a message or vector of `bytes` bytes.
    #[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
    pub(super) fn wire_bytes(&self, bytes: u64) -> f64 {
        match self.kind {
            SeriesKind::Single | SeriesKind::Streaming => bytes as f64,
            SeriesKind::Ring { wire_share, .. } => bytes as f64 * wire_share,
        }
    }

    /// Reads the output of a benchmark, in a file called `name`.
    ///
    /// # Errors
    ///
    /// All errors, each with its position in the text.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let is_nccl = text.lines().any(|line| line.contains("algbw") && line.contains("busbw"));
        let read = if is_nccl { nccl_tests::read } else { osu::read };
        let (kind, points) = read(text, &mut diagnostics);
        if points.is_empty() && diagnostics.is_empty() {
            let expected = "no measurements, expected the output of an OSU benchmark of latency or bandwidth, or of nccl-tests";
            diagnostics.add(0..0, || expected.to_owned());
        }
        if diagnostics.is_empty() {
            Ok(Self { name: name.to_owned(), kind, points })
        } else {
            Err(diagnostics)
        }
    }
}

/// A number above 0.
pub(super) fn positive(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LATENCY: &str = "\n# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.50\n1024                    2.00\n";
    const BANDWIDTH: &str = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1                       2.50\n1048576             10000.00\n";
    const RATE: &str = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.9\n# Size                  MB/s        Messages/s\n8  4.00  500000.0\n16 8.00 500000.0\n";
    const NCCL: &str = "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n#\n#                                                              out-of-place                       in-place\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n           8             2     float     sum      -1    30.00    0.00    0.00      0    29.00    0.00    0.00      0\n     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    50.00   20.97   36.70      0\n   134217728      33554432     float     sum      -1  1342.18  100.00  175.00      0  1342.18  100.00  175.00      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 105.85\n";

    fn read(text: &str) -> Measurement {
        Measurement::parse("m", text).unwrap()
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
        assert_eq!(nccl.kind, SeriesKind::Ring { steps: 14, wire_share: 1.75 });
        assert_eq!(nccl.points.len(), 2, "without bandwidths of two decimals nothing is said");
    }

    fn reported(text: &str) -> Vec<String> {
        let diagnostics = Measurement::parse("m", text).unwrap_err();
        diagnostics.kept().iter().map(|one| format!("{:?}: {}", one.span, one.message)).collect()
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
        for name in ["Allreduce Latency", "Multi Latency", "One Sided Put Bandwidth"] {
            let wrong = reported(&LATENCY.replace("MPI Latency Test", &format!("MPI {name} Test")));
            assert_eq!(wrong.len(), 1);
            assert!(
                wrong[0].contains(&format!("benchmark is \"OSU MPI {name} Test\", expected")),
                "{wrong:?}"
            );
        }
        let twice = reported(&format!("{LATENCY}{BANDWIDTH}"));
        assert!(twice[0].contains("a second benchmark, expected one a file"), "{twice:?}");
        for name in ["alltoall_perf", "broadcast_perf", "reduce_perf", "hypercube_perf"] {
            let wrong = reported(&format!("# Collective test starting: {name}\n{NCCL}"));
            assert!(wrong[0].starts_with("28.."), "{wrong:?}");
            assert!(
                wrong[0].contains(&format!("benchmark is \"{name}\", expected all_reduce_perf")),
                "{wrong:?}"
            );
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
            Measurement::parse("m", &nccl(&name, ranks, redop, root, share)).map(|read| read.kind)
        };
        let ring = |steps, wire_share| Ok(SeriesKind::Ring { steps, wire_share });
        assert_eq!(kind("all_reduce_perf", 0, "sum", -1, 1.0), ring(2, 1.0));
        assert_eq!(kind("all_reduce_perf", 4, "sum", -1, 1.5), ring(6, 1.5));
        assert_eq!(kind("all_gather_perf", 0, "none", -1, 0.75), ring(3, 0.75));
        // With many ranks, the ratio is 1 to two decimals: the list of ranks counts.
        assert_eq!(kind("reduce_scatter_perf", 512, "sum", -1, 1.0), ring(511, 511.0 / 512.0));
        assert_eq!(kind("sendrecv_perf", 2, "sum", -1, 1.0), Ok(SeriesKind::Single));
        // Without a name.
        assert_eq!(kind("", 0, "sum", -1, 1.5), ring(6, 1.5));
        assert_eq!(kind("", 0, "sum", -1, 0.5), ring(1, 0.5));
        assert_eq!(kind("", 4, "sum", -1, 1.0), Ok(SeriesKind::Single));
        for (ranks, redop, root, share) in
            [(2, "sum", -1, 1.0), (0, "sum", -1, 1.0), (4, "none", -1, 0.75), (4, "none", 0, 1.0)]
        {
            let wrong = reported(&nccl("", ranks, redop, root, share));
            assert_eq!(wrong.len(), 1);
            assert!(wrong[0].contains("expected the line \"# Collective test starting: NAME\""), "{wrong:?}");
        }
    }

    #[test]
    fn everything_wrong_is_reported() {
        assert!(reported("")[0].starts_with("0..0: no measurements"));
        assert!(reported("1 2\n")[0].starts_with("0..3: line is \"1 2\", expected \"# Size\""));
        let wrong = reported("# Size Latency (us)\n1 x\n2 -1\n3 inf\n4\n");
        assert_eq!(wrong.len(), 4);
        assert_eq!(wrong[0], "20..23: line is \"1 x\", expected a size in bytes and a number above 0");
        assert!(reported("# size algbw busbw\n8 2 float\n")[0].starts_with("19..28: line is \"8 2 float\""));
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
            match Measurement::parse("m", &text) {
                Ok(measurement) => {
                    if let Ok(fitted) = crate::tools::calibration::FittedSeries::fit(measurement) {
                        prop_assert!(fitted.startup_seconds >= 0.0 && fitted.bytes_per_second > 0.0);
                    }
                }
                Err(diagnostics) => {
                    for one in diagnostics.kept() {
                        prop_assert!(one.span.start <= one.span.end && one.span.end <= text.len());
                    }
                }
            }
        }
    }
}
