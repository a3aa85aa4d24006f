//! The fastest algorithm of a collective at each size of the vector, and the sizes at which it changes.
//!
//! Only runs that differ in the algorithm, its exchange or ports, the embedding and the size are compared;
//! each such set is a *setting*. A competitor is an algorithm, with its exchange and ports if a sweep sets
//! them and its embedding if there are several. Ties go to the first in the order of the runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::Serialize;

use cubefold_records::{RunCaption, RunRecord, grouped};
use cubefold_scenario::SweptValue;

/// The keys of the size of the vector.
const OF_SIZE: [&str; 2] = ["program.units", "program.bytes"];

/// The keys of an algorithm's variants, each with its name.
const OF_VARIANTS: [(&str, &str); 2] = [("program.exchange", "exchange"), ("program.ports", "ports")];

fn is_of_variants(path: &str) -> bool {
    OF_VARIANTS.iter().any(|(known, _)| *known == path)
}

/// The swept values of a run other than the algorithm, its exchange and its ports. Runs that agree in these
/// are rivals.
#[must_use]
pub fn settings_besides_algorithms(combination: &[SweptValue]) -> Vec<SweptValue> {
    let is_of_algorithm = |path: &str| path == "program.algorithm" || is_of_variants(path);
    combination.iter().filter(|(path, _)| !is_of_algorithm(path)).cloned().collect()
}

/// Whether each of [`OF_VARIANTS`] is swept.
fn swept_variants<'run>(combinations: impl Iterator<Item = &'run [SweptValue]>) -> [bool; 2] {
    let swept: BTreeSet<&str> = combinations.flatten().map(|(path, _)| &**path).collect();
    OF_VARIANTS.map(|(path, _)| swept.contains(path))
}

/// Words that follow "combination", such as " with any exchange and ports": the swept choices in which rivals may differ
/// besides the algorithm. Empty if none is swept.
#[must_use]
pub fn variants_in_words<'run>(combinations: impl Iterator<Item = &'run [SweptValue]>) -> String {
    let swept = OF_VARIANTS.iter().zip(swept_variants(combinations)).filter(|(_, is_swept)| *is_swept);
    let names: Vec<&str> = swept.map(|((_, name), _)| *name).collect();
    if names.is_empty() { String::new() } else { format!(" with any {}", names.join(" and ")) }
}

/// A run that competes with others.
#[derive(Debug, Clone, PartialEq)]
pub struct Competitor {
    /// Index of its run in the scenario.
    pub place: usize,
    /// Swept keys other than those that are compared.
    pub setting: Vec<SweptValue>,
    /// The algorithm, and the choices that distinguish it from others.
    pub name: String,
    /// The algorithm.
    pub algorithm: String,
    /// The size of the vector \[units\].
    pub units: u64,
    /// Size of the vector in bytes, if units have bytes.
    pub bytes: Option<u64>,
    /// Finish time of the last process \[cycles\].
    pub makespan_cycles: u64,
    /// The makespan in seconds.
    pub makespan_seconds: Option<f64>,
}

/// The algorithms in one setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlgorithmComparison {
    /// Swept keys other than those that are compared.
    pub setting: BTreeMap<Arc<str>, Arc<str>>,
    /// The competitor with which the others are compared.
    pub reference: String,
    /// The fastest at each size, the smallest size first.
    pub sizes: Vec<FastestAtSize>,
    /// Changes of the fastest.
    pub changes: Vec<FastestChange>,
}

/// The fastest competitor at one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FastestAtSize {
    /// The size of the vector \[units\].
    pub vector_units: u64,
    /// Size of the vector in bytes, if units have bytes.
    pub vector_bytes: Option<u64>,
    /// The fastest.
    pub fastest: String,
    /// Its makespan \[cycles\].
    pub makespan_cycles: u64,
    /// Its makespan in seconds.
    pub makespan_seconds: Option<f64>,
    /// The makespan of the reference at this size over that of the fastest.
    pub speed_up: Option<f64>,
    /// The second fastest, and the ratio of its makespan to that of the fastest.
    pub second: Option<(String, f64)>,
}

