//! The schema of scenario files and the reader accept the same: values drawn from the one are tried with the other.

use std::{cmp::Ordering, path::Path};

use cubefold_scenario::{KeyValues, load_text, scenario_keys, scenario_schema};
use serde_json::{Value, json};

use crate::support::toml;

/// Whether a schema accepts a value, by the keywords that schemas of scenarios use.
fn accepts(schema: &Value, value: &Value) -> bool {
    let all = |keyword: &str, holds: &dyn Fn(&Value) -> bool| schema.get(keyword).is_none_or(holds);
    let is_type = |name: &str| match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type {other}"),
    };
    let length = value.as_array().map(Vec::len);
    let integer = |number: &Value| number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
    let order = |limit: &Value| match (integer(value), integer(limit)) {
        (Some(number), Some(limit)) => Some(number.cmp(&limit)),
        _ => value.as_f64()?.partial_cmp(&limit.as_f64()?),
    };
    let members = value.as_object();
    all("anyOf", &|any| any.as_array().unwrap().iter().any(|option| accepts(option, value)))
        && all("enum", &|words| words.as_array().unwrap().contains(value))
        && all("const", &|constant| constant == value)
        && all("type", &|names| match names {
            Value::Array(names) => names.iter().any(|name| is_type(name.as_str().unwrap())),
            name => is_type(name.as_str().unwrap()),
        })
        && all("minimum", &|limit| order(limit).is_none_or(Ordering::is_ge))
        && all("exclusiveMinimum", &|limit| order(limit).is_none_or(Ordering::is_gt))
        && all("maximum", &|limit| order(limit).is_none_or(Ordering::is_le))
        && all("items", &|items| {
            value.as_array().is_none_or(|entries| entries.iter().all(|entry| accepts(items, entry)))
        })
        && all("minItems", &|least| length.is_none_or(|length| length as u64 >= least.as_u64().unwrap()))
        && all("maxItems", &|most| length.is_none_or(|length| length as u64 <= most.as_u64().unwrap()))
        && all("minProperties", &|least| {
            members.is_none_or(|members| members.len() as u64 >= least.as_u64().unwrap())
        })
        && all("required", &|names| {
            let has =
                |name: &Value| members.is_none_or(|members| members.contains_key(name.as_str().unwrap()));
            names.as_array().unwrap().iter().all(has)
        })
        && all("properties", &|known| {
            let fits = |(name, member): (&String, &Value)| match known.get(name) {
                Some(schema) => accepts(schema, member),
                None => schema["additionalProperties"] != json!(false),
            };
            members.is_none_or(|members| members.iter().all(fits))
        })
}

/// A value of each type, and of lists of them: right for few keys.
fn drawn() -> Vec<Value> {
    let plain =
        [json!(0), json!(1), json!(2), json!(3), json!(4), json!(-1), json!("a"), json!(true), json!(1.5)];
    let words =
        ["all", "ascend", "4 KiB", "513 ns", "embedding", "transpose", "ring", "xor"].map(|word| json!(word));
    let plain: Vec<Value> = plain.into_iter().chain(words).collect();
    let lists = plain
        .iter()
        .flat_map(|value| [json!([value]), json!([value, value]), json!([[value, value], [value, value]])]);
    let others = [json!([]), json!({}), json!({ "a": 1 }), json!([{}])];
    plain.iter().cloned().chain(lists.collect::<Vec<_>>()).chain(others).collect()
}

/// The type of a value, and for a list of its first entry.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Array(items) => match items.first() {
            Some(Value::String(_)) => "a list of strings",
            Some(Value::Array(_)) => "a list of lists",
            Some(Value::Object(_)) => "a list of tables",
            Some(Value::Bool(_)) => "a list of true and false",
            Some(_) => "a list of numbers",
            None => "an empty list",
        },
        Value::String(_) => "a string",
        Value::Bool(_) => "true or false",
        Value::Object(_) => "a table",
        _ => "a number",
    }
}

