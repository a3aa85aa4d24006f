//! The loading of a program: `[program.loading]`.

use crate::{
    guest_program::GuestProgram,
    loading::{CodeTypes, Loading},
};

use super::{
    known_names::help,
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    table::Table,
    value::{Content, Value},
};

const KEYS: [&str; 2] = ["code_types", "broadcast_cycles"];
const RULES: [&str; 2] = ["same", "by parity"];

/// Reads the loading, where there is one; what is wrong is told.
pub(super) fn read(
    settings: &Settings<'_>,
    program: Option<&GuestProgram>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Loading> {
    let value = settings.get(Setting::ProgramLoading)?;
    let table = Table::read(value, Setting::ProgramLoading.path(), &KEYS, errors)?;
    let broadcast_cycles = match table.get("broadcast_cycles") {
        Some(value) => value.natural(table.name("broadcast_cycles"), 1..=1 << 32, errors),
        None => Some(1),
    };
    let code_types = match table.get("code_types") {
        Some(value) => code_types(value, &table.name("code_types"), program, errors),
        None => Some(CodeTypes::Same),
    };
    Some(Loading { code_types: code_types?, broadcast_cycles: broadcast_cycles? })
}

fn code_types(
    value: &Value,
    name: &str,
    program: Option<&GuestProgram>,
    errors: &mut Vec<ScenarioError>,
) -> Option<CodeTypes> {
    let expected = "same, by parity, or a list with the type of each process";
    match &value.content {
        Content::Text(rule) if rule == RULES[0] => Some(CodeTypes::Same),
        Content::Text(rule) if rule == RULES[1] => Some(CodeTypes::ByParity),
        Content::Text(rule) => {
            errors.push(value.unexpected(name, expected).with_help(help(rule, &RULES)));
            None
        }
        Content::List(types) => listed(value, types, name, program, errors),
        _ => {
            errors.push(value.unexpected(name, expected));
            None
        }
    }
}

fn listed(
    value: &Value,
    entries: &[Value],
    name: &str,
    program: Option<&GuestProgram>,
    errors: &mut Vec<ScenarioError>,
) -> Option<CodeTypes> {
    let before = errors.len();
    let texts: Vec<String> = entries.iter().filter_map(|entry| code_type(entry, name, errors)).collect();
    if let Some(processes) = program.map(GuestProgram::process_count)
        && processes != entries.len() as u64
    {
        let message = format!("{} code types, expected {processes}, one for each process", entries.len());
        errors.push(ScenarioError::at(&value.place, message, format!("expected {processes}")));
    }
    if errors.len() > before {
        return None;
    }
    let mut names = texts.clone();
    names.sort_unstable();
    names.dedup();
    let place = |text: &String| names.binary_search(text).unwrap_or(0);
    let types = texts.iter().map(place).collect();
    Some(CodeTypes::Listed { names: names.into(), types })
}

/// The name of a type: a text, or a number as one.
fn code_type(entry: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<String> {
    match &entry.content {
        Content::Text(text) => Some(text.clone()),
        Content::Integer(Some(number)) => Some(number.to_string()),
        _ => {
            errors.push(entry.unexpected(format!("entry of {name}"), "a name or a number"));
            None
        }
    }
}
