//! The golden runs of routers: every message and every point of a curve.

use std::num::NonZeroU64;

use cubefold_topology::{LinkMode, Machine, MachineKind, Network, NetworkParameters, NodeId, TieRule, Wrap};
use serde_json::Value;

use super::{
    Allocator, FlowControl, OpenLoop, RouterRouting, RouterSettings, RouterTie, RoutingOptions,
    TrafficPattern, injection::Departure, network::RouterNetwork, routing::AdaptiveChoice,
};
use crate::{Communication, Cycles};

const GOLDEN: &str = include_str!("../../../../tests/golden/routers.json");

struct Case {
    machine: Machine,
    rules: Communication,
    messages: Vec<GoldenMessage>,
    sizes: Vec<(u64, u64)>,
    hotspot: Option<(f64, Vec<NodeId>)>,
}

struct GoldenMessage {
    source: u32,
    destination: u32,
    queue: u32,
    units: u64,
    time: u64,
    after: Vec<usize>,
}

fn numbers(words: &[&str]) -> Vec<u64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn machine(words: &[&str]) -> Machine {
    if words[0] == "grid" {
        let lengths: Vec<u64> = words[1].split('x').map(|length| length.parse().unwrap()).collect();
        let wraps: Vec<Wrap> =
            words[2].chars().map(|wrap| if wrap == '1' { Wrap::Around } else { Wrap::Open }).collect();
        return Machine::with_wraps(MachineKind::Mesh, &lengths, &wraps).unwrap();
    }
    let values = numbers(&words[1..]);
    let parameters = match words[0] {
        "fattree" => NetworkParameters::k_ary_tree(values[0], values[1]),
        "fattree2" => NetworkParameters::leaf_spine(values[0], values[1], values[2]),
        "dragonfly" => NetworkParameters::dragonfly(values[0], values[1], values[2]),
        "network" => {
            let small: Vec<u32> = values.iter().map(|&value| u32::try_from(value).unwrap()).collect();
            let links: Vec<(u32, u32)> = small[1..].chunks(2).map(|pair| (pair[0], pair[1])).collect();
            let network = Network::from_edges(small[0], &links).unwrap();
            return Machine::network(MachineKind::Network, network).unwrap();
        }
        other => panic!("no machine {other}"),
    };
    Machine::of_parameters(&parameters).unwrap()
}

/// The text of a case of the reference: a key and its values in a line.
struct CaseText<'text>(Vec<Vec<&'text str>>);

impl<'text> CaseText<'text> {
    fn new(text: &'text str) -> Self {
        Self(text.lines().map(|line| line.split_whitespace().collect()).collect())
    }

    fn find(&self, key: &str) -> Option<&[&'text str]> {
        self.0.iter().find(|words| words[0] == key).map(|words| &words[1..])
    }

