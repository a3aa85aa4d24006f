//! Each given input is read as it was by hand.

use cubefold_formats::{inspection::Inspection, launcher::fabric::Fabric};
use serde_json::{Map, Value, json};

use crate::support::{Given, answer, given};

/// Numbers agree to six digits.
fn are_close(found: &Value, expected: &Value) -> bool {
    match (found.as_f64(), expected.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-6 * one.abs().max(other.abs()),
        _ => found == expected,
    }
}

/// The first difference. Objects may have more keys than expected; `null` and an absent key are the same.
fn difference(found: &Value, expected: &Value, at: &str) -> Option<String> {
    match expected {
        Value::Object(expected) => {
            let none = Map::new();
            let found = found.as_object().unwrap_or(&none);
            expected.iter().find_map(|(key, own)| {
                let found = found.get(key).unwrap_or(&Value::Null);
                difference(found, own, &format!("{at}.{key}"))
            })
        }
        Value::Array(expected) => {
            let found = found.as_array().cloned().unwrap_or_default();
            if found.len() != expected.len() {
                return Some(format!("{at}: {} values, expected {}", found.len(), expected.len()));
            }
            let mut pairs = (0..).zip(found.iter().zip(expected));
            pairs.find_map(|(place, (one, other))| difference(one, other, &format!("{at}[{place}]")))
        }
        _ if are_close(found, expected) => None,
        _ => Some(format!("{at} is {found}, expected {expected}")),
    }
}

/// Data without the order of links, of their ends, of switches, paths and entries.
fn in_order(data: &Value, kind: &Value) -> Value {
    let mut data = data.clone();
    if kind == "network" && data.is_object() {
        sort(&mut data["nodes"]);
        for link in data["links"].as_array_mut().into_iter().flatten() {
            if link["ends"][0].as_str() > link["ends"][1].as_str() {
                let turn = |own: &mut Value| own.as_array_mut().into_iter().for_each(|own| own.reverse());
                turn(&mut link["ends"]);
                turn(&mut link["cycles"]);
            }
            let all = link.as_object_mut().unwrap();
            all.retain(|_, own| !own.is_null());
        }
        let key = |link: &Value| {
            let number = |name: &str| link[name].as_f64().map(|own| format!("{own:.6e}"));
            format!("{} {:?} {:?}", link["ends"], number("bandwidth"), number("latency"))
                + &link["lanes"].to_string()
        };
        data["links"].as_array_mut().unwrap().sort_by_key(key);
        for pairs in data["paths"].as_object_mut().into_iter().flat_map(|own| own.values_mut()) {
            pairs.as_array_mut().unwrap().iter_mut().for_each(sort);
            sort(pairs);
        }
    }
    if let Some(entries) = data.get_mut("entries").and_then(Value::as_array_mut) {
        entries.sort_by_key(|row| (row[0].as_u64(), row[1].as_u64()));
    }
    data
}

fn sort(list: &mut Value) {
    list.as_array_mut().into_iter().for_each(|own| own.sort_by_key(ToString::to_string));
}

fn judged(own: &Given) -> Option<String> {
    let found = answer(&Inspection::of_bytes(own.name.clone(), &own.bytes, None));
    let expected = &own.expected;
    if found["format"] != expected["format"] {
        return Some(format!("format is {}, expected {}", found["format"], expected["format"]));
    }
    if expected["wrong"] == json!(true) {
        return (found["errors"] == json!([])).then(|| "no errors, expected one".to_owned());
    }
    for key in ["kind", "read"] {
        if found[key] != expected[key] {
            return Some(format!("{key} is {}, expected {}", found[key], expected[key]));
        }
    }
    for key in ["assumed", "missing", "candidates"] {
        let [mut one, mut other] = [&found, expected].map(|own| own[key].clone());
        sort(&mut one);
        sort(&mut other);
        if one != other {
            return Some(format!("{key} is {one}, expected {other}"));
        }
    }
    if json!(!found["convert"].is_null()) != expected["converts"] {
        return Some(format!("convert is {}", found["convert"]));
    }
    let kind = &expected["kind"];
    let data = [&found, expected].map(|own| in_order(&own["data"], kind));
    difference(&found["counts"], &expected["counts"], "counts")
        .or_else(|| difference(&data[0], &data[1], "data"))
}

