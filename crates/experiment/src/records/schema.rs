//! JSON Schemas of scenario files and of results, for editors and for programs that read results.
//!
//! The schema of scenarios derives from the table of keys ([`scenario_keys`]), that of results from the definitions of
//! their columns. A scenario file is TOML; editors apply a JSON Schema to the values in it.

use cubefold_collectives::{ALGORITHMS, OPERATIONS};
use cubefold_topology::MachineKind;
use serde_json::{Map, Value, json};

use crate::{
    records::{
        Document,
        collective_record::COLLECTIVE,
        construction_record::CONSTRUCTION,
        definition::{Definition, Kind},
        execution_record::EXECUTION,
        job_record::EXPOSED,
        machine_record::{MACHINE, PARTITION},
        message_row::MESSAGE,
        open_loop_record::OPEN_LOOP,
        placement_record::{BOUNDS, EMBEDDING, PLACEMENT, SCENARIO},
        program_record::{GUEST, NEIGHBOURS, PROGRAM, TRAFFIC},
        router_record::ROUTER,
        row_records::{ITERATION, NODES, PROCESS, PROCESSES, RANK, RUN, STEP},
        run_columns::{
            AMOUNTS, ENGINE, LINK_USE, MAKESPAN, OVERLAPPED, RATIO, SEED, STEPS, SWEEP, WHOLE_RUN,
        },
        time_record::{BLOCKED, TOTALS, WAITING},
        transmission_row::TRANSMISSION,
    },
    scenario::{
        CODE_TYPE_RULES, Embedding, GUEST_KEYS, GUEST_KINDS, KeyDefault, KeyValues, ScenarioKey, embeddings,
        is_key_of_step, scenario_keys,
    },
};

/// Chains lists of column definitions.
macro_rules! definitions {
    ($($columns:ident)+) => {
        std::iter::empty()$(.chain($columns.iter().map(|column| &column.definition)))+
    };
}

/// The JSON Schema dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    let mut tables: Map<String, Value> = Map::new();
    let mut swept: Map<String, Value> = Map::new();
    let mut in_cases: Map<String, Value> = Map::new();
    for key in scenario_keys() {
        let own = key_schema(key);
        swept.insert(key.path.to_owned(), json!({ "type": "array", "minItems": 1, "items": own }));
        in_cases.insert(key.path.to_owned(), own.clone());
        match key.path.split_once('.') {
            None => {
                tables.insert(key.path.to_owned(), own);
            }
            Some((table, name)) => {
                let table = tables.entry(table).or_insert_with(|| object(&Map::new()));
                let Some((part, inner)) = name.split_once('.') else {
                    table["properties"][name] = own;
                    continue;
                };
                let part = &mut table["properties"][part];
                if part.is_null() {
                    *part = object(&Map::new());
                }
                part["properties"][inner] = own;
                // Tables of several keys are also swept as a whole.
                let (path, part) = (key.path.trim_end_matches(inner).trim_end_matches('.'), part.clone());
                swept.insert(path.to_owned(), json!({ "type": "array", "minItems": 1, "items": part }));
                in_cases.insert(path.to_owned(), part);
            }
        }
    }
    let mut case = object(&in_cases);
    case["minProperties"] = 1.into();
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

