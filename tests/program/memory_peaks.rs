//! The most memory that a command holds, over a table of scenarios that would take far more than they may.
//!
//! Each either runs within the limit or is refused before the memory is taken.

use std::{
    fmt::Write,
    fs::File,
    process::{Command, Stdio},
    sync::LazyLock,
    time::Duration,
};

use super::command::{PROGRAM, Scratch, root};

/// The limit in the words of the command line, and in bytes.
const LIMIT: (&str, u64) = ("64MiB", 64 << 20);

/// The memory allowed beyond the limit and beyond that of an idle program \[bytes\].
const TOLERANCE: u64 = LIMIT.1 / 10;

/// The exit code of a command, the most memory that it held at one time \[bytes\], as far as the system showed it, and
/// its standard error.
fn peak(arguments: &[&str]) -> (Option<i32>, u64, String) {
    let messages = Scratch::empty();
    let file = File::create(messages.path("stderr")).unwrap();
    let mut command = Command::new(PROGRAM.as_str());
    command.current_dir(root()).args(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(file).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0) << 10);
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), peak, messages.read("stderr"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The memory of an idle program \[bytes\]: one that ends at once is rarely seen at its peak, so it is started often.
static EMPTY: LazyLock<u64> = LazyLock::new(|| (0..200).map(|_| peak(&["--version"]).1).max().unwrap_or(0));

/// The expected fate of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is refused for its memory by every command.
    Refused,
    /// It is refused for its memory by every command but `check`, which lists its runs one after another.
    Listed,
    /// It is refused by every command for another reason, or runs: it takes little.
    Any,
}
use Fate::{Any, Listed, Refused};

/// A hostile scenario: its description, its fate, its text, and a file that it names.
struct Hostile {
    what: &'static str,
    fate: Fate,
    text: String,
    file: Option<(&'static str, String)>,
}

const RING: &str = "machine = { kind = \"ring\", shape = [8] }\n";
const LARGE_TORUS: &str = "machine = { kind = \"torus\", shape = [4096, 4096] }\n";
const TORUS: &str = "machine = { kind = \"torus\", shape = [1024, 1024] }\n";
const BARRIER: &str = "program = { kind = \"barrier\", algorithm = \"dissemination\" }\n";

fn hostile(what: &'static str, fate: Fate, text: impl Into<String>) -> Hostile {
    Hostile { what, fate, text: text.into(), file: None }
}

/// A barrier on the machine that these keys describe.
fn machine(what: &'static str, fate: Fate, keys: &str) -> Hostile {
    hostile(what, fate, format!("machine = {{ {keys} }}\n{BARRIER}"))
}

/// `count` entries with commas between.
fn list(count: u32, entry: impl Fn(u32) -> String) -> String {
    (0..count).map(entry).collect::<Vec<_>>().join(",")
}

fn numbers(count: u32) -> String {
    list(count, |number| number.to_string())
}

fn repeated(count: u32, line: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        writeln!(text, "{}", line(number)).unwrap();
    }
    text
}

/// The sweep of a square of runs.
fn product(side: u32) -> String {
    let numbers = numbers(side);
    format!(
        "{RING}mapping.embeddings = [\"xor\"]\n[sweep]\nseed = [{numbers}]\n\"program.compute_cycles\" = [{numbers}]\n"
    )
}

