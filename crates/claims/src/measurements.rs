//! Times measured on current machines, and rooflines and estimates used in practice, against runs and
//! bounds.
//!
//! A claim states which constants were fitted to its own points, and the error of the model, however large.
//! Data: Google, accelerator-microbenchmarks, `Ironwood/guides/collectives/all_gather.md`; JAX scaling book, sharding;
//! tt-metal issue 55543; marin issue 6736; coreweave/nccl-tests issue 43.

use std::path::Path;

use cubefold_records::RunRecord;
use cubefold_runs::{KeepRecords, Progress, execute};
use cubefold_scenario::load_text;

use crate::{
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Google, Ironwood benchmarks":
        IRONWOOD =
            "all-gather on 2x2x1 TPU v7, 2 to 512 MiB, by a bidirectional ring; 89.2 GB/s, 1 us a hop and 3.4 us a step are fitted to these five points: difference from the measured time [%]: at most 1";
        IRONWOOD_CUBE =
            "all-gather in rings of 4 on 2x2x2 TPU v7, with the same constants: difference from the measured time [%]: at most 3";

    "JAX scaling book, sharding":
        COLUMNS =
            "all-gather of 32 MiB in every column of 4 of 8x4 TPU v5e, nothing fitted: difference from the measured 680 us [%]: at most 3";
        COLUMNS_SHORT =
            "the same of 32 KiB a chip: difference from the measured time of about 8 us [%]: at most 39";
        COLUMNS_BOUND =
            "lower bound of these 32 MiB [us]: the end row is cut off, 559 us and a latency; the links of a node alone give 281";

    "Tenstorrent, tt-metal issue 55543":
        ROOFLINES =
            "rooflines of a reduce-scatter on a ring of 8, the larger of latency bound and bandwidth bound without latency; 50 GB/s and 520 ns are inferred: difference from the printed [ns]: at most 50, half a digit";
        ABOVE_ROOFLINES =
            "lower bounds of the shortest and the longest of these [ns]: at most what was measured, 14.7 and 114.8 us";

    "marin issue 6736":
        PERMUTATION =
            "64 MiB to the next chip along an axis of TPU v5p, 90 GB/s: difference from the measured 782 us [%]: at most 5";

    "JAX scaling book, exercises":
        EXERCISES = "all-gathers that the book estimates at 560, 46 and 2 us: difference [%]: at most 4";
        WHOLE_ARRAY =
            "all-gather in rings of 4, estimated at 23 us, which counts the block that a chip has: difference [%]: at most 12";

    "coreweave/nccl-tests issue 43":
        NVLINK =
            "bus bandwidth of a ring all-reduce of 16 GiB on GB200 NVL72 at the 900 GB/s of the data sheet: difference from the published 840 GB/s [%]: at most 7";
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Box::new(check_ironwood),
        Box::new(check_columns),
        Box::new(check_rooflines),
        Box::new(check_permutation),
        Box::new(check_exercises),
        Box::new(check_nvlink),
    ]
}

/// A machine whose links are alike, and a program on it.
#[derive(Debug, Clone, Copy)]
struct Measurement<'a> {
    machine: &'a str, // its kind and shape
    link: &'a str,    // bandwidth and latency
    unit_bytes: u64,
    program: &'a str,
}

impl Measurement<'_> {
    #[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
    fn run(self) -> RunRecord {
        let Self { machine, link, unit_bytes, program } = self;
        let text = format!(
            "[machine]\n{machine}\nlink = {link}\nunit_bytes = {unit_bytes}\nswitching = \"cut-through\"\n\
             [program]\n{program}\n"
        );
        record(&text).expect("a scenario that runs")
    }

    /// The time of a run \[ns\].
    fn nanoseconds(self) -> u64 {
        let run = self.run();
        to_nanoseconds(&run, makespan(&run))
    }
}

/// The record of the first run of a scenario.
pub(super) fn record(text: &str) -> Result<RunRecord, String> {
    let scenario = load_text(Path::new("measurement.toml"), text).map_err(|errors| format!("{errors:?}"))?;
    let run = scenario.runs.first().ok_or("a run")?;
    let finished =
        execute(run, 0, KeepRecords::No, &Progress::default()).map_err(|error| error.to_string())?;
    Ok(RunRecord::new(run, 0, &finished))
}

