//! `cubefold new`: a scenario with comments, after questions or from options.

mod new_scenario;
mod questions;
mod scenario_text;

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use cubefold_experiment::{ScenarioErrors, load_text};

use self::{
    new_scenario::NewScenario,
    questions::{Questions, TerminalQuestions, answers},
    scenario_text::scenario_text,
};
use crate::{
    arguments::{NewOptions, SharedOptions},
    failure::Failure,
    output::{Output, regular_file},
};

pub(super) fn new(options: &NewOptions, shared: &SharedOptions) -> Result<(), Failure> {
    refuse_existing(shared.output())?;
    // A path that cannot be written to is refused before anything is asked.
    let output = Output::open(shared, &[])?;
    let mut terminal = TerminalQuestions;
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    let questions = asks.then_some(&mut terminal as &mut dyn Questions);
    let new_scenario = new_scenario(options, questions)?;
    let path = shared.output().filter(|path| *path != Path::new("-"));
    let path = path.unwrap_or(Path::new("scenario.toml"));
    let text = scenario_text(&new_scenario, path);
    check(path, &text).map_err(Failure::Scenario)?;
    output.write(|output| output.write_all(text.as_bytes()))
}

/// A scenario that somebody wrote by hand is never lost.
fn refuse_existing(path: Option<&Path>) -> Result<(), Failure> {
    let existing = regular_file(path).filter(|path| path.exists());
    existing.map_or(Ok(()), |path| {
        let message = format!("cannot write {}: the file is there already", path.display());
        Err(Failure::usage(message, "name another file with --output, or delete this one first"))
    })
}

/// What is wanted: by the options, and by answers for those that are missing.
fn new_scenario(options: &NewOptions, questions: Option<&mut dyn Questions>) -> Result<NewScenario, Failure> {
    let missing = options.missing();
    match (missing.as_slice(), questions) {
        ([], _) => NewScenario::new(options),
        (_, Some(questions)) => NewScenario::new(&answers(options, questions)?),
        (missing, None) => {
            let message = format!(
                "there is no terminal to ask on, and without {} too little is said",
                missing.join(", ")
            );
            Err(Failure::usage(message, "give these options, or answer the questions on a terminal"))
        }
    }
}

/// Whether the scenario is what `cubefold check` accepts, before it is written.
fn check(path: &Path, text: &str) -> Result<(), ScenarioErrors> {
    load_text(path, text).map(drop)
}

#[cfg(test)]
mod tests;
