//! Memory that a run gives back is kept for the next one.
//!
//! The C library of Linux returns free memory at the end of its heap to the kernel as soon as there is more of it than twice
//! the greatest block that was ever freed of those that the kernel gave one by one (`mallopt(3)`, `M_MMAP_THRESHOLD`). A run of
//! half a millisecond has no such block of more than some hundred kibibytes: without a greater one the next run would wait for
//! the kernel to give every page again, up to a fifth of its time (`docs/performance.md`).

use std::hint::black_box;

/// A block that the kernel gives by itself \[bytes\].
const BLOCK: usize = 4 << 20;

/// Lets the C library keep up to 8 MiB of free memory for each thread, in which short runs that follow one another find all
/// of theirs; what longer runs free beyond that goes back as before. Other systems do as they like.
///
/// To be called first of all.
pub fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(BLOCK)));
}
