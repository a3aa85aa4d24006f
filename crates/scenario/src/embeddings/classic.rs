//! Placements by the constructions of CS838 1999: `cs838` and `cs838:NAME`.

use std::cell::OnceCell;

use cubefold_formats::input::text::with_article;
use cubefold_mapping::{
    ClassicConstruction, ClassicPlacement, ClassicPlacementError, Placement, ProcessId, classic::FlipBit,
};
use cubefold_topology::Machine;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{Embedding, Maker};
use crate::{
    errors::ScenarioError,
    generator_key,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
};

/// Purpose of the generator of flip bits.
const FLIP_BITS: &str = "flip bits of cs838";

pub(super) const CLASSIC: Embedding = Embedding {
    name: "cs838",
    summary: "the first construction of the notes CS838 that is for guest and machine, or the one that is named",
    source: "CS838 1999",
    takes: "a pair of graphs that one of the constructions is for",
    constructions: || ClassicConstruction::ALL.iter().map(|one| one.name).collect(),
    is_seeded: true, // growing trees are placed at random
    maker: Maker::Construction(place),
};

/// Places by the construction with this name, or by the first that supports guest and machine.
fn place(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Placement, Failure> {
    if fit.machine.is_directed() {
        let message = "constructions of CS838 1999 on links in one direction, expected links in both: that is what they \
                       promise a dilation for";
        let error = ScenarioError::at(fit.place_of(named), message, "not covered");
        return Err(error.because(fit.settings.place(Key::MachineDirected), "one direction").into());
    }
    let construction = named.name.construction().and_then(ClassicConstruction::with_name);
    let guest = fit.program.guest().shape();
    let seed = || fit.settings.seed().unwrap_or(0);
    let flips = FlipBits { seed: &seed, count: guest.node_count(), words: OnceCell::new() };
    let flip = |vertex| flips.of(vertex);
    let placement = match construction {
        Some(construction) => ClassicPlacement::named(construction, &guest, fit.machine, &flip),
        None => ClassicPlacement::choose(&guest, fit.machine, &flip),
    };
    let placement = placement.map_err(|error| refused(fit, named, &guest, &error))?;
    Ok(Placement::Classic(Box::new(placement)))
}

/// Random bits of the vertices of a growing tree, from the scenario's seed.
struct FlipBits<'a> {
    seed: &'a dyn Fn() -> u64,
    count: u64,
    words: OnceCell<Vec<u64>>,
}

impl FlipBits<'_> {
    fn of(&self, vertex: ProcessId) -> FlipBit {
        let words = self.words.get_or_init(|| {
            let mut generator = ChaCha12Rng::from_seed(generator_key((self.seed)(), FLIP_BITS));
            (0..self.count.div_ceil(64)).map(|_| generator.next_u64()).collect()
        });
        match words[vertex.label() as usize / 64] >> (vertex.label() % 64) & 1 {
            0 => FlipBit::LeftStays,
            _ => FlipBit::RightStays,
        }
    }
}

/// The error for an unsupported pair, with the supported ones.
fn refused(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    guest: &Machine,
    error: &ClassicPlacementError,
) -> ScenarioError {
    let machine = format!("{} of shape {}", with_article(fit.machine.kind().name()), fit.size.written());
    let pair = format!("this {} on {machine}", guest.kind());
    let message = match error {
        ClassicPlacementError::NotCovered => format!("no construction of CS838 1999 maps {pair}"),
        ClassicPlacementError::OtherPair { construction } => {
            format!("cs838:{construction} does not map {pair}, expected {}", construction.summary)
        }
        ClassicPlacementError::Construction(_) | ClassicPlacementError::Table(_) => error.to_string(),
    };
    ScenarioError::at(fit.place_of(named), message, "not covered")
        .because(Some(&fit.size.place), "the machine")
        .because(fit.settings.place(Key::ProgramGuest), "the guest")
        .with_help(help(fit.machine, guest))
}

/// Lists the constructions for this pair, or else the supported pairs.
fn help(machine: &Machine, guest: &Machine) -> String {
    let is_for_the_pair = |construction: &&'static ClassicConstruction| {
        ClassicPlacement::named(construction, guest, machine, &|_| FlipBit::LeftStays).is_ok()
    };
    let all = ClassicConstruction::ALL.iter().copied();
    let names: Vec<String> =
        all.clone().filter(is_for_the_pair).map(|construction| format!("cs838:{construction}")).collect();
    if !names.is_empty() {
        return format!("constructions for this guest and machine: {}", names.join(", "));
    }
    let pairs: Vec<String> = all.map(|all| format!("{all}: {}", all.summary)).collect();
    format!("supported pairs:\n{}", pairs.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flips(seed: u64, count: u64) -> Vec<FlipBit> {
        let flips = FlipBits { seed: &|| seed, count, words: OnceCell::new() };
        ProcessId::first(count).map(|vertex| flips.of(vertex)).collect()
    }

    #[test]
    fn flip_bits_depend_on_the_seed_and_the_vertex_only() {
        assert_eq!(flips(7, 100), flips(7, 1000)[..100]);
        assert_ne!(flips(7, 100), flips(8, 100));
        let left = flips(7, 1000).into_iter().filter(|&flip| flip == FlipBit::LeftStays).count();
        assert!((400..600).contains(&left), "{left}");
    }
}
