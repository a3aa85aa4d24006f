//! Commands of the program: pictures, pages, and the files of launchers and other tools.

use std::ffi::OsString;

use cubefold::{Call, CallError};
use pyo3::prelude::*;

use crate::{
    CubefoldError, ScenarioError,
    request::{Request, lines},
    watch::watched,
};

/// Executes a command of the program about a scenario, with its options; results go to `--output`. `names` are those of embeddings in files.
#[pyfunction]
pub(crate) fn call(
    py: Python<'_>,
    command: Vec<OsString>,
    request: Request,
    options: Vec<OsString>,
    names: Vec<(String, String)>,
) -> PyResult<()> {
    let call = request.call(command, options, names);
    watched(py, None, move |_| {
        call.execute().map_err(|error| match error {
            CallError::Scenario(errors) => ScenarioError::new_err(lines(&errors)),
            CallError::Failed(text) => CubefoldError::new_err(text),
        })
    })
}

impl Request {
    /// The command about this scenario.
    fn call(self, command: Vec<OsString>, options: Vec<OsString>, names: Vec<(String, String)>) -> Call {
        let settings = self.settings.iter().map(|setting| format!("--set={setting}").into());
        let threads = self.threads.map(|threads| format!("--threads={threads}").into());
        let path = ["--".into(), self.path.into_os_string()];
        let arguments = command.into_iter().chain(settings).chain(threads).chain(options).chain(path);
        Call { arguments: arguments.collect(), text: self.text, names, memory_limit: self.memory_limit }
    }
}