/// A change of the fastest between two sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FastestChange {
    /// The fastest at the smaller size.
    pub before: String,
    /// The fastest at the larger size.
    pub after: String,
    /// The smaller size \[units\].
    pub last_units: u64,
    /// The larger size \[units\]; one more than the smaller if the change is known to the unit.
    pub first_units: u64,
    /// The smaller size in bytes, if units have bytes.
    pub last_bytes: Option<u64>,
    /// The larger size in bytes, if units have bytes.
    pub first_bytes: Option<u64>,
}

impl Competitor {
    /// The competitors of a scenario: its runs of a collective with a vector.
    #[must_use]
    pub fn all<'run>(runs: impl Iterator<Item = (&'run RunCaption, &'run RunRecord)> + Clone) -> Vec<Self> {
        let combinations = runs.clone().map(|(caption, _)| &caption.combination[..]);
        let [names_exchange, names_ports] = swept_variants(combinations);
        let mut embeddings = runs.clone().map(|(_, record)| record.embedding.as_str());
        let first = embeddings.next();
        let names_embedding = embeddings.any(|embedding| Some(embedding) != first);
        let competitor = |(place, (caption, record)): (usize, (&RunCaption, &RunRecord))| {
            let collective = record.program.collective.as_ref()?;
            let words = [
                Some(collective.algorithm.to_string()),
                collective.exchange.as_ref().filter(|_| names_exchange).map(ToString::to_string),
                collective.ports.as_ref().filter(|_| names_ports).map(|ports| format!("ports {ports}")),
                names_embedding.then(|| format!("on {}", record.embedding)),
            ];
            let mut setting = settings_besides_algorithms(&caption.combination);
            setting.retain(|(path, _)| !OF_SIZE.contains(&&**path));
            Some(Self {
                place,
                setting,
                name: words.into_iter().flatten().collect::<Vec<_>>().join(" "),
                algorithm: collective.algorithm.to_string(),
                units: collective.vector_units?,
                bytes: collective.vector_bytes,
                makespan_cycles: record.makespan_cycles?,
                makespan_seconds: record.makespan_seconds,
            })
        };
        runs.enumerate().filter_map(competitor).collect()
    }
}

impl AlgorithmComparison {
    /// The comparisons of a scenario, one per setting. The reference is the first competitor with the
    /// algorithm `reference`, or else the first of all. Empty if there is only one algorithm.
    #[must_use]
    pub fn all(competitors: &[Competitor], reference: Option<&str>) -> Vec<Self> {
        let kind =
            |competitor: &Competitor| competitor.name.split(" on ").next().unwrap_or_default().to_owned();
        let Some(first) = competitors.first().map(kind) else { return vec![] };
        if competitors.iter().all(|competitor| kind(competitor) == first) {
            return vec![];
        }
        let settings = grouped(competitors.iter().map(|competitor| (&competitor.setting, competitor)));
        settings.iter().filter_map(|(_, all)| Self::of_setting(all, reference)).collect()
    }

    fn of_setting(competitors: &[&Competitor], reference: Option<&str>) -> Option<Self> {
        let is_reference = |competitor: &&&Competitor| Some(competitor.algorithm.as_str()) == reference;
        let reference = competitors.iter().find(is_reference).or(competitors.first())?;
        let mut by_size: BTreeMap<u64, Vec<&Competitor>> = BTreeMap::new();
        for &competitor in competitors {
            by_size.entry(competitor.units).or_default().push(competitor);
        }
        let sizes: Vec<FastestAtSize> =
            by_size.values().filter_map(|rivals| FastestAtSize::of(rivals, &reference.name)).collect();
        let changes = sizes.windows(2).filter(|pair| pair[0].fastest != pair[1].fastest);
        let change = |pair: &[FastestAtSize]| FastestChange {
            before: pair[0].fastest.clone(),
            after: pair[1].fastest.clone(),
            last_units: pair[0].vector_units,
            first_units: pair[1].vector_units,
            last_bytes: pair[0].vector_bytes,
            first_bytes: pair[1].vector_bytes,
        };
        Some(Self {
            setting: reference.setting.iter().cloned().collect(),
            reference: reference.name.clone(),
            changes: changes.map(change).collect(),
            sizes,
        })
    }
}