/// Sweeps of many runs.
fn sweeps() -> Vec<Hostile> {
    let cases = repeated(100_000, |seed| format!("[[sweep.cases]]\nseed = {seed}"));
    let inline = list(200_000, |seed| format!("{{seed={seed}}}"));
    let algorithms = list(30_000, |_| "\"ring\"".to_owned());
    let meshes = list(30, |number| (900 + number).to_string());
    let seeds = list(1000, |seed| seed.to_string());
    let failures = list(12, |seed| seed.to_string());
    vec![
        hostile("a sweep of 28 900 runs", Listed, product(170)),
        hostile("100 000 cases", Refused, format!("{RING}mapping.embeddings = [\"xor\"]\n{cases}")),
        hostile("200 000 cases in a row", Refused, format!("{RING}[sweep]\ncases = [{inline}]\n")),
        hostile(
            "30 000 algorithms",
            Listed,
            format!("{RING}program = {{ kind = \"all-reduce\", algorithm = [{algorithms}] }}\n"),
        ),
        hostile(
            "30 full meshes",
            Listed,
            format!("machine.kind = \"full-mesh\"\n{BARRIER}[sweep]\n\"machine.nodes\" = [{meshes}]\n"),
        ),
        hostile(
            "12 machines with failures",
            Any,
            format!(
                "machine = {{ kind = \"torus\", shape = [32, 32], failed_links = 1 }}\n\
                 program = {{ kind = \"permutation\", pattern = \"random\" }}\n\
                 execution.routing = \"spread\"\n\
                 [sweep]\nseed = [1, 2]\n\"machine.failure_seed\" = [{failures}]\n"
            ),
        ),
        hostile(
            "1000 permutations",
            Listed,
            format!(
                "machine = {{ kind = \"torus\", shape = [64, 64] }}\n\
                 program = {{ kind = \"permutation\", pattern = \"random\" }}\n[sweep]\nseed = [{seeds}]\n"
            ),
        ),
    ]
}

/// Long lists, deep tables and long texts.
fn texts() -> Vec<Hostile> {
    let zeros = |count: u32| list(count, |_| "0".to_owned());
    let dotted = repeated(50_000, |number| format!("a{number}.b.c.d = 1"));
    let steps =
        repeated(10_000, |step| format!("[[program.steps]]\nkind = \"all-reduce\"\nunits = {}", step + 1));
    let embeddings = list(100_000, |number| format!("\"file:{number}\""));
    vec![
        hostile("10^6 stages", Refused, format!("{RING}program.stages = [{}]\n", zeros(1_000_000))),
        hostile("5 * 10^6 seeds", Refused, format!("{RING}seed = [{}]\n", zeros(5_000_000))),
        hostile(
            "10^6 lengths",
            Refused,
            format!("machine = {{ kind = \"torus\", shape = [{}] }}\n", zeros(1_000_000)),
        ),
        hostile("a remark of 100 MB", Any, format!("{RING}# {}\n", "a".repeat(100_000_000))),
        hostile("50 000 dotted keys", Refused, format!("{dotted}{RING}")),
        hostile("deep tables", Any, format!("{RING}[program.a{}]\n", ".a".repeat(10_000))),
        hostile(
            "50 000 errors of syntax",
            Any,
            format!("{RING}{}", repeated(50_000, |_| "x = = 1".to_owned())),
        ),
        hostile("100 000 files", Refused, format!("{RING}mapping.embeddings = [{embeddings}]\n")),
        hostile(
            "10 000 steps",
            Refused,
            format!("machine = {{ kind = \"ring\", shape = [1024] }}\nprogram.algorithm = \"ring\"\n{steps}"),
        ),
        hostile(
            "a caterpillar with 500 000 legs",
            Refused,
            format!(
                "{TORUS}program = {{ kind = \"neighbour-exchange\", guest = {{ kind = \"caterpillar\", legs = [{}] }} }}\n",
                zeros(500_000)
            ),
        ),
    ]
}

