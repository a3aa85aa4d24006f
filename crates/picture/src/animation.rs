//! Messages that travel over the links of their machines, with several runs side by side on one clock: a self-contained
//! page, a section of the report page, and a picture of one cycle.
//!
//! The page holds the transmissions of the runs and a script that shows the transmissions of a cycle: a packet waits at
//! the node where its channel begins, or moves along the channel.

mod layout;
mod stage;
mod still;

use cubefold_records::FinishedRun;
use cubefold_runs::listed_transmissions;
use cubefold_scenario::Run;
use cubefold_simulator::Transmission;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::stage::scene;
pub(crate) use self::stage::{SCRIPT, STYLE};
pub use self::still::still;
use crate::{
    error::PictureError,
    page::{printable_lines, security_policy},
};

const PAGE_STYLE: &str = include_str!("animation/page.css");

/// The most runs that are animated side by side.
pub const MAX_ANIMATED_RUNS: usize = 4;

/// The most nodes of a machine that is animated.
pub const MAX_ANIMATED_NODES: u64 = 1024;

/// The most transmissions of all runs of an animation, about 2 MB.
pub const MAX_ANIMATED_TRANSMISSIONS: u64 = 100_000;

/// A run of an animation.
#[derive(Debug, Clone, Copy)]
pub struct AnimatedRun<'run> {
    /// Its name among the others.
    pub name: &'run str,
    /// The run.
    pub run: &'run Run,
    /// Its makespan \[cycles\].
    pub makespan: u64,
    /// Its transmissions, in the order of their starts, messages and packets.
    pub transmissions: &'run [Transmission],
}

impl<'run> AnimatedRun<'run> {
    /// A run that was executed with its transmissions.
    #[must_use]
    pub fn new(name: &'run str, run: &'run Run, finished: &'run FinishedRun) -> Self {
        let makespan = finished.outcome.summary.makespan().get();
        Self { name, run, makespan, transmissions: &finished.transmissions }
    }

    /// The transmissions by message, packet and start.
    fn by_packet(&self) -> Vec<&'run Transmission> {
        let mut ordered: Vec<&Transmission> = self.transmissions.iter().collect();
        ordered.sort_by_key(|one| (one.message, one.packet, one.begin));
        ordered
    }

    /// The time from the end of a packet's last transmission to its receipt \[cycles\]; 0 if links differ.
    fn latency(&self) -> u64 {
        let are_alike = self.run.machine.link_times().is_none();
        if are_alike { self.run.communication.latency().get() } else { 0 }
    }
}

/// Refuses runs that are too many or too large to be animated, before they are executed.
///
/// # Errors
///
/// When there are more than [`MAX_ANIMATED_RUNS`] runs, [`MAX_ANIMATED_NODES`] nodes, or [`MAX_ANIMATED_TRANSMISSIONS`]
/// transmissions.
pub fn check_animation<'run>(runs: impl ExactSizeIterator<Item = &'run Run>) -> Result<(), PictureError> {
    let mut transmissions: u64 = 0;
    if runs.len() > MAX_ANIMATED_RUNS {
        return Err(PictureError::TooManyAnimated { found: runs.len(), most: MAX_ANIMATED_RUNS });
    }
    for run in runs {
        let found = run.machine.node_count();
        if found > MAX_ANIMATED_NODES {
            return Err(PictureError::TooManyNodes { found, most: MAX_ANIMATED_NODES });
        }
        let listed = listed_transmissions(run, MAX_ANIMATED_TRANSMISSIONS).unwrap_or(0);
        transmissions = transmissions.saturating_add(listed);
    }
    if transmissions > MAX_ANIMATED_TRANSMISSIONS {
        let most = MAX_ANIMATED_TRANSMISSIONS;
        return Err(PictureError::TooManyTransmissions { found: transmissions, most });
    }
    Ok(())
}

