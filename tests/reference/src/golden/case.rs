//! The cases of the golden file, read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::grid::{Grid, Sign};
use super::super::problem::Links;
use super::super::route::Tie;
use super::message_set::Order;

/// The link modes by their names in the file.
pub const MODES: [&str; 3] = ["full-duplex", "half-duplex", "single-direction"];

/// The scheme in which phases have no length.
pub const PRINTED_SCHEME: &str = "scheme_4.5.1";

/// The scheme in which the phases of a subset may have a length.
const SCHEME_WITH_PHASE_LENGTHS: &str = "k_step_phases";

/// One case: a guest placed on a host, and what was measured.
pub struct Case(Value);

/// What was measured of one set of messages.
pub struct GoldenSet(Value);

/// The cases of the file that say where the guest's nodes are placed.
pub fn cases() -> impl Iterator<Item = Case> {
    // Read where the tests run, not compiled in: the package does not hold it.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../golden/tao_embeddings.json");
    let text = std::fs::read_to_string(path).unwrap();
    let file = serde_json::from_str::<Value>(&text).unwrap();
    let cases = list(&file["cases"]).iter().filter(|case| case.get("images").is_some());
    cases.cloned().map(Case).collect::<Vec<_>>().into_iter()
}

/// The link mode with this name.
pub fn links(mode: &str) -> Links {
    match mode {
        "full-duplex" => Links::FullDuplex,
        "half-duplex" => Links::HalfDuplex,
        "single-direction" => Links::SingleDirection,
        _ => panic!("no link mode is called {mode}"),
    }
}

/// The tie rule of the file.
pub fn tie() -> Tie {
    Tie::Direct
}

impl Case {
    /// What to call it in a message.
    pub fn name(&self) -> String {
        format!("{} into {} by {}", self.0["guest"], self.0["host"], self.0["construction"])
    }

    /// The guest; a hypercube counts as a mesh.
    pub fn guest(&self) -> Grid {
        graph(&self.0["guest"])
    }

    /// The host.
    pub fn host(&self) -> Grid {
        graph(&self.0["host"])
    }

    /// The host node of each guest node.
    pub fn images(&self) -> Vec<u64> {
        let host = self.host();
        list(&self.0["images"]).iter().map(|image| host.index(&numbers(image))).collect()
    }

    /// Whether no two guest nodes have the same image.
    pub fn is_one_to_one(&self) -> bool {
        let images = self.images();
        images.iter().collect::<BTreeSet<_>>().len() == images.len()
    }

    /// The routing vector: a number for each guest dimension.
    pub fn routing_vector(&self) -> Vec<u64> {
        numbers(&self.0["routing_vector"])
    }

    /// The phase length of each number of the routing vector under a scheme.
    pub fn phase_lengths(&self, scheme: &str) -> BTreeMap<u64, Option<u64>> {
        let limits = self.0["phase_limit"].as_object().unwrap();
        let with_length = |limit: &Value| if scheme == PRINTED_SCHEME { None } else { limit.as_u64() };
        limits.iter().map(|(number, limit)| (number.parse().unwrap(), with_length(limit))).collect()
    }

    /// The schemes under which the sets were measured.
    pub fn schemes(&self) -> Vec<String> {
        let schemes = self.0["conflicts_all_sets"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let has_lengths = self.0["phase_limit"].as_object().unwrap().values().any(|limit| !limit.is_null());
        let expected = [PRINTED_SCHEME, SCHEME_WITH_PHASE_LENGTHS];
        assert_eq!(schemes, expected[..=usize::from(has_lengths)], "{}", self.name());
        schemes
    }

    /// The sets that were measured.
    pub fn golden_sets(&self) -> Vec<(Order, GoldenSet)> {
        list(&self.0["sets"]).iter().map(|set| (order(set), GoldenSet(set.clone()))).collect()
    }

    /// Conflicts of all those sets together.
    pub fn conflicts_of_all_sets(&self, scheme: &str, mode: &str) -> u64 {
        number(&self.0["conflicts_all_sets"][scheme][mode])
    }

    /// Steps and conflicts of the full scatter set, where it was measured.
    pub fn golden_scatter(&self, mode: &str) -> Option<(u64, u64)> {
        let measured = self.0.get("full_scatter_steps_and_conflicts")?;
        Some((number(&measured[mode][0]), number(&measured[mode][1])))
    }
}

impl GoldenSet {
    /// Steps under a scheme and link mode.
    pub fn steps(&self, scheme: &str, mode: &str) -> u64 {
        number(&self.0[scheme][mode])
    }

    /// Number of messages, those within a node included.
    pub fn messages(&self) -> u64 {
        number(&self.0["messages"])
    }

    /// Number of parts, given with several processes on one node.
    pub fn parts(&self) -> usize {
        usize::try_from(number(&self.0["parts"])).unwrap()
    }
}

/// The set that an entry of the file is about.
fn order(set: &Value) -> Order {
    let Some(dimension) = set.get("dim") else {
        assert_eq!(set["set"], "mixed");
        return Order::Mixed;
    };
    let sign = match set["direction"].as_str().unwrap() {
        "+" => Sign::Positive,
        "-" => Sign::Negative,
        direction => panic!("no direction is called {direction}"),
    };
    Order::Shift(usize::try_from(number(dimension)).unwrap() - 1, sign)
}

/// A guest or host.
fn graph(value: &Value) -> Grid {
    let lengths = numbers(&value["shape"]);
    let wraps = match value["kind"].as_str().unwrap() {
        "ring" | "torus" => true,
        "line" | "mesh" | "hypercube" => false,
        kind => panic!("no graph is called {kind}"),
    };
    Grid { wraps: vec![wraps; lengths.len()], lengths }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    list(value).iter().map(number).collect()
}
