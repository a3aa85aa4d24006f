//! The embeddings that a scenario can name: one registry, which defines parsing, the errors about unknown
//! names, the lists in help and the check of the documentation.
//!
//! An embedding is added as one entry of [`EMBEDDINGS`]. Files are not entries: `file:PATH` and the tables of
//! launchers name placements from elsewhere.

mod axes;
mod by_number;
mod classic;
mod greenberg;
mod tao;
mod truncation;

use std::{fmt, num::NonZeroU64};

use cubefold_mapping::{
    AxisOrder, CHAN, EVEN_SQUEEZE, EmbeddingDescriptor, EmbeddingKind, EmbeddingRefusal, Placement,
    PlacementTask, RANDOM, RANDOM_GROUPS, SeededEmbedding,
};

use super::{
    errors::{ScenarioError, alternatives},
    keys::Key,
    launcher_file::LauncherEntry,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
    placement_search::SearchRequest,
};
use crate::generator_key;

pub(super) use axes::{all as all_axis_orders, place as place_axes};
pub(super) use by_number::{Distribution, by_slurm, distributed, filled, task_nodes};
pub(super) use greenberg::shorter_in_cube;

/// An embedding that a scenario can name.
#[derive(Debug)]
pub struct Embedding {
    /// Its name in files.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Its source: author, year, section.
    pub source: &'static str,
    /// Programs and machines that it supports.
    pub takes: &'static str,
    /// Constructions that can be chosen as `name:CONSTRUCTION`.
    pub constructions: fn() -> Vec<&'static str>,
    /// Whether placements depend on the seed of the scenario.
    pub is_seeded: bool,
    pub(super) maker: Maker,
}