/// An object without other members.
fn object(properties: &Map<String, Value>) -> Value {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn key_schema(key: &ScenarioKey) -> Value {
    let mut schema = match key.values {
        KeyValues::Text => json!({ "type": "string" }),
        KeyValues::Integer { least, greatest } => {
            json!({ "type": "integer", "minimum": least, "maximum": greatest })
        }
        KeyValues::Choice(words) => json!({ "enum": words() }),
        KeyValues::Form(_) => form(key.path),
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
        KeyDefault::Required | KeyDefault::Absent | KeyDefault::Derived(_) => {}
    }
    schema
}

/// The schema of a key whose values have no single type.
#[expect(clippy::too_many_lines, reason = "one list of cases, to be divided")]
fn form(path: &str) -> Value {
    let integer = json!({ "type": "integer", "minimum": 0 });
    let lengths = json!({ "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 1 } });
    let text = json!({ "type": "string" });
    let code_type = json!({ "type": ["string", "integer"] });
    // A node by its number, its coordinates, or its name in the file of a network.
    let node = json!({ "anyOf": [integer, list_of(&integer), text] });
    let pair = json!({ "type": "array", "items": node, "minItems": 2, "maxItems": 2 });
    let figures = json!({
        "type": "object", "properties": { "bandwidth": text, "latency": text },
        "required": ["bandwidth"], "additionalProperties": false
    });
    match path {
        "machine.shape" | "program.shape" | "program.cells" => lengths,
        "machine.twist" => list_of(&list_of(&json!({ "type": "integer" }))),
        "machine.failed_links" => json!({ "anyOf": [integer, list_of(&pair)] }),
        "machine.failed_nodes" => json!({ "anyOf": [integer, list_of(&node)] }),
        "mapping.spare_nodes" => list_of(&node),
        "machine.link" => one_or_list(&figures),
        "machine.local" => figures,
        "machine.allocation" => json!({ "anyOf": [list_of(&node), text] }),
        "machine.wrap" => list_of(&json!({ "type": "boolean" })),
        "machine.partition" => json!({
            "type": "object", "properties": { "base": list_of(&integer), "shape": lengths },
            "required": ["base", "shape"], "additionalProperties": false
        }),
        "program.stages" => {
            json!({ "anyOf": [list_of(&integer), { "enum": ["ascend", "descend", "bitonic"] }] })
        }
        "program.scale" | "program.latency_limit" => json!({ "type": "number", "exclusiveMinimum": 0 }),
        "program.load" => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
        "program.hotspot_share" => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        "program.hotspots" => list_of(&node),
        "program.sizes" => list_of(&json!({
            "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 2, "maxItems": 2
        })),
        "program.saturation" => json!({
            "type": "object", "properties": {
                "low": { "type": "number", "minimum": 0, "maximum": 1 },
                "high": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
                "resolution": { "type": "number", "exclusiveMinimum": 0 }
            },
            "additionalProperties": false
        }),
        "program.cell_bytes" => json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, text] }),
        "program.units" => one_or_list(&json!({ "type": "integer", "minimum": 1 })),
        "program.bytes" => one_or_list(&json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, text] })),
        "program.compute" => text,
        "program.processes_per_node" => one_or_list(&json!({ "type": "integer", "minimum": 1 })),
        "program.halving" | "program.streams" => json!({ "type": "boolean" }),
        "program.algorithms" => {
            let performing =
                |operation| ALGORITHMS.iter().filter(move |own| own.operations.contains(&operation));
            let one = |operation| performing(operation).map(|own| own.name).collect::<Vec<&str>>();
            let members =
                OPERATIONS.iter().map(|own| (own.name.to_owned(), json!({ "enum": one(own.operation) })));
            object(&members.collect())
        }
        "program.algorithm" => {
            let names: Vec<&str> = ALGORITHMS.iter().map(|own| own.name).collect();
            let level = json!({ "enum": names });
            let levels = json!({
                "type": "object", "properties": { "inner": level, "outer": level },
                "required": ["inner", "outer"], "additionalProperties": false
            });
            let hierarchical = json!({
                "type": "object", "properties": { "hierarchical": levels },
                "required": ["hierarchical"], "additionalProperties": false
            });
            one_or_list(&json!({ "anyOf": [level, hierarchical] }))
        }
        "machine.inside" => json!({
            "type": "object", "properties": {
                "kind": { "enum": ["switch", "full-mesh", "ring", "hypercube", "none"] },
                "planes": integer, "link": figures, "hop_cycles": integer, "latency_cycles": integer
            },
            "required": ["kind"], "additionalProperties": false
        }),
        "machine.nic" => json!({
            "type": "object",
            "properties": { "link": figures, "hop_cycles": integer, "latency_cycles": integer },
            "additionalProperties": false
        }),
        "machine.outside" => json!({
            "type": "object", "properties": {
                "link": figures, "hop_cycles": integer, "latency_cycles": integer,
                "leaves": {
                    "type": "object", "properties": { "nodes": integer },
                    "required": ["nodes"], "additionalProperties": false
                },
                "rails": { "type": "boolean" }, "spines": integer, "uplinks": integer, "spine_link": figures
            },
            "required": ["leaves"], "additionalProperties": false
        }),
        "machine.grammar" => text,
        "program.indices" => json!({ "anyOf": [list_of(&json!({ "type": "integer" })), text] }),
        "machine.hosts_forward" => json!({ "type": "boolean" }),
        "program.ports" => json!({ "enum": [1, "all"] }),
        "program.over" => list_of(&integer),
        "program.steps" => list_of(&step_schema()),
        "program.guest" => guest_schema(&lengths),
        "program.loading" => json!({
            "type": "object",
            "properties": {
                "code_types": { "anyOf": [{ "enum": CODE_TYPE_RULES }, { "type": "array", "items": code_type, "minItems": 1 }] },
                "broadcast_cycles": { "type": "integer", "minimum": 1, "maximum": 1_u64 << 32 },
            },
            "additionalProperties": false
        }),
        "mapping.embeddings" => {
            let names: Vec<String> = embeddings().iter().flat_map(Embedding::names).collect();
            list_of(&json!({ "anyOf": [{ "enum": names }, text, { "type": "object" }] }))
        }
        "execution.phases" => json!({ "anyOf": [text, { "type": "integer", "minimum": 1 }] }),
        "execution.eager_units" => json!({ "anyOf": [integer, { "const": "all" }] }),
        _ => text,
    }
}