    fn word(&self, key: &str) -> Option<&'text str> {
        self.find(key).map(|words| words[0])
    }

    fn number(&self, key: &str, default: u32) -> u32 {
        self.word(key).map_or(default, |word| word.parse().unwrap())
    }

    fn routing(&self, machine: &Machine) -> RouterRouting {
        let name = match self.word("routing").unwrap() {
            "dor" => "dimension-order",
            "nca" => "up-down",
            "anca" => "up-down-adaptive",
            "min" => "minimal",
            name @ ("valiant" | "romm" | "adaptive" | "ugal") => name,
            _ => "hops",
        };
        let is_any = self.word("choice") == Some("any");
        RouterRouting::named(name, machine).unwrap().with(RoutingOptions {
            adaptive_choice: if is_any { AdaptiveChoice::Any } else { AdaptiveChoice::Credits },
            ugal_threshold: self.word("ugal").map_or(0, |threshold| threshold.parse().unwrap()),
            ..RoutingOptions::default()
        })
    }

    fn tie(&self) -> RouterTie {
        if self.word("tie") == Some("random") {
            return RouterTie::Random;
        }
        let named = |tie: &TieRule| Some(tie.name()) == self.word("tie");
        RouterTie::Rule(TieRule::ALL.into_iter().find(named).unwrap_or_default())
    }

    /// The routers, with a seed if the text has none.
    fn settings(&self, seed: u64, machine: &Machine) -> RouterSettings {
        let is_cut_through = self.word("flow") == Some("cut-through");
        let is_input_first = self.word("allocator") == Some("input-first");
        RouterSettings {
            flow_control: if is_cut_through { FlowControl::VirtualCutThrough } else { FlowControl::Wormhole },
            virtual_channels: self.number("vcs", 4),
            buffer_units: self.number("buffer", 8),
            router_cycles: self.number("cycles", 4),
            credit_cycles: self.number("credit", 1),
            terminal_latency: self.number("terminal", 0),
            allocator: if is_input_first { Allocator::InputFirst } else { Allocator::OutputFirst },
            routing: self.routing(machine),
            tie: self.tie(),
            global_latency: None,
            speedup: super::Speedup::ONE,
            ejection: super::Ejection::All,
            seed: self.word("seed").map_or(seed, |seed| seed.parse().unwrap()),
        }
    }

    fn messages(&self) -> Vec<GoldenMessage> {
        let small = |value: u64| u32::try_from(value).unwrap();
        let message = |words: &Vec<&str>| {
            let values = numbers(&words[1..]);
            GoldenMessage {
                source: small(values[0]),
                destination: small(values[1]),
                queue: small(values[2]),
                units: values[3],
                time: values[4],
                after: values[5..].iter().map(|&number| usize::try_from(number).unwrap()).collect(),
            }
        };
        self.0.iter().filter(|words| words[0] == "msg").map(message).collect()
    }
}

/// The case that a text describes, with a seed if it has none.
fn case(text: &str, seed: u64) -> Case {
    let text = CaseText::new(text);
    let machine = machine(text.find("machine").unwrap());
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
        .unwrap()
        .with_latency(Cycles::new(text.number("latency", 0).into()))
        .with_packets(NonZeroU64::new(text.number("packet", 0).into()))
        .with_routers(text.settings(seed, &machine), &machine)
        .unwrap();
    let pairs = |words: &[&str]| numbers(words).chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let node = |number: u64| NodeId::new(u32::try_from(number).unwrap());
    Case {
        machine,
        rules,
        messages: text.messages(),
        sizes: text.find("sizes").map_or(vec![(1, 1)], pairs),
        hotspot: text
            .find("hotspot")
            .map(|words| (words[0].parse().unwrap(), numbers(&words[1..]).into_iter().map(node).collect())),
    }
}

/// Start, entry and receipt of every message, and the longest queue.
fn run(case: &Case) -> (Vec<[u64; 3]>, u64) {
    let rules = case.rules;
    case.machine.prepare_routes(&case.machine.hosts().collect::<Vec<_>>());
    let mut network = RouterNetwork::new(&case.machine, rules, &rules.router_rules().unwrap());
    let queues = case.messages.iter().map(|message| message.queue).max().unwrap() + 1;
    let mut left: Vec<u64> = case.messages.iter().map(|message| rules.packet_count(message.units)).collect();
    let mut times = vec![[u64::MAX; 3]; case.messages.len()];
    let (mut now, mut received) = (0, vec![]);
    loop {
        network.arrive(now, &mut received);
        for message in received.drain(..) {
            let message = message as usize;
            left[message] -= 1;
            if left[message] == 0 {
                times[message][2] = now;
            }
        }
        for (number, message) in case.messages.iter().enumerate() {
            let is_ready = message.after.iter().all(|&before| times[before][2] <= now) && message.time <= now;
            if times[number][0] == u64::MAX && is_ready {
                times[number][0] = now;
                network.join(&Departure {
                    message: u32::try_from(number).unwrap(),
                    from: message.source,
                    to: message.destination,
                    queue: message.source * queues + message.queue,
                    units: message.units,
                    draws: [number as u64, message.source.into(), message.destination.into()],
                    first_packet: 0,
                });
            }
        }
        network.advance(now);
        let waiting = case.messages.iter().map(|message| message.time).filter(|&time| time > now);
        let Some(next) = waiting.chain(network.next()).min() else { break };
        now = next;
    }
    for (number, times) in (0..).zip(&mut times) {
        times[1] = network.entered(number);
    }
    assert!(network.is_empty(), "nothing is lost");
    (times, network.terminals.longest_queue)
}

