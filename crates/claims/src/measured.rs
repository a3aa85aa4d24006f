//! Published times of collectives on accelerator clusters, against the runs of
//! `scenarios/measured`.
//!
//! The scenarios use the bandwidth that programs achieve on a link if that is published, not the data sheet; each
//! states its other assumptions. A claim states the error of its run, however large, so that no error can change unseen;
//! the largest come first.

use crate::{
    claim::{Claim, Quantity, Trial},
    findings::{Case, Findings, for_each},
    measurements::{makespan, record, to_nanoseconds},
};

/// A published time, and the scenario that reproduces it.
struct Measurement {
    claim: Claim,
    scenario: &'static str,
    nanoseconds: u64, // published
    error: i64,       // tenths of a percent
}

/// Lists measurements: the name of the scenario, the source, the time \[ns\] and the error \[tenths of a percent\], with
/// the claim.
macro_rules! measurements {
    ($($name:literal, $source:literal, $nanoseconds:literal, $error:literal: $text:literal;)+) => {
        static ROWS: &[Measurement] = &[$(Measurement {
            claim: Claim::new($source, $text),
            scenario: include_str!(concat!("../measured/", $name, ".toml")),
            nanoseconds: $nanoseconds,
            error: $error,
        }),+];
    };
}

measurements! {
    "dgx-spark-4-all-to-all", "kashif-nawaz/DGX-Spark", 48_659_000, -338:
        "all-to-all of 1 GiB on 4 DGX Spark: error -33.8 %; the link between the two switches is not said";
    "perlmutter-4x4-all-to-all", "NVIDIA/nccl-tests issue 139", 200_000_000, -329:
        "all-to-all of 4 GiB on 4 nodes of 4 A100: error -32.9 %; measured without warm-up; the machine loses what nothing here explains";
    "dgx-spark-2-all-to-all", "kashif-nawaz/DGX-Spark", 27_087_300, -207:
        "all-to-all of 1 GiB on 2 DGX Spark: error -20.7 %; the all-reduce of these hosts loses 3 %: not explained";
    "h800-2x4", "NVIDIA/nccl issue 1411", 2_946_600, -169:
        "all-reduce of 256 MiB on two nodes of 4 H800 by rings: error -16.9 %; these rings come back to the NIC that they left by, which takes NVLink twice";
    "alps-2x4-all-to-all", "eth-cscs/cray-network-stack", 370_060, -168:
        "all-to-all of 1 MiB a pair on two nodes of 4 ranks: error -16.8 %; another page of the site has 519.85 us";
    "h100-2x8", "skypilot-org/skypilot", 34_468_000, 124:
        "all-reduce of 8 GiB on two nodes of 8 H100: error +12.4 %; reductions in the switches are assumed, 274 GB/s a device";
    "a3-mega-2x8-short", "dstackai/dstack", 166_600, -107:
        "all-gather of 8 MiB on two nodes of 8 H100 over TCP: error -10.7 %; bandwidth and cost of a step are fitted to six sizes";
    "dgx-spark-4-all-gather", "kashif-nawaz/DGX-Spark", 35_839_200, -101:
        "all-gather of 1 GiB on 4 DGX Spark: error -10.1 %; at line rate; the link between the two switches is not said";
    "p5en-2x8-all-to-all", "DanielDanyang/DeepEP-danyang", 11_799_000, -90:
        "all-to-all of 1 GiB on two nodes of 8 devices over EFA: error -9.0 %; the time is that of the bandwidth, 91 GB/s; at line rate";
    "mi355x-1x8", "oracle-quickstart/oci-gpu-quickstarts", 36_956_000, 74:
        "all-reduce of 8 GiB on 8 MI355X: error +7.4 %; the efficiency of the links is that of MI300X; the page allows 5 to 8 %";
    "a100-3x8", "NVIDIA/nccl-tests issue 119", 2_604_600, 73:
        "all-reduce of 131072008 bytes on 3 nodes of 8 A100: error +7.3 %; with an odd number of nodes the channels change rails";
    "b200-2x8", "dstackai/dstack", 23_563_000, 55:
        "all-reduce of 8 GiB on two nodes of 8 B200: error +5.5 %; reductions in the switches are assumed, at the share of NVLink that H100 reaches";
    "h100-1x8-nvls", "NVIDIA/nccl-tests issue 290", 3_947_600, 55:
        "all-reduce of 1 GiB on 8 H100: error +5.5 %; 274 GB/s a device follow from 480 GB/s in another thread";
    "h100-5x8-tree", "NVIDIA/nccl issue 1368", 13_959_000, -53:
        "all-reduce of 1 GiB on 5 nodes of 8 H100 by trees: error -5.3 %; the time is that of the bus bandwidth, 150 GB/s";
    "dgx-spark-4-all-reduce", "kashif-nawaz/DGX-Spark", 68_073_200, -53:
        "all-reduce of 1 GiB on 4 DGX Spark: error -5.3 %; at line rate; the link between the two switches is not said";
    "mi355x-1x8-all-to-all", "oracle-quickstart/oci-gpu-quickstarts", 20_837_000, -47:
        "all-to-all of 8 GiB on 8 MI355X: error -4.7 %; the efficiency of the links is that of MI300X";
    "h100-2x2-trees", "NVIDIA/nccl issue 1250", 130_000_000, 45:
        "all-reduce of 1 GB on two nodes of 2 H100: error +4.5 %; 3.7 GB/s a NIC are fitted to one device a node";
    "h100-5x8-ring", "NVIDIA/nccl issue 1368", 11_020_000, 40:
        "all-reduce of 1 GiB on 5 nodes of 8 H100 by rings: error +4.0 %; the time is that of the bus bandwidth, 190 GB/s";
    "dgx-spark-2-all-gather", "kashif-nawaz/DGX-Spark", 22_313_800, -37:
        "all-gather of 1 GiB on 2 DGX Spark: error -3.7 %; at line rate";
    "h100-12x8-sharp", "coreweave/nccl-tests", 43_980_000, 34:
        "all-reduce of 8 GiB on 12 nodes of 8 H100 with SHARP: error +3.4 %; 12 nodes are inferred";
    "dgx-spark-2-all-reduce", "kashif-nawaz/DGX-Spark", 44_296_300, -30:
        "all-reduce of 1 GiB on 2 DGX Spark: error -3.0 %; at line rate";
    "mi325x-2x8", "hisohara/ai-scripts", 91_973_000, -29:
        "all-reduce of 16 GiB on 2 nodes of 8 MI325X: error -2.9 %; the rate of the 8 NICs is assumed";
    "mi325x-4x8", "hisohara/ai-scripts", 94_942_000, -28:
        "all-reduce of 16 GiB on 4 nodes of 8 MI325X: error -2.8 %; the rate of the 8 NICs is assumed";
    "mi325x-8x8", "hisohara/ai-scripts", 96_405_000, -28:
        "all-reduce of 16 GiB on 8 nodes of 8 MI325X: error -2.8 %; the rate of the 8 NICs is assumed";
    "b200-2x8-1gib", "dstackai/dstack", 3_229_900, -25:
        "all-reduce of 1 GiB on two nodes of 8 B200: error -2.5 %; reductions in the switches are assumed, at the share of NVLink that H100 reaches";
    "h100-2x4-512mib", "NVIDIA/nccl-tests issue 252", 10_052_000, -23:
        "all-reduce of 512 MiB on two nodes of 4 H100 by rings: error -2.3 %; 24 GB/s a NIC, as the thread says";
    "h100-2x4-trees", "NVIDIA/nccl issue 1250", 67_000_000, 22:
        "all-reduce of 1 GB on two nodes of 4 H100: error +2.2 %; 3.7 GB/s a NIC are fitted to one device a node";
    "h100-12x8-sharp-1gib", "coreweave/nccl-tests", 5_808_000, 19:
        "all-reduce of 1 GiB on 12 nodes of 8 H100 with SHARP: error +1.9 %; 12 nodes are inferred";
    "mi355x-2x8", "hisohara/ai-scripts", 43_643_000, -18:
        "all-reduce of 8 GiB on two nodes of 8 MI355X: error -1.8 %; the efficiency of the links is that of MI300X";
    "mi300x-2x8", "hisohara/ai-scripts", 90_115_000, -9:
        "all-reduce of 16 GiB on two nodes of 8 MI300X: error -0.9 %; the rate of the 8 NICs is assumed";
    "h100-2x4", "NVIDIA/nccl-tests issue 252", 158_070_000, -9:
        "all-reduce of 8 GiB on two nodes of 4 H100 by rings: error -0.9 %; 24 GB/s a NIC, as the thread says";
    "a100-2x8", "NVIDIA/nccl issue 812", 10_485_800, 8:
        "all-reduce of 1 GiB on two nodes of 8 A100: error +0.8 %; two nodes and the size are assumed; the time is that of the bus bandwidth, 192 GB/s";
    "h100-2x8-short", "skypilot-org/skypilot", 2_432_700, -4:
        "all-reduce of 512 MiB on two nodes of 8 H100: error -0.4 %; reductions in the switches are assumed, 274 GB/s a device";
    "a3-mega-2x8", "dstackai/dstack", 42_713_000, -3:
        "all-gather of 8 GiB on two nodes of 8 H100 over TCP: error -0.3 %; bandwidth and cost of a step are fitted to six sizes";
    "h100-2x1-trees", "NVIDIA/nccl issue 1250", 270_000_000, 3:
        "all-reduce of 1 GB on two nodes of 1 H100: error +0.3 %; 3.7 GB/s a NIC are fitted to it";
    "aurora-32x12-all-to-all", "pmodels/mpich issue 7601", 467_380, -1:
        "all-to-all of 4 KiB a pair on 32 nodes of 12 ranks: error -0.1 %; 0.61 us a message are fitted to it";
    "mi300x-1x8", "hisohara/ai-scripts", 47_617_000, 0:
        "all-reduce of 8 GiB on 8 MI300X: error +0.0 %; 45.1 of 64 GB/s a link are fitted to it";
}

