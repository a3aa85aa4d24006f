//! The competitors of a page: embeddings, algorithms of a collective, or both, in the same combination of everything
//! else.

use std::borrow::Cow;

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{RunCaption, grouped};
use cubefold_runs::{SaturationRange, settings_besides_algorithms, variants_in_words};

use super::column::ReportedRun;

/// The indices of the runs that differ only in the embedding and the algorithm, with its exchange and ports, group by
/// group in order of first occurrence.
fn groups(runs: &[ReportedRun<'_>]) -> Vec<Vec<usize>> {
    let settings = runs.iter().map(|run| settings_besides_algorithms(&run.run.combination));
    grouped(settings.zip(0..)).into_iter().map(|(_, places)| places).collect()
}

fn algorithm<'run>(run: &ReportedRun<'run>) -> Option<Cow<'run, str>> {
    run.run.algorithm()
}

/// The names under which runs compete: embedding or algorithm, whichever differs.
fn names(runs: &[ReportedRun<'_>]) -> Vec<String> {
    let embeddings: Vec<String> = runs.iter().map(|run| run.run.embedding.to_string()).collect();
    let has_algorithms = runs.windows(2).any(|pair| algorithm(&pair[0]) != algorithm(&pair[1]));
    let has_embeddings = embeddings.windows(2).any(|pair| pair[0] != pair[1]);
    let name = |(run, embedding): (&ReportedRun<'_>, String)| match algorithm(run).filter(|_| has_algorithms)
    {
        Some(algorithm) if has_embeddings => format!("{algorithm} on {embedding}"),
        Some(algorithm) => algorithm.into_owned(),
        None => embedding,
    };
    runs.iter().zip(embeddings).map(name).collect()
}

/// For each run, whether it takes the fewest cycles of its combination, while another takes more.
pub(super) fn fastest(runs: &[ReportedRun<'_>]) -> Vec<bool> {
    let mut fastest = vec![false; runs.len()];
    for group in groups(runs) {
        let makespan = |place: &usize| runs[*place].record.makespan_cycles;
        let (least, greatest) = (group.iter().map(makespan).min(), group.iter().map(makespan).max());
        for place in group.iter().filter(|place| least < greatest && Some(makespan(place)) == least) {
            fastest[*place] = true;
        }
    }
    fastest
}

/// The sentence on the meaning of ratios and marks; `None` if no run has a rival.
pub(super) fn ratios_in_words(runs: &[ReportedRun<'_>]) -> String {
    if groups(runs).iter().all(|group| group.len() < 2) {
        return String::new();
    }
    let names = names(runs);
    let of_algorithms = runs.iter().zip(&names).all(|(run, name)| algorithm(run).as_deref() == Some(name));
    let first = match names.first() {
        Some(first) if of_algorithms => format!("{first} in the same combination"),
        _ => "the first run of the same combination".to_owned(),
    };
    let variants = variants_in_words(runs.iter().map(|run| &run.run.combination[..]));
    format!(" Ratios are to {first}; the fewest cycles of each combination{variants} are marked with *.")
}

/// The sentences on the competitor with the fewest cycles, against the first one, or on the number of combinations won.
pub(super) fn sentences(runs: &[ReportedRun<'_>]) -> Vec<String> {
    let captions: Vec<RunCaption> = runs.iter().map(|run| RunCaption::new(run.run)).collect();
    let records = runs.iter().map(|run| &run.record);
    let ranges = SaturationRange::all(captions.iter().zip(records));
    if !ranges.is_empty() {
        let mut sentences = SaturationRange::sentences(&ranges);
        sentences.extend(SaturationRange::last_in_words(&ranges));
        return sentences;
    }
    let (groups, names) = (groups(runs), names(runs));
    match &groups[..] {
        [] => vec![],
        [_] => sentence(runs, &names).into_iter().collect(),
        several => sentences_over_combinations(runs, &names, several),
    }
}

/// The sentence on runs of one combination.
fn sentence(runs: &[ReportedRun<'_>], all_names: &[String]) -> Option<String> {
    let first = runs.first()?;
    let makespan = runs.iter().filter_map(|run| run.record.makespan_cycles).min()?;
    let is_best = |run: &ReportedRun<'_>| run.record.makespan_cycles == Some(makespan);
    let best: Vec<&ReportedRun<'_>> = runs.iter().filter(|run| is_best(run)).collect();
    let winners = runs.iter().zip(all_names).filter(|(run, _)| is_best(run));
    let names: Vec<&str> = winners.map(|(_, name)| name.as_str()).collect();
    let take = if names.len() == 1 { "takes" } else { "take" };
    let of_first = first.record.makespan_cycles?;
    let against = if makespan == of_first || makespan == 0 {
        String::new()
    } else {
        #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
        let times = of_first as f64 / makespan as f64;
        format!(", {times:.2}x faster than {}", all_names.first()?)
    };
    let bound = best.iter().find(|run| meets_bound(run)).map_or_else(String::new, |run| {
        // Some bounds are for their own placement.
        let record = &run.record;
        let source = record.lower_bound_source.as_deref().filter(|_| !record.has_bound_of_its_placement());
        source.map_or_else(
            || format!("; this meets {}", bound_in_words(run)),
            |source| format!("; no one-to-one placement in this model finishes earlier ({source})"),
        )
    });
    let seconds = best.first()?.record.makespan_seconds.map(engineering_seconds);
    let seconds = seconds.map_or_else(String::new, |seconds| format!(" ({seconds})"));
    Some(format!("{} {take} the fewest cycles: {makespan}{seconds}{against}{bound}.", in_words(&names)))
}

/// The kind of a run's lower bound.
fn bound_in_words(run: &ReportedRun<'_>) -> String {
    match (run.record.lower_bound_source.as_deref(), run.record.has_bound_of_its_placement()) {
        (Some(source), true) => format!("the {source} bound"),
        (Some(source), false) => format!("the lower bound of one-to-one placements ({source})"),
        (None, _) => "the lower bound".to_owned(),
    }
}

/// The lower bounds that runs meet, each with the number of runs; empty if there are none.
fn met_bounds<'run>(runs: impl Iterator<Item = &'run ReportedRun<'run>>) -> Option<String> {
    let met = grouped(runs.filter(|run| meets_bound(run)).map(|run| (bound_in_words(run), run)));
    let each: Vec<String> =
        met.into_iter().map(|(bound, runs)| format!("{bound} in {}", runs.len())).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    (!each.is_empty()).then(|| in_words(&each))
}

/// `one`, `one and another`, `one, another and a third`.
pub(super) fn in_words(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A sentence for each competitor that is the fastest somewhere, or meets the bound if it has no rival.
fn sentences_over_combinations(
    runs: &[ReportedRun<'_>],
    names: &[String],
    groups: &[Vec<usize>],
) -> Vec<String> {
    let all = groups.len();
    let have_rivals = groups.iter().any(|group| group.len() > 1);
    let mut different: Vec<&String> = vec![];
    for name in names {
        if !different.contains(&name) {
            different.push(name);
        }
    }
    let least = |group: &Vec<usize>| group.iter().map(|&place| runs[place].record.makespan_cycles).min();
    let sentence = |name: &String| {
        let wins = |group: &&Vec<usize>| {
            let mut of_name = group.iter().filter(|&&place| names[place] == *name);
            of_name.any(|&place| Some(runs[place].record.makespan_cycles) == least(group))
        };
        let times = groups.iter().filter(wins).count();
        let named = runs.iter().zip(names).filter(|(_, other)| *other == name);
        let met = met_bounds(named.map(|(run, _)| run));
        match (have_rivals, times, met) {
            (true, 1.., met) => {
                let bound = met.map_or_else(String::new, |met| format!("; meets {met}"));
                Some(format!("{name} takes the fewest cycles in {times} of {all} combinations{bound}."))
            }
            (false, _, Some(met)) => Some(format!("{name} meets {met} of {all} combinations.")),
            _ => None,
        }
    };
    different.into_iter().filter_map(sentence).collect()
}

fn meets_bound(run: &ReportedRun<'_>) -> bool {
    run.record.lower_bound_cycles.is_some() && run.record.lower_bound_cycles == run.record.makespan_cycles
}
