//! `cubefold export`: the program of a scenario in the format of another tool.

use std::{collections::BTreeSet, fs, io::Write, path::Path};

use cubefold_runs::{
    check_export,
    tools::program_files::{ProgramFormat, ProgramOptions},
};

use crate::{
    arguments::{ExportOptions, SharedOptions},
    failure::Failure,
    format::{ExportFormat, OutputFormat},
    grouping::{one_run, refuse_open_loop},
    output::{Output, say},
};

pub(super) fn export(options: &ExportOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ExportFormat::decide(options.format, shared.output())?.0;
    let scenarios = options.run.scenario.load(shared)?;
    let run = one_run(&scenarios, &options.run)?;
    refuse_open_loop([run], "messages")?;
    check_export(run, format, shared.resources()).map_err(Failure::Refused)?;
    if options.runtime.is_some() && format != ProgramFormat::MSCCL_XML {
        let message = format!("--runtime for {}, expected --format msccl-xml", format.name());
        return Err(Failure::usage(message, "leave out --runtime"));
    }
    let runtime = options.runtime.map(|runtime| runtime.0);
    let written = format.write_with(run, ProgramOptions { runtime }).map_err(|error| {
        Failure::usage(error.to_string(), "change the scenario, or name another --format")
    })?;
    if format.is_folder() {
        let folder = Folder::open(format, shared)?;
        let names: BTreeSet<&str> = written.files.iter().map(|(name, _)| name.as_ref()).collect();
        folder.refuse_other_ranks(&names)?;
        let mut outputs = vec![];
        for (name, content) in &written.files {
            let path = folder.path.join(name);
            let mut output = Output::open_path(Some(&path), shared.existing(), &scenarios)?;
            output.add(|output| output.write_all(content))?;
            outputs.push(output.reserve()?);
        }
        // All files are on disk under temporary names; moving them into place needs no more space.
        outputs.into_iter().try_for_each(Output::finish)?;
        folder.keep();
    } else {
        let output = Output::open(shared, &scenarios)?;
        output.write(|output| written.files.iter().try_for_each(|(_, content)| output.write_all(content)))?;
    }
    if !shared.quiet {
        for note in &written.notes {
            say(&format!("note: {note}"));
        }
    }
    Ok(())
}

/// The folder of the files, which is removed again if it was created and they are not complete.
struct Folder<'path> {
    path: &'path Path,
    is_new: bool,
}

impl<'path> Folder<'path> {
    /// The folder that `--output` names, created if it does not exist.
    fn open(format: ProgramFormat, shared: &'path SharedOptions) -> Result<Self, Failure> {
        let Some(path) = shared.output().filter(|path| *path != Path::new("-")) else {
            let message = format!("--format {} without a folder, expected --output FOLDER", format.name());
            return Err(Failure::usage(message, "it has a file for each process"));
        };
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|error| Failure::unwritable(path, &error))?;
        Ok(Self { path, is_new })
    }

    /// Refuses a folder with files of more ranks, which would be read with those written.
    fn refuse_other_ranks(&self, names: &BTreeSet<&str>) -> Result<(), Failure> {
        let unnumbered = |name: &str| name.replace(|sign: char| sign.is_ascii_digit(), "");
        let forms: BTreeSet<String> = names.iter().map(|name| unnumbered(name)).collect();
        let entries = fs::read_dir(self.path).map_err(|error| Failure::unwritable(self.path, &error))?;
        let found = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let other =
            found.filter(|name| !names.contains(name.as_str()) && forms.contains(&unnumbered(name))).min();
        other.map_or(Ok(()), |name| {
            let message =
                format!("{name} is of another program: it would be read with the files of this one");
            Err(Failure::usage(message, "delete the files in the folder, or name another with --output"))
        })
    }

    /// Keeps it: its files are complete.
    fn keep(mut self) {
        self.is_new = false;
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        if self.is_new {
            // A folder with other files is kept.
            let _ = fs::remove_dir(self.path);
        }
    }
}
