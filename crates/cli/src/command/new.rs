//! `cubefold new`: a scenario with comments, after questions or from options.

mod algorithms;
mod new_scenario;
mod questions;
mod scenario_text;

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use cubefold_scenario::{ScenarioError, load_text};

use self::{
    new_scenario::NewScenario,
    questions::{Questions, TerminalQuestions, answers},
    scenario_text::scenario_text,
};
use crate::{
    arguments::{NewOptions, SharedOptions},
    failure::Failure,
    format::check_extension,
    output::{Output, printable_path, say},
};

pub(super) fn new(options: &NewOptions, shared: &SharedOptions) -> Result<(), Failure> {
    check_extension(shared.output(), &["toml"])?;
    // An unwritable path is refused before any question.
    let output = Output::open(shared, &[])?;
    let mut terminal = TerminalQuestions;
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    let questions = asks.then_some(&mut terminal as &mut dyn Questions);
    let new_scenario = new_scenario(options, questions)?;
    check(&new_scenario).map_err(|problem| {
        Failure::usage(format!("no scenario for this: {}", problem.message), problem.help)
    })?;
    let path = shared.output().filter(|path| *path != Path::new("-"));
    let text = scenario_text(&new_scenario, path.unwrap_or(Path::new("scenario.toml")));
    output.write(|output| output.write_all(text.as_bytes()))?;
    if let Some(path) = path {
        let path = printable_path(path);
        say(&format!("{path} is written; its runs: cubefold compare {path}"));
    }
    Ok(())
}

/// The requested scenario, from options and from answers for missing ones.
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

/// The fault of a scenario from options and answers.
#[derive(Debug)]
struct Problem {
    message: String,
    help: String,
}

/// Checks that `cubefold check` accepts the scenario, before it is written. Errors have no places, since the lines
/// are not yet written.
fn check(new_scenario: &NewScenario) -> Result<(), Problem> {
    let path = Path::new("scenario.toml");
    let Err(errors) = load_text(path, &scenario_text(new_scenario, path)) else { return Ok(()) };
    let mut messages: Vec<&str> = errors.iter().map(ScenarioError::message).collect();
    messages.dedup();
    let help = errors.iter().find_map(ScenarioError::help);
    let help = help.unwrap_or("give other options or answers: cubefold new --help has all");
    // A help may have several lines.
    Err(Problem { message: messages.join("; "), help: help.lines().collect::<Vec<_>>().join("; ") })
}

#[cfg(test)]
mod tests;
