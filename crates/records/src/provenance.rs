//! The origin of results: the program that made them, its command, and the digest of everything that decides their numbers
//! (`docs/model.md` section 30.10).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use cubefold_formats::input::text::hexadecimal;
use cubefold_scenario::{MODEL, NamedFile, Run};

/// The sources that a program was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Their commit in git; `None` if it was built without git.
    pub commit: Option<&'static str>,
    /// Whether they differed from the commit; `None` without git.
    pub dirty: Option<bool>,
}

/// The origin of results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The name of the program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// The commit that it was built from; `None` if it was built without git.
    pub commit: Option<String>,
    /// Whether its sources differed from the commit; `None` without git.
    pub dirty: Option<bool>,
    /// The number of its model.
    pub model: u32,
    /// The command, without options about output, threads and memory.
    pub command: String,
    /// The digest of the run, or of the digests of several.
    pub digest: String,
    /// The files that keys name.
    pub files: Vec<NamedFile>,
}

impl Provenance {
    /// The origin of the results of these runs.
    #[must_use]
    pub fn new(build: Build, command: String, runs: &RunDigests) -> Self {
        Self {
            program: "cubefold".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: build.commit.map(str::to_owned),
            dirty: build.dirty,
            model: MODEL,
            command,
            digest: runs.digest(),
            files: runs.files.iter().cloned().collect(),
        }
    }
}

/// The digests of the runs of a command, and the files that these name.
#[derive(Debug, Clone, Default)]
pub struct RunDigests {
    only: Option<String>, // of the first run, until there is another
    count: usize,
    all: Sha256,
    files: BTreeSet<NamedFile>,
}

impl RunDigests {
    /// Adds the next run.
    pub fn add(&mut self, run: &Run) {
        let digest = run.digest();
        self.all.update(format!("{digest}\n"));
        self.count += 1;
        self.only = (self.count == 1).then_some(digest);
        self.files.extend(run.named_files());
    }

    /// The digest of a single run, or the SHA-256 of the digests of several, each ended by a line feed.
    #[must_use]
    pub fn digest(&self) -> String {
        self.only.clone().unwrap_or_else(|| hexadecimal(&self.all.clone().finalize()))
    }
}
