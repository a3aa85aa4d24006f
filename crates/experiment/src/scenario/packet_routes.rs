//! Routes of packets from a file: `execution.routes`, of routers with finite buffers (`docs/model.md` section 30.2).

use std::sync::Arc;

use cubefold_topology::{Machine, PacketRoutes};

use super::{errors::ScenarioError, keys::Key, routers, settings::Settings, value::Value};
use crate::input::input_file;

/// The value of `execution.routes`, unless a higher layer sets the routing in its place.
pub(super) fn asked<'a>(settings: &'a Settings<'_>) -> Option<&'a Value> {
    let (layer, value) = settings.layered(Key::ExecutionRoutes)?;
    settings.layered(Key::ExecutionRouting).is_none_or(|(other, _)| other <= layer).then_some(value)
}

/// The machine with the routes that the settings name, if it has routers; `None` after an error.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Arc<Machine>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Arc<Machine>> {
    let Some(value) = asked(settings).filter(|_| routers::are_asked_for(settings)) else {
        return Some(machine);
    };
    if let Some(routing) = settings.get(Key::ExecutionRouting)
        && settings.is_written_with(Key::ExecutionRouting, Key::ExecutionRoutes)
    {
        let message = "both execution.routes and execution.routing, expected one of them";
        let error = ScenarioError::at(&value.place, message, "routes from a file");
        errors.push(error.because(Some(&routing.place), "the routing").with_help("remove one of them"));
        return None;
    }
    let name = value.text(Key::ExecutionRoutes.path(), errors)?;
    let Some(path) = name.strip_prefix("file:") else {
        errors.push(value.unexpected(Key::ExecutionRoutes.path(), "the path of a table: file:PATH"));
        return None;
    };
    let mut wrong = |reason: &str, help: &str| {
        let error = ScenarioError::at(&value.place, format!("routes {path:?}{reason}"), "this file");
        errors.push(error.because(settings.place(Key::MachineKind), "the machine").with_help(help));
    };
    let text = match input_file::read(&settings.beside(path), input_file::MAX_BYTES).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            wrong(" are not UTF-8 text", "");
            return None;
        }
        Err(error) => {
            wrong(&format!(" {error}"), "paths are relative to the scenario file");
            return None;
        }
    };
    match PacketRoutes::new(&text, &machine) {
        Ok(routes) => Some(Arc::new(Machine::clone(&machine).with_packet_routes(routes))),
        Err(error) => {
            wrong(&format!(": {error}"), "section 30.2 of docs/model.md has the form and the checks");
            None
        }
    }
}
