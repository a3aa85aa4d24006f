//! Constructions of Tao 1988 that are within their theorems, with the parameters of the theorems'
//! formulas: the kinds of the two graphs, and the factors of simple and general reductions, which
//! are read from the constructions.

use cubefold_mapping::{Construction, ConstructionKind};

use crate::cases::{is_torus_guest, is_torus_host, side};

/// A construction that is within its theorem: the kinds of its graphs, and the stated
/// dilation.
#[derive(Debug)]
pub(super) struct Covered<'construction> {
    pub(super) construction: &'construction Construction,
    /// Whether the guest counts as a torus.
    pub(super) from_torus: bool,
    /// Whether the host counts as a torus.
    pub(super) to_torus: bool,
    /// `rho` as chapter 3 states it, not as the construction promises it.
    pub(super) stated: u64,
}

impl<'construction> Covered<'construction> {
    /// `None` if a construction is used outside of its theorem, such as `H_V` for a mesh.
    pub(super) fn new(construction: &'construction Construction) -> Option<Self> {
        let from_torus = is_torus_guest(construction.guest());
        let to_torus = is_torus_host(construction.host());
        let uncovered = Self { construction, from_torus, to_torus, stated: 0 };
        let stated = uncovered.formula()?;
        Some(Self { stated, ..uncovered })
    }

    /// Whether a torus is mapped to a mesh, which doubles most formulas.
    pub(super) fn folds(&self) -> bool {
        self.from_torus && !self.to_torus
    }

    /// Whether the guest has an odd number of nodes.
    pub(super) fn is_odd(&self) -> bool {
        !self.construction.guest().node_count().is_multiple_of(2)
    }

    /// 2 for a torus that is mapped to a mesh, else 1.
    pub(super) fn doubling(&self) -> u64 {
        if self.folds() { 2 } else { 1 }
    }

    fn formula(&self) -> Option<u64> {
        let construction = self.construction;
        match construction.kind() {
            ConstructionKind::BasicF | ConstructionKind::ExpansionF => (!self.from_torus).then_some(1),
            ConstructionKind::BasicH | ConstructionKind::ExpansionH => self.from_torus.then_some(1),
            ConstructionKind::BasicG | ConstructionKind::ExpansionG => self.folds().then_some(2),
            ConstructionKind::SameShape => Some(self.doubling()),
            ConstructionKind::SimpleReduction => {
                Some(self.doubling() * SimpleFactor::of(construction)?.most())
            }
            ConstructionKind::GeneralReduction => {
                Some(self.doubling() * GeneralFactor::of(construction)?.most())
            }
            ConstructionKind::SequentialElimination => {
                Some(self.doubling() * Multiplicands::of(construction)?.most())
            }
            ConstructionKind::SquareLowering => Some(self.doubling() * self.host_over_guest()?),
            ConstructionKind::SquareLoweringFolded if self.from_torus && self.to_torus => {
                self.host_over_guest()
            }
            ConstructionKind::SquareRising if self.folds() && self.is_odd() => Some(2 * self.rising()?),
            ConstructionKind::SquareRising => self.rising(),
            ConstructionKind::SquareRisingFolded if self.from_torus && self.to_torus => self.rising(),
            _ => None,
        }
    }

    /// `l^((d-c)/c)`, which is `m / l`.
    fn host_over_guest(&self) -> Option<u64> {
        Some(side(self.construction.host())? / side(self.construction.guest())?)
    }

    /// `l^((d-a)/c)`: `m / s`, `s` being the whole number with `s^(c/a) = l`.
    fn rising(&self) -> Option<u64> {
        let (guest, host) = (self.construction.guest(), self.construction.host());
        let (d, c) = (guest.shape().dimension_count(), host.shape().dimension_count());
        let common = (1..=d).rfind(|divisor| d.is_multiple_of(*divisor) && c.is_multiple_of(*divisor))?;
        let (length, power) = (side(guest)?, u32::try_from(c / common).ok()?);
        let root = (2..=length).find(|root| root.checked_pow(power) == Some(length))?;
        Some(side(host)? / root)
    }
}

/// The number of the case of theorem 3.4.4, and the dilation inside a supernode.
pub(super) fn general_case(construction: &Construction) -> Option<(usize, u64)> {
    let case = (1..=5).find(|case| construction.theorem().ends_with(&format!("({case})")))?;
    Some((case, if case == 3 || case == 5 { 2 } else { 1 }))
}

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

    /// `m_i / l_(v_i)` for each host dimension, with `l_(v_i)`: the first of a list in
    /// non-increasing order, hence the greatest.
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

    /// The dilation with each ratio doubled whose `l_(v_i)` is over 2 (errata B1).
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

    /// The largest of `c_k s_k`, with `s_k` 1 beyond `b` and `c_k` 2 if `l'_k` is over 2, and
    /// of `offset` (errata B2).
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

/// The guest dimensions that become host dimensions in a sequential elimination, and the vectors of
/// the others.
#[derive(Debug)]
pub(super) struct Multiplicands {
    multipliers: Vec<u64>,  // P_j = m_j / l_(a_j)
    vectors: Vec<Vec<u64>>, // of the eliminated dimensions, in their order
}

impl Multiplicands {
    /// The elimination that the construction took.
    pub(super) fn of(construction: &Construction) -> Option<Self> {
        let dimensions: Vec<usize> = parameter(construction, "multiplicands")?;
        let (guest, host) = (construction.guest().shape().lengths(), construction.host().shape().lengths());
        let multiplier = |(whole, dimension): (&u64, &usize)| Some(whole / guest.get(dimension - 1)?);
        Some(Self {
            multipliers: host.iter().zip(&dimensions).map(multiplier).collect::<Option<_>>()?,
            vectors: parameter(construction, "factors")?,
        })
    }

    /// `rho = max P_j`.
    pub(super) fn most(&self) -> u64 {
        self.multipliers.iter().copied().max().unwrap_or(0)
    }

    /// `sum P_j`.
    pub(super) fn sum(&self) -> u64 {
        self.multipliers.iter().sum()
    }

    /// The sum of `2 q_k`, `q_k` being the greatest product, at a host dimension of `k`, of the
    /// factors eliminated later.
    pub(super) fn folded_steps(&self) -> u64 {
        let links = |(step, vector): (usize, &Vec<u64>)| {
            let later =
                |host: usize| -> u64 { self.vectors[step + 1..].iter().map(|vector| vector[host]).product() };
            (0..vector.len()).filter(|&host| vector[host] > 1).map(later).max().unwrap_or(0)
        };
        2 * self.vectors.iter().enumerate().map(links).sum::<u64>()
    }
}

fn parameter<T: serde::de::DeserializeOwned>(construction: &Construction, name: &str) -> Option<T> {
    let found = construction.parameters().iter().find(|parameter| parameter.name == name)?;
    serde_json::from_str(&found.value).ok()
}
