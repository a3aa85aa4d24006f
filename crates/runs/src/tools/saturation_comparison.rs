//! The loads at which open-loop traffic saturates, setting by setting, and the setting that saturates last
//! (`docs/model.md` section 27).

use cubefold_records::{RunCaption, RunRecord, grouped};
use cubefold_scenario::{SweptValue, named_value};

/// The key that settings do not have.
const LOAD: &str = "program.load";

/// The load at which the runs of one setting saturate \[units a terminal a cycle\].
#[derive(Debug, Clone, PartialEq)]
pub struct SaturationRange {
    /// The swept values other than the load in which settings differ; empty if there is one setting.
    pub name: String,
    /// The pattern of the traffic: settings of several are not compared.
    pub pattern: String,
    /// The highest load below saturation, of a search or among the runs.
    pub stable: Option<f64>,
    /// The lowest load that saturates, of a search or among the runs.
    pub saturated: Option<f64>,
    /// The highest load of a run that does not saturate although a lower one does.
    pub stable_again: Option<f64>,
    /// Whether a search found it.
    pub is_searched: bool,
}

/// The names of runs by the swept values in which they differ, except for the key `besides`.
#[must_use]
pub fn names_besides<V: AsRef<str>>(runs: &[Vec<(V, V)>], besides: &str) -> Vec<String> {
    let value = |setting: &[(V, V)], path: &str| {
        setting.iter().find(|(known, _)| known.as_ref() == path).map(|(_, value)| value.as_ref().to_owned())
    };
    let mut paths: Vec<&str> = vec![];
    for (path, _) in runs.iter().flatten().filter(|(path, _)| path.as_ref() != besides) {
        if !paths.contains(&path.as_ref()) {
            paths.push(path.as_ref());
        }
    }
    paths.retain(|path| runs.windows(2).any(|two| value(&two[0], path) != value(&two[1], path)));
    let name = |setting: &Vec<(V, V)>| {
        let words = paths.iter().filter_map(|path| Some(named_value(path, &value(setting, path)?)));
        words.collect::<Vec<_>>().join(", ")
    };
    runs.iter().map(name).collect()
}

impl SaturationRange {
    /// The ranges of the runs of open-loop traffic of a scenario, in order of first occurrence.
    #[must_use]
    pub fn all<'run>(runs: impl Iterator<Item = (&'run RunCaption, &'run RunRecord)>) -> Vec<Self> {
        let runs: Vec<_> = runs
            .filter_map(|(caption, record)| Some((caption, record, record.open_loop.as_ref()?)))
            .collect();
        let settings: Vec<Vec<SweptValue>> =
            runs.iter().map(|(caption, ..)| caption.combination.to_vec()).collect();
        let mut found: Vec<(Self, Vec<f64>)> = vec![]; // with the loads that do not saturate
        for (name, (_, whole, record)) in names_besides(&settings, LOAD).into_iter().zip(runs) {
            let place = found.iter().position(|(known, _)| known.name == name).unwrap_or_else(|| {
                let pattern = whole.program.traffic.as_ref().map(|traffic| traffic.pattern.to_string());
                let pattern = pattern.unwrap_or_default();
                let none = Self {
                    name,
                    pattern,
                    stable: None,
                    saturated: None,
                    stable_again: None,
                    is_searched: false,
                };
                found.push((none, vec![]));
                found.len() - 1
            });
            let (range, stable) = &mut found[place];
            if let Some(searched) = &record.saturation_runs {
                let saturated = searched.iter().filter(|run| run.saturated.is_some()).map(|run| run.load);
                range.is_searched = true;
                stable.extend(record.saturation_load);
                range.saturated = saturated.min_by(f64::total_cmp);
            } else if record.measured.saturated.is_some() {
                range.saturated =
                    Some(range.saturated.map_or(record.measured.load, |load| load.min(record.measured.load)));
            } else {
                stable.push(record.measured.load);
            }
        }
        found.into_iter().map(|(range, stable)| range.with_stable(stable)).collect()
    }

    /// The range with the highest of the loads that do not saturate, below and above the lowest that does.
    fn with_stable(self, loads: Vec<f64>) -> Self {
        let end = self.saturated.unwrap_or(f64::INFINITY);
        let (below, above): (Vec<f64>, Vec<f64>) = loads.into_iter().partition(|load| *load < end);
        let highest = |loads: Vec<f64>| loads.into_iter().max_by(f64::total_cmp);
        Self { stable: highest(below), stable_again: highest(above), ..self }
    }

    /// The load in words, such as `between loads 0.42 and 0.44`; `None` if no run saturates.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        match (self.is_searched, self.stable, self.saturated) {
            (true, Some(load), Some(_)) => Some(format!("above load {}", short(load))),
            (false, Some(stable), Some(saturated)) => {
                Some(format!("between loads {} and {}", short(stable), short(saturated)))
            }
            (true, None, Some(saturated)) => {
                Some(format!("below load {}, the smallest load tried", short(saturated)))
            }
            (false, None, Some(saturated)) => Some(format!("below load {}", short(saturated))),
            (_, _, None) => None,
        }
    }

    /// A sentence on each setting, and one on the number of those beyond the first twelve.
    #[must_use]
    pub fn sentences(ranges: &[Self]) -> Vec<String> {
        const MAX_NAMED: usize = 12;
        let more = ranges.len().saturating_sub(MAX_NAMED);
        let more =
            (more > 0).then(|| format!("And {more} more, in saturated and saturation_load of --format csv."));
        ranges.iter().take(MAX_NAMED).map(Self::sentence).chain(more).collect()
    }

    fn sentence(&self) -> String {
        let subject = if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) };
        let verb = if self.name.is_empty() { "Saturates" } else { "saturates" };
        match (self.in_words(), self.stable) {
            (Some(words), _) => {
                let again = self.stable_again.map(|load| format!(", though not at {}", short(load)));
                format!("{subject}{verb} {words}{}.", again.unwrap_or_default())
            }
            (None, Some(load)) if self.is_searched => {
                let verb = if self.name.is_empty() { "Stable" } else { "stable" };
                format!("{subject}{verb} up to load {}, the largest load tried.", short(load))
            }
            (None, Some(load)) => {
                let verb = if self.name.is_empty() { "Does" } else { "does" };
                format!("{subject}{verb} not saturate up to load {}.", short(load))
            }
            (None, None) => format!("{subject}no load was run."),
        }
    }

    /// A sentence for each pattern on the settings that saturate last, unless fewer than two differ, or all saturate at
    /// one load.
    #[must_use]
    pub fn last_in_words(all: &[Self]) -> Vec<String> {
        let by_pattern = grouped(all.iter().map(|range| (&range.pattern, range)));
        by_pattern.iter().filter_map(|(_, of_one)| Self::last_of(of_one)).collect()
    }

    fn last_of(all: &[&Self]) -> Option<String> {
        let order = |range: &&Self| {
            let end =
                if range.is_searched && range.stable.is_some() { range.stable } else { range.saturated };
            range.saturated.and(end).unwrap_or(f64::INFINITY)
        };
        let greatest = all.iter().map(order).fold(f64::NEG_INFINITY, f64::max);
        let (last, others): (Vec<&Self>, Vec<&Self>) =
            all.iter().partition(|&one| order(one).total_cmp(&greatest).is_eq());
        if others.is_empty() {
            return None;
        }
        let names: Vec<&str> = last.iter().map(|range| range.name.as_str()).collect();
        let verb = if names.len() == 1 { "saturates" } else { "saturate" };
        let place = last.first().and_then(|range| range.in_words());
        let place = place.unwrap_or_else(|| "at no load tried".to_owned());
        Some(format!("{} {verb} last: {place}.", names.join(" and ")))
    }
}

