//! Whether the program was started with its standard output closed (`cubefold run x.toml >&-`).
//!
//! Rust opens the null device in the place of a closed standard output before `main` begins. What is written is then lost
//! without an error, and a null device that the parent passed on purpose looks the same. So this crate looks earlier, in
//! a constructor of the program. It does so where the system lists the open files of a process; elsewhere no output
//! counts as closed.

#[cfg(unix)]
mod start {
    use std::{
        fs,
        sync::atomic::{AtomicBool, Ordering},
    };

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Notes whether file 1 is among the open files. It only asks for metadata, which needs nothing that `main` prepares.
    #[ctor::ctor(unsafe)]
    fn look() {
        let is_there = |path: &str| fs::symlink_metadata(path).is_ok();
        WAS_CLOSED.store(is_there("/dev/fd/") && !is_there("/dev/fd/1"), Ordering::Relaxed);
    }

    pub(crate) fn was_closed() -> bool {
        WAS_CLOSED.load(Ordering::Relaxed)
    }
}

/// Whether standard output was closed when the program began.
#[must_use]
pub fn was_closed() -> bool {
    #[cfg(unix)]
    return start::was_closed();
    #[cfg(not(unix))]
    false
}