/// Networks with many nodes or links.
fn machines() -> Vec<Hostile> {
    vec![
        machine("a full mesh of 8192", Refused, "kind = \"full-mesh\", nodes = 8192"),
        machine("a full mesh of 900", Any, "kind = \"full-mesh\", nodes = 900"),
        machine("a 32-ary 4-tree", Refused, "kind = \"fat-tree\", arity = 32, levels = 4"),
        machine(
            "a tree of 2000 leaves",
            Refused,
            "kind = \"fat-tree\", leaves = 2000, hosts_per_switch = 16, spines = 2000",
        ),
        machine("a hyperx of 16 x 16", Any, "kind = \"hyperx\", shape = [16, 16], hosts_per_switch = 4"),
        machine(
            "a dragonfly",
            Any,
            "kind = \"dragonfly\", hosts_per_switch = 2, switches_per_group = 8, global_links = 4",
        ),
        machine("cube-connected cycles", Refused, "kind = \"cube-connected-cycles\", dimensions = 16"),
        machine("a wrapped butterfly", Refused, "kind = \"wrapped-butterfly\", dimensions = 16"),
        machine("a de Bruijn network", Refused, "kind = \"de-bruijn\", dimensions = 20"),
        machine("a shuffle-exchange network", Refused, "kind = \"shuffle-exchange\", dimensions = 20"),
        machine(
            "a twisted torus",
            Refused,
            "kind = \"torus\", shape = [1024, 1024], twist = [[0, 5], [0, 0]]",
        ),
        machine(
            "a twisted torus of 2^32 nodes",
            Refused,
            "kind = \"torus\", shape = [65536, 65536], twist = [[0, 5], [0, 0]]",
        ),
        machine(
            "a full mesh with failures",
            Refused,
            "kind = \"full-mesh\", nodes = 8192, failed_links = 1000",
        ),
        hostile(
            "a tree as guest",
            Refused,
            format!(
                "{TORUS}program = {{ kind = \"neighbour-exchange\", guest = {{ kind = \"binary-tree\", levels = 19 }} }}\n"
            ),
        ),
    ]
}

/// Programs and placements of many processes.
#[expect(clippy::too_many_lines, reason = "one list of cases, to be divided")]
fn processes() -> Vec<Hostile> {
    let neighbours = "kind = \"neighbour-exchange\", guest = { kind = \"torus\", shape = [4096, 4096] }";
    let permutation =
        |pattern: &str| format!("{TORUS}program = {{ kind = \"permutation\", pattern = \"{pattern}\" }}\n");
    vec![
        hostile(
            "a butterfly in a row",
            Refused,
            format!("{TORUS}program = {{ kind = \"reduce\", algorithm = \"bine\" }}\n"),
        ),
        hostile(
            "a tree of 2^20",
            Refused,
            format!("{TORUS}program = {{ kind = \"reduce\", algorithm = \"binomial\" }}\n"),
        ),
        hostile(
            "a pattern of 2^20",
            Refused,
            format!("{TORUS}program = {{ kind = \"all-reduce\", algorithm = \"swing\", units = 1048576 }}\n"),
        ),
        hostile(
            "permutation sets",
            Refused,
            format!(
                "{LARGE_TORUS}program = {{ {neighbours}, communication = \"permutation\", sets = 16 }}\n"
            ),
        ),
        hostile(
            "a construction",
            Refused,
            format!("{LARGE_TORUS}program = {{ {neighbours} }}\nmapping.embeddings = [\"tao\"]\n"),
        ),
        hostile("a random placement", Refused, format!("{LARGE_TORUS}mapping.embeddings = [\"random\"]\n")),
        hostile(
            "meshes in hypercubes",
            Refused,
            "machine = { kind = \"hypercube\", dimensions = 24 }\nmapping.embeddings = [\"greenberg\"]\n\
             program = { kind = \"neighbour-exchange\", guest = { kind = \"mesh\", shape = [4095, 4097] } }\n",
        ),
        hostile("a permutation of 2^20", Refused, permutation("random")),
        hostile("a tornado of 2^20", Refused, permutation("tornado")),
        hostile("a barrier of 2^20", Refused, format!("{TORUS}{BARRIER}")),
        hostile(
            "2^20 processes a node",
            Refused,
            format!(
                "{RING}program = {{ dimensions = 23, processes_per_node = 1048576 }}\nmapping.embeddings = [\"xor\"]\n"
            ),
        ),
        hostile(
            "every order of 16 axes",
            Any,
            format!(
                "machine = {{ kind = \"torus\", shape = [{twos}] }}\nmapping.embeddings = [\"axes\"]\n\
                 program = {{ kind = \"barrier\", algorithm = \"dissemination\", shape = [{twos}] }}\n",
                twos = list(16, |_| "2".to_owned())
            ),
        ),
    ]
}

