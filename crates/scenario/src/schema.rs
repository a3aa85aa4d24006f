//! The JSON Schema of scenario files, derived from the table of keys.
//!
//! A scenario file is TOML; editors apply a JSON Schema to the values in it.

use serde_json::{Map, Value, json};

use super::{
    collective::{is_key_of_step, step_kinds},
    job::schedule_names,
    keys::{KeyDefault, KeyValues, ScenarioKey, scenario_keys},
};

/// The JSON Schema dialect.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// An object without other members.
#[must_use]
pub fn object(properties: &Map<String, Value>) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// The schema of a list of these items.
#[must_use]
pub fn list_of(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

pub(super) fn one_or_list(one: &Value) -> Value {
    json!({ "anyOf": [one, list_of(one)] })
}

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    let mut tables: Map<String, Value> = Map::new();
    let mut swept: Map<String, Value> = Map::new();
    let mut in_cases: Map<String, Value> = Map::new();
    for key in scenario_keys() {
        let schema = key_schema(key);
        swept.insert(key.path.to_owned(), json!({ "type": "array", "minItems": 1, "items": schema }));
        in_cases.insert(key.path.to_owned(), schema.clone());
        match key.path.split_once('.') {
            None => {
                tables.insert(key.path.to_owned(), schema);
            }
            Some((table, name)) => {
                let table = tables.entry(table).or_insert_with(|| object(&Map::new()));
                let Some((part, inner)) = name.split_once('.') else {
                    table["properties"][name] = schema;
                    continue;
                };
                let part = &mut table["properties"][part];
                if part.is_null() {
                    *part = object(&Map::new());
                }
                part["properties"][inner] = schema;
                // Tables of several keys are also swept as a whole.
                let (path, part) = (key.path.trim_end_matches(inner).trim_end_matches('.'), part.clone());
                swept.insert(path.to_owned(), json!({ "type": "array", "minItems": 1, "items": part }));
                in_cases.insert(path.to_owned(), part);
            }
        }
    }
    let case = object(&in_cases);
    swept.insert("cases".to_owned(), json!({ "type": "array", "minItems": 1, "items": case }));
    tables.insert("sweep".to_owned(), object(&swept));
    let own_schema =
        json!({ "type": "string", "description": "The schema of this file, for editors; ignored." });
    tables.insert("$schema".to_owned(), own_schema);
    let mut schema = object(&tables);
    schema["$schema"] = DIALECT.into();
    schema["title"] = "cubefold scenario".into();
    schema
}

fn key_schema(key: &ScenarioKey) -> Value {
    let mut schema = match key.values {
        KeyValues::Text => json!({ "type": "string" }),
        KeyValues::Integer { least, greatest } => {
            json!({ "type": "integer", "minimum": least, "maximum": greatest })
        }
        KeyValues::Choice(_) => json!({ "enum": key.values.words() }),
        KeyValues::Form(_, schema) => schema(),
    };
    schema = match key.path {
        // Link modes also have numbers.
        "machine.links" => json!({ "anyOf": [schema, { "enum": [1, 2, 3] }] }),
        "program.compute_cycles" | "machine.hop_cycles" | "machine.latency_cycles" => one_or_list(&schema),
        _ => schema,
    };
    schema["description"] = key.summary.into();
    match key.default {
        KeyDefault::Integer(number) => schema["default"] = number.into(),
        KeyDefault::Word(word) => schema["default"] = word.parse::<Value>().unwrap_or(word.into()),
        KeyDefault::Required | KeyDefault::Absent | KeyDefault::Derived(_) | KeyDefault::Differing { .. } => {
        }
    }
    schema
}

/// The schema of a step of a sequence, made from keys of `[program]`.
pub(super) fn step() -> Value {
    let is_of_step = |key: &&ScenarioKey| is_key_of_step(key.path);
    let properties = scenario_keys().iter().filter(is_of_step).map(|key| {
        let mut schema = key_schema(key);
        // Keys that a step omits come from the program, so they have no default.
        schema.as_object_mut().map(|schema| schema.remove("default"));
        (key.key().to_owned(), schema)
    });
    let mut step = object(&properties.collect());
    let text = json!({ "type": "string" });
    let range = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3, "maxItems": 3 });
    step["properties"]["kind"]["enum"] = step_kinds().into();
    step["properties"]["name"] = text.clone();
    step["properties"]["after"] = list_of(&text);
    step["properties"]["only"] = list_of(&range);
    step["properties"]["by"] = json!({ "type": "integer" });
    step["properties"]["wrap"] = json!({ "type": "boolean" });
    step["minProperties"] = 1.into();
    // Steps of the tasks of a pipeline cannot be pipelines.
    let of_task = list_of(&step);
    step["properties"]["microbatches"] = json!({ "type": "integer", "minimum": 1 });
    step["properties"]["schedule"] = json!({ "enum": schedule_names() });
    step["properties"]["forward"] = of_task.clone();
    step["properties"]["backward"] = of_task;
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_schema_in_its_table_and_in_the_sweep() {
        let schema = scenario_schema();
        for key in scenario_keys() {
            let entry = key.path.split('.').fold(&schema, |outer, name| &outer["properties"][name]);
            assert_eq!(entry["description"], key.summary, "{}", key.path);
            assert_eq!(&schema["properties"]["sweep"]["properties"][key.path]["items"], entry);
        }
    }

    #[test]
    fn sweeps_cases_and_steps_have_known_keys_only() {
        let schema = scenario_schema();
        let properties = &schema["properties"];
        assert_eq!(properties["$schema"]["type"], "string");
        let sweep = &properties["sweep"];
        let case = &sweep["properties"]["cases"]["items"];
        let steps = &properties["program"]["properties"]["steps"];
        for object in [sweep, case, &steps["items"], &sweep["properties"]["program.steps"]["items"]["items"]]
        {
            assert_eq!(object["additionalProperties"], json!(false));
        }
        assert_eq!(case["properties"]["machine.shape"]["type"], "array");
        let properties = steps["items"]["properties"].as_object().unwrap();
        assert!(properties.contains_key("algorithm") && properties.contains_key("compute_cycles"));
        let kinds = properties["kind"]["enum"].as_array().unwrap();
        assert!(kinds.contains(&json!("send")) && kinds.contains(&json!("all-reduce")));
        assert!(!kinds.contains(&json!("cc-cube")) && !kinds.contains(&json!("sequence")));
        assert!(
            !properties.contains_key("processes_per_node") && properties["exchange"]["default"].is_null()
        );
    }
}
