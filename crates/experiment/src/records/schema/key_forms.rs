//! Schemas of keys whose values have no single type.

use cubefold_collectives::{ALGORITHMS, OPERATIONS};
use cubefold_topology::MachineKind;
use serde_json::{Value, json};

use super::{list_of, object, one_or_list, scenario_schema::step_schema};
use crate::scenario::{
    BATCHES, BEST_PARTS, CODE_TYPE_RULES, Embedding, GUEST_KEYS, GUEST_KINDS, MOST_PARTS, NOISE_KEYS,
    embeddings, noise_kinds, program_stage_words,
};

/// The schema of such a key; a key that is not listed has a text.
pub(super) fn form(path: &str) -> Value {
    let (section, key) = path.split_once('.').unwrap_or_default();
    match section {
        "machine" => machine_key(key),
        "program" => {
            program_key(key).or_else(|| exchange_key(key)).or_else(|| open_loop_key(key)).unwrap_or_else(text)
        }
        _ => mapping_or_execution_key(path),
    }
}

fn machine_key(key: &str) -> Value {
    match key {
        "shape" => lengths(),
        "twist" => list_of(&list_of(&json!({ "type": "integer" }))),
        "failed_links" => {
            let pair = json!({ "type": "array", "items": node(), "minItems": 2, "maxItems": 2 });
            json!({ "anyOf": [integer(), list_of(&pair)] })
        }
        "failed_nodes" => json!({ "anyOf": [integer(), list_of(&node())] }),
        "link" => one_or_list(&link_figures()),
        "lane" | "local" => link_figures(),
        "paths" => json!({ "type": "object", "additionalProperties": { "anyOf": [text(), link_figures()] } }),
        "allocation" => json!({ "anyOf": [list_of(&node()), text()] }),
        "wrap" => list_of(&truth()),
        "hosts" => json!({ "anyOf": [integer(), text(), list_of(&text())] }),
        "hosts_forward" | "directed" => truth(),
        "router.speedup" => json!({ "type": "number", "minimum": 1, "maximum": 8 }),
        "reduce" => truth_or_count(),
        "uplinks" => json!({ "anyOf": [integer(), list_of(&integer()), { "enum": ["full"] }] }),
        "partition" => table(&json!({ "base": list_of(&integer()), "shape": lengths() }), &["base", "shape"]),
        "inside" => {
            let kinds = json!({ "enum": ["switch", "full-mesh", "ring", "hypercube", "none"] });
            let own = json!({
                "kind": kinds, "planes": integer(), "link": link_figures(), "hop_cycles": integer(),
                "latency_cycles": integer(), "reduce": truth_or_count()
            });
            table(&own, &["kind"])
        }
        "nic" => {
            let own = json!({ "link": link_figures(), "hop_cycles": integer(), "latency_cycles": integer() });
            table(&own, &[])
        }
        "outside" => {
            let own = json!({
                "link": link_figures(), "hop_cycles": integer(), "latency_cycles": integer(),
                "leaves": table(&json!({ "nodes": integer() }), &["nodes"]), "rails": truth(),
                "spines": integer(), "uplinks": number_or_full(), "spine_link": link_figures(),
                "reduce": truth_or_count()
            });
            table(&own, &["leaves"])
        }
        _ => text(),
    }
}

/// Whether switches reduce, or how much in a cycle.
fn truth_or_count() -> Value {
    json!({ "anyOf": [truth(), count()] })
}

/// A number of cables.
fn number_or_full() -> Value {
    json!({ "anyOf": [integer(), { "enum": ["full"] }] })
}

fn program_key(key: &str) -> Option<Value> {
    let schema = match key {
        "shape" | "cells" => lengths(),
        "stages" => {
            let orders = format!("^({})(:([1-9][0-9]?|sweep))?$", program_stage_words().join("|"));
            json!({ "anyOf": [list_of(&integer()), { "type": "string", "pattern": orders }] })
        }
        "scale" => positive(),
        "cell_bytes" => json!({ "anyOf": [count(), text()] }),
        "units" | "processes_per_node" => one_or_list(&count()),
        "bytes" => one_or_list(&json!({ "anyOf": [count(), text()] })),
        "halving" | "streams" => truth(),
        "algorithms" => {
            let performing =
                |operation| ALGORITHMS.iter().filter(move |own| own.operations.contains(&operation));
            let one = |operation| performing(operation).map(|own| own.name).collect::<Vec<&str>>();
            let members =
                OPERATIONS.iter().map(|own| (own.name.to_owned(), json!({ "enum": one(own.operation) })));
            object(&members.collect())
        }
        "algorithm" => {
            let names: Vec<&str> = ALGORITHMS.iter().map(|own| own.name).collect();
            let names: Vec<&str> = names.into_iter().chain(["in-switch"]).collect();
            let level = json!({ "enum": names });
            let levels =
                table(&json!({ "inner": level, "outer": level, "chunks": count() }), &["inner", "outer"]);
            let hierarchical = table(&json!({ "hierarchical": levels }), &["hierarchical"]);
            one_or_list(&json!({ "anyOf": [level, hierarchical] }))
        }
        "indices" => json!({ "anyOf": [list_of(&json!({ "type": "integer" })), text()] }),
        "ports" => json!({ "enum": [1, "all"] }),
        "channels" => json!({ "anyOf": [count(), { "const": "nics" }] }),
        "rings" => list_of(&list_of(&integer())),
        "over" => list_of(&integer()),
        "steps" => list_of(&step_schema()),
        "guest" => guest_schema(),
        "loading" => {
            let code_types =
                json!({ "type": "array", "items": { "type": ["string", "integer"] }, "minItems": 1 });
            let own = json!({
                "code_types": { "anyOf": [{ "enum": CODE_TYPE_RULES }, code_types] },
                "broadcast_cycles": { "type": "integer", "minimum": 1, "maximum": 1_u64 << 32 },
            });
            table(&own, &[])
        }
        _ => return None,
    };
    Some(schema)
}

