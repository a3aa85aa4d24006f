//! What the dissertation's formulas of dilation are made of, from the free choices that a construction made.

use cubefold_mapping::Construction;

/// A list of lists of lengths: an expansion factor or a reduction factor.
type Lists = Vec<Vec<u64>>;

/// A reduction factor `V` of a simple reduction.
#[derive(Debug)]
pub(super) struct SimpleFactor(Lists);

impl SimpleFactor {
    /// The factor that the construction took.
    pub(super) fn of(construction: &Construction) -> Option<Self> {
        parameter(construction, "V").map(Self)
    }

    /// `m_i / l_(v_i)` for each host dimension, with `l_(v_i)`: the first of a list in non-increasing order, and so
    /// the greatest.
    fn ratios(&self) -> impl Iterator<Item = (u64, u64)> {
        let ratio = |list: &Vec<u64>| {
            let greatest = *list.iter().max()?;
            Some((list.iter().product::<u64>() / greatest, greatest))
        };
        self.0.iter().filter_map(ratio)
    }

    /// `max m_i / l_(v_i)` (theorem 3.4.3).
    pub(super) fn most(&self) -> u64 {
        self.ratios().map(|(ratio, _)| ratio).max().unwrap_or(0)
    }

    /// The same with each ratio doubled whose `l_(v_i)` is over 2 (errata B1).
    pub(super) fn most_folded(&self) -> u64 {
        self.ratios().map(|(ratio, length)| if length > 2 { 2 * ratio } else { ratio }).max().unwrap_or(0)
    }

    /// `sum m_i / l_(v_i)` (note after theorem 4.5.4).
    pub(super) fn sum(&self) -> u64 {
        self.ratios().map(|(ratio, _)| ratio).sum()
    }
}

/// A reduction factor `S` of a general reduction with the multiplicand sublist.
#[derive(Debug)]
pub(super) struct GeneralFactor {
    components: Vec<u64>,    // s_1, .., s_b
    multiplicands: Vec<u64>, // l'_1, .., l'_c
}

impl GeneralFactor {
    /// The factor that the construction took.
    pub(super) fn of(construction: &Construction) -> Option<Self> {
        let lists: Lists = parameter(construction, "S")?;
        Some(Self { components: lists.concat(), multiplicands: parameter(construction, "Lprime")? })
    }

    /// `max s_k` (theorem 3.4.4).
    pub(super) fn most(&self) -> u64 {
        self.components.iter().copied().max().unwrap_or(0)
    }

    /// The largest of `c_k s_k`, `s_k` being 1 beyond `b` and `c_k` 2 where `l'_k` is over 2, and of `offset`
    /// (errata B2).
    pub(super) fn most_folded(&self, offset: u64) -> u64 {
        let folded = |(position, &length): (usize, &u64)| {
            let multiplier = self.components.get(position).copied().unwrap_or(1);
            if length > 2 { 2 * multiplier } else { multiplier }
        };
        self.multiplicands.iter().enumerate().map(folded).max().unwrap_or(0).max(offset)
    }

    /// `sum s_k` for `k` up to `c` (note after theorem 4.5.3; errata C2).
    pub(super) fn sum(&self) -> u64 {
        self.components.iter().sum::<u64>() + (self.multiplicands.len() - self.components.len()) as u64
    }
}

fn parameter<T: serde::de::DeserializeOwned>(construction: &Construction, name: &str) -> Option<T> {
    let found = construction.parameters().iter().find(|parameter| parameter.name == name)?;
    serde_json::from_str(&found.value).ok()
}
