//! The parts into which a stage is split where several processes are on one node.
//!
//! `docs/model.md` section 6; `docs/errata.md` A9.

use super::super::problem::{Message, Problem};

/// The messages of a stage that are between nodes, in parts that are routed one after another.
///
/// With one process a node at most there is one part, whatever the messages are. Otherwise no two messages
/// of a part leave one node and no two are for one node: in the order of source and destination, each
/// message is in the first part that can take it. Where no two messages share a node in this way, that
/// is one part too. Messages within a node take no step and are in no part (`docs/errata.md` A9).
pub fn parts(problem: &Problem, messages: &[Message]) -> Vec<Vec<Message>> {
    let mut between_nodes = messages.to_vec();
    between_nodes.retain(|message| !problem.is_local(*message));
    between_nodes.sort();
    if problem.largest_load() <= 1 {
        return vec![between_nodes];
    }
    let mut parts = Vec::<Vec<Message>>::new();
    for message in between_nodes {
        let can_take = |part: &&mut Vec<Message>| !part.iter().any(|other| meet(problem, message, *other));
        match parts.iter_mut().find(can_take) {
            Some(part) => part.push(message),
            None => parts.push(vec![message]),
        }
    }
    parts
}

/// Whether two messages leave the same node or are for the same node.
fn meet(problem: &Problem, one: Message, other: Message) -> bool {
    problem.source_node(one) == problem.source_node(other)
        || problem.destination_node(one) == problem.destination_node(other)
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::{Problem, Row};
    use super::super::coordinated;
    use super::parts;

    /// A stage on a full-duplex line of three, process `n` on `nodes[n]`; `T_a = 4`, `T_c = 2`.
    fn stage(nodes: &[u64], messages: &[(u32, u32)]) -> Problem {
        Problem {
            hop_cycles: 2,
            compute_cycles: 4,
            nodes: nodes.to_vec(),
            ..Problem::on_mesh(&[3], &[messages])
        }
    }

    /// Source and destination of the messages of each part.
    fn ends(problem: &Problem) -> Vec<Vec<(usize, usize)>> {
        let ends =
            |part: Vec<_>| part.into_iter().map(|m: super::Message| (m.source, m.destination)).collect();
        parts(problem, &problem.messages()).into_iter().map(ends).collect()
    }

    #[test]
    fn each_message_is_in_the_first_part_that_can_take_it() {
        // 0 and 1 on node 0, 2 and 3 on node 1, 4 on node 2. 0 -> 2 (nodes 0, 1) first; 0 -> 4 (0, 2) leaves
        // node 0 too: second; 1 -> 3 (0, 1) meets both: third; 2 -> 0 (1, 0) meets none: first; 4 -> 1 (2, 0) is
        // for node 0 like 2 -> 0: second; 4 -> 3 (2, 1) meets 0 -> 2, 4 -> 1 and 1 -> 3: fourth.
        let messages = [(4, 3), (1, 3), (0, 4), (4, 1), (2, 0), (0, 2)];
        let problem = stage(&[0, 0, 1, 1, 2], &messages);
        let expected: [&[_]; 4] = [&[(0, 2), (2, 0)], &[(0, 4), (4, 1)], &[(1, 3)], &[(4, 3)]];
        assert_eq!(ends(&problem), expected);
        // one step, two steps, one, one; no two messages of a part want one channel
        let outcome = coordinated(&problem, None);
        assert_eq!((outcome.steps, outcome.conflicts), (vec![5], vec![0]));
        assert_eq!((outcome.hops, outcome.messages, outcome.makespan), (8, 6, 4 * 2 + 2 * 5));
    }

    #[test]
    fn messages_within_a_node_are_in_no_part() {
        // 0 -> 1 and 1 -> 0 stay on node 0, which 0 -> 2 leaves and 2 -> 1 is for.
        let problem = stage(&[0, 0, 1], &[(0, 1), (1, 0), (0, 2), (2, 1)]);
        assert_eq!(ends(&problem), [[(0, 2), (2, 1)]]);
        // Ready at 4 * 2 after sharing for 4; one step of 2. The farthest for 1 is 2 -> 1; 0 receives only
        // 1 -> 0, over no link, and waits for the step.
        let outcome = coordinated(&problem, None);
        assert_eq!((&outcome.steps[..], outcome.makespan, outcome.messages), (&[1][..], 10, 4));
        let row = Row { sharing: 4, ready: 8, start: 8, finish: 10, waiting: 0, transfer: 2, blocked: 0 };
        assert_eq!(outcome.rows[0][1], row);
        let row = Row { start: 10, waiting: 2, transfer: 0, ..row };
        assert_eq!(outcome.rows[0][0], row);
    }

    #[test]
    fn a_stage_within_nodes_takes_no_step() {
        let outcome = coordinated(&stage(&[0, 0, 1], &[(0, 1), (1, 0)]), None);
        assert_eq!((outcome.steps, outcome.makespan, outcome.hops), (vec![0], 8, 0));
        let row = Row { sharing: 4, ready: 8, start: 8, finish: 8, waiting: 0, transfer: 0, blocked: 0 };
        assert_eq!(outcome.rows[0], [row.clone(), row.clone(), row]);
    }

    #[test]
    fn with_one_process_a_node_a_stage_is_not_split() {
        // 0 -> 1, 0 -> 2 and 2 -> 1: 0 -> 1 and 0 -> 2 want one channel; one conflict, and 0 -> 2 arrives in
        // step 3. A fourth process that shares node 0 makes the stage one of three parts: 1 + 2 + 1 steps.
        let messages = [(0, 1), (0, 2), (2, 1)];
        let outcome = coordinated(&stage(&[0, 1, 2], &messages), None);
        assert_eq!((outcome.steps, outcome.conflicts), (vec![3], vec![1]));
        let outcome = coordinated(&stage(&[0, 1, 2, 0], &messages), None);
        assert_eq!((outcome.steps, outcome.conflicts), (vec![3], vec![0]));
    }
}
