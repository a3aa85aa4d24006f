//! JSON Schemas of scenario files and of results, for editors and for programs that read results.

mod key_forms;
mod results_schema;
mod scenario_schema;

use serde_json::{Map, Value, json};

pub use results_schema::results_schema;
pub use scenario_schema::scenario_schema;

/// The JSON Schema dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// An object without other members.
fn object(properties: &Map<String, Value>) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn list_of(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn one_or_list(one: &Value) -> Value {
    json!({ "anyOf": [one, list_of(one)] })
}
