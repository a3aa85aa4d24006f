//! What tables for people say of runs beside their records.

use cubefold_mapping::{
    ClassicPlacement, Construction, Exactness, GreenbergMethod, GreenbergPlacement, Placement,
};
use cubefold_topology::Machine;
use serde::{Deserialize, Serialize};

use crate::scenario::{EmbeddingName, Run, Scenario};

/// A scenario, as tables show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioCaption {
    /// Its name.
    pub name: String,
    /// Its runs.
    pub runs: Vec<RunCaption>,
}

/// A run, as tables show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCaption {
    /// The keys that the sweep sets, as paths, and the values as written, on one line.
    pub combination: Vec<(String, String)>,
    /// The embedding's name.
    pub embedding: String,
    /// A sentence on the construction of Tao's, of Greenberg's or of the notes that was taken, where one was.
    pub construction: Option<String>,
}

impl ScenarioCaption {
    /// The caption of a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self { name: scenario.name.clone(), runs: scenario.runs.iter().map(RunCaption::new).collect() }
    }
}

impl RunCaption {
    /// The caption of a run.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        let construction = match &*run.placement {
            Placement::Construction(construction) => Some(taken(construction, &run.embedding)),
            Placement::Classic(placement) => Some(by_the_notes(placement, &run.embedding)),
            Placement::Greenberg(placement) => Some(by_greenberg(placement)),
            Placement::Product(_) | Placement::Table(_) => None,
        };
        Self { combination: run.combination.clone(), embedding: run.embedding.to_string(), construction }
    }
}

/// A sentence on the construction that an embedding's name stands for.
fn taken(construction: &Construction, embedding: &EmbeddingName) -> String {
    let dilation = construction.dilation();
    let at_most = match dilation.exactness {
        Exactness::Exact => "",
        Exactness::AtMost => "at most ",
    };
    let promise = format!("dilation {at_most}{}", dilation.links);
    let taken = format!("{} ({}, {})", construction.kind(), construction.formula(), construction.theorem());
    let pair = format!("{} on {}", shape(construction.guest()), shape(construction.host()));
    if embedding.construction().is_some() {
        return format!("{embedding}, {pair}: {taken}; it promises {promise}.");
    }
    format!("tao, {pair}: took {taken}; of those that apply it promises the least, {promise}.")
}

/// A sentence on the construction of the notes that was taken.
fn by_the_notes(placement: &ClassicPlacement, embedding: &EmbeddingName) -> String {
    let at_most = match placement.dilation().exactness {
        Exactness::Exact => "",
        Exactness::AtMost => "at most ",
    };
    let pair = format!("{} on {}", shape(placement.guest()), shape(placement.table().machine()));
    let (kind, links) = (placement.kind(), placement.dilation().links);
    let section = kind.section();
    format!("{embedding}, {pair}: {kind} (CS838, {section}); it promises dilation {at_most}{links}.")
}

/// A sentence on what Greenberg's construction did.
fn by_greenberg(placement: &GreenbergPlacement) -> String {
    let (guest, method) = (shape(placement.guest()), placement.method());
    let promise = match method {
        GreenbergMethod::Gray => "dilation",
        GreenbergMethod::Reflection => "dilation at most",
    };
    let dimensions = placement.table().machine().shape().dimension_count();
    format!(
        "greenberg, {guest} on the {dimensions}-cube: {method} ({placement}); it promises {promise} {}.",
        placement.promised_dilation()
    )
}

fn shape(machine: &Machine) -> String {
    let lengths: Vec<String> = machine.shape().lengths().iter().map(ToString::to_string).collect();
    format!("{} {}", machine.kind(), lengths.join("x"))
}
