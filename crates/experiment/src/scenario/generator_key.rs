//! Keys of random generators.

use sha2::{Digest, Sha256};

/// Key of the generator for `task` under `seed`: the SHA-256 of both.
///
/// A task is named by its contents, never by its time, so that a seed makes the same choices in any order of
/// runs and for any number of threads.
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
