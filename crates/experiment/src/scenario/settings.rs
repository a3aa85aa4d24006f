//! The values that hold in one combination of a sweep, wherever they are written.

use std::{path::Path, sync::Arc};

use super::{
    library::Library,
    machine_file::MachineFile,
    scenario_error::{ScenarioError, Standing},
    setting::{Section, Setting},
    source_file::Place,
    sweep::Assignment,
    value::Value,
    written::Written,
};

/// Where a value is written. A later one goes before an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// In the machine file.
    MachineFile,
    /// In the scenario itself.
    Scenario,
    /// In its sweep.
    Sweep,
}

/// The values of one combination.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    swept: &'a [&'a Assignment],
    written: &'a Written,
    machine_file: Option<Arc<MachineFile>>,
}

impl<'a> Settings<'a> {
    /// The values of `written` with those of a combination put in their place, and under them those of
    /// the machine file, which is read if it has not been yet.
    pub(super) fn new(
        swept: &'a [&'a Assignment],
        written: &'a Written,
        library: &mut Library,
        errors: &mut Vec<ScenarioError>,
    ) -> Self {
        let mut settings = Self { swept, written, machine_file: None };
        settings.machine_file = settings.read_machine_file(library, errors);
        settings
    }

    fn read_machine_file(
        &self,
        library: &mut Library,
        errors: &mut Vec<ScenarioError>,
    ) -> Option<Arc<MachineFile>> {
        let value = self.get(Setting::MachineFile)?;
        let name = value.text(Setting::MachineFile.path(), errors)?;
        match library.machine_file(&self.beside(name)) {
            Ok(file) => {
                errors.extend(file.errors().iter().cloned());
                Some(file)
            }
            Err(reason) => {
                let message = format!("machine file \"{name}\" {reason}");
                let error = ScenarioError::at(&value.place, message, "named here")
                    .with_help("paths are relative to the scenario file")
                    .standing(Standing::HidesValues);
                errors.push(error);
                None
            }
        }
    }

    /// A path that the scenario names, relative to itself.
    pub(super) fn beside(&self, name: &str) -> std::path::PathBuf {
        self.written.source.path().parent().unwrap_or(Path::new("")).join(name)
    }

    /// The value of a key; none when it is written nowhere.
    pub(super) fn get(&self, setting: Setting) -> Option<&Value> {
        self.layered(setting).map(|(_, value)| value)
    }

    /// The value of a key and where it is written.
    pub(super) fn layered(&self, setting: Setting) -> Option<(Layer, &Value)> {
        let swept = self.swept.iter().find(|assignment| assignment.setting == setting);
        let written = || self.written.values.get(&setting).map(|value| (Layer::Scenario, value));
        let filed = || self.machine_file.as_ref()?.value(setting).map(|value| (Layer::MachineFile, value));
        swept.map(|assignment| (Layer::Sweep, &assignment.value)).or_else(written).or_else(filed)
    }

    /// The place of a key's value.
    pub(super) fn place(&self, setting: Setting) -> Option<&Place> {
        self.get(setting).map(|value| &value.place)
    }

    /// The error for a key that has to be there and is not, at the table where it belongs.
    pub(super) fn missing(&self, setting: Setting, expected: &str) -> ScenarioError {
        let section = setting.section();
        let place = self.written.headers.get(&section).cloned();
        let place = place.unwrap_or_else(|| Place::start(&self.written.source));
        let message = format!("{} is missing, expected {expected}", setting.path());
        let help = match section {
            Section::Top => format!("add {} = ..", setting.key()),
            table => format!("add {} = .. to [{}]", setting.key(), table.name()),
        };
        let label = format!("{} is missing", setting.path());
        ScenarioError::at(&place, message, label).with_help(help).standing(Standing::MissingValue)
    }
}