/// Files with many rows.
fn files() -> Vec<Hostile> {
    let file =
        |what, fate, text: String, name, content| Hostile { what, fate, text, file: Some((name, content)) };
    let of_file = |kind: &str| format!("{RING}program = {{ kind = \"{kind}\", file = \"program\" }}\n");
    let header = "stage,source,destination,units\n";
    let messages =
        repeated(500_000, |row| format!("{row},{},{},9000000000000000000", row % 8, (row + 1) % 8));
    let operations = |rank: u32| {
        let lines = repeated(150_000, |label| match label {
            0 => "l0: calc 5".to_owned(),
            _ => format!("l{label}: calc 5\nl{label} requires l{}", label - 1),
        });
        format!("rank {rank} {{\n{lines}}}")
    };
    let links = "machine = { kind = \"network\", edges = \"links\" }\n".to_owned() + BARRIER;
    let placed = format!("{TORUS}mapping.embeddings = [\"file:p.csv\"]\n");
    let rows = repeated(1 << 20, |process| format!("{process},{},{}", process % 1024, process / 1024));
    vec![
        file("500 000 messages", Refused, of_file("stages"), "program", format!("{header}{messages}")),
        file(
            "10^6 stages without messages",
            Refused,
            of_file("stages"),
            "program",
            format!("{header}999999,0,1,5\n"),
        ),
        file(
            "10^6 operations",
            Refused,
            of_file("goal"),
            "program",
            format!("num_ranks 8\n{}", repeated(8, operations)),
        ),
        file(
            "2^32 ranks",
            Any,
            of_file("goal"),
            "program",
            "num_ranks 4294967295\nrank 0 {\nl1: calc 5\n}\n".to_owned(),
        ),
        file(
            "300 000 links",
            Any,
            links.clone(),
            "links",
            repeated(300_000, |node| format!("{node} {}", node + 1)),
        ),
        file("a link of 2^20 nodes", Any, links, "links", "0 1048575\n".to_owned()),
        file("a placement of 2^20", Any, placed, "p.csv", format!("process,p_1,p_2\n{rows}")),
    ]
}

/// The commands with their words after the scenario; every run of the tests tries the first ones on every scenario.
const COMMANDS: [&[&str]; 8] = [
    &["run", "s.toml", "--quiet"],
    &["check", "s.toml"],
    &["report", "s.toml", "--quiet"],
    &["measure", "s.toml", "--quiet"],
    &["compare", "s.toml", "--quiet"],
    &["place", "s.toml", "--format", "csv"],
    &["draw", "links", "s.toml"],
    &["export", "s.toml", "--format", "goal"],
];

/// The number of commands that are always tried.
const FEW: usize = 2;

