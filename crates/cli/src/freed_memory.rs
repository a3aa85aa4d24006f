//! Memory that a run gives back is kept for the next one.
//!
//! The C library of Linux returns free memory at the end of its heap to the kernel as soon as there is more of it than twice
//! the greatest block that was ever freed of those that the kernel gave one by one (`mallopt(3)`, `M_MMAP_THRESHOLD`). A run of
//! half a millisecond has no such block of more than some hundred kibibytes: without a greater one the next run would wait for
//! the kernel to give every page again, up to a fifth of its time (`docs/performance.md`).

use std::hint::black_box;

/// A block that the kernel gives by itself \[bytes\].
const BLOCK: usize = 1 << 20;

/// Lets the C library keep up to 2 MiB of free memory for each thread, in which short runs that follow one another find all
/// of theirs; what longer runs free beyond that goes back as before. Other systems do as they like.
///
/// To be called first of all.
pub fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(BLOCK)));
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    const BLOCKS: u8 = 10;
    const PAGES: u8 = 20;

    /// How many pages the kernel has given to this thread without reading them from anywhere.
    fn pages_given() -> Option<u64> {
        let figures = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        let (_, behind_name) = figures.rsplit_once(')')?;
        behind_name.split_whitespace().nth(7)?.parse().ok()
    }

    /// Fills blocks of some pages, and frees them.
    fn run() {
        drop(black_box([(); BLOCKS as usize].map(|()| vec![1_u8; usize::from(PAGES) * 4096])));
    }

    #[test]
    fn memory_is_found_that_was_freed_before() {
        keep_freed_memory();
        run();
        let before = pages_given().unwrap();
        (0..10).for_each(|_| run());
        assert!(pages_given().unwrap() - before < u64::from(BLOCKS) * u64::from(PAGES));
    }
}