/// A load with up to four decimals.
fn short(load: f64) -> String {
    let text = format!("{load:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, stable: Option<f64>, saturated: Option<f64>, is_searched: bool) -> SaturationRange {
        let (name, pattern) = (name.to_owned(), "uniform".to_owned());
        SaturationRange { name, pattern, stable, saturated, stable_again: None, is_searched }
    }

    #[test]
    fn runs_are_named_by_what_differs_except_for_the_load() {
        let run = |routing: &str, buffer: &str, load: &str| {
            [("execution.routing", routing), ("machine.router.buffer_units", buffer), (LOAD, load)]
                .map(|(path, value)| (path.to_owned(), value.to_owned()))
                .to_vec()
        };
        let runs = [run("\"valiant\"", "4", "0.1"), run("\"adaptive\"", "4", "0.2")];
        assert_eq!(names_besides(&runs, LOAD), ["valiant", "adaptive"]);
        let runs = [run("\"valiant\"", "4", "0.1"), run("\"valiant\"", "8", "0.2")];
        assert_eq!(names_besides(&runs, LOAD), ["buffer units 4", "buffer units 8"]);
        assert_eq!(names_besides(&runs[..1], LOAD), [""]);
    }

    #[test]
    fn loads_below_and_above_the_first_that_saturates_are_told_apart() {
        let found = range("ugal", None, Some(0.2), false).with_stable(vec![0.15, 0.3, 0.1]);
        assert_eq!((found.stable, found.stable_again), (Some(0.15), Some(0.3)));
        let stable = range("ugal", None, None, false).with_stable(vec![0.1, 0.3]);
        assert_eq!((stable.stable, stable.stable_again), (Some(0.3), None));
    }

    #[test]
    fn the_last_to_saturate_is_named_with_its_loads() {
        let all = [
            range("valiant", Some(0.2), Some(0.25), false),
            range("adaptive", Some(0.34), Some(0.36), false),
        ];
        assert_eq!(all[0].sentence(), "valiant: saturates between loads 0.2 and 0.25.");
        assert_eq!(
            SaturationRange::last_in_words(&all),
            ["adaptive saturates last: between loads 0.34 and 0.36."]
        );
        let open = [range("a", Some(0.3), None, false), range("b", None, Some(0.1), false)];
        assert_eq!(open[0].sentence(), "a: does not saturate up to load 0.3.");
        assert_eq!(SaturationRange::last_in_words(&open), ["a saturates last: at no load tried."]);
        assert_eq!(SaturationRange::last_in_words(&all[..1]), [] as [String; 0]);
        let other = SaturationRange { pattern: "tornado".to_owned(), ..all[1].clone() };
        assert_eq!(SaturationRange::last_in_words(&[all[0].clone(), other]), [] as [String; 0]);
        let again = SaturationRange { stable_again: Some(0.3), ..all[0].clone() };
        assert_eq!(again.sentence(), "valiant: saturates between loads 0.2 and 0.25, though not at 0.3.");
        let searched = [range("a", Some(0.4375), Some(0.5), true), range("b", Some(0.2), Some(0.25), true)];
        assert_eq!(SaturationRange::last_in_words(&searched), ["a saturates last: above load 0.4375."]);
        let ends = [range("a", None, Some(0.02), true), range("b", Some(1.0), None, true)];
        assert_eq!(ends[0].sentence(), "a: saturates below load 0.02, the smallest load tried.");
        assert_eq!(ends[1].sentence(), "b: stable up to load 1, the largest load tried.");
        assert_eq!(SaturationRange::last_in_words(&ends), ["b saturates last: at no load tried."]);
    }
}
