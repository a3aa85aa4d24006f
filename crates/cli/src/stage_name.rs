//! Stages of Greenberg's embedding on the command line.

use clap::{ValueEnum, builder::PossibleValue};
use cubefold_mapping::GreenbergStage;

/// A stage, as `place --stage` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StageName(pub(crate) GreenbergStage);

impl ValueEnum for StageName {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [StageName; 7] = [
            StageName(GreenbergStage::Compress),
            StageName(GreenbergStage::Reflect),
            StageName(GreenbergStage::Pack),
            StageName(GreenbergStage::Fold),
            StageName(GreenbergStage::Swap),
            StageName(GreenbergStage::Percolate),
            StageName(GreenbergStage::Gray),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.summary()))
    }
}

impl StageName {
    /// What has been done at the stage.
    pub(crate) fn summary(self) -> &'static str {
        match self.0 {
            GreenbergStage::Compress => "Step 1: every column of the mesh is a block of two columns",
            GreenbergStage::Reflect => "Step 2: the rows of the blocks are reflected",
            GreenbergStage::Pack => "Step 3: all nodes are as far to the left as they go",
            GreenbergStage::Fold => "Step 4: columns beyond the cube are folded back",
            GreenbergStage::Swap => "Step 5: doublets are swapped where that keeps neighbours near",
            GreenbergStage::Percolate => "Section 5: every node has a slot of its own",
            GreenbergStage::Gray => "The Gray code, where that is the method",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_can_be_named() {
        let named: Vec<GreenbergStage> = StageName::value_variants().iter().map(|name| name.0).collect();
        assert_eq!(named, GreenbergStage::ALL);
    }
}
