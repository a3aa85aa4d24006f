//! `cubefold draw animation`: a page on which the messages of runs travel, or a picture of one cycle.

use std::path::Path;

use cubefold_picture::{AnimatedRun, check_animation};
use cubefold_runs::{KeepRecords, check_runs};
use cubefold_scenario::{Run, Scenario};

use super::{finished, refused};
use crate::{
    arguments::{FileOption, SharedOptions},
    failure::Failure,
    format::{OutputFormat, PictureFormat, check_extension},
    grouping::{no_such_embedding, no_such_run, refuse_open_loop, run_names},
    output::Output,
};

/// Refuses formats and names of pictures for a page.
pub(super) fn check_page(format: Option<PictureFormat>, output: Option<&Path>) -> Result<(), Failure> {
    let extension = output.and_then(Path::extension).unwrap_or_default().to_string_lossy();
    if format.is_some() || PictureFormat::of_extension(&extension).is_some() {
        let message = "draw animation writes a page of HTML, not a picture";
        let help = "name a cycle with --cycle for a picture of it, or a file that ends in .html";
        return Err(Failure::usage(message, help));
    }
    check_extension(output, &["html", "htm"])
}

/// Executes the runs of a scenario requested by embedding or number, or all of them, and writes the result of `draw`.
/// The output is opened first.
pub(super) fn animate(
    file: &FileOption,
    (embeddings, numbers): (&[String], &[usize]),
    shared: &SharedOptions,
    draw: impl FnOnce(&str, &[AnimatedRun<'_>], Output) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let scenarios = file.load(shared)?;
    let runs = chosen(&scenarios[0], embeddings, numbers)?;
    let asked: Vec<&Run> = runs.iter().map(|run| run.1).collect();
    refuse_open_loop(asked.iter().copied(), "an animation")?;
    check_animation(asked.iter().copied()).map_err(refused)?;
    check_runs(&asked, shared.resources(), KeepRecords::WithTransmissions).map_err(Failure::Refused)?;
    let output = Output::open(shared, &scenarios)?;
    let finished = finished(&asked, KeepRecords::WithTransmissions, shared)?;
    let counted: Vec<_> =
        asked.iter().zip(&finished).map(|(run, finished)| finished.run_that_counts(run)).collect();
    let animated: Vec<AnimatedRun<'_>> = runs
        .iter()
        .zip(&counted)
        .zip(&finished)
        .map(|(((name, _), run), finished)| AnimatedRun::new(name, run, finished))
        .collect();
    draw(&scenarios[0].name, &animated, output)
}

/// The requested runs, with their names.
fn chosen<'run>(
    scenario: &'run Scenario,
    embeddings: &[String],
    numbers: &[usize],
) -> Result<Vec<(String, &'run Run)>, Failure> {
    let named: Vec<(String, &Run)> = run_names(&scenario.runs).into_iter().zip(&scenario.runs).collect();
    if let Some(number) = numbers.iter().find(|&&number| number >= named.len()) {
        return Err(no_such_run(*number, named.len()));
    }
    let of_embedding = |(_, run): &&(String, &Run), name: &str| run.embedding.to_string() == name;
    if let Some(name) = embeddings.iter().find(|name| !named.iter().any(|run| of_embedding(&run, name))) {
        let mut known: Vec<String> = named.iter().map(|(_, run)| run.embedding.to_string()).collect();
        known.dedup();
        return Err(no_such_embedding(name, &known));
    }
    if !numbers.is_empty() {
        return Ok(numbers.iter().map(|&number| named[number].clone()).collect());
    }
    if embeddings.is_empty() {
        return Ok(named);
    }
    let of_name =
        |name: &String| named.iter().filter(|run| of_embedding(run, name)).cloned().collect::<Vec<_>>();
    Ok(embeddings.iter().flat_map(of_name).collect())
}
