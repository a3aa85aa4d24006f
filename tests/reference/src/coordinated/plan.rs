//! Routing vectors as plain data: which subset each message is routed in, and its phase length.
//!
//! `docs/model.md` section 6; Tao 1988, 4.5.1.

use std::collections::BTreeMap;

use super::super::problem::{Message, Problem};
use super::parts::parts;

/// The number of each message in the routing vector, and the phase length of each number.
#[derive(Clone, Debug)]
pub struct RoutingPlan {
    /// For each stage, and each message of it as they are listed, the entry of the routing vector for the
    /// guest dimension that the message goes along.
    pub subset_of_message: Vec<Vec<u64>>,
    /// For each number the most links that a message moves in a phase, at least 1, or none where a phase
    /// has no limit.
    pub phase_length: BTreeMap<u64, Option<u64>>,
}

impl RoutingPlan {
    /// The plan without a routing vector: all messages of a stage have the same number.
    pub fn one_subset(problem: &Problem, phase_length: Option<u64>) -> Self {
        let ones = |stage: &Vec<(u32, u32)>| vec![1; stage.len()];
        Self {
            subset_of_message: problem.stages.iter().map(ones).collect(),
            phase_length: BTreeMap::from([(1, phase_length)]),
        }
    }

    /// Panics where a message has no number, or a number no phase length of at least 1 and not none.
    pub fn check(&self, problem: &Problem) {
        let of_plan = self.subset_of_message.iter().map(Vec::len);
        assert!(of_plan.eq(problem.stages.iter().map(Vec::len)), "each message has a number");
        for number in self.subset_of_message.iter().flatten() {
            let phase_length = self.phase_length.get(number).expect("each number has a phase length or none");
            assert_ne!(*phase_length, Some(0), "a phase moves messages");
        }
    }

    /// The subsets in which the messages of a stage, given as they are listed, are routed one after
    /// another, with their phase lengths.
    ///
    /// The stage is split into its parts first, and each part is taken by ascending numbers before the next
    /// part is begun.
    pub fn subsets(&self, problem: &Problem, messages: &[Message]) -> Vec<(Vec<Message>, Option<u64>)> {
        let number_of = |message: &Message| {
            let place = messages.iter().position(|other| other == message).expect("it is of this stage");
            self.subset_of_message[message.stage][place]
        };
        let mut subsets = Vec::new();
        for part in parts(problem, messages) {
            let mut by_number = BTreeMap::<u64, Vec<Message>>::new();
            for message in part {
                by_number.entry(number_of(&message)).or_default().push(message);
            }
            for (number, subset) in by_number {
                subsets.push((subset, self.phase_length[&number]));
            }
        }
        subsets
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::Problem;
    use super::super::coordinated_by_plan;
    use super::RoutingPlan;

    /// Steps of each stage on a full-duplex mesh, process `n` on `nodes[n]`, a message being given by its
    /// source, its destination and its number in the routing vector.
    fn steps(
        lengths: &[u64],
        nodes: &[u64],
        stages: &[&[(u32, u32, u64)]],
        phase_length: &[(u64, Option<u64>)],
    ) -> Vec<u64> {
        let ends = |stage: &&[(u32, u32, u64)]| stage.iter().map(|message| (message.0, message.1)).collect();
        let numbers = |stage: &&[(u32, u32, u64)]| stage.iter().map(|message| message.2).collect();
        let problem = Problem {
            nodes: nodes.to_vec(),
            stages: stages.iter().map(ends).collect(),
            ..Problem::on_mesh(lengths, &[])
        };
        let plan = RoutingPlan {
            subset_of_message: stages.iter().map(numbers).collect(),
            phase_length: phase_length.iter().copied().collect(),
        };
        coordinated_by_plan(&problem, &plan).steps
    }

    #[test]
    fn subsets_follow_one_another_with_phase_lengths_of_their_own() {
        // (3,2)-mesh: 0 = (0,0) to 2 = (2,0), and 3 = (0,1) to 1 = (1,0), which turns. Together without a limit:
        // a phase of 2 steps and one of 1. Together by phases of 1: 2 steps. Apart: 2 steps each.
        let length = [(2, None), (3, Some(1)), (7, None)];
        let stages: [&[_]; 4] = [
            &[(0, 2, 2), (3, 1, 2)],
            &[(0, 2, 3), (3, 1, 3)],
            &[(0, 2, 7), (3, 1, 3)],
            &[(0, 2, 3), (3, 1, 7)],
        ];
        assert_eq!(steps(&[3, 2], &[0, 1, 2, 3, 4, 5], &stages, &length), [3, 2, 4, 4]);
    }

    #[test]
    fn a_stage_is_split_where_processes_share_a_node_before_it_is_taken_by_numbers() {
        // Line of two, 0 and 1 on node 0, 2 and 3 on node 1. Parts: 0 -> 2 with 2 -> 0, then 1 -> 3. The first
        // part is taken as 2 -> 0 (number 1), then 0 -> 2 (number 2): three steps with 1 -> 3. By numbers
        // first it would have been two, as 2 -> 0 and 1 -> 3 share no node in the same way.
        let stage = [(0, 2, 2), (1, 3, 1), (2, 0, 1)];
        assert_eq!(steps(&[2], &[0, 0, 1, 1], &[&stage], &[(1, None), (2, None)]), [3]);
        // without the split it is what the numbers alone say: 2 -> 0 and 1 -> 3, then 0 -> 2
        assert_eq!(steps(&[2, 2], &[0, 2, 1, 3], &[&stage], &[(1, None), (2, None)]), [2]);
    }
}