/// The schema of a guest, with the keys and kinds of its reader.
fn guest_schema(lengths: &Value) -> Value {
    let count = json!({ "type": "integer", "minimum": 1 });
    let own = |key: &&str| match *key {
        "kind" => json!({ "enum": GUEST_KINDS.map(MachineKind::name) }),
        "shape" => lengths.clone(),
        "wrap" => list_of(&json!({ "type": "boolean" })),
        "legs" => list_of(&json!({ "type": "integer", "minimum": 0 })),
        "edges" | "grammar" => json!({ "type": "string" }),
        _ => count.clone(),
    };
    let properties = GUEST_KEYS.iter().map(|key| ((*key).to_owned(), own(key))).collect();
    let mut guest = object(&properties);
    guest["required"] = json!(["kind"]);
    guest
}

/// The schema of a step of a sequence, made from keys of `[program]`.
fn step_schema() -> Value {
    let own = |key: &&ScenarioKey| is_key_of_step(key.path);
    let properties = scenario_keys().iter().filter(own).map(|key| {
        let mut schema = key_schema(key);
        // Keys that a step omits come from the program, so they have no default.
        schema.as_object_mut().map(|schema| schema.remove("default"));
        (key.key().to_owned(), schema)
    });
    let mut step = object(&properties.collect());
    let text = json!({ "type": "string" });
    let range = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3, "maxItems": 3 });
    step["properties"]["name"] = text.clone();
    step["properties"]["after"] = list_of(&text);
    step["properties"]["only"] = list_of(&range);
    step["properties"]["by"] = json!({ "type": "integer" });
    step["properties"]["wrap"] = json!({ "type": "boolean" });
    step["minProperties"] = 1.into();
    step
}

fn list_of(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn one_or_list(one: &Value) -> Value {
    json!({ "anyOf": [one, list_of(one)] })
}

/// The schema of results: the documents of `run`, `compare` and `measure`, a line of their JSON Lines, and a
/// row of processes or of transmissions.
#[must_use]
pub fn results_schema() -> Value {
    let (run, placement) = (run_schema(), placement_schema());
    let forms = [
        ("results", document(Document::RESULTS, &run)),
        ("placements", document(Document::PLACEMENTS, &placement)),
        ("run-line", line(run)),
        ("placement-line", line(placement)),
        ("process-line", line(process_schema())),
        ("message-line", line(message_schema())),
        ("transmission-line", line(transmission_schema())),
    ];
    let any: Vec<Value> =
        forms.iter().map(|(name, _)| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    let forms: Map<String, Value> = forms.into_iter().map(|(name, form)| (name.to_owned(), form)).collect();
    json!({ "$schema": DIALECT, "title": "cubefold results", "anyOf": any, "$defs": forms })
}

/// The schema of a document with its envelope.
fn document(document: Document, record: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "format": { "const": document.format },
            "version": { "const": Document::VERSION },
            "cubefold": { "type": "string", "description": "The version of the program." },
            document.records: list_of(record),
        },
        "required": ["format", "version", "cubefold", document.records],
    })
}

/// The schema of a record on a line, with its version.
fn line(mut record: Value) -> Value {
    record["properties"]["version"] = json!({ "const": Document::VERSION });
    record["required"] = json!(["version", "run", "scenario", "embedding"]);
    record
}

