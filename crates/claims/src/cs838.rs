//! CS838 1999: embeddings of trees, meshes, toruses and networks in one another, measured over their own routes.
//!
//! Statements that fail as printed (errata N1 to N11) are measured in [`misprints`] beside the reading that holds. What
//! the checked data leaves open is not claimed.

mod grids;
mod misprints;
mod networks;
mod trees;

use cubefold_mapping::{RoutedEmbedding, RoutedMeasures, classic::ClassicError};

use super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial};

/// In the order of the notes.
pub(super) fn claims() -> Vec<Claim> {
    [&trees::CLAIMS[..], &grids::CLAIMS, &networks::CLAIMS].concat()
}

/// Of the statements that fail as printed, in the order of the errata.
pub(super) fn misprinted_claims() -> Vec<Claim> {
    misprints::CLAIMS.to_vec()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    [trees::cases(scope), grids::cases(scope), networks::cases(scope), misprints::cases(scope)]
        .into_iter()
        .flatten()
        .collect()
}

/// What is promised of an embedding.
#[derive(Debug, Clone, Copy)]
enum Promise {
    /// That.
    Exactly(u64),
    /// No more than that.
    AtMost(u64),
}

impl Promise {
    fn trial(self, measured: u64) -> Trial {
        match self {
            Self::Exactly(value) => Trial::equal(value, measured),
            Self::AtMost(value) => Trial::at_most(value, measured),
        }
    }
}

/// A measure of an embedding.
type Measure = fn(&RoutedMeasures) -> u64;

/// Measures an embedding against what the claims promise of it.
fn check(
    findings: &mut Findings,
    case: &str,
    embedding: Result<RoutedEmbedding, ClassicError>,
    promises: &[(Claim, Measure, Promise)],
) {
    match embedding {
        Ok(embedding) => {
            let measures = embedding.measures();
            for (claim, measure, promise) in promises {
                findings.add(*claim, promise.trial(measure(&measures)), &case);
            }
        }
        Err(error) => {
            for (claim, ..) in promises {
                findings.fail(*claim, &case, &error);
            }
        }
    }
}

/// A case for every number of a range.
fn for_each(
    range: std::ops::RangeInclusive<u32>,
    check: impl Fn(u32, &mut Findings) + Copy + Send + Sync + 'static,
) -> Vec<Case> {
    range.map(|number| -> Case { Box::new(move |findings| check(number, findings)) }).collect()
}

fn load(measures: &RoutedMeasures) -> u64 {
    measures.load
}

fn dilation(measures: &RoutedMeasures) -> u64 {
    measures.dilation
}

fn congestion(measures: &RoutedMeasures) -> u64 {
    measures.link_congestion
}
