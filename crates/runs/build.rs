//! Gives the crate a digest of what makes the records of runs: of its own sources and those of the crates below it.
//!
//! In a checkout these crates lie beside this one. Where it is built as published they do not, and their versions say as
//! much: what is published never changes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The folders of the crates whose code decides what a record holds.
const CRATES: [&str; 8] = [
    "../topology/src",
    "../mapping/src",
    "../simulator/src",
    "../collectives/src",
    "../search/src",
    "../formats/src",
    "../scenario/src",
    "../records/src",
];

fn main() -> io::Result<()> {
    let mut hash = Fnv::default();
    for folder in CRATES.into_iter().chain(["src"]).map(Path::new).filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        hash.add_folder(folder)?;
    }
    if !Path::new(CRATES[0]).is_dir() {
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
    }
    println!("cargo::rustc-env=CUBEFOLD_ENGINES_DIGEST={:016x}", hash.0);
    Ok(())
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo 1991): it recognises changes, and keeps no secrets.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds the names and lines of all source files under a folder, in the order of their names.
    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.add_folder(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.add(path.file_name().unwrap_or_default().as_encoded_bytes());
                for line in fs::read_to_string(&path)?.lines() {
                    self.add(b"\n");
                    self.add(line.as_bytes());
                }
            }
        }
        Ok(())
    }
}