impl FastestAtSize {
    fn of(competitors: &[&Competitor], reference: &str) -> Option<Self> {
        let fastest = competitors.iter().min_by_key(|competitor| competitor.makespan_cycles)?;
        let ratio = |competitor: &Competitor| {
            cubefold_records::exact_mean(competitor.makespan_cycles.into(), fastest.makespan_cycles.into())
        };
        // The same algorithm on another placement that makes no difference is no rival.
        let is_equal = |competitor: &Competitor| {
            competitor.algorithm == fastest.algorithm && competitor.makespan_cycles == fastest.makespan_cycles
        };
        let others =
            competitors.iter().filter(|competitor| competitor.name != fastest.name && !is_equal(competitor));
        let second = others.min_by_key(|competitor| competitor.makespan_cycles);
        Some(Self {
            vector_units: fastest.units,
            vector_bytes: fastest.bytes,
            fastest: fastest.name.clone(),
            makespan_cycles: fastest.makespan_cycles,
            makespan_seconds: fastest.makespan_seconds,
            speed_up: competitors
                .iter()
                .find(|competitor| competitor.name == reference)
                .and_then(|competitor| ratio(competitor)),
            second: second.and_then(|second| Some((second.name.clone(), ratio(second)?))),
        })
    }
}

impl FastestChange {
    /// Locates the changes between its two sizes to the unit, by calling `fastest_at` for sizes between; at
    /// least one.
    ///
    /// The fastest is assumed constant between two requested sizes at which it is the same, so one that is
    /// the fastest for less than half of an interval can be missed.
    ///
    /// # Errors
    ///
    /// The first error of `fastest_at`.
    pub fn to_the_unit<E>(
        &self,
        mut fastest_at: impl FnMut(u64) -> Result<String, E>,
    ) -> Result<Vec<Self>, E> {
        let bytes_of_unit = self.first_bytes.map(|bytes| bytes.div_ceil(self.first_units.max(1)));
        let in_bytes = |units: u64| bytes_of_unit.and_then(|bytes| bytes.checked_mul(units));
        let (mut found, mut start, mut before) = (vec![], self.last_units, self.before.clone());
        loop {
            let (mut last, mut first, mut after) = (start, self.first_units, self.after.clone());
            while first - last > 1 {
                let middle = last + (first - last) / 2;
                let fastest = fastest_at(middle)?;
                if fastest == before {
                    last = middle;
                } else {
                    (first, after) = (middle, fastest);
                }
            }
            let is_last = after == self.after;
            found.push(Self {
                before,
                after: after.clone(),
                last_units: last,
                first_units: first,
                last_bytes: in_bytes(last),
                first_bytes: in_bytes(first),
            });
            if is_last {
                return Ok(found);
            }
            (start, before) = (first, after);
        }
    }

