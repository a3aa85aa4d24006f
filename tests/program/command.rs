//! Runs of the binary, and a folder to try things in.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The result of one run of the program.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// The root of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file of the repository.
pub(super) fn text_of(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The program that is tested: the one that cargo built with the tests, or the one that `CUBEFOLD_PROGRAM` names.
#[expect(clippy::disallowed_methods, reason = "the environment says what is tested, no result depends on it")]
pub(super) static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let Ok(path) = std::env::var("CUBEFOLD_PROGRAM") else {
        return env!("CARGO_BIN_EXE_cubefold").to_owned();
    };
    let path =
        root().join(&path).canonicalize().unwrap_or_else(|error| panic!("CUBEFOLD_PROGRAM={path}: {error}"));
    path.to_str().unwrap().to_owned()
});

/// The program in the root of the repository, without environment variables that change its output.
pub(super) fn program() -> Command {
    let mut command = Command::new(PROGRAM.as_str());
    command.current_dir(root()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("COLUMNS", "100");
    command
}

/// Runs the program with these arguments.
pub(super) fn run<A: AsRef<str>>(arguments: &[A]) -> Finished {
    let output = program().args(arguments.iter().map(AsRef::as_ref)).output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The standard output of a successful run.
pub(super) fn done<A: AsRef<str>>(arguments: &[A]) -> String {
    let finished = run(arguments);
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    // Formats without a place for notes have them on standard error.
    let is_noted = |argument: &&str| argument.ends_with("csv") || argument.ends_with("parquet");
    let has_notes = arguments.iter().any(is_noted);
    let said: Vec<&str> =
        finished.stderr.lines().filter(|line| !has_notes || !line.starts_with("note: ")).collect();
    assert_eq!((finished.code, said.join("\n").as_str()), (Some(0), ""), "{arguments:?}");
    finished.stdout
}

/// The standard error of a command that is refused.
pub(super) fn refused<A: AsRef<str>>(arguments: &[A]) -> String {
    let finished = run(arguments);
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(2), ""),
        "{arguments:?}: {}",
        finished.stderr
    );
    finished.stderr
}

/// The words of a report of errors, without the breaks of its lines and the frame around them.
pub(super) fn unframed(stderr: &str) -> String {
    stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// The JSON document that a command prints.
pub(super) fn json<A: AsRef<str>>(arguments: &[A]) -> Value {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).chain(["--format", "json"]).collect();
    serde_json::from_str(&done(&arguments)).unwrap()
}

/// The CSV that a command prints: its header and its rows.
pub(super) fn csv<A: AsRef<str>>(arguments: &[A]) -> (Vec<String>, Vec<Vec<String>>) {
    let arguments: Vec<&str> =
        arguments.iter().map(AsRef::as_ref).chain(["--format", "csv", "--quiet"]).collect();
    csv_table(&done(&arguments))
}

/// The runs of a scenario with this text.
pub(super) fn runs_of(text: &str) -> Vec<Value> {
    let scratch = Scratch::with(&[("s.toml", text)]);
    json(&["run", &scratch.path("s.toml")])["runs"].as_array().unwrap().clone()
}

/// The path of an input that people brought.
pub(super) fn case(name: &str) -> String {
    format!("tests/program/cases/{name}")
}

/// The blocks of a page in a language, however far they are set in.
pub(super) fn blocks_of(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let text = text_of(page);
    text.split(&opening).skip(1).map(|rest| rest.split_once("```").unwrap().0.to_owned()).collect()
}

/// The rows that an option of `run` writes for a scenario, after this header.
pub(super) fn rows_of(scenario: &str, option: &str, header: &[&str]) -> Vec<Vec<String>> {
    let scratch = Scratch::empty();
    done(&["run", scenario, "--force", option, &scratch.path("rows.csv")]);
    let (found, rows) = csv_table(&scratch.read("rows.csv"));
    assert_eq!(found, header);
    rows
}

/// The header and the rows of a CSV text.
pub(super) fn csv_table(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
    (rows.next().unwrap(), rows.collect())
}

/// A folder that is removed at the end of the test.
#[derive(Debug)]
pub(super) struct Scratch(TempDir);

impl Scratch {
    /// A folder with these files, each a name and a text.
    pub(super) fn with<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            fs::write(scratch.0.path().join(name), text).unwrap();
        }
        scratch
    }

    /// An empty folder.
    pub(super) fn empty() -> Self {
        Self::with::<&str>(&[])
    }

    /// The path of a file in it.
    pub(super) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// The text of a file in it.
    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// The names of everything in it, in order.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }
}

/// The scenario that takes a minute; on [`SMALLER`] it takes no time.
pub(super) const LONGEST: &str = "scenarios/all-reduce-crossovers-64x64.toml";

/// The options that make the longest scenario a short one, with as many runs and the same columns.
pub(super) const SMALLER: [&str; 2] = ["--set", "machine.shape=[8,8]"];

/// The names of the files with this extension in a folder of the repository, in order.
pub(super) fn files_in(folder: &str, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let name = |path: &PathBuf| format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
    assert!(!paths.is_empty(), "no .{extension} in {folder}");
    paths.iter().map(name).collect()
}
