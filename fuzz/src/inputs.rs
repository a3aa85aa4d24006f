//! Bytes that the program reads: whatever they are, it gives an error at its place or takes them, in bounded memory.
//!
//! Each target takes bytes as one kind of file. The tests of the workspace call the same functions with the corpora.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use cubefold_formats::launcher::LauncherFormat;
use cubefold_records::RunRecord;
use cubefold_runs::{
    KeepRecords, Progress, Resources, check_runs, execute,
    journal::{Journal, Shard, SweepPlan},
    read_measurement,
    tools::calibration::MeasurementOptions,
};
use cubefold_scenario::{Run, Scenario, ScenarioErrors, load_text_with, read_coordinates, read_hosts};
use miette::{GraphicalReportHandler, GraphicalTheme};
use tempfile::TempDir;

/// What a scenario may take \[bytes\].
const MEMORY: u64 = 1 << 24;

/// The folder of the files that the scenarios of this process name.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("a folder for the inputs")
});

/// The name that the scenarios use for the input.
const INPUT: &str = "input";

fn path_of(name: &str) -> PathBuf {
    FOLDER.path().join(name)
}

/// Reads a scenario; what is wrong is rendered as a terminal shows it.
fn read(text: &str) -> Option<Scenario> {
    match load_text_with(&path_of("s.toml"), text, &[], MEMORY) {
        Ok(scenario) => Some(scenario),
        Err(errors) => {
            render(&errors);
            None
        }
    }
}

fn render(errors: &ScenarioErrors) {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    assert!(errors.iter().len() > 0, "refused without a reason");
    for error in errors.iter() {
        let mut text = String::new();
        handler.render_report(&mut text, &error.report()).expect("a string takes every text");
        assert!(!text.contains('\u{1b}'), "an escape reaches the terminal");
    }
}

/// Reads a scenario from text, and checks what its runs would take.
pub fn scenario(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // No file outside of the folder is read, whatever the text names.
    if ["\"/", "'/", ":/", ".."].iter().any(|outside| text.contains(outside)) {
        return;
    }
    if let Some(scenario) = read(text) {
        let runs: Vec<&Run> = scenario.runs.iter().collect();
        let _ = check_runs(&runs, Resources { threads: 1, memory: MEMORY, ranks: None }, KeepRecords::No);
    }
}

/// Reads scenarios that name the input as a file.
fn with_input(input: &[u8], scenarios: &[&str]) {
    fs::write(path_of(INPUT), input).expect("a file in memory");
    for text in scenarios {
        read(text);
    }
}

/// Reads a placement, as text and as an array of numpy.
pub fn placement(input: &[u8]) {
    let program = "machine = { kind = \"torus\", shape = [4, 2] }\nmapping.embeddings = [\"file:";
    fs::write(path_of("input.npy"), input).expect("a file in memory");
    with_input(input, &[&format!("{program}{INPUT}\"]\n"), &format!("{program}input.npy\"]\n")]);
}

/// Reads files of launchers, lists of hosts, coordinate maps and the output of benchmarks.
pub fn launcher(input: &[u8]) {
    let machine = "machine = { kind = \"torus\", shape = [2, 2] }\n";
    fs::write(path_of("hosts"), "a\nb\nc\nd\n").expect("a file in memory");
    let entries = LauncherFormat::ALL.iter().flat_map(|format| {
        let entry = format!("format = \"{}\", file = \"{INPUT}\"", format.name());
        [format!("{{ {entry}, hosts = \"hosts\" }}"), format!("{{ {entry} }}")]
    });
    let scenarios: Vec<String> =
        entries.map(|entry| format!("{machine}mapping.embeddings = [{entry}]\n")).collect();
    with_input(input, &scenarios.iter().map(String::as_str).collect::<Vec<_>>());
    let path = path_of(INPUT);
    for errors in [
        read_hosts(&path).err(),
        read_coordinates(&path).err(),
        read_measurement(&path, MeasurementOptions::default()).err(),
    ] {
        errors.iter().for_each(render);
    }
}

/// Reads a machine from a list of links.
pub fn edges(input: &[u8]) {
    let machine = format!("machine = {{ kind = \"network\", edges = \"{INPUT}\" }}\n");
    with_input(input, &[&machine, &format!("{machine}execution.routing = \"spread\"\n")]);
}

/// Reads a program from a list of messages and from a GOAL schedule.
pub fn program_file(input: &[u8]) {
    let machine = "machine = { kind = \"ring\", shape = [8] }\n";
    let program = |kind: &str| format!("{machine}program = {{ kind = \"{kind}\", file = \"{INPUT}\" }}\n");
    with_input(input, &[&program("stages"), &program("goal")]);
}

/// The runs whose journal is continued, and their records.
static SWEEP: LazyLock<(Vec<Run>, Vec<RunRecord>)> = LazyLock::new(|| {
    let text = "machine = { kind = \"ring\", shape = [4] }\n[sweep]\n\"program.compute_cycles\" = [0, 3]\n";
    let runs = read(text).expect("a scenario").runs;
    let record = |(place, run): (usize, &Run)| {
        let finished = execute(run, place, KeepRecords::No, &Progress::default()).expect("a run");
        RunRecord::new(run, place, &finished)
    };
    let records = runs.iter().enumerate().map(record).collect();
    (runs, records)
});

/// The bytes of a whole journal.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (runs, records) = &*SWEEP;
    let runs: Vec<&Run> = runs.iter().collect();
    let file = path_of("journal");
    let storage = fs::File::options().read(true).write(true).create(true).truncate(true).open(&file);
    let journal =
        Journal::begin(storage.expect("a file"), &SweepPlan::new(&runs).expect("a plan"), Shard::WHOLE);
    let journal = journal.expect("a journal");
    for (place, record) in records.iter().enumerate() {
        journal.append(place, record).expect("room in memory");
    }
    drop(journal);
    fs::read(file).expect("the journal")
});

/// Continues a journal that the input damages: two bytes say where it is cut, then three each a place and what stands
/// there. It is refused, or every record in it is that of its run. The journal itself depends on the engines: it can be
/// no file of a corpus.
pub fn journal(input: &[u8]) {
    let mut bytes = WHOLE.clone();
    let number = |high: u8, low: u8| usize::from(u16::from_be_bytes([high, low]));
    let Some((&[high, low], damages)) = input.split_first_chunk() else { return };
    for damage in damages.chunks_exact(3) {
        let place = number(damage[0], damage[1]) % bytes.len();
        bytes[place] = damage[2];
    }
    bytes.truncate(number(high, low));
    let (runs, records) = &*SWEEP;
    let runs: Vec<&Run> = runs.iter().collect();
    let Ok(journal) =
        Journal::resume(Cursor::new(bytes), &SweepPlan::new(&runs).expect("a plan"), Shard::WHOLE)
    else {
        return;
    };
    let missing = journal.missing();
    let held = (0..records.len()).filter(|place| !missing.contains(place));
    for (place, record) in held.zip(journal.records()) {
        assert_eq!(record.expect("a record that was found"), records[place]);
    }
}