/// The makespan of a run of a program \[cycles\]; open-loop traffic has none.
pub(super) fn makespan(run: &RunRecord) -> u64 {
    run.makespan_cycles.unwrap_or(0)
}

/// Cycles of a run in seconds \[ns, rounded\].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "times below a second"
)]
pub(super) fn to_nanoseconds(run: &RunRecord, cycles: u64) -> u64 {
    let seconds = run.makespan_seconds.unwrap_or(f64::NAN) / makespan(run) as f64;
    (1e9 * seconds * cycles as f64).round() as u64
}

/// A difference of at most `percent` percent from a published number.
fn within(percent: u64, published: u64, found: u64) -> Trial {
    Trial::at_most(percent, Quantity::fraction(100 * found.abs_diff(published), published))
}

/// Chips transfer three quarters of what two cores gather.
fn check_ironwood(findings: &mut Findings) {
    // MiB gathered, GB/s on 2x2x1 and 2x2x2, in hundredths.
    let rows = [
        (2, 7177, 6953),
        (8, 12_919, 12_739),
        (32, 16_190, 16_209),
        (128, 17_477, 17_467),
        (512, 17_877, 17_876),
    ];
    for (mebibytes, plane, cube) in rows {
        let bytes: u64 = mebibytes << 20;
        let program = format!(
            "kind = \"all-gather\"\nalgorithm = \"bidirectional-ring\"\nbytes = {bytes}\ncompute = \"3.4 us\""
        );
        let ring = Measurement {
            machine: "kind = \"ring\"\nshape = [4]",
            link: "{ bandwidth = \"89.2 GB/s\", latency = \"1 us\" }",
            unit_bytes: 1024,
            program: &program,
        };
        let (found, case) = (ring.nanoseconds(), format!("{mebibytes} MiB"));
        let published = |hundredths: u64| bytes * 3 / 4 * 100 / hundredths;
        findings.add(IRONWOOD, within(1, published(plane), found), &case);
        findings.add(IRONWOOD_CUBE, within(3, published(cube), found), &case);
    }
}

/// A mesh of 8x4 chips of TPU v5e: no side wraps.
fn columns(program: &str) -> Measurement<'_> {
    Measurement {
        machine: "kind = \"mesh\"\nshape = [8, 4]",
        link: "{ bandwidth = \"45 GB/s\", latency = \"1 us\" }",
        unit_bytes: 1024,
        program,
    }
}

fn check_columns(findings: &mut Findings) {
    let gather = |bytes: u64| {
        format!("kind = \"all-gather\"\nalgorithm = \"bucket\"\nports = \"all\"\nover = [1]\nbytes = {bytes}")
    };
    let long = columns(&gather(32 << 20)).run();
    let found = to_nanoseconds(&long, makespan(&long));
    findings.add(COLUMNS, within(3, 680_000, found), &"32 MiB");
    let bound = to_nanoseconds(&long, long.lower_bound_cycles.unwrap_or(0));
    findings.add(COLUMNS_BOUND, Trial::equal(560, bound / 1000), &"32 MiB");
    let nodes = to_nanoseconds(&long, long.bandwidth_bound_cycles.unwrap_or(0));
    findings.add(COLUMNS_BOUND, Trial::equal(281, (nodes + 500) / 1000), &"32 MiB, nodes");
    let short = columns(&gather(128 << 10)).nanoseconds();
    findings.add(COLUMNS_SHORT, within(39, 8000, short), &"32 KiB a chip");
}