/// The function that makes the placements of an embedding.
#[derive(Debug, Clone, Copy)]
pub(super) enum Maker {
    /// A rule for the fields of a hypercube program's labels.
    Rule(EmbeddingKind),
    /// A function of the program, the machine, and the chosen construction.
    Construction(fn(&Fit<'_>, &NamedEmbedding) -> Result<Placement, Failure>),
    /// A function of the processes (`program.processes_per_node` share a node), the machine and the seed.
    Drawn(fn(&PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal>),
    /// A function of the groups of processes that share a node, the machine and the seed.
    Seeded(fn(&PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal>),
    /// A function of the program and the order of the nodes.
    ByNumber(fn(&Fit<'_>, &NamedEmbedding) -> Result<Placement, Failure>),
    /// One placement for every order of the axes of a logical torus on those of the machine.
    AxisOrders,
}

/// All embeddings, in the order in which messages and help list them.
static EMBEDDINGS: &[Embedding] = &[
    rule(EmbeddingKind::Standard),
    rule(EmbeddingKind::Xor),
    rule(EmbeddingKind::Byweight),
    rule(EmbeddingKind::Gray),
    rule(EmbeddingKind::Optimal),
    drawn(RANDOM),
    seeded(RANDOM_GROUPS),
    by_number::HILBERT,
    by_number::BLOCK,
    by_number::CYCLIC,
    tao::TAO,
    axes::AXES,
    greenberg::GREENBERG,
    greenberg::POLYMORPHIC,
    Embedding { is_seeded: false, ..seeded(EVEN_SQUEEZE) },
    Embedding { is_seeded: false, ..seeded(CHAN) },
    classic::CLASSIC,
    truncation::TRUNCATION,
];

/// A rule for the fields of labels; "standard" also numbers the processes of networks.
const fn rule(kind: EmbeddingKind) -> Embedding {
    let &EmbeddingDescriptor { name, summary, source, takes, .. } =
        cubefold_mapping::EMBEDDINGS[kind as usize];
    Embedding {
        name,
        summary,
        source,
        takes,
        constructions: Vec::new,
        is_seeded: false,
        maker: Maker::Rule(kind),
    }
}

/// An embedding that depends on the seed.
const fn seeded(embedding: SeededEmbedding) -> Embedding {
    let SeededEmbedding { name, summary, source, takes, place } = embedding;
    Embedding {
        name,
        summary,
        source,
        takes,
        constructions: Vec::new,
        is_seeded: true,
        maker: Maker::Seeded(place),
    }
}

/// An embedding of single processes that depends on the seed.
const fn drawn(embedding: SeededEmbedding) -> Embedding {
    let place = embedding.place;
    Embedding { maker: Maker::Drawn(place), ..seeded(embedding) }
}

/// Lists the embeddings that a scenario can name, besides files.
#[must_use]
pub fn embeddings() -> &'static [Embedding] {
    EMBEDDINGS
}

/// Prefix of a path.
const FILE_PREFIX: &str = "file:";

/// Prefix of the number of processes that are dealt together.
const PLANE_PREFIX: &str = "plane=";

/// Lists the possible entries of `mapping.embeddings`, with `NAME` for constructions: `standard, .., tao:NAME
/// or file:PATH`.
pub(super) fn expected() -> String {
    let forms = |embedding: &Embedding| {
        let family = (!(embedding.constructions)().is_empty()).then(|| format!("{}:NAME", embedding.name));
        [Some(embedding.name.to_owned()), family].into_iter().flatten()
    };
    let (plane, file) = (format!("{PLANE_PREFIX}N"), format!("{FILE_PREFIX}PATH"));
    alternatives(&EMBEDDINGS.iter().flat_map(forms).chain([plane, file]).collect::<Vec<_>>())
}

impl Embedding {
    /// Its name, and `name:CONSTRUCTION` for each of its constructions.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let constructions = (self.constructions)().into_iter();
        let named = constructions.map(|construction| format!("{}:{construction}", self.name));
        std::iter::once(self.name.to_owned()).chain(named)
    }

    /// The rule, if it is one.
    pub(super) fn rule(&self) -> Option<EmbeddingKind> {
        let Maker::Rule(kind) = self.maker else { return None };
        Some(kind)
    }
}

/// Places a program by an embedding that depends on the seed.
pub(super) fn place_seeded(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    place: fn(&PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal>,
) -> Result<Placement, Failure> {
    let (guest, key) =
        (fit.program.placed_shape(), |task: &str| generator_key(fit.settings.seed().unwrap_or(0), task));
    // Failed nodes take no processes.
    let has_some =
        fit.allocation.is_some() || fit.whole.failures().is_some_and(|failures| !failures.nodes.is_empty());
    let hosts = has_some.then(|| fit.job_nodes());
    let (hosts, per_node) = (hosts.as_deref(), fit.program.ranks_per_node);
    place(&PlacementTask { guest: &guest, machine: fit.machine, hosts, per_node, key: &key }).map_err(
        |refusal| {
            let message = format!("embedding {}: {refusal}", named.name);
            ScenarioError::at(fit.place_of(named), message, "not placed")
                .because(Some(&fit.size.place), "the machine")
                .because(fit.settings.place(Key::ProgramGuest), "the guest")
                .because(fit.settings.place(Key::ProgramDimensions), "the processes")
                .with_help(refusal.help)
                .into()
        },
    )
}

/// An embedding in a scenario; displays as its name there, or in results.
#[derive(Debug, Clone)]
pub enum EmbeddingName {
    /// An entry of the registry: `xor`, `tao`, `tao:NAME`.
    Registered {
        /// The embedding.
        embedding: &'static Embedding,
        /// The chosen construction; `None` if the embedding chooses.
        construction: Option<&'static str>,
    },
    /// One order of axes: `axes:ORDER`.
    Axes(AxisOrder),
    /// N consecutive processes at a time to the nodes in turn: `plane=N`.
    Plane(NonZeroU64),
    /// A placement file: `file:PATH`, relative to the scenario.
    File(String),
    /// A launcher's file, by a table; displays as `FORMAT:PATH`, without hosts and slots.
    Launcher(LauncherEntry),
    /// A search from the other embeddings of the scenario: `search`.
    Search(Box<SearchRequest>),
    /// The name of an embedding that a caller of the library has [added](super::Scenario::add_embedding).
    Added(String),
}

impl EmbeddingName {
    /// The embedding with this name; `None` if it is neither a known name nor `file:` with a path.
    #[must_use]
    pub fn with_name(name: &str) -> Option<Self> {
        if let Some(path) = name.strip_prefix(FILE_PREFIX) {
            return (!path.is_empty()).then(|| Self::File(path.to_owned()));
        }
        if let Some(together) = name.strip_prefix(PLANE_PREFIX) {
            return together.parse().ok().map(Self::Plane);
        }
        if let Some(order) = name.strip_prefix(axes::PREFIX) {
            return order.parse().ok().map(Self::Axes);
        }
        let (family, construction) =
            name.split_once(':').map_or((name, None), |(family, of)| (family, Some(of)));
        let embedding = EMBEDDINGS.iter().find(|embedding| embedding.name == family)?;
        let known = |name| (embedding.constructions)().into_iter().find(|&known| known == name);
        let construction = match construction {
            Some(name) => Some(known(name)?),
            None => None,
        };
        Some(Self::Registered { embedding, construction })
    }

    /// Lists every name without a path.
    pub(super) fn known() -> Vec<String> {
        EMBEDDINGS.iter().flat_map(Embedding::names).collect()
    }

    /// The rule for the fields of labels, if it is one.
    pub(super) fn rule(&self) -> Option<EmbeddingKind> {
        let Self::Registered { embedding, .. } = self else { return None };
        embedding.rule()
    }

    /// The name of the chosen construction.
    #[must_use]
    pub fn construction(&self) -> Option<&'static str> {
        let Self::Registered { construction, .. } = self else { return None };
        *construction
    }
}

/// Names are equal if they are spelled alike.
impl PartialEq for EmbeddingName {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Launcher(one), Self::Launcher(other)) => one == other,
            (Self::Search(one), Self::Search(other)) => one == other,
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl Eq for EmbeddingName {}

impl fmt::Display for EmbeddingName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registered { embedding, construction: None } => formatter.write_str(embedding.name),
            Self::Registered { embedding, construction: Some(name) } => {
                write!(formatter, "{}:{name}", embedding.name)
            }
            Self::Axes(order) => write!(formatter, "{}{order}", axes::PREFIX),
            Self::Plane(together) => write!(formatter, "{PLANE_PREFIX}{together}"),
            Self::File(path) => write!(formatter, "{FILE_PREFIX}{path}"),
            Self::Launcher(entry) => write!(formatter, "{}:{}", entry.format, entry.file),
            Self::Search(_) => formatter.write_str("search"),
            Self::Added(name) => formatter.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn names_display_as_they_are_written() {
        let known = EmbeddingName::known();
        assert!(known.len() > 24, "{known:?}");
        for name in
            known.iter().map(String::as_str).chain(["file:a/b.csv", "plane=4", "axes:0=3/1=1x2/folded"])
        {
            assert_eq!(EmbeddingName::with_name(name).unwrap().to_string(), name);
        }
        for unknown in ["file:", "xors", "cs838:", "tao:", "xor:basic-f", "standard:", "axes:", "axes:0"] {
            assert_eq!(EmbeddingName::with_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_pages_name_every_embedding() {
        for page in ["README.md", "docs/scenarios.md"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
            let text = fs::read_to_string(path).unwrap();
            for embedding in EMBEDDINGS {
                let name = embedding.name;
                let is_named =
                    [format!("`{name}`"), format!("`\"{name}\"`")].iter().any(|name| text.contains(name));
                assert!(is_named, "{page} lacks {name}");
            }
        }
    }
}