/// The page on which runs of a scenario are animated side by side.
///
/// # Errors
///
/// When [`check_animation`] refuses the runs.
pub fn animation(scenario: &str, runs: &[AnimatedRun<'_>]) -> Result<String, PictureError> {
    Ok(printable_lines(&page(scenario, &checked_scene(runs)?).into_string()))
}

/// The part of another page on which runs are animated.
///
/// # Errors
///
/// When [`check_animation`] refuses the runs.
pub(crate) fn checked_scene(runs: &[AnimatedRun<'_>]) -> Result<Markup, PictureError> {
    check_animation(runs.iter().map(|animated| animated.run))?;
    Ok(scene(runs))
}

fn page(scenario: &str, scene: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(security_policy(&[SCRIPT]));
                title { (scenario) " · cubefold animation" }
                style { (PreEscaped(PAGE_STYLE)) (PreEscaped(STYLE)) }
            }
            body.animation data-colours="stage" {
                h1 { (scenario) }
                main { (scene) }
                footer { "cubefold " (env!("CARGO_PKG_VERSION")) }
                div #said .unseen aria-live="polite" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cubefold_runs::KeepRecords;
    use serde_json::Value;

    use super::*;
    use crate::support::{finished_with, runs};

    fn page_of(text: &str) -> (String, Vec<FinishedRun>) {
        let runs = runs(text);
        let all: Vec<FinishedRun> =
            runs.iter().map(|run| finished_with(run, KeepRecords::WithTransmissions)).collect();
        let animated: Vec<AnimatedRun<'_>> = runs
            .iter()
            .zip(&all)
            .map(|(run, finished)| AnimatedRun::new("one of them", run, finished))
            .collect();
        (animation("<b>a & b</b>", &animated).unwrap(), all)
    }

    /// The data of a page.
    fn data(page: &str) -> Value {
        let text =
            page.split("type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_page_holds_every_transmission() {
        let machines = [
            "kind = \"ring\"\nshape = [8]",
            "kind = \"torus\"\nshape = [4, 2]\npacket_units = 2\nlatency_cycles = 3",
            "kind = \"hypercube\"\nshape = [2, 2, 2]",
            "kind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 4\nspines = 2",
        ];
        for machine in machines {
            let program = "[program]\nkind = \"cc-cube\"\ndimensions = 3\nunits = 3\n";
            let names = if machine.contains("fat-tree") { "\"standard\"" } else { "\"standard\", \"xor\"" };
            let (page, all) =
                page_of(&format!("[machine]\n{machine}\n{program}[mapping]\nembeddings = [{names}]\n"));
            let data = data(&page);
            for (animated, finished) in data["runs"].as_array().unwrap().iter().zip(&all) {
                let number = |value: &Value| value.as_u64().unwrap();
                let mut found = vec![];
                for (place, message) in (0_u64..).zip(animated["messages"].as_array().unwrap()) {
                    for row in message[3].as_array().unwrap().chunks(5) {
                        let [packet, channel, joined, waited, took] =
                            std::array::from_fn(|at| number(&row[at]));
                        let link = &animated["links"][usize::try_from(channel / 2).unwrap()];
                        let mut ends = [number(&link[0]), number(&link[1])];
                        if channel % 2 == 1 {
                            ends.reverse();
                        }
                        let ids =
                            [place, number(&message[0]), number(&message[1]), number(&message[2]), packet];
                        found.push((ids, ends, [joined, joined + waited, joined + waited + took]));
                    }
                }
                let mut expected: Vec<_> = finished
                    .transmissions
                    .iter()
                    .map(|one| {
                        let (source, destination) =
                            (one.source.label().into(), one.destination.label().into());
                        let ids =
                            [one.message.into(), one.stage.into(), source, destination, one.packet.into()];
                        let ends = [one.from.index().into(), one.to.index().into()];
                        (ids, ends, [one.joined.get(), one.begin.get(), one.end.get()])
                    })
                    .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert!(!found.is_empty() && found == expected, "{machine}");
            }
        }
    }

    #[test]
    fn nothing_is_fetched_and_no_name_is_markup() {
        let (page, _) = page_of("machine = { kind = \"ring\", shape = [8] }\n");
        crate::page::assert_fetches_nothing(&page);
        assert!(!page.contains("<b>a") && page.contains("&lt;b&gt;a &amp; b&lt;/b&gt;"));
    }

    #[test]
    fn a_page_of_256_processes_and_8_stages_has_less_than_a_megabyte() {
        let (page, all) = page_of(
            "machine = { kind = \"torus\", shape = [16, 16] }\n[program]\nkind = \"cc-cube\"\n[mapping]\n\
             embeddings = [\"standard\", \"xor\"]\n",
        );
        assert_eq!(all[0].program.body.stage_count(), 8);
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let runs = runs("machine = { kind = \"torus\", shape = [64, 64] }\n");
        let refused = check_animation(runs.iter().take(1)).unwrap_err().to_string();
        assert_eq!(refused, "4096 nodes, expected at most 1024");
        let five = vec![&runs[0]; 5];
        let refused = check_animation(five.into_iter()).unwrap_err().to_string();
        assert_eq!(refused, "5 runs side by side, expected at most 4");
    }
}
