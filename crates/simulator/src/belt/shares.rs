//! What each field of the labels contributes to the times of processes.

use cubefold_mapping::ProductPlacement;

use super::segments::Segment;
use crate::{Cycle, Cycles, Summary};

/// For each field, by value, its share of the time at which a process finished its last stage so far: the
/// finish of a process is the sum of its fields' shares.
#[derive(Debug)]
pub(super) struct Shares {
    pub(super) finishes: Vec<Vec<u64>>,
    ended: Vec<Option<Vec<Vec<u64>>>>, // for each field the shares of all when its last segment ended
}

impl Shares {
    /// Before the first stage: nothing.
    pub(super) fn new(lines: &[ProductPlacement]) -> Self {
        let size =
            |line: &ProductPlacement| usize::try_from(line.machine().node_count()).unwrap_or(usize::MAX);
        Self {
            finishes: lines.iter().map(|line| vec![0; size(line)]).collect(),
            ended: vec![None; lines.len()],
        }
    }

    /// Notes the end of a segment of `field`; only needed where fields come back.
    pub(super) fn note_end(&mut self, field: usize) {
        self.ended[field] = Some(self.finishes.clone());
    }

    /// Whether nothing of the field's last segment can be left on a line when the first message of `segment`
    /// sets out on it.
    ///
    /// On the line with values `v_i` of the other fields, the last process finished at its greatest share plus
    /// the shares of the `v_i` then; the first message sets out at the least meeting of partners plus their
    /// shares now. Shares only grow, so that the line with the least growth decides.
    pub(super) fn is_quiet(&self, segment: &Segment, compute: Cycles) -> bool {
        let field = segment.field;
        let Some(ended) = &self.ended[field] else { return true };
        let now = &self.finishes[field];
        let last_finish = now.iter().copied().max().unwrap_or(0);
        let bit = segment.bits[0] as usize;
        let meetings = (0..now.len()).map(|value| now[value].max(now[value ^ bit]));
        let first_start = meetings.min().unwrap_or(0) + compute.get();
        let others = (0..self.finishes.len()).filter(|&other| other != field);
        let growth: u64 = others
            .map(|other| {
                let grown = self.finishes[other].iter().zip(&ended[other]).map(|(now, then)| now - then);
                grown.min().unwrap_or(0)
            })
            .sum();
        last_finish <= first_start + growth
    }

    /// The ends of all processes.
    pub(super) fn add_to(&self, summary: &mut Summary, processes: u64) {
        let greatest = self.finishes.iter().map(|own| own.iter().copied().max().unwrap_or(0));
        let sum = self.finishes.iter().map(|own| {
            let sum: u128 = own.iter().map(|&share| u128::from(share)).sum();
            sum * (u128::from(processes) / own.len() as u128)
        });
        summary.set_finishes(Cycle::new(greatest.sum()), sum.sum());
    }
}
