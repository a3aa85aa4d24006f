//! The section of the page on which messages travel over the links.

use cubefold_runs::listed_transmissions;
use cubefold_scenario::{Run, Scenario};
use maud::{Markup, html};

use super::{
    column::ReportedRun,
    figures::{MAX_NODES, settings_beside},
};
use crate::{
    animation::{AnimatedRun, MAX_ANIMATED_RUNS, checked_scene},
    error::PictureError,
};

/// The most transmissions of all runs that the page animates, about 400 kB.
const MAX_TRANSMISSIONS: u64 = 20_000;

/// The runs that the page animates, by their places: the first that is small enough, and those that differ from it in
/// embedding or algorithm alone, while all together are few and small.
#[must_use]
pub fn animated_in_report(runs: &[&Run]) -> Vec<usize> {
    let count = |run: &Run| {
        let fits = run.program.open_loop.is_none() && run.machine.node_count() <= MAX_NODES;
        let count = fits.then(|| listed_transmissions(run, MAX_TRANSMISSIONS)).flatten();
        count.filter(|&count| count <= MAX_TRANSMISSIONS)
    };
    let Some(first) = runs.iter().position(|run| count(run).is_some()) else { return vec![] };
    let (mut found, mut total) = (vec![], 0);
    let settings = settings_beside(runs[first]);
    let beside = (first..runs.len()).filter(|&place| settings_beside(runs[place]) == settings);
    for place in beside.take(MAX_ANIMATED_RUNS) {
        match count(runs[place]) {
            Some(transmissions) if total + transmissions <= MAX_TRANSMISSIONS => total += transmissions,
            _ => break,
        }
        found.push(place);
    }
    found
}

/// The section; `None` if no run has transmissions.
pub(super) fn animated_runs(
    scenario: &Scenario,
    runs: &[ReportedRun<'_>],
    animated: &[AnimatedRun<'_>],
) -> Result<Option<Markup>, PictureError> {
    let has_transmissions = |reported: &&ReportedRun<'_>| {
        reported.run.program.open_loop.is_none() && listed_transmissions(reported.run, 0).is_some()
    };
    let all = runs.iter().filter(has_transmissions).count();
    if all == 0 {
        return Ok(None);
    }
    let scene = if animated.is_empty() { None } else { Some(checked_scene(animated)?) };
    let left_out = all - animated.len();
    Ok(Some(html! {
        section #animation .animation data-colours="stage" {
            h2 { "Messages on the links" }
            p { "Every packet on the links of the machine, run beside run with one clock." }
            @if let Some(scene) = scene { (scene) }
            @if left_out > 0 {
                p.left-out {
                    "Left out, " (left_out) " of " (all) " runs: they are too many or too large for this page. Use "
                    code { "cubefold draw animation " (scenario.path.display()) " --run NUMBER --output animation.html" } "."
                }
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::runs;

    fn chosen(scenario: &str) -> Vec<usize> {
        let runs = runs(scenario);
        animated_in_report(&runs.iter().collect::<Vec<_>>())
    }

    const FOUR: &str =
        "[mapping]\nembeddings = [\"standard\", \"xor\", \"gray\", \"byweight\", \"optimal\"]\n";

    #[test]
    fn the_runs_beside_the_first_small_one_are_animated() {
        let torus = "machine = { kind = \"torus\", shape = [4, 4] }\n";
        assert_eq!(chosen(&format!("{torus}{FOUR}")), [0, 1, 2, 3]);
        let modes = "[sweep]\n\"execution.mode\" = [\"coordinated\", \"asynchronous\"]\n";
        let embeddings = "[mapping]\nembeddings = [\"standard\", \"xor\"]\n";
        let of_both = chosen(&format!("{torus}{embeddings}{modes}"));
        let all = runs(&format!("{torus}{embeddings}{modes}"));
        let modes: Vec<_> = of_both.iter().map(|&place| format!("{:?}", all[place].combination)).collect();
        assert_eq!(of_both.len(), 2);
        assert!(modes.iter().all(|mode| mode.contains("asynchronous") && *mode == modes[0]), "{modes:?}");
        let algorithms =
            "program = { kind = \"all-reduce\", algorithm = [\"ring\", \"swing\"], units = 16 }\n";
        assert_eq!(chosen(&format!("{torus}{algorithms}")), [0, 1]);
    }

    #[test]
    fn what_is_too_large_or_has_no_transmissions_is_not() {
        assert!(chosen(&format!("machine = {{ kind = \"torus\", shape = [32, 32] }}\n{FOUR}")).is_empty());
        let coordinated =
            "machine = { kind = \"torus\", shape = [4, 4] }\nexecution.mode = \"coordinated\"\n";
        assert!(chosen(&format!("{coordinated}{FOUR}")).is_empty());
        // Three runs of 256 processes in 8 stages fit: 30 links in all under standard, and 22 under xor and gray.
        let large = "machine = { kind = \"torus\", shape = [16, 16] }\n";
        assert_eq!(chosen(&format!("{large}{FOUR}")), [0, 1, 2]);
    }
}