/// Keys of pipelined exchanges and of computations that vary.
fn exchange_key(key: &str) -> Option<Value> {
    let schema = match key {
        "pipelining" => {
            let parts = json!({ "type": "integer", "minimum": 1, "maximum": MOST_PARTS });
            json!({ "anyOf": [parts, { "const": BEST_PARTS }] })
        }
        "compute_noise" => {
            let own = |key: &&str| match *key {
                "kind" => json!({ "enum": noise_kinds() }),
                "each" => json!({ "enum": ["stage", "process"] }),
                "one_in" => count(),
                _ => integer(),
            };
            let members = NOISE_KEYS.iter().map(|key| ((*key).to_owned(), own(key)));
            let mut noise = object(&members.collect());
            noise["required"] = json!(["kind"]);
            noise
        }
        _ => return None,
    };
    Some(schema)
}

/// Keys of programs of open-loop traffic.
fn open_loop_key(key: &str) -> Option<Value> {
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let load = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 });
    let schema = match key {
        "load" => load,
        "latency_limit" => positive(),
        "hotspot_share" => share,
        "hotspots" => list_of(&node()),
        "sizes" => sizes(),
        "reply" => table(&json!({ "sizes": sizes(), "delay_cycles": integer() }), &["sizes"]),
        "burst_cycles" => json!({ "type": "number", "minimum": 1 }),
        "burst_load" => positive(),
        "warmup_cycles" => json!({ "anyOf": [integer(), { "const": "auto" }] }),
        "batches" => json!({ "enum": BATCHES }),
        "seeds" => {
            json!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 10 }, { "enum": [20, 30] }] })
        }
        "saturation" => table(&json!({ "low": share, "high": load, "resolution": positive() }), &[]),
        _ => return None,
    };
    Some(schema)
}

/// Pairs of units and weight.
fn sizes() -> Value {
    list_of(&json!({ "type": "array", "items": count(), "minItems": 2, "maxItems": 2 }))
}

fn mapping_or_execution_key(path: &str) -> Value {
    match path {
        "mapping.spare_nodes" => list_of(&node()),
        "mapping.embeddings" => {
            let names: Vec<String> = embeddings().iter().flat_map(Embedding::names).collect();
            list_of(&json!({ "anyOf": [{ "enum": names }, text(), { "type": "object" }] }))
        }
        "execution.phases" => json!({ "anyOf": [text(), count()] }),
        "execution.eager_units" => json!({ "anyOf": [integer(), { "const": "all" }] }),
        _ => text(),
    }
}

/// The schema of a guest, with the keys and kinds of its reader.
fn guest_schema() -> Value {
    let own = |key: &&str| match *key {
        "kind" => json!({ "enum": GUEST_KINDS.map(MachineKind::name) }),
        "shape" => lengths(),
        "wrap" => list_of(&truth()),
        "legs" => list_of(&integer()),
        "edges" | "grammar" => text(),
        _ => count(),
    };
    let properties = GUEST_KEYS.iter().map(|key| ((*key).to_owned(), own(key))).collect();
    let mut guest = object(&properties);
    guest["required"] = json!(["kind"]);
    guest
}

/// A node by its number, its coordinates, or its name in the file of a network.
fn node() -> Value {
    json!({ "anyOf": [integer(), list_of(&integer()), text()] })
}

/// The bandwidth and latency of links.
fn link_figures() -> Value {
    table(&json!({ "bandwidth": text(), "latency": text() }), &["bandwidth"])
}

/// A table of these members and no others.
fn table(properties: &Value, required: &[&str]) -> Value {
    let mut table = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    table
}

fn lengths() -> Value {
    json!({ "type": "array", "minItems": 1, "items": count() })
}

/// An integer from 0.
fn integer() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// An integer from 1.
fn count() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// A number above 0.
fn positive() -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0 })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn truth() -> Value {
    json!({ "type": "boolean" })
}
