//! Forms of values without a single type, as schemas.

use std::collections::BTreeSet;

use cubefold_collectives::{ALGORITHMS, OPERATIONS};
use cubefold_simulator::TrafficPattern;
use cubefold_topology::MachineKind;
use serde_json::{Value, json};

use crate::{
    cube_stages,
    embeddings::{Embedding, embeddings},
    exchange::{BEST as BEST_PARTS, MOST_PARTS, NOISE_KEYS, noise_kinds},
    loading::RULES as CODE_TYPE_RULES,
    neighbour_exchange::{KEYS as GUEST_KEYS, KINDS as GUEST_KINDS},
    open_loop::BATCHES,
    permutation,
    schema::{list_of, one_or_list},
};

pub(super) fn twist() -> Value {
    list_of(&list_of(&json!({ "type": "integer" })))
}

/// Links by their two nodes, or a number of random ones.
pub(super) fn failed_links() -> Value {
    let pair = json!({ "type": "array", "items": node(), "minItems": 2, "maxItems": 2 });
    json!({ "anyOf": [integer(), list_of(&pair)] })
}

pub(super) fn failed_nodes() -> Value {
    json!({ "anyOf": [integer(), list_of(&node())] })
}

pub(super) fn paths() -> Value {
    json!({ "type": "object", "additionalProperties": { "anyOf": [text(), link()] } })
}

pub(super) fn allocation() -> Value {
    json!({ "anyOf": [list_of(&node()), text()] })
}

pub(super) fn hosts() -> Value {
    json!({ "anyOf": [integer(), text(), list_of(&text())] })
}

pub(super) fn speedup() -> Value {
    json!({ "type": "number", "minimum": 1, "maximum": 8 })
}

pub(super) fn uplinks() -> Value {
    json!({ "anyOf": [integer(), list_of(&integer()), { "enum": ["full"] }] })
}

pub(super) fn partition() -> Value {
    table(&json!({ "base": list_of(&integer()), "shape": lengths() }), &["base", "shape"])
}

/// The network inside the nodes of a cluster.
pub(super) fn inside() -> Value {
    let kinds = json!({ "enum": ["switch", "full-mesh", "ring", "hypercube", "none"] });
    let members = json!({
        "kind": kinds, "planes": integer(), "link": link(), "hop_cycles": integer(),
        "latency_cycles": integer(), "reduce": truth_or_count()
    });
    table(&members, &["kind"])
}

pub(super) fn nic() -> Value {
    table(&json!({ "link": link(), "hop_cycles": integer(), "latency_cycles": integer() }), &[])
}

/// The network between the nodes of a cluster.
pub(super) fn outside() -> Value {
    let members = json!({
        "link": link(), "hop_cycles": integer(), "latency_cycles": integer(),
        "leaves": table(&json!({ "nodes": integer() }), &["nodes"]), "rails": truth(),
        "spines": integer(), "uplinks": { "anyOf": [integer(), { "enum": ["full"] }] },
        "spine_link": link(), "reduce": truth_or_count()
    });
    table(&members, &["leaves"])
}

/// Dimensions, or the name of an order, perhaps with its number of dimensions.
pub(super) fn stages() -> Value {
    let orders = format!("^({})(:([1-9][0-9]?|sweep))?$", cube_stages::words().join("|"));
    json!({ "anyOf": [list_of(&integer()), { "type": "string", "pattern": orders }] })
}

pub(super) fn compute_noise() -> Value {
    let member = |key: &&str| match *key {
        "kind" => json!({ "enum": noise_kinds() }),
        "each" => json!({ "enum": ["stage", "process"] }),
        "one_in" => count(),
        _ => integer(),
    };
    table(&NOISE_KEYS.iter().map(|key| (*key, member(key))).collect(), &["kind"])
}

pub(super) fn pipelining() -> Value {
    let parts = json!({ "type": "integer", "minimum": 1, "maximum": MOST_PARTS });
    json!({ "anyOf": [parts, { "const": BEST_PARTS }] })
}

/// A number of bytes, or a size with its unit.
pub(super) fn size() -> Value {
    json!({ "anyOf": [count(), text()] })
}

/// For each operation, the algorithms that perform it.
pub(super) fn algorithms() -> Value {
    let performing = |operation| {
        let algorithms = ALGORITHMS.iter().filter(move |algorithm| algorithm.operations.contains(&operation));
        algorithms.map(|algorithm| algorithm.name).collect::<Vec<&str>>()
    };
    let member = |operation| json!({ "enum": performing(operation) });
    table(&OPERATIONS.iter().map(|operation| (operation.name, member(operation.operation))).collect(), &[])
}