fn run_schema() -> Value {
    let mut run = record(run_definitions());
    run["properties"]["stages"] = list_of(&stage());
    for list in ["steps", "saturation_runs", "trace_communication"] {
        run["properties"][list] = list_of(&json!({ "type": "object" }));
    }
    run
}

fn placement_schema() -> Value {
    let mut entry = record(definitions!(
        SCENARIO RUN SWEEP PROCESSES NODES MACHINE ROUTER PARTITION PROGRAM COLLECTIVE GUEST NEIGHBOURS TRAFFIC EMBEDDING PLACEMENT
        BOUNDS CONSTRUCTION
    ));
    // Members without columns are added here.
    entry["properties"]["placement"]["properties"]["distances"] = list_of(&json!({ "type": "object" }));
    entry
}

/// The schema of a process in a stage; columns and members have the same names.
fn process_schema() -> Value {
    let columns =
        definitions!(SCENARIO RUN EMBEDDING PROCESS ITERATION STEP RANK).filter(|own| own.kind != Kind::Term);
    object(&columns.map(|own| (own.name.to_owned(), column_schema(own))).collect())
}

/// The schema of a message; columns and members have the same names.
fn message_schema() -> Value {
    let columns = definitions!(SCENARIO RUN EMBEDDING MESSAGE).filter(|own| own.kind != Kind::Term);
    object(&columns.map(|own| (own.name.to_owned(), column_schema(own))).collect())
}

/// The schema of a transmission; columns and members have the same names.
fn transmission_schema() -> Value {
    let columns = definitions!(SCENARIO RUN EMBEDDING TRANSMISSION).filter(|own| own.kind != Kind::Term);
    object(&columns.map(|own| (own.name.to_owned(), column_schema(own))).collect())
}

/// The schema of a record of a machine, a program and more.
fn record(definitions: impl Iterator<Item = &'static Definition>) -> Value {
    let mut record = object(&Map::new());
    for definition in definitions {
        insert(&mut record, definition);
    }
    // Members without columns, or of which columns hold only a number, are added here.
    record["properties"]["program"]["properties"]["steps"] = list_of(&json!({ "type": "object" }));
    record["properties"]["program"]["properties"]["notes"] = list_of(&json!({ "type": "string" }));
    // A word, or a number of links.
    record["properties"]["execution"]["properties"]["phases"]["type"] = json!(["string", "integer", "null"]);
    let machine = &mut record["properties"]["machine"]["properties"];
    // The classes of links where these differ, with the link mode beside them.
    let class =
        json!({ "class": { "type": "string" }, "u": { "type": "integer" }, "l": { "type": "integer" } });
    let classes = list_of(&json!({ "type": "object", "properties": class, "additionalProperties": false }));
    machine["link_mode"] = json!({ "type": "string" });
    machine["links"] = json!({ "anyOf": [machine["links"], classes] });
    machine["twist"] = list_of(&list_of(&json!({ "type": "integer" })));
    for failed in ["failed_links", "failed_nodes"] {
        machine[failed]["type"] = "array".into();
    }
    record
}

/// The definitions of the members of runs.
fn run_definitions() -> impl Iterator<Item = &'static Definition> {
    definitions!(
        SCENARIO RUN SEED SWEEP PROCESSES NODES MACHINE ROUTER PARTITION PROGRAM COLLECTIVE GUEST NEIGHBOURS TRAFFIC EMBEDDING
        EXECUTION ENGINE MAKESPAN OPEN_LOOP WHOLE_RUN RATIO TOTALS OVERLAPPED WAITING BLOCKED AMOUNTS LINK_USE STEPS EXPOSED PLACEMENT BOUNDS
        CONSTRUCTION
    )
}

/// The members of a run, or of one of these, that are objects.
const OBJECTS: [&str; 21] = [
    "machine",
    "machine_partition",
    "machine_router",
    "program",
    "program_guest",
    "execution",
    "totals",
    "waiting",
    "blocked",
    "packet_latency",
    "network_latency",
    "placement",
    "placement_dilation",
    "placement_node_load",
    "placement_link_congestion",
    "placement_node_congestion",
    "placement_link_units",
    "placement_load",
    "placement_bounds",
    "placement_construction",
    "placement_construction_promised_steps",
];