#[test]
fn each_file_is_what_a_person_reads_in_it() {
    let all = given();
    assert_eq!(all.len(), 86);
    let wrong: Vec<String> =
        all.iter().filter_map(|own| Some(format!("{}: {}", own.name, judged(own)?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_windows_are_read_alike() {
    for own in given() {
        let is_text = std::str::from_utf8(&own.bytes).is_ok_and(|text| !text.contains('\u{1b}'));
        if !is_text {
            continue;
        }
        let text = String::from_utf8(own.bytes.clone()).unwrap().replace('\n', "\r\n");
        let marked = format!("\u{feff}{text}");
        assert_eq!(judged(&Given { bytes: marked.into_bytes(), ..own }), None);
    }
}

/// A launcher's prefix before every line, or colours around its words.
fn tagged(text: &str) -> Vec<String> {
    let with =
        |before: &str, after: &str| text.lines().map(|line| format!("{before}{line}{after}\n")).collect();
    let prefixes = [
        "0: ",
        "[1,0]<stdout>:",
        "[1,0]<stdout>: ",
        "2026-11-26 12:00:00 ",
        "Thu Nov 26 12:00:00 2026[1,0]<stdout>:",
    ];
    let prefixed = prefixes.iter().map(|prefix| with(prefix, ""));
    prefixed.chain([with("\u{1b}[32m", "\u{1b}[0m")]).collect()
}

#[test]
fn prefixes_of_all_lines_and_colours_change_nothing() {
    for own in given() {
        let Ok(text) = std::str::from_utf8(&own.bytes) else { continue };
        for tagged in tagged(text) {
            let expected = Given {
                name: own.name.clone(),
                bytes: tagged.clone().into_bytes(),
                expected: own.expected.clone(),
            };
            assert_eq!(judged(&expected), None, "{}: {tagged}", own.name);
        }
    }
}

#[test]
fn networks_with_prefixes_or_colours_are_those_without_and_their_errors_stay_in_place() {
    let mut count = 0;
    for own in given().iter().filter(|own| own.expected["kind"] == "network") {
        let Ok(text) = std::str::from_utf8(&own.bytes) else { continue };
        let plain = Fabric::parse(text);
        for tagged in tagged(text) {
            match (&plain, Fabric::parse(&tagged)) {
                (Ok(plain), Ok(found)) => assert_eq!(*plain, found, "{}", own.name),
                (Err(plain), Err(found)) => {
                    assert_eq!(plain.kept()[0].message, found.kept()[0].message, "{}", own.name);
                }
                (_, found) => panic!("{}: {found:?}", own.name),
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
    let place = |text: &'static str| &text[Fabric::parse(text).unwrap_err().kept()[0].span.clone()];
    assert_eq!(place("1: 0 1\n1: 1 2\n1: 2 2\n"), "2 2");
    assert_eq!(place("0 1\r\n\u{1b}[32m1\u{1b}[0m 1\r\n"), "\u{1b}[32m1\u{1b}[0m 1");
}

/// Where each line is a fact of its own, their order does not matter.
#[test]
fn shuffled_lines_have_equal_values() {
    let names = ["ranks-01.log", "ranks-02.log", "ranks-08", "ranks-09", "ranks-10.txt", "matrix-01.prof"];
    for own in given().into_iter().filter(|own| names.contains(&own.name.as_str())) {
        let text = String::from_utf8(own.bytes.clone()).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        for turn in 0..lines.len() {
            lines.rotate_left(1);
            let last = lines.len() - 1;
            lines.swap(turn, last);
            let bytes = lines.join("\n").into_bytes();
            let name = own.name.clone();
            assert_eq!(judged(&Given { name, bytes, expected: own.expected.clone() }), None, "{}", own.name);
        }
    }
}
