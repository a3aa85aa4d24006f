//! The end of the help of every command: examples, then its exit codes.

/// The exit codes of a kind of command.
macro_rules! exit_codes {
    // A command that converts its input.
    (writes) => {
        exit_codes!(
            "results could not be written",
            "the input is wrong or refused",
            [],
            "ended by an interruption (Ctrl-C) or a request to terminate"
        )
    };
    // A command that runs scenarios.
    (runs) => {
        exit_codes!(
            "a run failed, or results could not be written",
            "the input is wrong or refused; nothing was run",
            [],
            "ended by an interruption (Ctrl-C) or a request to terminate"
        )
    };
    // A command that runs scenarios and keeps a journal.
    (sweeps) => {
        exit_codes!(
            "a run failed, or results could not be written",
            "the input is wrong or refused; nothing was run",
            ["  4  another process writes the same results; nothing was run\n"],
            "ended by an interruption (Ctrl-C) or a request to terminate; finished runs are kept"
        )
    };
    (inspects) => {
        exit_codes!(
            "results could not be written",
            "a file is unreadable, unknown, or has errors",
            ["  3  all are recognised, but one is not read or ambiguous\n"],
            "ended by an interruption (Ctrl-C) or a request to terminate"
        )
    };
    (verify) => {
        exit_codes!(
            "results could not be written",
            "the input is wrong or refused; nothing was measured",
            ["  3  done, but a claim does not hold\n"],
            "ended by an interruption (Ctrl-C) or a request to terminate"
        )
    };
    // The program: all of them.
    (all) => {
        exit_codes!(
            "a run failed, or results could not be written",
            "the input is wrong or refused; nothing was run",
            [
                "  3  done, but verify found a claim that does not hold, or inspect a file that is not read\n",
                "  4  another process writes the same results; nothing was run\n"
            ],
            "ended by an interruption (Ctrl-C) or a request to terminate; finished runs are kept"
        )
    };
    ($failed:literal, $refused:literal, [$($more:literal),*], $ended:literal) => {
        concat!(
            "Exit codes:\n  0  done\n  1  ",
            $failed,
            "\n  2  ",
            $refused,
            "\n",
            $($more,)*
            "  130, 143  ",
            $ended
        )
    };
}

/// The end of a help: examples, then the exit codes.
macro_rules! after_help {
    ($codes:ident: $($example:literal),+) => {
        concat!("Examples:\n", $("  cubefold ", $example, "\n",)+ "\n", exit_codes!($codes))
    };
}

pub(super) const AFTER_MAIN: &str = after_help!(
    all: "compare scenarios/first-comparison.toml",
    "run scenarios/rings.toml --output rings.csv",
    "place scenarios/figure-6.toml --embedding xor"
);
pub(super) const AFTER_RUN: &str = after_help!(
    sweeps: "run scenarios/figure-4.toml",
    "run scenarios/rings.toml --output rings.csv",
    "run scenarios/figure-4.toml --processes rows.csv",
    "run scenarios/figure-4.toml --crossings crossings.csv",
    "run scenarios/rings.toml --output rings.csv --resume",
    "run scenarios/rings.toml --output rings.csv --shard 2/8",
    "run scenarios/rings.toml --output rings.csv --shard 2/8 --resume --wait"
);
pub(super) const AFTER_COMPARE: &str = after_help!(
    sweeps: "compare scenarios/first-comparison.toml",
    "compare scenarios/link-modes.toml --reference xor --format markdown",
    "compare scenarios/all-reduce-crossovers.toml --reference ring --bisect"
);
pub(super) const AFTER_CITE: &str = after_help!(writes: "cite results.json");
pub(super) const AFTER_MERGE: &str = after_help!(writes: "merge results.csv.part-* --output results.csv");
pub(super) const AFTER_MEASURE: &str = after_help!(writes: "measure scenarios/figure-6.toml");
pub(super) const AFTER_PLACE: &str = after_help!(
    writes: "place scenarios/figure-6.toml --embedding xor",
    "place scenarios/figure-6.toml --embedding xor --output placement.csv",
    "place scenarios/figure-6.toml --embedding xor --format cray-rank-order",
    "place job.toml --embedding xor --format slurm-hostfile --hosts hosts.txt --coordinates site.csv",
    "place scenarios/greenberg.toml --embedding greenberg --stage reflect"
);
pub(super) const AFTER_SEARCH: &str = after_help!(
    runs: "search scenarios/figure-6.toml",
    "search scenarios/figure-6.toml --output placement.csv",
    "search scenarios/figure-6.toml --objective hop-units --evaluations 100000 --format json"
);
pub(super) const AFTER_EXPORT: &str = after_help!(
    writes: "export scenarios/figure-6.toml --embedding xor --format goal --output program.goal",
    "export scenarios/figure-6.toml --embedding xor --format chakra --output traces"
);
pub(super) const AFTER_ROUTES: &str = after_help!(
    writes: "routes scenarios/latency-over-load.toml --run 0 --output minimal.txt",
    "routes scenarios/latency-over-load.toml --run 0 --valiant --output valiant.txt"
);
pub(super) const AFTER_TABLES: &str = after_help!(
    writes: "tables scenarios/figure-6.toml --embedding xor",
    "tables scenarios/figure-6.toml --embedding xor --output tables.csv"
);
pub(super) const AFTER_VERIFY: &str = after_help!(verify: "verify --quick", "verify --output claims.md");
pub(super) const AFTER_DRAW: &str = after_help!(
    runs: "draw space-time scenarios/figure-4.toml --embedding byweight --output figure-4.svg",
    "draw placement scenarios/figure-6.toml --embedding xor --dimension 2 --output placement.png",
    "draw scaling results.csv --x nodes --y makespan_cycles --output scaling.svg"
);
pub(super) const AFTER_REPORT: &str =
    after_help!(runs: "report scenarios/first-comparison.toml --output report.html");
pub(super) const AFTER_CHECK: &str = after_help!(writes: "check scenarios/link-modes.toml");
pub(super) const AFTER_EXPLAIN: &str =
    after_help!(writes: "explain", "explain makespan", "explain placement_dilation_max");
pub(super) const AFTER_INSPECT: &str = after_help!(inspects: "inspect topo.txt", "inspect --list");
pub(super) const AFTER_CALIBRATE: &str = after_help!(
    writes: "calibrate osu_latency.txt osu_bw.txt --output machine.toml",
    "calibrate all_reduce_perf.txt"
);
pub(super) const AFTER_NEW: &str = after_help!(
    writes: "new --output mine.toml",
    "new --machine torus --shape 8x8 --program cc-cube --output mine.toml"
);
pub(super) const AFTER_COMPLETIONS: &str =
    after_help!(writes: "completions bash --output ~/.local/share/bash-completion/completions/cubefold");
pub(super) const AFTER_SCHEMA: &str =
    after_help!(writes: "schema scenario --output scenario.schema.json", "schema results");
pub(super) const AFTER_MAN: &str =
    after_help!(writes: "man", "man compare", "man --folder ~/.local/share/man/man1");