/// Inserts a definition at its place: `placement_load_max` is `max` of `load` of `placement`.
fn insert(run: &mut Value, definition: &Definition) {
    let (mut place, mut start) = (run, 0); // the object, and the offset of its members' names
    let name = definition.name;
    let ends = name.match_indices('_').map(|(end, _)| end);
    for end in ends.filter(|&end| OBJECTS.contains(&&name[..end])) {
        let member = &mut place["properties"][&name[start..end]];
        if member.is_null() {
            *member = object(&Map::new());
        }
        (place, start) = (member, end + 1);
    }
    let member = &mut place["properties"][&name[start..]];
    if member.is_null() {
        *member = column_schema(definition);
    }
}

fn column_schema(definition: &Definition) -> Value {
    let mut schema = match definition.kind {
        Kind::Text => json!({ "type": ["string", "null"] }),
        Kind::Truth => json!({ "type": ["boolean", "null"] }),
        Kind::Natural | Kind::Sum => json!({ "type": ["integer", "null"] }),
        Kind::Decimal => json!({ "type": ["number", "null"] }),
        Kind::Shape => json!({ "type": ["array", "null"], "items": { "type": "integer" } }),
        Kind::List => json!({ "type": ["array", "null"] }),
        Kind::Term => json!({}),
    };
    if !definition.text.is_empty() {
        schema["description"] = definition.text.into();
    }
    if !definition.unit.is_empty() {
        schema["description"] =
            format!("[{}] {}", definition.unit, schema["description"].as_str().unwrap_or_default()).into();
    }
    schema
}

/// The schema of a stage of a run.
fn stage() -> Value {
    let count = || json!({ "type": ["integer", "null"] });
    let distance = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "min": count(), "max": count(), "mean": { "type": ["number", "null"] } }
    });
    let members = [
        "stage",
        "dimension",
        "waiting_cycles",
        "transfer_cycles",
        "blocked_cycles",
        "routing_steps",
        "conflicts",
    ];
    let mut members: Map<String, Value> =
        members.into_iter().map(|member| (member.to_owned(), count())).collect();
    members.insert("distance".to_owned(), distance);
    object(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_schema_in_its_table_and_in_the_sweep() {
        let schema = scenario_schema();
        for key in scenario_keys() {
            let own = key.path.split('.').fold(&schema, |outer, name| &outer["properties"][name]);
            assert_eq!(own["description"], key.summary, "{}", key.path);
            assert_eq!(&schema["properties"]["sweep"]["properties"][key.path]["items"], own);
            if let KeyValues::Form(words) = key.values {
                let is_text = own["type"] == "string";
                let is_any_text =
                    ["program.pattern", "program.compute", "machine.grammar"].contains(&key.path);
                assert!(!is_text || is_any_text, "{}: {words} needs a schema", key.path);
            }
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
        let own = steps["items"]["properties"].as_object().unwrap();
        assert!(own.contains_key("algorithm") && own.contains_key("compute_cycles"));
        assert!(!own.contains_key("processes_per_node") && own["exchange"]["default"].is_null());
    }

    #[test]
    fn columns_are_members_of_the_objects_that_they_name() {
        let schema = results_schema();
        let run = &schema["$defs"]["results"]["properties"]["runs"]["items"]["properties"];
        assert_eq!(run["makespan_cycles"]["type"], json!(["integer", "null"]));
        let dilation = &run["placement"]["properties"]["dilation"]["properties"];
        assert_eq!(dilation["max"]["type"], json!(["integer", "null"]));
        assert_eq!(run["waiting"]["properties"]["p99"]["type"], json!(["integer", "null"]));
        assert!(run["machine"]["properties"]["partition"]["properties"]["base"].is_object());
        let process = &schema["$defs"]["process-line"]["properties"];
        assert_eq!(process["waiting_cycles"]["type"], json!(["integer", "null"]));
        assert_eq!(process["version"]["const"], json!(1));
        let placement = &schema["$defs"]["placement-line"]["properties"];
        assert!(placement["placement"].is_object() && placement["makespan_cycles"].is_null());
        let bounds = &placement["placement"]["properties"]["bounds"]["properties"];
        assert_eq!(bounds["congestion"]["type"], json!(["integer", "null"]));
        let construction = &placement["placement"]["properties"]["construction"]["properties"];
        assert!(construction["promised_steps"]["properties"]["full_duplex"].is_object());
    }
}
