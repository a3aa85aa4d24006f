//! `truncation`: graphs of an edge grammar on smaller graphs of the same grammar (`docs/model.md` section 28.4).

use cubefold_mapping::{Placement, TruncationError, truncation};

use super::{Embedding, Maker};
use crate::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
};

pub(super) const TRUNCATION: Embedding = Embedding {
    name: "truncation",
    summary: "every word of an edge grammar on its first symbols: dilation at most 1",
    source: "Berman 1983; Tao 1988, 2.3",
    takes: "a guest and a machine of the same grammar, the guest with longer words",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::Construction(place),
};

/// Places by truncation, if the grammar meets the conditions of theorem 2.3.2.
fn place(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Placement, Failure> {
    truncation(&fit.program.guest().shape(), fit.machine).map(Placement::Table).map_err(|error| {
        let help = match error {
            TruncationError::NoGrammar { .. } | TruncationError::OtherGrammar { .. } => {
                "give machine and guest kind = \"grammar\" and the same grammar"
            }
            TruncationError::Sizes { .. } => "give the guest the larger size",
            TruncationError::Condition { .. } | TruncationError::Table(_) => {
                "under the two conditions of the theorem every pair of words can be truncated"
            }
        };
        ScenarioError::at(fit.place_of(named), format!("embedding truncation: {error}"), "not placed")
            .because(Some(&fit.size.place), "the machine")
            .because(fit.settings.place(Key::ProgramGuest), "the guest")
            .with_help(help)
            .into()
    })
}
