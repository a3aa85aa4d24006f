//! The promise of an embedding with its own routes, and the measured values.

use cubefold_mapping::{RoutedEmbedding, RoutedMeasures, classic::ClassicError};

use crate::{
    claim::{Claim, Trial},
    findings::Findings,
};

/// The promise of an embedding.
#[derive(Debug, Clone, Copy)]
pub(super) enum Promise {
    /// Exactly this value.
    Exactly(u64),
    /// At most this value.
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
pub(super) type Measure = fn(&RoutedMeasures) -> u64;

/// Measures an embedding against its claims.
pub(super) fn check(
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

pub(super) fn load(measures: &RoutedMeasures) -> u64 {
    measures.load
}

pub(super) fn dilation(measures: &RoutedMeasures) -> u64 {
    measures.dilation
}

pub(super) fn congestion(measures: &RoutedMeasures) -> u64 {
    measures.link_congestion
}
