//! What a call is about: a scenario with the keys that are set besides, and what may be used for it.

use std::{fmt::Display, num::NonZeroUsize, path::PathBuf};

use cubefold_formats::input::printable;
use cubefold_runs::Resources;
use cubefold_scenario::{
    Run, Scenario, ScenarioErrors, Setting, Site, load_sites, load_text_with, load_with,
};
use miette::Diagnostic;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{CubefoldError, ScenarioError};

/// A scenario and what may be used for it: the members of the class of this name in Python.
#[derive(FromPyObject)]
pub(crate) struct Request {
    /// The file; of a scenario that is in none, what errors call it.
    pub(crate) path: PathBuf,
    /// The scenario, where it is in no file.
    pub(crate) text: Option<String>,
    /// Keys that are set besides, as `--set` of the program has them.
    pub(crate) settings: Vec<String>,
    /// The most threads.
    pub(crate) threads: Option<usize>,
    /// The most memory \[bytes\].
    pub(crate) memory_limit: Option<u64>,
}

impl Request {
    /// What may be used.
    pub(crate) fn resources(&self) -> Resources {
        Resources::new(self.threads.and_then(NonZeroUsize::new), self.memory_limit)
    }

    /// The scenario, read and validated.
    pub(crate) fn scenario(&self) -> PyResult<Scenario> {
        let (settings, memory) = (self.settings()?, self.resources().memory);
        let scenario = match &self.text {
            Some(text) => load_text_with(&self.path, text, &settings, memory),
            None => load_with(std::slice::from_ref(&self.path), &settings, memory)
                .map(|mut scenarios| scenarios.swap_remove(0)),
        };
        scenario.map_err(|errors| ScenarioError::new_err(lines(&errors)))
    }

    /// The machines and programs of the scenario, before anything is placed.
    pub(crate) fn sites(&self) -> PyResult<Vec<Site>> {
        let (settings, memory) = (self.settings()?, self.resources().memory);
        load_sites(&self.path, self.text.as_deref(), &settings, memory)
            .map_err(|errors| ScenarioError::new_err(lines(&errors)))
    }

    /// The command that gives the same results: of the program for a file, else a call of this package.
    pub(crate) fn command(&self, name: &str, reference: Option<&str>) -> String {
        if self.text.is_some() {
            return format!("cubefold.{name}(..)");
        }
        let more: Vec<&str> = reference.iter().flat_map(|reference| ["--reference", reference]).collect();
        let settings = self.settings.iter().map(String::as_str);
        cubefold::cited_command(name, std::slice::from_ref(&self.path), settings, &more)
    }

    fn settings(&self) -> PyResult<Vec<Setting>> {
        let parse = |text: &String| {
            let setting = text.parse::<Setting>();
            setting.map_err(|error| ScenarioError::new_err(format!("override {text}: {error}")))
        };
        self.settings.iter().map(parse).collect()
    }
}

/// A scenario without a sweep.
pub(crate) fn one_combination(scenario: &Scenario) -> PyResult<&[Run]> {
    match scenario.swept {
        false => Ok(&scenario.runs),
        true => {
            Err(CubefoldError::new_err("the scenario has a sweep, expected one combination: give its values"))
        }
    }
}

/// The one run of a scenario, or that with an embedding.
pub(crate) fn one_run<'scenario>(
    scenario: &'scenario Scenario,
    embedding: Option<&str>,
) -> PyResult<&'scenario Run> {
    if scenario.swept {
        return Err(CubefoldError::new_err("the scenario has a sweep, expected one placement"));
    }
    let names: Vec<String> = scenario.runs.iter().map(|run| run.embedding.to_string()).collect();
    let message = match (embedding, &scenario.runs[..]) {
        (None, [run]) => return Ok(run),
        (None, runs) => format!("the scenario has {} embeddings, expected one", runs.len()),
        (Some(name), runs) => match names.iter().position(|known| known == name) {
            Some(place) => return Ok(&runs[place]),
            None => format!("embedding {name:?} is none of the scenario's"),
        },
    };
    Err(CubefoldError::new_err(format!("{message}: name one of {}", names.join(", "))))
}

/// Each error as the program says it, with its help.
pub(crate) fn lines(errors: &ScenarioErrors) -> String {
    let mut lines = vec![];
    for error in errors.iter() {
        lines.push(error.to_string());
        let help = error.report().help().map(|help| help.to_string());
        lines.extend(help.iter().flat_map(|help| help.lines()).map(|line| format!("  help: {line}")));
    }
    lines.join("\n")
}

/// The exception for what is refused or fails.
pub(crate) fn failed(error: &dyn Display) -> PyErr {
    CubefoldError::new_err(printable(&error.to_string()).into_owned())
}

/// Threads.
pub(crate) fn pool(resources: Resources) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(resources.threads).build().map_err(|error| failed(&error))
}
