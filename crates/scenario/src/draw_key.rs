//! Keys of random draws.
//!
//! A draw is keyed by its seed and the name of its task, never by the time at which it is made: one seed makes the same
//! choices for any order of runs and any number of threads. Changing a name of a task changes results.

use sha2::{Digest, Sha256};

/// The key of the generator for `task` under `seed`: the SHA-256 of both.
#[must_use]
pub fn generator_key(seed: u64, task: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"cubefold generator key");
    hash.update(seed.to_le_bytes());
    hash.update(task.as_bytes());
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_and_task_both_matter_and_nothing_else() {
        assert_eq!(generator_key(7, "a"), generator_key(7, "a"));
        assert_ne!(generator_key(7, "a"), generator_key(8, "a"));
        assert_ne!(generator_key(7, "a"), generator_key(7, "b"));
    }
}
