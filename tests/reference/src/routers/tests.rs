//! The golden runs, message by message.

use serde_json::Value;

use super::super::grid::Grid;
use super::super::networks::Links;
use super::*;

fn numbers(words: &[&str]) -> Vec<u64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn machine(words: &[&str]) -> RouterMachine {
    if words[0] == "grid" {
        return RouterMachine::Grid(Grid {
            lengths: words[1].split('x').map(|length| length.parse().unwrap()).collect(),
            wraps: words[2].chars().map(|wrap| wrap == '1').collect(),
        });
    }
    let values = numbers(&words[1..]);
    match words[0] {
        "fattree" => RouterMachine::KAryTree(values[0], u32::try_from(values[1]).unwrap()),
        "fattree2" => RouterMachine::LeafSpine(values[0], values[1], values[2]),
        "dragonfly" => RouterMachine::Dragonfly(values[0], values[1], values[2]),
        _ => {
            let pairs = values[1..].chunks(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1])));
            RouterMachine::Network(values[0], pairs.collect::<Links>())
        }
    }
}

fn problem(text: &str) -> RouterProblem {
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let find = |key: &str| lines.iter().find(|words| words[0] == key).map(|words| &words[1..]);
    let number = |key: &str| find(key).map(|words| words[0].parse::<u64>().unwrap());
    let word = |key: &str| find(key).map(|words| words[0]).unwrap_or_default();
    let mut messages: Vec<RouterMessage> = vec![];
    for words in lines.iter().filter(|words| words[0] == "msg") {
        let values = numbers(&words[1..]);
        messages.push(RouterMessage {
            source: values[0],
            destination: values[1],
            queue: usize::try_from(values[2]).unwrap(),
            units: values[3],
            time: values[4],
            after: values[5..].iter().map(|&own| usize::try_from(own).unwrap()).collect(),
            draws: [messages.len() as u64, values[0], values[1]],
        });
    }
    RouterProblem {
        machine: machine(find("machine").unwrap()),
        channels: usize::try_from(number("vcs").unwrap()).unwrap(),
        buffer: number("buffer").unwrap(),
        router_cycles: number("cycles").unwrap(),
        credit_cycles: number("credit").unwrap(),
        latency: number("latency").unwrap(),
        terminal_latency: number("terminal").unwrap(),
        global_latency: None,
        speedup: 100,
        ejects_by_class: false,
        is_cut_through: word("flow") == "cut-through",
        is_input_first: word("allocator") == "input-first",
        rule: match word("routing") {
            "dor" => RouterRule::DimensionOrder,
            "valiant" => RouterRule::Valiant,
            "romm" => RouterRule::Romm,
            "adaptive" => RouterRule::Adaptive(word("choice") == "any"),
            "nca" => RouterRule::UpDown(false),
            "anca" => RouterRule::UpDown(true),
            "min" => RouterRule::Minimal,
            "ugal" => RouterRule::Ugal(find("ugal").map_or(0, |words| words[0].parse().unwrap())),
            _ => RouterRule::Hops,
        },
        table: String::new(),
        tie: match word("tie") {
            "positive" => RouterTie::Positive,
            "negative" => RouterTie::Negative,
            "alternate" => RouterTie::Alternate,
            "random" => RouterTie::Random,
            _ => RouterTie::Direct,
        },
        packet: number("packet"),
        seed: number("seed").unwrap(),
        messages,
    }
}

/// A third of them: the engine is compared with all.
#[test]
fn closed_loops_equal_the_golden_runs() {
    check_runs(3);
}

#[test]
#[ignore = "some seconds: all runs"]
fn all_closed_loops_equal_the_golden_runs() {
    check_runs(1);
}

/// Compares every so many runs.
fn check_runs(step: usize) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../golden/routers.json");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (place, golden) in golden["closed_loop"].as_array().unwrap().iter().enumerate().step_by(step) {
        let outcome = run_routers(&problem(golden["ref_input"].as_str().unwrap()), 100_000).unwrap();
        assert_eq!(outcome.longest_queue as u64, golden["longest_queue"].as_u64().unwrap(), "run {place}");
        for (times, golden) in outcome.times.iter().zip(golden["messages"].as_array().unwrap()) {
            let expected = ["start", "entered", "received"].map(|key| golden[key].as_u64().unwrap());
            assert_eq!(*times, expected, "run {place}");
        }
    }
}
