//! Theorem 3.5.3: a square graph into a square one of fewer dimensions, by elimination of some at a time.

use super::super::error::UnmetCondition;
use super::super::factor::Factor;
use super::super::graph_type::{GraphType, Pair};
use super::super::plan::{Parameter, Plan};
use super::super::promise::{
    PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset,
};
use super::super::same_shape::Fold;
use super::super::sequence::Sequence;
use super::super::step::Step;
use super::super::supernodes::Supernodes;
use super::{Folding, folded_subsets, greatest_common_divisor, root, subset_of};

/// `d > c`, `a` their greatest common divisor, `u = d / a`, `v = c / a`, `s = l^(1/v)`.
struct Chain {
    guest: usize, // d
    host: usize,  // c
    step: usize,  // a
    steps: usize, // u - v
    side: u64,    // s
    length: u64,  // l
    host_length: u64,
}

/// The chain of general reductions, with folding before or after it as the types ask for (theorem 3.5.3).
pub(in super::super) fn plan(folding: Folding, pair: &Pair) -> Result<Plan, UnmetCondition> {
    let chain = Chain::of(pair)?;
    let is_odd = !chain.length.is_multiple_of(2);
    if folding == Folding::Always && !is_odd {
        return Err(UnmetCondition::OddSize);
    }
    let route = match (pair.guest, pair.host, folding) {
        (_, _, Folding::Always) => Route::FoldedFirst,
        (GraphType::Torus, GraphType::Mesh, _) if is_odd => Route::FoldedFirst,
        (GraphType::Torus, GraphType::Mesh, _) => Route::FoldedLast,
        (GraphType::Torus, GraphType::Torus, _) if is_odd => Route::Torus(Sequence::G),
        (GraphType::Torus, GraphType::Torus, _) => Route::Torus(Sequence::H),
        (GraphType::Mesh, _, _) => Route::Mesh,
    };
    Ok(chain.plan(route, pair))
}

/// The five procedures in the proof of theorem 3.5.3.
#[derive(Clone, Copy)]
enum Route {
    /// `F'` in every step.
    Mesh,
    /// `H'` or `G'` in every step.
    Torus(Sequence),
    /// `T_L`, then `F'` in every step.
    FoldedFirst,
    /// `H'` in every step, then `T_M`.
    FoldedLast,
}

impl Chain {
    fn of(pair: &Pair) -> Result<Self, UnmetCondition> {
        let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
        if guest <= host || guest.is_multiple_of(host) {
            return Err(UnmetCondition::SquareLoweringDimensions { guest, host });
        }
        let (length, host_length) = pair.square_lengths().ok_or(UnmetCondition::Square)?;
        let step = greatest_common_divisor(guest, host);
        // Lemma 3.5.4: the root is whole, as guest and host are of one size.
        let side = root(length, host / step).ok_or(UnmetCondition::Square)?;
        Ok(Self { guest, host, step, steps: (guest - host) / step, side, length, host_length })
    }

    fn plan(&self, route: Route, pair: &Pair) -> Plan {
        let (sequence, letter, fold) = match route {
            Route::Mesh => (Sequence::F, 'F', ""),
            Route::Torus(sequence) => (sequence, sequence.letter().to_ascii_uppercase(), ""),
            Route::FoldedFirst => (Sequence::F, 'F', " o T_L"),
            Route::FoldedLast => (Sequence::H, 'H', ""),
        };
        let mut steps = self.eliminations(sequence);
        let mut formula = format!("{letter}'_S^{}{fold}", self.steps);
        match route {
            Route::FoldedFirst => steps.insert(0, Step::Fold(Fold::new(&pair.guest_lengths))),
            Route::FoldedLast => {
                steps.push(Step::Fold(Fold::new(&pair.host_lengths)));
                formula.insert_str(0, "T_M o ");
            }
            Route::Mesh | Route::Torus(_) => {}
        }
        Plan {
            theorem: "theorem 3.5.3",
            formula,
            parameters: vec![
                Parameter::new("S", &self.factor()),
                Parameter::new("steps", &self.steps),
                Parameter::new("kind", &letter),
            ],
            contraction: None,
            steps,
            dilation: self.dilation(route, pair),
            routing: self.routing(route),
        }
    }

    /// `a` lists of `v` times `s`.
    fn factor(&self) -> Factor {
        Factor::uniform(self.step, self.host / self.step, self.side)
    }

    /// Step `k` takes the last `a` of `d - ka` dimensions into the first `c`.
    fn eliminations(&self, sequence: Sequence) -> Vec<Step> {
        let remaining = (1..=self.steps).map(|step| self.guest - step * self.step);
        remaining.map(|left| Step::Supernodes(Supernodes::new(left, sequence, self.factor(), None))).collect()
    }

    /// `l^((d-c)/c) = s^(u-v)`: the host length over the guest length.
    fn ratio(&self) -> u64 {
        self.host_length / self.length
    }

    /// Exact for graphs of the types that the procedure is for (errata B3), and for a fold first on a torus host
    /// as well, whose lengths are `l` times the ratio with `l` at least 4 here: the way back is no shorter.
    fn dilation(&self, route: Route, pair: &Pair) -> PromisedDilation {
        match route {
            Route::Mesh | Route::Torus(_) => PromisedDilation::new(self.ratio(), pair.is_pure()),
            Route::FoldedLast => PromisedDilation::new(2 * self.ratio(), pair.is_pure()),
            Route::FoldedFirst => {
                let exact = pair.guest == GraphType::Torus && pair.is_pure();
                PromisedDilation::new(2 * self.ratio(), exact)
            }
        }
    }

    fn routing(&self, route: Route) -> Routing {
        let together = |links| Routing::together(self.guest, None, PromisedSteps::uniform(links, self.host));
        match route {
            // Corollaries 4.5.6 to 4.5.8.
            Route::Mesh | Route::Torus(Sequence::F | Sequence::H) => together(self.ratio()),
            Route::FoldedLast => together(2 * self.ratio()),
            // Theorem 4.5.6.
            Route::FoldedFirst => self
                .by_step(folded_subsets(self.side, self.exponent(), self.host), RoutingSource::Dissertation),
            // Errata C11: the first subset lies along single dimensions and is not folded.
            Route::Torus(Sequence::G) => {
                let mut subsets = folded_subsets(self.side, self.exponent(), self.host);
                let steps = PromisedSteps::uniform(self.ratio(), self.host);
                subsets[0] = RoutingSubset { number: 1, phase_length: None, steps };
                self.by_step(subsets, RoutingSource::Errata)
            }
        }
    }

    /// A subset for the first `c` dimensions and one for each step's.
    fn by_step(&self, subsets: Vec<RoutingSubset>, source: RoutingSource) -> Routing {
        let vector = (1..=self.guest).map(|dimension| subset_of(dimension, self.host, self.step)).collect();
        Routing { vector, space: RoutingSpace::Guest, subsets, source }
    }

    fn exponent(&self) -> u32 {
        u32::try_from(self.steps).unwrap_or(u32::MAX)
    }
}