    /// Whether the change is known to the unit.
    #[must_use]
    pub fn is_to_the_unit(&self) -> bool {
        self.first_units - self.last_units == 1
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use cubefold_records::size_in_words;

    fn competitor(name: &str, units: u64, makespan_cycles: u64) -> Competitor {
        Competitor {
            place: 0,
            setting: vec![],
            name: name.to_owned(),
            algorithm: name.split(' ').next().unwrap().to_owned(),
            units,
            bytes: Some(units * 64),
            makespan_cycles,
            makespan_seconds: None,
        }
    }

    /// Makespans of three algorithms of the form `latency + units / rate`, in the order of sizes at which
    /// they are the fastest.
    fn makespans(units: u64) -> [(&'static str, u64); 3] {
        [("whole", 100 + 10 * units), ("swing", 400 + 4 * units), ("ring", 3000 + units)]
    }

    fn fastest(units: u64) -> String {
        makespans(units).into_iter().min_by_key(|(_, makespan)| *makespan).unwrap().0.to_owned()
    }

    #[test]
    fn the_same_algorithm_is_second_only_where_its_placement_makes_a_difference() {
        let second = |on_block: u64| {
            let all = [("ring on standard", 10), ("ring on block", on_block), ("direct on standard", 30)];
            let all: Vec<Competitor> =
                all.into_iter().map(|(name, makespan)| competitor(name, 8, makespan)).collect();
            AlgorithmComparison::all(&all, None).remove(0).sizes[0].second.clone().unwrap().0
        };
        assert_eq!((second(10).as_str(), second(20).as_str()), ("direct on standard", "ring on block"));
    }

    #[test]
    fn the_fastest_of_each_size_is_named_with_its_speed_up() {
        let sizes = [8, 1000, 100];
        let all: Vec<Competitor> = sizes
            .iter()
            .flat_map(|&units| makespans(units).map(|(name, makespan)| competitor(name, units, makespan)))
            .collect();
        let comparison = AlgorithmComparison::all(&all, Some("ring")).remove(0);
        let named: Vec<(u64, &str)> =
            comparison.sizes.iter().map(|size| (size.vector_units, size.fastest.as_str())).collect();
        assert_eq!(named, [(8, "whole"), (100, "swing"), (1000, "ring")]);
        assert_eq!(comparison.sizes[0].speed_up, Some(3008.0 / 180.0));
        assert_eq!(comparison.sizes[0].second, Some(("swing".to_owned(), 432.0 / 180.0)));
        let changes: Vec<(&str, &str, u64, u64)> = comparison
            .changes
            .iter()
            .map(|change| {
                (change.before.as_str(), change.after.as_str(), change.last_units, change.first_units)
            })
            .collect();
        assert_eq!(changes, [("whole", "swing", 8, 100), ("swing", "ring", 100, 1000)]);
        assert_eq!(comparison.changes[0].last_bytes, Some(512));
    }

    #[test]
    fn sizes_are_said_in_whole_units() {
        let said = [(1, None), (3, None), (1, Some(100)), (1, Some(65_536)), (1, Some(3 << 40))]
            .map(|(units, bytes)| size_in_words(units, bytes));
        assert_eq!(said, ["1 unit", "3 units", "100 B", "64 KiB", "3 TiB"]);
    }

    #[test]
    fn one_algorithm_is_no_comparison_and_settings_stand_apart() {
        let embeddings = [competitor("ring on standard", 1, 9), competitor("ring on xor", 1, 8)];
        assert!(AlgorithmComparison::all(&embeddings, None).is_empty());
        assert!(AlgorithmComparison::all(&[], None).is_empty());
        let of = |setting: &str, name: &str, makespan| Competitor {
            setting: vec![("machine.links".into(), setting.into())],
            ..competitor(name, 1, makespan)
        };
        let all = [of("a", "ring", 5), of("a", "swing", 4), of("b", "ring", 3), of("b", "swing", 4)];
        let fastest: Vec<String> = AlgorithmComparison::all(&all, None)
            .iter()
            .map(|comparison| {
                format!("{} {}", comparison.setting["machine.links"], comparison.sizes[0].fastest)
            })
            .collect();
        assert_eq!(fastest, ["a swing", "b ring"]);
    }

    #[test]
    fn bisected_changes_are_those_of_every_size() {
        let linear: Vec<(u64, String, String)> = (1..2000)
            .filter(|&units| fastest(units) != fastest(units + 1))
            .map(|units| (units, fastest(units), fastest(units + 1)))
            .collect();
        assert_eq!(linear.len(), 2);
        for (last_units, first_units) in [(1, 2000), (7, 1500), (40, 900)] {
            let whole = FastestChange {
                before: fastest(last_units),
                after: fastest(first_units),
                last_units,
                first_units,
                last_bytes: None,
                first_bytes: Some(first_units * 64 - 3),
            };
            let mut asked = 0;
            let found = whole
                .to_the_unit(|units| {
                    asked += 1;
                    Ok::<String, Infallible>(fastest(units))
                })
                .unwrap();
            let named: Vec<(u64, String, String)> = found
                .iter()
                .map(|change| (change.last_units, change.before.clone(), change.after.clone()))
                .collect();
            assert_eq!(named, linear);
            assert!(found.iter().all(FastestChange::is_to_the_unit));
            assert_eq!(found[0].last_bytes, Some(found[0].last_units * 64));
            assert!(asked <= 22, "{asked}");
        }
    }
}
