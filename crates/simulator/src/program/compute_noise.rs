//! Computations that vary from process to process and from stage to stage (`docs/model.md` section 29.3).

use cubefold_derive::Words;
use cubefold_mapping::ProcessId;
use cubefold_topology::mix;
use rayon::prelude::*;

/// Random extra cycles of computations.
///
/// A draw depends only on the seed, the stage of the program and the process: not on the embedding, the machine, the
/// message sizes, or the dimension of the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputeNoise {
    /// The distribution of the extra cycles.
    pub distribution: NoiseDistribution,
    /// The seed of the draws.
    pub seed: u64,
    /// Whether draws are per computation or per process.
    pub each: NoiseUnit,
}

/// A distribution of extra cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoiseDistribution {
    /// Every number up to `max` alike.
    Uniform {
        /// The greatest number \[cycles\], below 2^63.
        max: u64,
    },
    /// A fixed delay now and then.
    Outliers {
        /// One computation of this many is delayed, on average; at least 1.
        one_in: u64,
        /// The delay \[cycles\].
        cycles: u64,
    },
    /// Exponential with this mean, linear between the powers of 1/2 so that integers suffice.
    Exponential {
        /// The mean \[cycles\].
        mean: u64,
    },
}

/// The unit of work that gets one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum NoiseUnit {
    /// Every computation.
    #[default]
    Stage,
    /// Every process, in all its stages: slow and fast processors.
    Process,
}

/// Separates the draws of computations from others of the same seed.
const TAG: u64 = 0x006e_6f69_7365;

impl ComputeNoise {
    /// Returns the extra cycles of a process in a stage.
    ///
    /// ```
    /// use cubefold_mapping::ProcessId;
    /// use cubefold_simulator::{ComputeNoise, NoiseDistribution, NoiseUnit};
    ///
    /// let noise = ComputeNoise {
    ///     distribution: NoiseDistribution::Uniform { max: 9 },
    ///     seed: 0,
    ///     each: NoiseUnit::Stage,
    /// };
    /// let draws: Vec<u64> = ProcessId::first(8).map(|process| noise.cycles(0, process)).collect();
    /// assert_eq!(draws, [2, 2, 4, 0, 6, 1, 5, 4]);
    /// ```
    #[must_use]
    pub fn cycles(&self, stage: usize, process: ProcessId) -> u64 {
        let stage = match self.each {
            NoiseUnit::Stage => stage as u64,
            NoiseUnit::Process => 0,
        };
        let word = mix(mix(mix(mix(self.seed) ^ TAG) ^ stage) ^ u64::from(process.label()));
        self.distribution.of_word(word)
    }

    /// The sum of the extra cycles of all processes in the first `stages` stages.
    pub(crate) fn total(&self, stages: usize, processes: u64) -> u128 {
        let of_process = |process: u32| -> u128 {
            (0..stages).map(|stage| u128::from(self.cycles(stage, ProcessId::new(process)))).sum()
        };
        let last = u32::try_from(processes.saturating_sub(1)).unwrap_or(u32::MAX);
        (0..=last).into_par_iter().map(of_process).sum()
    }

    /// The greatest number of extra cycles; a bound that no draw exceeds.
    #[must_use]
    pub fn most(&self) -> u64 {
        match self.distribution {
            NoiseDistribution::Uniform { max } => max,
            NoiseDistribution::Outliers { cycles, .. } => cycles,
            // At most 64 halvings of two thirds of the mean each.
            NoiseDistribution::Exponential { mean } => mean.saturating_mul(43),
        }
    }
}

impl NoiseDistribution {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform { .. } => "uniform",
            Self::Outliers { .. } => "outliers",
            Self::Exponential { .. } => "exponential",
        }
    }

    /// The number of a random word.
    fn of_word(self, word: u64) -> u64 {
        // A share of a range: the product has up to 128 bits, its upper half is below the range.
        let share = |range: u128| u64::try_from((u128::from(word) * range) >> 64).unwrap_or(u64::MAX);
        match self {
            Self::Uniform { max } => share(u128::from(max) + 1),
            Self::Outliers { one_in, cycles } => {
                if share(one_in.into()) == 0 {
                    cycles
                } else {
                    0
                }
            }
            Self::Exponential { mean } => exponential(word, mean),
        }
    }
}

/// `floor(2 mean (z 2^32 + 2^32 - f) / (3 2^32))`, with `z` the leading zeros of the word, 1 for 0, and `f` the 32 bits
/// after its leading one.
fn exponential(word: u64, mean: u64) -> u64 {
    const ONE: u128 = 1 << 32;
    let word = word.max(1);
    let zeros = word.leading_zeros();
    let fraction = (word << zeros << 1) >> 32;
    let halvings = u128::from(zeros) * ONE + ONE - u128::from(fraction);
    u64::try_from(2 * u128::from(mean) * halvings / (3 * ONE)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn draws_are_those_of_the_independent_program() {
        let text = include_str!("../../../../tests/golden/cubes.json");
        let golden: Vec<Value> = serde_json::from_str(text).unwrap();
        let mut count = 0;
        for case in golden.iter().filter(|case| case["kind"] == "noise") {
            let (input, noise_keys) = (&case["input"], &case["input"]["compute_noise"]);
            let number = |key: &str| noise_keys[key].as_u64().unwrap();
            let noise = ComputeNoise {
                distribution: match noise_keys["kind"].as_str().unwrap() {
                    "uniform" => NoiseDistribution::Uniform { max: number("max") },
                    "outliers" => {
                        NoiseDistribution::Outliers { one_in: number("one_in"), cycles: number("cycles") }
                    }
                    _ => NoiseDistribution::Exponential { mean: number("mean") },
                },
                seed: noise_keys["seed"].as_u64().or(input["seed"].as_u64()).unwrap(),
                each: if noise_keys["each"] == "process" { NoiseUnit::Process } else { NoiseUnit::Stage },
            };
            let stages = 0..usize::try_from(input["stages"].as_u64().unwrap()).unwrap();
            let of_stage = |stage| -> Vec<u64> {
                let processes = ProcessId::first(input["processes"].as_u64().unwrap());
                processes.map(|process| noise.cycles(stage, process)).collect()
            };
            let draws: Vec<Vec<u64>> = stages.map(of_stage).collect();
            assert_eq!(serde_json::json!(draws), case["expect"]["draws"], "{case}");
            count += 1;
        }
        assert!(count > 3);
    }

    #[test]
    fn means_are_those_of_the_distributions_and_no_draw_is_above_the_bound() {
        let cases = [
            (NoiseDistribution::Uniform { max: 1000 }, 500),
            (NoiseDistribution::Outliers { one_in: 10, cycles: 5000 }, 500),
            (NoiseDistribution::Exponential { mean: 500 }, 500),
        ];
        for (distribution, mean) in cases {
            let noise = ComputeNoise { distribution, seed: 7, each: NoiseUnit::Stage };
            let draws = ProcessId::first(1 << 16).map(|process| noise.cycles(3, process));
            let sum: u64 = draws.inspect(|&draw| assert!(draw <= noise.most())).sum();
            assert!((sum >> 16).abs_diff(mean) < 15, "{distribution:?}: {}", sum >> 16);
        }
        for word in [0, 1, u64::MAX, 1 << 63] {
            let noise = ComputeNoise {
                distribution: NoiseDistribution::Exponential { mean: 9 },
                seed: 0,
                each: NoiseUnit::Stage,
            };
            assert!(noise.distribution.of_word(word) <= noise.most());
        }
    }
}
