//! The cost without contention (section 15).

use super::StageProblem;

/// The largest finish by the recursion of section 15 \[cycles\].
pub fn predicted(problem: &StageProblem) -> u64 {
    let mut finishes = vec![0; problem.nodes.len()];
    for (stage, computations) in problem.computations.iter().enumerate() {
        let ready: Vec<u64> =
            finishes.iter().zip(computations).map(|(finish, computation)| finish + computation).collect();
        finishes.clone_from(&ready);
        for &message in problem.messages.iter().filter(|message| message.stage == stage) {
            let (source, destination) = (ready[message.source], ready[message.destination]);
            let begin = if problem.is_eager(message) { source } else { source.max(destination) };
            let own = &mut finishes[message.destination];
            *own = (*own).max(begin + problem.transfer(message));
        }
    }
    finishes.into_iter().max().unwrap_or(0)
}
