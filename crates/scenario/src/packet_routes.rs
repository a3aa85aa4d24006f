//! Routes of packets from a file: `execution.routes`, of routers with finite buffers (`docs/model.md` section 30.2).

use std::{path::Path, sync::Arc};

use cubefold_formats::input::input_file;
use cubefold_topology::{Machine, PacketRoutes};

use super::{
    budget::Budget, errors::ScenarioError, keys::Key, library::Library, routers, settings::Settings,
    value::Value,
};

/// The value of `execution.routes`, unless a higher layer sets the routing in its place.
pub(super) fn asked<'a>(settings: &'a Settings<'_>) -> Option<&'a Value> {
    let counts = settings.is_written_with(Key::ExecutionRoutes, Key::ExecutionRouting);
    settings.get(Key::ExecutionRoutes).filter(|_| counts)
}

/// The reason why a table of routes is missing.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    File(String), // why it cannot be read
    NotText,
    TooLarge(Box<ScenarioError>),
    Table(String), // what is wrong in it
}

/// Memory per byte of a table while it is checked, and after that \[bytes\].
const BYTES_A_BYTE: [u64; 2] = [64, 8];

pub(super) fn read_table(path: &Path, machine: &Machine, budget: &Budget) -> Result<PacketRoutes, Unread> {
    let bytes =
        input_file::read(path, input_file::MAX_BYTES).map_err(|error| Unread::File(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| Unread::NotText)?;
    let [while_checked, kept] = BYTES_A_BYTE.map(|rate| rate * text.len() as u64);
    let over = budget.take_for_a_while(while_checked, kept);
    over.map_err(|over| Unread::TooLarge(Box::new(over.of_file(path, "its routes:"))))?;
    PacketRoutes::new(&text, machine).map_err(|error| Unread::Table(error.to_string()))
}

/// The machine with the routes that the settings name, if it has routers; `None` after an error.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Arc<Machine>,
    library: &mut Library,
) -> Option<Arc<Machine>> {
    let Some(value) = asked(settings).filter(|_| routers::are_asked_for(settings)) else {
        return Some(machine);
    };
    if !settings.obeys(Key::ExecutionRoutes) {
        return None;
    }
    let name = value.text(Key::ExecutionRoutes.path(), settings.errors())?;
    let Some(path) = name.strip_prefix("file:") else {
        return settings
            .fail(value.unexpected(Key::ExecutionRoutes.path(), "the path of a table: file:PATH"));
    };
    let wrong = |reason: &str, help: &str| {
        let error = ScenarioError::at(&value.place, format!("routes {path:?}{reason}"), "this file");
        settings.report(error.because(settings.place(Key::MachineKind), "the machine").with_help(help));
    };
    match library.packet_routes(&settings.beside(path), &machine) {
        Ok(routes) => return Some(Arc::new(Machine::clone(&machine).with_packet_routes(routes))),
        Err(Unread::File(error)) => wrong(&format!(" {error}"), "paths are relative to the scenario file"),
        Err(Unread::NotText) => wrong(" are not UTF-8 text", ""),
        Err(Unread::TooLarge(error)) => settings.report(*error),
        Err(Unread::Table(error)) => {
            wrong(&format!(": {error}"), "section 30.2 of docs/model.md has the form and the checks");
        }
    }
    None
}
