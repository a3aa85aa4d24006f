//! The list of constructions, and the choice of one for a pair of shapes.
//!
//! Names, help, documentation and the choice derive from the list [`CONSTRUCTIONS`].

use std::cmp::Ordering;
use std::fmt;

use super::contraction_theorems::CONTRACTIONS;
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::one_to_one::{ONE_TO_ONE, best_of};
use super::pair::ShapePair;
use super::plan::Plan;
use super::spare_nodes::SPARE_NODES;
use super::uneven_contraction::UNEVEN_CONTRACTION;

/// The constructions for numbers of processes and nodes outside the dissertation.
static OTHER_SIZES: [&ConstructionDescriptor; 2] = [&UNEVEN_CONTRACTION, &SPARE_NODES];

/// Every construction: the one-to-one ones, then the contractions, then those for other sizes.
///
/// The order is the order of preference among constructions that promise the same dilation.
pub static CONSTRUCTIONS: &[&ConstructionDescriptor] = &{
    let contractions_end = ONE_TO_ONE.len() + CONTRACTIONS.len();
    let mut all = [ONE_TO_ONE[0]; ONE_TO_ONE.len() + CONTRACTIONS.len() + OTHER_SIZES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < ONE_TO_ONE.len() {
            ONE_TO_ONE[at]
        } else if at < contractions_end {
            CONTRACTIONS[at - ONE_TO_ONE.len()]
        } else {
            OTHER_SIZES[at - contractions_end]
        };
        at += 1;
    }
    all
};

impl ConstructionKind {
    /// Every kind, in the order of [`CONSTRUCTIONS`].
    pub const ALL: [Self; CONSTRUCTIONS.len()] = {
        let mut all = [Self::BasicF; CONSTRUCTIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = CONSTRUCTIONS[at].kind;
            assert!(all[at] as usize == at, "kinds are declared in the order of CONSTRUCTIONS");
            at += 1;
        }
        all
    };

    /// The name, source and promise.
    #[must_use]
    pub fn descriptor(self) -> &'static ConstructionDescriptor {
        CONSTRUCTIONS[self as usize]
    }

    /// The name in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Whether it puts several processes on every node, equally many.
    #[must_use]
    pub fn is_contraction(self) -> bool {
        self.descriptor().sizes == Sizes::Multiple
    }
}

/// The construction that promises the least dilation, at a tie the first in the order of [`CONSTRUCTIONS`]; an
/// uneven contraction only if there is no even one. Without any, the conditions that the pair fails, of all constructions
/// for the two sizes.
pub(super) fn best(pair: &ShapePair) -> Result<(ConstructionKind, Plan), Vec<UnmetCondition>> {
    match pair.processes().cmp(&pair.nodes()) {
        Ordering::Equal => best_of(&ONE_TO_ONE, pair),
        Ordering::Less => best_of(&[&SPARE_NODES], pair),
        Ordering::Greater => best_of(&CONTRACTIONS, pair)
            .or_else(|even| best_of(&[&UNEVEN_CONTRACTION], pair).map_err(|uneven| [even, uneven].concat())),
    }
}

impl fmt::Display for ConstructionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A pair of guest and host that no construction, or not the named one, covers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConstructionError {
    /// The named construction; `None` if any was allowed.
    pub kind: Option<ConstructionKind>,
    /// The conditions that the pair fails, at least one.
    pub unmet: Vec<UnmetCondition>,
}

impl fmt::Display for ConstructionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(formatter, "{kind} does not map this guest on this host: ")?,
            None => write!(formatter, "no construction of Tao 1988 maps this guest on this host: ")?,
        }
        for (position, condition) in self.unmet.iter().enumerate() {
            let separator = if position > 0 { "; " } else { "" };
            write!(formatter, "{separator}{condition}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_names_every_construction() {
        let page = include_str!("../../../../docs/tao.md");
        for construction in CONSTRUCTIONS {
            let name = construction.name;
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
