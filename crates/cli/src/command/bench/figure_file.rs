//! Where figures are saved, and read from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubefold_experiment::benchmark::{SavedSet, Size};

use crate::{
    failure::Failure,
    output::{Output, is_same},
};

/// The folder of figures that are saved under a plain name.
const FOLDER: &str = ".cubefold/bench";

/// A file for figures, opened before anything is measured.
#[derive(Debug)]
pub(super) struct FigureFile(Output);

impl FigureFile {
    /// Opens the file of a name, which is not where the results go. The folder of plain names is made when needed.
    pub(super) fn open(name: &str, results: Option<&Path>) -> Result<Self, Failure> {
        let path = path_of(name);
        if results.is_some_and(|results| results == path || is_same(results, &path)) {
            let message = format!("both results and saved figures into {}", path.display());
            return Err(Failure::usage(message, "name two files with --output and --save"));
        }
        if path.starts_with(FOLDER) {
            fs::create_dir_all(FOLDER).map_err(|error| {
                let message = format!("cannot make the folder {FOLDER}: {error}");
                Failure::usage(message, "save the figures elsewhere, with a path after --save")
            })?;
        }
        Output::open(Some(&path), &[]).map(Self)
    }

    /// Writes the whole file.
    pub(super) fn write(self, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
        self.0.write(write)
    }
}

/// Reads the figures saved under a name, which must have been measured as this run measures.
pub(super) fn read(name: &str, size: Size, threads: usize) -> Result<SavedSet, Failure> {
    let path = path_of(name);
    let refused = |reason: String, help: &str| {
        Failure::usage(format!("cannot compare with {}: {reason}", path.display()), help)
    };
    let text = fs::read_to_string(&path)
        .map_err(|error| refused(error.to_string(), "save figures first, with bench --save NAME"))?;
    let set = SavedSet::read(&text).and_then(|set| set.check(size, threads).map(|()| set));
    set.map_err(|error| refused(error.to_string(), "save figures anew, with the same --quick and --threads"))
}

/// A path as it is when it has a separator or ends in .json; a plain name is a file in the folder for them.
fn path_of(name: &str) -> PathBuf {
    let path = Path::new(name);
    let is_path = name.contains(std::path::is_separator) || path.extension().is_some_and(|end| end == "json");
    if is_path { path.to_owned() } else { Path::new(FOLDER).join(format!("{name}.json")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_a_file_in_the_folder_and_a_path_is_a_path() {
        assert_eq!(path_of("main"), Path::new(".cubefold/bench/main.json"));
        assert_eq!(path_of("v1.2"), Path::new(".cubefold/bench/v1.2.json"));
        assert_eq!(path_of("main.json"), Path::new("main.json"));
        assert_eq!(path_of("./main"), Path::new("./main"));
        assert_eq!(path_of("/tmp/figures.json"), Path::new("/tmp/figures.json"));
    }
}
