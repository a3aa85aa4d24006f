//! Gives the program the commit of its sources, and whether they differ from it. Without git, or outside a repository
//! of the sources, as in a published crate, it has neither.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The paths of the sources.
const SOURCES: [&str; 3] = ["crates", "Cargo.toml", "Cargo.lock"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(root) = root() else { return };
    // The list of places that HEAD was at grows with every commit.
    let moved = git(&root, &["rev-parse", "--git-path", "logs/HEAD"]).map(|path| root.join(path));
    let sources = SOURCES.map(|source| root.join(source));
    for path in sources.iter().chain(&moved).filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let status = [&["status", "--porcelain", "--untracked-files=no", "--"], &SOURCES[..]].concat();
    let (Some(commit), Some(changes)) = (git(&root, &["rev-parse", "HEAD"]), git(&root, &status)) else {
        return;
    };
    println!("cargo::rustc-env=CUBEFOLD_COMMIT={commit}");
    println!("cargo::rustc-env=CUBEFOLD_DIRTY={}", !changes.is_empty());
}

/// The root of the repository of this crate.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().ok()?;
    let found = git(&root, &["rev-parse", "--show-toplevel"])?;
    (Path::new(&found).canonicalize().ok()? == root && root.join("crates/cli/build.rs").exists())
        .then_some(root)
}

/// The output of git, without the line feed at its end.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").arg("--no-optional-locks").arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    Some(String::from_utf8(text).ok()?.trim_end().to_owned())
}
