//! Explicit routes: every message carries a list of channels; and the lists of Valiant.
//!
//! `docs/model.md` section 28.1. Asynchronous execution is that of section 5 with the lists in the place of routes, which
//! [`Problem::explicit`](super::problem::Problem) gives. Coordinated execution is the same stage by stage with `T_c = 1`.

use std::collections::BTreeMap;

use super::asynchronous::asynchronous;
use super::coordinated::CoordinatedOutcome;
use super::grid::{Channel, Sign};
use super::problem::{Message, Problem, Row};

/// The list of each message, by stage, source and destination; a message without one takes the route of the machine.
pub type Lists = BTreeMap<(usize, usize, usize), Vec<Channel>>;

/// Runs a problem in coordination, in each stage first all messages along their first lists, then along their second
/// ones, and so on.
pub fn coordinated_on_lists(problem: &Problem, phases: &[Lists]) -> CoordinatedOutcome {
    let mut outcome = CoordinatedOutcome {
        rows: Vec::new(),
        steps: Vec::new(),
        conflicts: Vec::new(),
        makespan: 0,
        hops: 0,
        messages: 0,
        busy_cycles: BTreeMap::new(),
    };
    for (stage, messages) in problem.stages.iter().enumerate() {
        let (mut steps, mut conflicts) = (0, 0);
        for lists in phases {
            let alone = alone(problem, stage, lists);
            let run = asynchronous(&alone);
            steps += run.makespan;
            conflicts += run.left_in_queues;
            outcome.hops += run.hops;
            for (link, crossings) in run.busy_cycles {
                *outcome.busy_cycles.entry(link).or_default() += problem.hop_cycles * crossings;
            }
        }
        let begin = outcome.makespan;
        let load = problem.largest_load();
        let length = |process: usize| {
            let ends = |&&(_, destination): &&(u32, u32)| index(destination) == process;
            let received = messages.iter().filter(ends);
            let links = received.map(|&(source, destination)| {
                let key = (stage, index(source), index(destination));
                phases.iter().map(|lists| links_of(lists, key)).sum::<u64>()
            });
            links.max()
        };
        let row = |process: usize| {
            let sharing = problem.compute_cycles * (load - 1);
            let ready = begin + problem.compute_cycles * load;
            let Some(longest) = length(process) else {
                return Row { sharing, ..Row::without_message(ready) };
            };
            let (transfer, moving) = (problem.hop_cycles * longest, problem.hop_cycles * steps);
            let start = ready + moving - transfer;
            Row {
                sharing,
                ready,
                start,
                finish: ready + moving,
                waiting: moving - transfer,
                transfer,
                blocked: 0,
            }
        };
        outcome.rows.push((0..problem.nodes.len()).map(row).collect());
        outcome.makespan = begin + problem.compute_cycles * load + problem.hop_cycles * steps;
        outcome.steps.push(steps);
        outcome.conflicts.push(conflicts);
        outcome.messages += messages.iter().map(|_| 1).sum::<u64>();
    }
    outcome
}

/// One stage alone, in which messages begin at cycle 0 and cross a link a cycle. Which node they leave makes no difference.
fn alone(problem: &Problem, stage: usize, lists: &Lists) -> Problem {
    let own = lists.iter().filter(|(key, _)| key.0 == stage);
    let moved = own.map(|(&(_, source, destination), list)| ((0, source, destination), list.clone()));
    Problem {
        hop_cycles: 1,
        compute_cycles: 0,
        passes: (0..problem.nodes.len()).map(|process| (0, process)).collect(),
        stages: vec![problem.stages[stage].clone()],
        explicit: Some(moved.collect()),
        ..problem.clone()
    }
}

fn links_of(lists: &Lists, key: (usize, usize, usize)) -> u64 {
    lists.get(&key).into_iter().flatten().map(|_| 1).sum()
}

/// The lists of the two phases of Valiant's routing for all messages between different nodes.
pub fn valiant(problem: &Problem, seed: u64) -> [Lists; 2] {
    let mut phases = [Lists::new(), Lists::new()];
    for message in problem.messages() {
        let key = (message.stage, message.source, message.destination);
        let (there, onward) =
            if problem.is_local(message) { (vec![], vec![]) } else { drawn(problem, seed, message) };
        phases[0].insert(key, there);
        phases[1].insert(key, onward);
    }
    phases
}