/// For a key whose values have no single type: the rest of a scenario that has it, by its path and TOML, and values
/// that are right there, one of every type that the reader takes.
#[expect(clippy::too_many_lines, reason = "a list of cases")]
pub(super) fn forms() -> Vec<(&'static str, Vec<(&'static str, &'static str)>, Vec<Value>)> {
    let torus = ("machine", "kind = \"torus\"\nshape = [4, 4]");
    let fast = ("machine", "kind = \"torus\"\nshape = [4, 4]\nlink = { bandwidth = \"1 GB/s\" }");
    let collective = ("program", "kind = \"all-reduce\"\nalgorithm = \"swing\"\nunits = 16");
    let link = json!({ "bandwidth": "1 GB/s", "latency": "1 us" });
    let routers = ("machine", "kind = \"torus\"\nshape = [4, 4]\nswitching = \"wormhole\"");
    let open_loop = ("program", "kind = \"open-loop\"\nload = 0.1");
    let burst_load = ("program", "kind = \"open-loop\"\nload = 0.1\nburst_load = 0.5");
    let burst_cycles = ("program", "kind = \"open-loop\"\nload = 0.1\nburst_cycles = 5");
    let hotspot = ("program", "kind = \"open-loop\"\nload = 0.1\npattern = \"hotspot\"");
    let share = ("program", "kind = \"open-loop\"\nload = 0.1\npattern = \"hotspot\"\nhotspots = [1]");
    let cube = ("program", "kind = \"cc-cube\"\nunits = 5");
    let no_load = ("program", "kind = \"open-loop\"");
    vec![
        ("machine.shape", vec![("machine", "kind = \"torus\"")], vec![json!([4, 4])]),
        ("machine.twist", vec![torus], vec![json!([[0, 2], [0, 0]])]),
        ("machine.failed_links", vec![torus], vec![json!(1), json!([[0, 1]]), json!([[[0, 0], [1, 0]]])]),
        (
            "machine.failed_nodes",
            vec![torus, ("program", "kind = \"permutation\"\npattern = \"shuffle\"\nprocesses = 8")],
            vec![json!(1), json!([15]), json!([[3, 3]])],
        ),
        ("machine.link", vec![torus], vec![link.clone(), json!({ "bandwidth": "1 GB/s" })]),
        ("machine.local", vec![fast], vec![link]),
        ("machine.wrap", vec![torus], vec![json!([true, false])]),
        ("machine.partition", vec![torus], vec![json!({ "base": [0, 0], "shape": [2, 2] })]),
        (
            "program.stages",
            vec![torus, ("program", "kind = \"cc-cube\"")],
            vec![json!("bitonic"), json!([0, 1])],
        ),
        ("program.compute", vec![fast], vec![json!("513 ns")]),
        (
            "program.units",
            vec![torus, ("program", "kind = \"cc-cube\"")],
            vec![json!(3), json!([1, 2, 3, 4])],
        ),
        (
            "program.bytes",
            vec![fast],
            vec![json!(1000), json!("4 KiB"), json!([1, 2, 3, 4]), json!(["1 B", "2 B", "3 B", "4 B"])],
        ),
        ("program.pattern", vec![torus, ("program", "kind = \"permutation\"")], vec![json!("transpose")]),
        ("program.load", vec![routers, no_load], vec![json!(0.5), json!(1)]),
        ("program.sizes", vec![routers, open_loop], vec![json!([[4, 1]])]),
        ("program.hotspots", vec![routers, hotspot], vec![json!([3]), json!([[1, 2]])]),
        ("program.hotspot_share", vec![routers, share], vec![json!(0.5), json!(0)]),
        ("program.burst_cycles", vec![routers, burst_load], vec![json!(1), json!(7.5)]),
        ("program.burst_load", vec![routers, burst_cycles], vec![json!(1), json!(0.5)]),
        ("program.reply", vec![routers, open_loop], vec![json!({ "sizes": [[2, 1]], "delay_cycles": 3 })]),
        ("program.warmup_cycles", vec![routers, open_loop], vec![json!(0), json!("auto")]),
        ("program.batches", vec![routers, open_loop], vec![json!(5), json!(30)]),
        ("program.seeds", vec![routers, open_loop], vec![json!(1), json!(20)]),
        ("program.latency_limit", vec![routers, open_loop], vec![json!(100), json!(1.5)]),
        ("program.saturation", vec![routers, no_load], vec![json!({}), json!({ "low": 0.1 })]),
        ("program.halving", vec![torus, ("program", "kind = \"divide-and-conquer\"")], vec![json!(true)]),
        (
            "program.algorithm",
            vec![torus, ("program", "kind = \"all-reduce\"")],
            vec![json!("ring"), json!(["ring", "swing"])],
        ),
        ("program.ports", vec![torus, collective], vec![json!(1), json!("all")]),
        ("program.pipelining", vec![torus, cube], vec![json!(3), json!("best")]),
        ("program.startup", vec![fast, cube], vec![json!("513 ns")]),
        (
            "program.compute_noise",
            vec![torus, cube],
            vec![
                json!({ "kind": "uniform", "max": 7 }),
                json!({ "kind": "outliers", "one_in": 3, "cycles": 9, "seed": 2, "each": "process" }),
                json!({ "kind": "exponential", "mean": 4 }),
            ],
        ),
        ("program.shape", vec![torus, collective], vec![json!([16])]),
        ("program.over", vec![torus, collective], vec![json!([0])]),
        (
            "program.steps",
            vec![torus],
            vec![json!([{ "kind": "barrier", "algorithm": "dissemination" }, { "compute_cycles": 5 }])],
        ),
        (
            "program.loading",
            vec![torus],
            vec![
                json!({ "code_types": "same", "broadcast_cycles": 3 }),
                json!({ "code_types": [0, 1, "a", "a", 2, 3, 3, 3, 0, 1, "a", "a", 2, 3, 3, 3] }),
            ],
        ),
        (
            "program.guest",
            vec![torus, ("program", "kind = \"neighbour-exchange\"")],
            vec![json!({ "kind": "torus", "shape": [4, 4] }), json!({ "kind": "mesh", "shape": [4, 4] })],
        ),
        ("mapping.embeddings", vec![torus], vec![json!(["xor"])]),
        (
            "mapping.spare_nodes",
            vec![
                ("machine", "kind = \"torus\"\nshape = [4, 4]\nfailed_nodes = [3]"),
                ("program", "kind = \"permutation\"\npattern = \"shuffle\"\nprocesses = 8"),
            ],
            vec![json!([15]), json!([[3, 3]])],
        ),
        (
            "execution.phases",
            vec![torus, ("execution", "mode = \"coordinated\"")],
            vec![json!("unlimited"), json!(2)],
        ),
        ("execution.eager_units", vec![torus], vec![json!("all"), json!(5)]),
    ]
}