/// Checks the commands on each of the scenarios.
fn check(scenarios: Vec<Hostile>, commands: &[&[&str]]) {
    let mut wrong = vec![];
    for Hostile { what, fate, text, file } in scenarios {
        let mut written = vec![("s.toml", text)];
        written.extend(file);
        let scratch = Scratch::with(&written);
        let path = scratch.path("s.toml");
        for command in commands {
            let mut words: Vec<&str> = command.to_vec();
            words.iter_mut().filter(|word| **word == "s.toml").for_each(|word| *word = &path);
            words.extend(["--memory-limit", LIMIT.0]);
            let (code, held, said) = peak(&words);
            let name = command[0];
            let is_as_expected = match (fate, name) {
                (Listed, "check") => code == Some(0),
                (Refused | Listed, _) => code == Some(2),
                (Any, _) => matches!(code, Some(0 | 2)),
            };
            if !is_as_expected {
                wrong.push(format!("{name} of {what} ended with {code:?}"));
            }
            let is_told = fate == Any || code == Some(0) || said.contains("--memory-limit");
            if !is_told {
                wrong.push(format!("{name} of {what}: {said}"));
            }
            let most = LIMIT.1 + TOLERANCE + *EMPTY;
            if held > most {
                wrong.push(format!(
                    "{name} of {what} held {} MiB, expected at most {}",
                    held >> 20,
                    most >> 20
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sweeps_stay_within_the_limit() {
    check(sweeps(), &COMMANDS[..FEW]);
}

#[test]
fn texts_stay_within_the_limit() {
    check(texts(), &COMMANDS[..FEW]);
}

#[test]
fn searches_stay_within_the_limit() {
    let machine = |shape| format!("machine = {{ kind = \"torus\", shape = {shape} }}\n");
    let sparse = "program = { kind = \"cc-cube\" }\n";
    let dense = "program = { kind = \"all-to-all\", algorithm = \"direct\" }\n";
    let searches = vec![
        hostile("4096 sites", Refused, format!("{}{sparse}", machine("[64, 64]"))),
        hostile("256 sites", Any, format!("{}{sparse}", machine("[16, 16]"))),
        hostile("every pair of 256", Any, format!("{}{dense}", machine("[16, 16]"))),
        hostile("every pair of 512", Refused, format!("{}{dense}", machine("[8, 8, 8]"))),
    ];
    check(searches, &[&["search", "s.toml", "--quiet", "--evaluations", "20"]]);
}

#[test]
fn machines_stay_within_the_limit() {
    check(machines(), &COMMANDS[..FEW]);
}

#[test]
fn processes_stay_within_the_limit() {
    check(processes(), &COMMANDS[..FEW]);
}

#[test]
fn files_stay_within_the_limit() {
    check(files(), &COMMANDS[..FEW]);
}

/// Asserts that a command is refused for its memory, or succeeds within this limit \[MiB\].
fn stays_within(mebibytes: u64, arguments: &[&str]) {
    let limit = format!("{mebibytes}MiB");
    let (code, held, said) = peak(&[arguments, &["--memory-limit", &limit]].concat());
    let limit = mebibytes << 20;
    assert!(held <= limit + limit / 10 + *EMPTY, "{arguments:?}: {} MiB", held >> 20);
    let is_refused = code == Some(2) && said.contains("--memory-limit");
    assert!(code == Some(0) || is_refused, "{arguments:?}: {code:?}, {said}");
}

#[test]
fn packets_that_are_served_in_turn_stay_within_the_limit() {
    let scratch = Scratch::with(&[
        (
            "s.toml",
            "machine = { kind = \"line\", shape = [3], packet_units = 1, arbitration = \"round-robin\" }\nprogram = { kind = \"stages\", file = \"a.csv\" }\n",
        ),
        ("a.csv", "stage,source,destination,units\n0,0,2,20000000\n0,1,2,20000000\n"),
    ]);
    stays_within(32, &["run", &scratch.path("s.toml")]);
}

#[test]
fn lists_that_a_run_a_search_or_a_file_needs_stay_within_the_limit() {
    let torus = |shape: &str| format!("machine = {{ kind = \"torus\", shape = {shape} }}\n");
    let pairwise = "program = { kind = \"all-to-all\", algorithm = \"pairwise\", units = 1024 }\n";
    let stencil = "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"torus\", shape = [16, 16, 16] }\n\
                   communication = \"stencil\"\nneighbours = \"all\"\n";
    let trace = root().join("tests/golden/chakra/many-attributes.{rank}.et");
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2048, 2048), }\n";
    let scratch = Scratch::with(&[
        ("pairwise.toml", torus("[32, 32]") + pairwise),
        ("stencil.toml", torus("[16, 16, 16]") + stencil),
        (
            "attributes.toml",
            format!("{RING}program = {{ kind = \"chakra\", file = {:?} }}\n", trace.to_str().unwrap()),
        ),
        ("line.toml", format!("{RING}program = {{ kind = \"stages\", file = \"line.csv\" }}\n")),
        ("line.csv", "0".repeat(100 << 20)),
        ("bytes.toml", torus("[128, 128]") + "program = { kind = \"traffic\", file = \"bytes.npy\" }\n"),
    ]);
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let bytes = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &vec![1; 1 << 22]].concat();
    std::fs::write(scratch.path("bytes.npy"), bytes).unwrap();
    stays_within(22, &["run", &scratch.path("pairwise.toml")]);
    stays_within(128, &["run", &scratch.path("attributes.toml")]);
    stays_within(16, &["check", &scratch.path("bytes.toml")]);
    let search = ["search", &scratch.path("stencil.toml"), "--objective", "hop-units", "--evaluations", "50"];
    stays_within(120, &search);
    let (code, held, said) = peak(&["check", &scratch.path("line.toml"), "--memory-limit", "32MiB"]);
    assert!(code == Some(2) && said.contains("it has a line of more"), "{said}");
    assert!(held <= (8 << 20) + *EMPTY, "{} MiB", held >> 20);
}

#[test]
fn many_collectives_reports_results_and_threads_stay_within_the_limit() {
    let numbers = |count: u32| list(count, |number| (number + 1).to_string());
    let ring = "machine = { kind = \"ring\", shape = [16] }\n";
    let collectives = format!(
        "{ring}program = {{ kind = \"all-reduce\", algorithm = [\"ring\", \"swing\"] }}\n\
         [sweep]\n\"program.units\" = [{}]\n\"machine.hop_cycles\" = [{}]\n",
        numbers(100),
        numbers(50)
    );
    let runs = format!(
        "machine = {{ kind = \"torus\", shape = [8, 8] }}\nmapping.embeddings = [\"xor\"]\n\
         [sweep]\n\"program.compute_cycles\" = [{}]\n",
        numbers(500)
    );
    let rows = repeated(4000, |row| format!("{row},8x8,xor,{},1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", row + 1));
    let header = "run,machine_shape,embedding,makespan_cycles,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o\n";
    let scratch = Scratch::with(&[
        ("collectives.toml", collectives),
        ("runs.toml", runs),
        ("two.toml", format!("{ring}mapping.embeddings = [\"standard\", \"xor\"]\n")),
        ("r.csv", format!("{header}{rows}")),
    ]);
    let path = |name: &str| scratch.path(name);
    stays_within(
        24,
        &["run", &path("collectives.toml"), "--shard", "1/1000", "--output", &path("part"), "--quiet"],
    );
    let part = path("own-runs");
    let (code, held, said) = peak(&[
        "run",
        &path("collectives.toml"),
        "--shard",
        "1/1000",
        "--output",
        &part,
        "--quiet",
        "--memory-limit",
        "12MiB",
    ]);
    assert!(code == Some(0) && held <= (16 << 20) + *EMPTY, "{code:?}, {} MiB: {said}", held >> 20);
    stays_within(16, &["report", &path("runs.toml"), "--quiet"]);
    stays_within(16, &["draw", "scaling", &path("r.csv"), "--x", "run"]);
    stays_within(16, &["run", &path("two.toml"), "--threads", "5000"]);
}

#[test]
#[ignore = "minutes: as many runs as a file may ask for"]
fn a_million_runs_are_listed_within_the_limit() {
    let limit = 256 << 20;
    let scratch = Scratch::with(&[("s.toml", product(1000))]);
    for format in ["table", "csv", "json", "parquet"] {
        let path = scratch.path("s.toml");
        let (code, held, _) = peak(&["check", &path, "--format", format, "--memory-limit", "256MiB"]);
        assert_eq!(code, Some(0), "{format}");
        assert!(held <= limit + limit / 10 + *EMPTY, "{format}: {} MiB", held >> 20);
    }
}

#[test]
#[ignore = "a minute: every scenario with the other commands"]
fn all_commands_stay_within_the_limit() {
    for scenarios in [sweeps(), texts(), machines(), processes(), files()] {
        check(scenarios, &COMMANDS[FEW..]);
    }
}
