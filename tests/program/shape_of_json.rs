//! The keys of a JSON value, their order, and the types of their values.

use serde_json::Value;

/// Asserts that `found` has exactly the keys of `shape`, in its order, with values of its types.
///
/// A text in `shape` names a type: `text`, `truth`, `count` (a whole number), `number`, `fraction` (a number written
/// with a fraction) or `spectrum` (an object of counts by numbers), with `?` after it if it may be null. A list
/// of one entry stands for any number of such entries.
pub(super) fn assert_shape(found: &Value, shape: &Value) {
    assert_part(found, shape, "document");
}

fn assert_part(found: &Value, shape: &Value, path: &str) {
    match shape {
        Value::String(kind) => assert!(is_of(found, kind), "{path} is {found}, expected {kind}"),
        Value::Array(entries) => {
            let found = found.as_array().unwrap_or_else(|| panic!("{path} is no list"));
            for (place, entry) in found.iter().enumerate() {
                assert_part(entry, &entries[0], &format!("{path}[{place}]"));
            }
        }
        Value::Object(members) => {
            let found = found.as_object().unwrap_or_else(|| panic!("{path} is no object"));
            // Only runs of a sweep have its keys.
            let keys = found.keys().filter(|key| *key != "sweep");
            assert!(keys.eq(members.keys()), "{path} has the keys {:?}", found.keys());
            for (key, shape) in members {
                assert_part(&found[key], shape, &format!("{path}.{key}"));
            }
        }
        other => panic!("{other} is no shape"),
    }
}

fn is_of(found: &Value, kind: &str) -> bool {
    if let Some(kind) = kind.strip_suffix('?') {
        return found.is_null() || is_of(found, kind);
    }
    match kind {
        "text" => found.is_string(),
        "truth" => found.is_boolean(),
        "count" => is_count(found),
        "text or count" => found.is_string() || is_count(found),
        "number" => found.is_number(),
        "fraction" => found.as_f64().is_some() && !is_count(found),
        "spectrum" => found.as_object().is_some_and(|counts| {
            counts.iter().all(|(key, count)| key.parse::<u64>().is_ok() && is_count(count))
        }),
        other => panic!("{other} is no type"),
    }
}

/// Whether a value is a whole number, of any size.
fn is_count(value: &Value) -> bool {
    value.is_number() && value.to_string().bytes().all(|byte| byte.is_ascii_digit())
}

/// The machine of a record (`docs/reading-results.md`, what was run).
pub(super) fn machine() -> Value {
    serde_json::json!({
        "kind": "text", "shape": ["count"], "wrap": ["truth"], "links": "text", "hop_cycles": "count",
        "latency_cycles": "count", "switching": "text", "packet_units": "count?", "arbitration": "text",
        "cycle_nanoseconds": "number?"
    })
}

/// The program of a record.
pub(super) fn program_record() -> Value {
    serde_json::json!({
        "kind": "text", "dimensions": "count", "stages": ["count"], "compute_cycles": "count"
    })
}

/// The metrics of a placement, without the distances by dimension.
pub(super) fn placement() -> Value {
    serde_json::json!({
        "constant_distances": "truth", "average_distance": "fraction",
        "dilation": { "max": "count", "mean": "fraction", "total": "count", "spectrum": "spectrum" },
        "node_load": { "max": "count", "min": "count", "mean": "fraction" },
        "link_congestion": { "max": "count", "mean": "fraction" },
        "node_congestion": { "max": "count", "mean": "fraction" },
        "load": { "max": "count", "min": "count" },
        "expansion": "fraction", "node_evenness": "fraction?"
    })
}