fn check_rooflines(findings: &mut Findings) {
    // Ki elements of 2 bytes; the printed roofline [ns].
    let rows =
        [(64, 2100), (128, 2300), (256, 4600), (512, 9200), (1024, 18_400), (2048, 36_700), (4096, 73_400)];
    for (elements, printed) in rows {
        let bytes: u64 = elements << 11;
        let program =
            format!("kind = \"reduce-scatter\"\nalgorithm = \"bidirectional-ring\"\nbytes = {bytes}");
        let on = |link| Measurement {
            machine: "kind = \"ring\"\nshape = [8]",
            link,
            unit_bytes: 256,
            program: &program,
        };
        let run = on("{ bandwidth = \"50 GB/s\", latency = \"520 ns\" }").run();
        let plain = on("{ bandwidth = \"50 GB/s\" }").run();
        let latency = to_nanoseconds(&run, run.latency_bound_cycles.unwrap_or(0));
        let bandwidth = to_nanoseconds(&plain, plain.bandwidth_bound_cycles.unwrap_or(0));
        let case = format!("{elements} Ki elements");
        findings.add(ROOFLINES, Trial::at_most(50, latency.max(bandwidth).abs_diff(printed)), &case);
        let bound = to_nanoseconds(&run, run.lower_bound_cycles.unwrap_or(0));
        match elements {
            64 => findings.add(ABOVE_ROOFLINES, Trial::at_most(14_700, bound), &case),
            4096 => findings.add(ABOVE_ROOFLINES, Trial::at_most(114_800, bound), &case),
            _ => {}
        }
    }
}

fn check_permutation(findings: &mut Findings) {
    let shift = Measurement {
        machine: "kind = \"ring\"\nshape = [8]",
        link: "{ bandwidth = \"90 GB/s\", latency = \"1 us\" }",
        unit_bytes: 1024,
        program: "shape = [8]\n[[program.steps]]\nkind = \"send\"\nover = [0]\nby = 1\nwrap = true\nbytes = \"64 MiB\"",
    };
    findings.add(PERMUTATION, within(5, 782_000, shift.nanoseconds()), &"64 MiB");
}

fn check_exercises(findings: &mut Findings) {
    let rows = columns("kind = \"all-gather\"\nalgorithm = \"ring\"\nover = [1]\nbytes = \"32 MiB\"");
    findings.add(EXERCISES, within(4, 560_000, rows.nanoseconds()), &"columns of 4, 32 MiB");
    let on = |machine, unit_bytes, program| Measurement { machine, unit_bytes, program, ..rows };
    let plane = on(
        "kind = \"torus\"\nshape = [4, 4]",
        1024,
        "kind = \"all-gather\"\nalgorithm = \"swing\"\nports = \"all\"\nbytes = \"8 MiB\"",
    );
    findings.add(EXERCISES, within(4, 46_000, plane.nanoseconds()), &"4x4, 8 MiB");
    let short = "kind = \"all-gather\"\nalgorithm = \"direct\"\nbytes = 256";
    let short = on("kind = \"ring\"\nshape = [4]", 8, short);
    findings.add(EXERCISES, within(4, 2000, short.nanoseconds()), &"ring of 4, 256 bytes");
    let line = "kind = \"all-gather\"\nalgorithm = \"bidirectional-ring\"\nbytes = \"2 MiB\"";
    let line = on("kind = \"ring\"\nshape = [4]", 1024, line);
    findings.add(WHOLE_ARRAY, within(12, 23_000, line.nanoseconds()), &"ring of 4, 2 MiB");
}

fn check_nvlink(findings: &mut Findings) {
    let bytes: u64 = 16 << 30;
    let program = format!("kind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = {bytes}");
    let text = format!(
        "[machine]\nkind = \"cluster\"\nnodes = 1\ndevices_per_node = 72\nunit_bytes = 65536\n\
         switching = \"cut-through\"\n\
         inside = {{ kind = \"switch\", link = {{ bandwidth = \"900 GB/s\", latency = \"1 us\" }} }}\n\
         [program]\n{program}\n"
    );
    let Some(run) = findings.or_fail(NVLINK, &"16 GiB", record(&text)) else { return };
    let time = to_nanoseconds(&run, makespan(&run)).max(1);
    // 2 (P - 1) / P of the vector passes a device; GB/s, in thousandths.
    let found = bytes / 72 * 2 * 71 * 1000 / time;
    findings.add(NVLINK, within(7, 840_000, found), &"16 GiB");
}