/// In the order of the report.
pub(super) fn claims() -> Vec<Claim> {
    ROWS.iter().map(|row| row.claim).collect()
}

pub(super) fn cases() -> Vec<Case> {
    for_each(ROWS, check)
}

fn check(row: &Measurement, findings: &mut Findings) {
    let trial = record(row.scenario).map(|run| {
        let microseconds = |nanoseconds: u64| Quantity::fraction(nanoseconds, 1000);
        let simulated = microseconds(to_nanoseconds(&run, makespan(&run)));
        Trial::off(microseconds(row.nanoseconds), simulated, row.error)
    });
    findings.try_add(row.claim, trial, &"its run");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_row_with_its_error_the_largest_first() {
        let page = include_str!("../../../docs/measured.md");
        let (mut place, mut last) = (0, u64::MAX);
        for row in ROWS {
            let title = row.scenario.lines().next().unwrap().trim_start_matches("# ");
            let error = format!("{:+}.{}", row.error / 10, row.error.abs() % 10)
                .replace("+0.", if row.error < 0 { "-0." } else { "+0." });
            let found = page.lines().enumerate().find(|(_, line)| line.contains(&format!("[{title}](")));
            let (line, text) = found.unwrap_or_else(|| panic!("no row of {title}"));
            assert!(text.contains(&format!("| {error} |")), "{title}: expected {error} in {text}");
            assert!(line > place && row.error.unsigned_abs() <= last, "{title}");
            (place, last) = (line, row.error.unsigned_abs());
        }
    }
}