#[test]
fn closed_loops_equal_the_golden_runs_message_by_message() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let cases = golden["closed_loop"].as_array().unwrap();
    let mut wrong = vec![];
    for (place, golden) in cases.iter().enumerate() {
        let case = case(golden["ref_input"].as_str().unwrap(), 0);
        let (times, longest) = run(&case);
        let mut is_equal = longest == golden["longest_queue"].as_u64().unwrap();
        for ((message, times), golden) in
            case.messages.iter().zip(&times).zip(golden["messages"].as_array().unwrap())
        {
            let figure = |name: &str| golden[name].as_u64().unwrap();
            let [from, to] = [message.source, message.destination].map(NodeId::new);
            let distance = case.machine.distance(from, to);
            let transfer = case.rules.timing_of(message.units).transfer(distance).get();
            is_equal &= *times == ["start", "entered", "received"].map(figure);
            is_equal &= transfer == figure("transfer") && times[1] + transfer <= times[2];
        }
        if !is_equal {
            wrong.push(place);
        }
    }
    assert!(wrong.is_empty(), "of {} runs these differ: {wrong:?}", cases.len());
    assert!(cases.len() >= 60);
}

fn pattern(name: &str, case: &Case) -> TrafficPattern {
    match name {
        "uniform" => TrafficPattern::Uniform,
        "uniform-others" => TrafficPattern::UniformOthers,
        "transpose" => TrafficPattern::Transpose,
        "bit-reversal" => TrafficPattern::BitReversal,
        "bit-complement" => TrafficPattern::BitComplement,
        "shuffle" => TrafficPattern::Shuffle,
        "tornado" => TrafficPattern::Tornado,
        "neighbour" => TrafficPattern::Neighbour,
        "hotspot" => {
            let (share, nodes) = case.hotspot.clone().unwrap();
            TrafficPattern::Hotspot { nodes, share }
        }
        other => panic!("no pattern {other}"),
    }
}

fn open_loop(case: &Case, name: &str, windows: [u64; 3]) -> OpenLoop {
    OpenLoop { sizes: case.sizes.clone(), ..OpenLoop::new(pattern(name, case), windows) }
}

fn windows(window: &Value) -> [u64; 3] {
    ["warmup_cycles", "measure_cycles", "drain_cycles"].map(|key| window[key].as_u64().unwrap())
}

/// Whether a figure with four decimals is the rounded value.
fn agrees(golden: &Value, value: f64) -> bool {
    let golden = golden.as_f64().unwrap_or_else(|| golden.as_str().unwrap().parse().unwrap());
    (golden - value).abs() <= 0.000_05 + 1e-9
}

/// The lower half of the loads of each curve: the higher ones take most of the time.
#[test]
fn points_of_open_loops_equal_the_golden_ones_exactly() {
    check_points(2);
}

#[test]
#[ignore = "ten seconds: all points"]
fn all_points_of_open_loops_equal_the_golden_ones_exactly() {
    check_points(usize::MAX);
}