/// An algorithm, or one for each level, or several of these.
pub(super) fn algorithm() -> Value {
    let names: Vec<&str> = ALGORITHMS.iter().map(|algorithm| algorithm.name).chain(["in-switch"]).collect();
    let level = json!({ "enum": names });
    let levels = table(&json!({ "inner": level, "outer": level, "chunks": count() }), &["inner", "outer"]);
    let hierarchical = table(&json!({ "hierarchical": levels }), &["hierarchical"]);
    one_or_list(&json!({ "anyOf": [level, hierarchical] }))
}

/// A pattern of a permutation or of open-loop traffic.
pub(super) fn pattern() -> Value {
    let names: BTreeSet<&str> = TrafficPattern::NAMES.into_iter().chain(permutation::names()).collect();
    // Some names end in a number.
    json!({ "anyOf": [{ "enum": names }, text()] })
}

pub(super) fn share() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

pub(super) fn load() -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 })
}

pub(super) fn burst_cycles() -> Value {
    json!({ "type": "number", "minimum": 1 })
}

pub(super) fn reply() -> Value {
    table(&json!({ "sizes": sizes(), "delay_cycles": integer() }), &["sizes"])
}

pub(super) fn warmup_cycles() -> Value {
    json!({ "anyOf": [integer(), { "const": "auto" }] })
}

pub(super) fn batches() -> Value {
    json!({ "enum": BATCHES })
}

pub(super) fn seeds() -> Value {
    json!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 10 }, { "enum": [20, 30] }] })
}

pub(super) fn saturation() -> Value {
    table(&json!({ "low": share(), "high": load(), "resolution": positive() }), &[])
}

pub(super) fn indices() -> Value {
    json!({ "anyOf": [list_of(&json!({ "type": "integer" })), text()] })
}

pub(super) fn ports() -> Value {
    json!({ "enum": [1, "all"] })
}

pub(super) fn channels() -> Value {
    json!({ "anyOf": [count(), { "const": "nics" }] })
}

pub(super) fn loading() -> Value {
    let code_types = json!({ "type": "array", "items": { "type": ["string", "integer"] }, "minItems": 1 });
    let members = json!({
        "code_types": { "anyOf": [{ "enum": CODE_TYPE_RULES }, code_types] },
        "broadcast_cycles": { "type": "integer", "minimum": 1, "maximum": 1_u64 << 32 },
    });
    table(&members, &[])
}

pub(super) fn placements() -> Value {
    let names: Vec<String> = embeddings().iter().flat_map(Embedding::names).collect();
    list_of(&json!({ "anyOf": [{ "enum": names }, text(), { "type": "object" }] }))
}

pub(super) fn phases() -> Value {
    json!({ "anyOf": [text(), count()] })
}

pub(super) fn eager_units() -> Value {
    json!({ "anyOf": [integer(), { "const": "all" }] })
}

/// Whether switches reduce, or how much per cycle.
pub(super) fn truth_or_count() -> Value {
    json!({ "anyOf": [truth(), count()] })
}

/// Pairs of units and weight.
pub(super) fn sizes() -> Value {
    list_of(&json!({ "type": "array", "items": count(), "minItems": 2, "maxItems": 2 }))
}

/// The schema of a guest, with the keys and kinds of its reader.
pub(super) fn guest() -> Value {
    let member = |key: &&str| match *key {
        "kind" => json!({ "enum": GUEST_KINDS.map(MachineKind::name) }),
        "shape" => lengths(),
        "wrap" => list_of(&truth()),
        "legs" => list_of(&integer()),
        "edges" | "grammar" => text(),
        _ => count(),
    };
    table(&GUEST_KEYS.iter().map(|key| (*key, member(key))).collect(), &["kind"])
}

/// A node by its number, its coordinates, or its name in the file of a network.
pub(super) fn node() -> Value {
    json!({ "anyOf": [integer(), list_of(&integer()), text()] })
}

/// The bandwidth and latency of links.
pub(super) fn link() -> Value {
    table(&json!({ "bandwidth": text(), "latency": text() }), &["bandwidth"])
}

/// A table with only these members.
fn table(properties: &Value, required: &[&str]) -> Value {
    let mut table = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    table
}

pub(super) fn lengths() -> Value {
    json!({ "type": "array", "minItems": 1, "items": count() })
}

/// An integer from 0.
pub(super) fn integer() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// An integer from 1.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// A number above 0.
pub(super) fn positive() -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0 })
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn truth() -> Value {
    json!({ "type": "boolean" })
}