/// The lists one after another.
pub fn joined([there, onward]: &[Lists; 2]) -> Lists {
    let both = there.iter().map(|(key, list)| (*key, [list.clone(), onward[key].clone()].concat()));
    both.collect()
}

/// The two lists of a message, word by word as the page draws them.
fn drawn(problem: &Problem, seed: u64, message: Message) -> (Vec<Channel>, Vec<Channel>) {
    let number = |index: usize| u64::try_from(index).expect("a number of 64 bits");
    let [stage, source, destination] = [message.stage, message.source, message.destination].map(number);
    let word = |n: u64| mix(mix(mix(mix(mix(seed) ^ stage) ^ source) ^ destination) ^ n);
    let grid = &problem.grid;
    let c = grid.lengths.len();
    let mut node = problem.source_node(message);

    let mut list: Vec<usize> = (0..c).collect();
    for i in 0..c.saturating_sub(1) {
        let other = i + index64(word(number(i)) % number(c - i));
        list.swap(i, other);
    }
    let mut there = Vec::new();
    for (i, &j) in list.iter().enumerate() {
        let mut target = grid.coordinates(node);
        target[j] = word(number(c + i)) % grid.lengths[j];
        let route = grid.route(node, grid.index(&target), &problem.tie);
        node = grid.index(&target);
        there.extend(route);
    }

    let to = problem.destination_node(message);
    let mut ways: BTreeMap<usize, Sign> = BTreeMap::new();
    let mut onward = Vec::new();
    for h in 0.. {
        let (from, wanted) = (grid.coordinates(node), grid.coordinates(to));
        let differ: Vec<usize> = (0..c).filter(|&j| from[j] != wanted[j]).collect();
        if differ.is_empty() {
            break;
        }
        let j = differ[index64(word((1 << 32) + h) % number(differ.len()))];
        let sign = *ways.entry(j).or_insert_with(|| {
            let mut along = from.clone();
            along[j] = wanted[j];
            let leg = grid.next_leg(node, grid.index(&along), &problem.tie);
            leg.expect("the coordinates differ").sign
        });
        let channel = Channel { node, dimension: j, sign };
        onward.push(channel);
        node = grid.end(channel);
    }
    (there, onward)
}

/// The mixing of section 19.
fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn index(process: u32) -> usize {
    usize::try_from(process).expect("a process of a list")
}

fn index64(place: u64) -> usize {
    usize::try_from(place).expect("a place in a list")
}

#[cfg(test)]
mod tests {
    use super::{Lists, Problem, joined, valiant};
    use crate::asynchronous::asynchronous;
    use crate::explicit_routes::coordinated_on_lists;

    /// The nodes of a list, its end left out.
    fn nodes(lists: &Lists, source: usize, destination: usize) -> Vec<u64> {
        lists[&(0, source, destination)].iter().map(|channel| channel.node).collect()
    }

    #[test]
    fn the_example_of_the_page() {
        // Bit reversal on the 3-cube: 1 <-> 4 and 3 <-> 6.
        let problem = Problem::on_mesh(&[2, 2, 2], &[&[(1, 4), (3, 6), (4, 1), (6, 3)]]);
        let phases = valiant(&problem, 7);
        assert_eq!(nodes(&phases[0], 1, 4), [1, 5]);
        assert!(nodes(&phases[1], 1, 4).is_empty());
        assert_eq!(nodes(&phases[0], 3, 6), [3, 1]);
        assert_eq!(nodes(&phases[1], 3, 6), [5, 4]);
        assert_eq!(coordinated_on_lists(&problem, &phases[..1]).steps, [3]);
        assert_eq!(coordinated_on_lists(&problem, &phases[1..]).steps, [2]);
        let whole = Problem { explicit: Some(joined(&phases)), ..problem };
        assert_eq!(asynchronous(&whole).makespan, 4);
    }
}