/// Compares the first `count` points of each curve.
fn check_points(count: usize) {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut wrong = vec![];
    for golden in golden["open_loop"].as_array().unwrap().iter().filter(|case| case["points"].is_array()) {
        let window = &golden["exact_window"];
        let case = case(golden["ref_input"].as_str().unwrap(), window["seed"].as_u64().unwrap());
        let traffic = open_loop(&case, golden["pattern"].as_str().unwrap(), windows(window));
        for point in golden["points"].as_array().unwrap().iter().take(count) {
            let (load, exact) = (point["load"].as_f64().unwrap(), &point["exact"]);
            let found = traffic.run(&case.machine, case.rules, load).unwrap().seeds.remove(0);
            let latency = found.packet_latency;
            let is_equal = exact["packets"] == found.measured_packets
                && exact["missing"] == found.missing_packets
                && agrees(&exact["mean"], latency.mean.unwrap())
                && [latency.p50, latency.p99, latency.max].map(|cycles| Value::from(cycles.unwrap()))
                    == ["p50", "p99", "max"].map(|key| exact[key].clone())
                && agrees(&exact["network_mean"], found.network_latency.mean.unwrap())
                && agrees(&exact["accepted"], found.accepted_load)
                && agrees(&exact["offered"], found.offered_load);
            if !is_equal {
                wrong.push(format!("{} {load}: {found:?}, expected {exact}", golden["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn small_open_loops_equal_the_golden_ones_exactly() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let mut wrong = vec![];
    for golden in golden["open_loop"].as_array().unwrap().iter().filter(|case| case["results"].is_object()) {
        let case = case(golden["ref_input"].as_str().unwrap(), 0);
        let window = [0, 1, 2].map(|bound| golden["window"][bound].as_u64().unwrap());
        let traffic = open_loop(&case, golden["pattern"].as_str().unwrap(), window);
        let found = traffic.run(&case.machine, case.rules, golden["load"].as_f64().unwrap()).unwrap();
        let found = &found.seeds[0];
        let (packet, network) = (found.packet_latency, found.network_latency);
        let results = &golden["results"];
        // If packets are missing, the golden latencies cover the received ones (section 27), and here there are
        // none (section 30.6).
        let integers = [
            ("p50", packet.p50.filter(|_| found.missing_packets == 0)),
            ("p99", packet.p99.filter(|_| found.missing_packets == 0)),
            ("max", packet.max),
            ("np50", network.p50),
            ("np99", network.p99),
            ("nmax", network.max),
            ("packets", Some(found.measured_packets - found.missing_packets)),
            ("missing", Some(found.missing_packets)),
            ("cycles", Some(found.cycles)),
        ];
        let means = [
            ("latency", packet.mean),
            ("network", network.mean),
            ("accepted", Some(found.accepted_load)),
            ("offered", Some(found.offered_load)),
        ];
        let is_equal = integers
            .iter()
            .all(|(key, value)| value.is_none_or(|value| results[*key].as_str() == Some(&value.to_string())))
            && means.iter().all(|(key, value)| value.is_none_or(|value| agrees(&results[*key], value)))
            && results["made"] == found.measured_packets
            && packet.mean.is_some() == (found.missing_packets == 0);
        if !is_equal {
            wrong.push(format!("{found:?}, expected {results}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Statistics of other seeds are within the tolerances of the golden curves.
#[test]
#[ignore = "minutes: 36 points of 12000 cycles"]
fn points_of_open_loops_with_other_seeds_are_within_tolerance() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    for golden in golden["open_loop"].as_array().unwrap().iter().filter(|case| case["points"].is_array()) {
        let window = windows(&golden["statistical_window"]);
        for point in golden["points"].as_array().unwrap() {
            let load = point["load"].as_f64().unwrap();
            let mean = |seed: u64| {
                let case = case(golden["ref_input"].as_str().unwrap(), seed);
                let traffic = open_loop(&case, golden["pattern"].as_str().unwrap(), window);
                traffic.run(&case.machine, case.rules, load).unwrap().latency_mean.unwrap()
            };
            let mean = (101..104).map(mean).sum::<f64>() / 3.0;
            let expected = &point["statistical"];
            let tolerance = expected["tolerance_percent"].as_f64().unwrap() / 100.0;
            let expected = expected["mean"].as_f64().unwrap();
            let name = &golden["name"];
            assert!((mean / expected - 1.0).abs() <= tolerance, "{name} {load}: {mean}, expected {expected}");
        }
    }
}
