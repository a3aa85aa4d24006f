//! Promises of a construction of the literature, and their columns.

use cubefold_derive::Columns;
use cubefold_mapping::{ClassicPlacement, Construction, Exactness, GreenbergPlacement, Placement, Routing};
use cubefold_topology::LinkMode;
use serde::{Deserialize, Serialize};

use super::{Word, column::Cell};

/// A construction of Tao, Greenberg or CS838, and its promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(
    CONSTRUCTION,
    prefix = "placement_construction_",
    source = "docs/tao.md, docs/other-graphs.md, docs/greenberg.md"
)]
pub struct ConstructionRecord {
    /// The construction that made the placement, as a scenario names it after tao: or cs838:, or the one of
    /// Greenberg 1987.
    #[column("construction")]
    pub name: Word,
    /// The statement of Tao 1988 or Greenberg 1987 that the construction rests on; of the notes CS838, the heading.
    #[column("construction theorem")]
    pub theorem: Word,
    /// The construction as a function in the letters of the dissertation, the rightmost applied first; of the notes
    /// CS838, the guests and machines that it is for; of Greenberg's the meshes, by dimensions, and the
    /// intermediate ones that they lie in.
    #[column("construction formula", aliases = ["formula"])]
    pub formula: String,
    /// The dilation that the construction promises.
    #[column(
        "promised dilation",
        unit = "links",
        source = "Tao 1988, chapter 3; docs/tao.md, docs/other-graphs.md; Greenberg 1987, \
                \
            theorems 1 and 3; docs/greenberg.md; docs/model.md, section 28"
    )]
    pub promised_dilation: u64,
    /// Exact if the measured dilation equals the promised one, at most if it may be smaller.
    #[column("promised dilation is", source = "docs/errata.md, B1 to B4")]
    pub promised_dilation_is: Word,
    /// One number for each guest dimension: in a coordinated run the messages along dimensions with the smallest
    /// number are routed first. Missing for constructions that promise a dilation only.
    #[column("routing vector", source = "Tao 1988, 4.5.1; docs/model.md, section 6")]
    pub routing_vector: Option<Vec<u32>>,
    /// For each subset of the routing vector, the largest number of links that a message moves in a phase; missing
    /// if it moves until its coordinate agrees.
    #[column(
        "phase lengths", unit = "links", kind = List,
        source = "Tao 1988, lemma 4.2.2; docs/model.md, section 6; docs/errata.md, A1",
        value = |construction| construction.phase_lengths.as_deref().map(lengths).into()
    )]
    pub phase_lengths: Option<Vec<Option<u64>>>,
    /// Parallel data movement steps that suffice for any permutation-type set, by link mode.
    #[column(
        "promised steps", name = "placement_construction_promised_steps_full_duplex",
        aliases = ["placement_construction_promised_steps_half_duplex", "placement_construction_promised_steps_single_direction"],
        unit = "steps", kind = Natural,
        text = "The parallel data movement steps that suffice for any stage of permutation type, under \
        full-duplex, half-duplex and single-direction links; missing where none are promised.",
        source = "Tao 1988, 4.5; docs/tao.md", value = |construction| construction.promised_steps.full_duplex.into()
    )]
    #[column(
        "", name = "placement_construction_promised_steps_half_duplex", kind = Natural, text = "",
        source = "", value = |construction| construction.promised_steps.half_duplex.into()
    )]
    #[column(
        "", name = "placement_construction_promised_steps_single_direction", kind = Natural, text = "",
        source = "", value = |construction| construction.promised_steps.single_direction.into()
    )]
    pub promised_steps: PromisedStepsRecord,
}

/// Parallel data movement steps that a construction promises, by link mode; only of Tao.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromisedStepsRecord {
    /// Under mode 1.
    pub full_duplex: Option<u64>,
    /// Under mode 2.
    pub half_duplex: Option<u64>,
    /// Under mode 3.
    pub single_direction: Option<u64>,
}

impl PromisedStepsRecord {
    /// No promised steps.
    const NONE: Self = Self { full_duplex: None, half_duplex: None, single_direction: None };
}

impl ConstructionRecord {
    /// Makes the record of the construction of a placement; `None` if it was made without one.
    #[must_use]
    pub fn new(placement: &Placement) -> Option<Self> {
        match placement {
            Placement::Construction(construction) => Some(Self::of_tao(construction)),
            Placement::Classic(placement) => Some(Self::of_the_notes(placement)),
            Placement::Greenberg(placement) => Some(Self::of_greenberg(placement)),
            Placement::Product(_) | Placement::Table(_) => None,
        }
    }

    fn of_tao(construction: &Construction) -> Self {
        let (dilation, routing) = (construction.dilation(), construction.routing());
        let phase_lengths = |routing: &Routing| {
            routing.subsets().iter().map(|subset| subset.phase_length).collect::<Vec<_>>()
        };
        let promised_steps = |routing: &Routing| {
            let under = |mode| routing.steps().under(mode);
            PromisedStepsRecord {
                full_duplex: under(LinkMode::FullDuplex),
                half_duplex: under(LinkMode::HalfDuplex),
                single_direction: under(LinkMode::SingleDirection),
            }
        };
        Self {
            name: construction.kind().name().into(),
            theorem: construction.theorem().into(),
            formula: construction.formula().to_owned(),
            promised_dilation: dilation.links,
            promised_dilation_is: word(dilation.exactness),
            routing_vector: routing.map(|routing| routing.vector().to_vec()),
            phase_lengths: routing.map(phase_lengths),
            promised_steps: routing.map_or(PromisedStepsRecord::NONE, promised_steps),
        }
    }

    fn of_greenberg(placement: &GreenbergPlacement) -> Self {
        let dilation = placement.promised_dilation();
        Self {
            name: placement.construction().name().into(),
            theorem: placement.statement().into(),
            formula: placement.to_string(),
            promised_dilation: dilation.links,
            promised_dilation_is: word(dilation.exactness),
            routing_vector: None,
            phase_lengths: None,
            promised_steps: PromisedStepsRecord::NONE,
        }
    }

    fn of_the_notes(placement: &ClassicPlacement) -> Self {
        let (construction, dilation) = (placement.construction(), placement.dilation());
        Self {
            name: construction.name.into(),
            theorem: construction.source.into(),
            formula: construction.summary.to_owned(),
            promised_dilation: dilation.links,
            promised_dilation_is: word(dilation.exactness),
            routing_vector: None,
            phase_lengths: None,
            promised_steps: PromisedStepsRecord::NONE,
        }
    }
}

fn word(exactness: Exactness) -> Word {
    match exactness {
        Exactness::Exact => "exact".into(),
        Exactness::AtMost => "at most".into(),
    }
}

/// Phase lengths, separated by spaces; unlimited ones are empty.
fn lengths(lengths: &[Option<u64>]) -> Cell<'_> {
    let shown = |length: &Option<u64>| length.map_or_else(String::new, |length| length.to_string());
    Cell::list(&lengths.iter().map(shown).collect::<Vec<_>>())
}
