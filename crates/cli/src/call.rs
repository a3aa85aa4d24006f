//! A command given by another program, such as the Python package: it prints nothing, leaves signals to that program, and
//! its scenario need not be in a file.

use std::{ffi::OsString, path::PathBuf};

use clap::{CommandFactory, FromArgMatches};
use cubefold_scenario::{EmbeddingName, Scenario, ScenarioErrors, load_text_with, load_with};

use crate::{
    arguments::{Arguments, SettingOption, SharedOptions, built},
    command,
    failure::Failure,
    option_value::MemoryLimit,
};

/// A command and its inputs that are not in files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// The command line, without the name of the program. Its results go to `--output`.
    pub arguments: Vec<OsString>,
    /// The text of the scenario, if the file in the command line is only a name for messages.
    pub text: Option<String>,
    /// Embeddings in files, and the names that results have in their place: `file:PATH`, and the name.
    pub names: Vec<(String, String)>,
    /// The memory limit \[bytes\].
    pub memory_limit: Option<u64>,
}

/// The failure of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Scenario files are wrong.
    #[error(transparent)]
    Scenario(ScenarioErrors),
    /// Any other refusal or failure; the text includes the remedy.
    #[error("{0}")]
    Failed(String),
}

impl Call {
    /// Executes the command.
    ///
    /// # Errors
    ///
    /// When the command line or a scenario is wrong, a run is refused or fails, or its results cannot be written.
    pub fn execute(self) -> Result<(), CallError> {
        let Self { arguments, text, names, memory_limit } = self;
        let line = ["cubefold".into(), "--quiet".into()].into_iter().chain(arguments);
        let matches = built(Arguments::command()).try_get_matches_from(line);
        let parsed = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
        let mut arguments = parsed.map_err(|error| CallError::Failed(message_of(&error)))?;
        arguments.shared.given = Given { text, names };
        arguments.shared.memory_limit = memory_limit.map(MemoryLimit);
        command::execute(arguments).map(drop).map_err(|failure| match failure {
            Failure::Scenario(errors) => CallError::Scenario(errors),
            other => CallError::Failed(other.to_string()),
        })
    }
}

/// The text of a command line error without the usage, which is about the program.
fn message_of(error: &clap::Error) -> String {
    let text = error.to_string();
    let message = text.split("\n\nUsage:").next().unwrap_or_default();
    let message = message.split("\n\nFor more information").next().unwrap_or_default();
    message.trim_start_matches("error: ").trim_end().to_owned()
}

/// The input that a caller passes instead of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Given {
    text: Option<String>,
    names: Vec<(String, String)>,
}

impl Given {
    /// Whether the text of the scenario is given in place of a file.
    pub(crate) fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// The scenarios in these files, or the given one, with the keys set by options.
    pub(crate) fn scenarios(
        &self,
        files: &[PathBuf],
        set: &SettingOption,
        shared: &SharedOptions,
    ) -> Result<Vec<Scenario>, Failure> {
        let memory = shared.resources().memory;
        let read = match (&self.text, files) {
            (Some(text), [path]) => {
                load_text_with(path, text, &set.settings, memory).map(|scenario| vec![scenario])
            }
            _ => load_with(files, &set.settings, memory),
        };
        let mut scenarios = read.map_err(Failure::Scenario)?;
        scenarios.iter_mut().for_each(|scenario| self.rename(scenario));
        Ok(scenarios)
    }

    /// Gives the embeddings of a scenario their names.
    fn rename(&self, scenario: &mut Scenario) {
        for (file, name) in &self.names {
            for run in scenario.runs.iter_mut().filter(|run| run.embedding.to_string() == *file) {
                run.embedding = EmbeddingName::Added(name.clone());
            }
            if scenario.text.contains(file.as_str()) {
                scenario.text = scenario.text.replace(file.as_str(), name).into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n[mapping]\nembeddings = [\"xor\"]\n";

    fn call(arguments: &[&str], text: &str) -> Call {
        let arguments = arguments.iter().map(Into::into).collect();
        Call { arguments, text: Some(text.to_owned()), ..Call::default() }
    }

    #[test]
    fn a_scenario_in_no_file_is_drawn_with_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let [picture, placement] =
            ["p.svg", "own.csv"].map(|name| folder.path().join(name).display().to_string());
        let rows: String = (0..8).map(|node| format!("{node},{}\n", 7 - node)).collect();
        std::fs::write(&placement, format!("process,p_1\n{rows}")).unwrap();
        let text = SCENARIO.replace("xor", &format!("file:{placement}"));
        let arguments = ["draw", "placement", "scenario", "--embedding", "mirror", "--output", &picture];
        let names = vec![(format!("file:{placement}"), "mirror".to_owned())];
        Call { names, ..call(&arguments, &text) }.execute().unwrap();
        let drawn = std::fs::read_to_string(&picture).unwrap();
        assert!(drawn.contains("mirror") && !drawn.contains("own.csv"));
    }

    #[test]
    fn errors_are_those_of_the_program_without_its_usage() {
        let wrong = SCENARIO.replace("ring", "rong");
        let error = call(&["draw", "placement", "scenario"], &wrong).execute().unwrap_err();
        let CallError::Scenario(errors) = error else { panic!("{error}") };
        assert!(errors.to_string().contains("machine.kind is \"rong\""), "{errors}");
        let error = call(&["draw", "links", "scenario", "--measure=load"], SCENARIO).execute().unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("invalid value 'load' for '--measure <MEASURE>'"), "{text}");
        assert!(!text.contains("Usage") && !text.contains("--help"), "{text}");
        let error = call(&["place", "scenario", "--embedding=gray"], SCENARIO).execute().unwrap_err();
        assert!(matches!(&error, CallError::Failed(text) if text.contains("gray")), "{error}");
    }
}