/// Whether the reader accepts a value of a key beside these tables.
fn reads(path: &str, tables: &[(&str, &str)], value: &Value) -> bool {
    let (section, key) = path.split_once('.').unwrap();
    let mut text = String::new();
    let mut has_section = false;
    for (name, rest) in tables {
        text += &format!("[{name}]\n{rest}\n");
        if *name == section {
            has_section = true;
            text += &format!("{key} = {}\n", toml(value));
        }
    }
    if !has_section {
        text += &format!("[{section}]\n{key} = {}\n", toml(value));
    }
    load_text(Path::new("a test"), &text).is_ok()
}

#[test]
fn schema_and_reader_accept_the_same_values_of_keys_without_a_single_type() {
    let schema = scenario_schema();
    for (path, tables, right) in forms() {
        let (section, key) = path.split_once('.').unwrap();
        let key_schema = &schema["properties"][section]["properties"][key];
        for value in &right {
            assert!(reads(path, &tables, value), "{path} = {value}");
        }
        let all: Vec<Value> = right.iter().cloned().chain(drawn()).collect();
        let read: Vec<&Value> = all.iter().filter(|value| reads(path, &tables, value)).collect();
        for value in &read {
            assert!(accepts(key_schema, value), "{path} = {value} is read, and the schema refuses it");
        }
        for value in all.iter().filter(|value| accepts(key_schema, value)) {
            let is_known = read.iter().any(|read| type_of(read) == type_of(value));
            // Nodes have names in the files of networks.
            let of_nodes =
                ["machine.failed_links", "machine.failed_nodes", "mapping.spare_nodes", "program.hotspots"];
            let is_name = of_nodes.contains(&path) && type_of(value) == "a list of strings";
            let is_empty = type_of(value) == "an empty list" || *value == json!([{}]);
            assert!(
                is_known || is_empty || is_name,
                "{path} = {value}: the schema accepts {}, which is never read",
                type_of(value)
            );
        }
    }
}

#[test]
fn integers_and_words_of_the_schema_are_those_of_the_reader() {
    let schema = scenario_schema();
    for key in scenario_keys() {
        let path = key.path;
        let key_schema = path.split('.').fold(&schema, |outer, name| &outer["properties"][name]);
        let takes = |value: Value| accepts(key_schema, &value);
        match key.values {
            KeyValues::Integer { least, greatest } => {
                assert!(takes(json!(least)) && takes(json!(greatest)), "{path}");
                assert!(!takes(json!(greatest + 1)) && !takes(json!("1")), "{path}");
                assert!(least == 0 || !takes(json!(least - 1)), "{path}");
            }
            KeyValues::Choice(_) => {
                assert!(key.values.words().iter().all(|word| takes(json!(word))), "{path}");
                assert!(!takes(json!("none of them")) && !takes(json!([])), "{path}");
            }
            KeyValues::Text => assert!(takes(json!("a")) && !takes(json!(1)), "{path}"),
            KeyValues::Form(..) => {}
        }
    }
}
