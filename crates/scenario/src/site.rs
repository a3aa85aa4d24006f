//! Programs to place and their machines, read without the embeddings of a scenario.

use std::{path::Path, sync::Arc};

use cubefold_formats::input::region::Region;
use cubefold_topology::{Coordinates, Machine, NodeId, Partition};

use super::{
    MAX_RUNS, ScenarioError, ScenarioErrors, ScenarioProgram, Setting, combination,
    draft::take_text,
    errors::{Errors, Findings, first_errors},
    library::Library,
    machine, program,
    settings::Settings,
    source_file::SourceFile,
    sweep::Sweep,
    unread,
    written::Written,
};

/// A program to place, and its machine.
#[derive(Debug, Clone)]
pub struct Site {
    /// The machine, or the inside of its partition.
    pub machine: Arc<Machine>,
    /// The partition of the machine, if there is one.
    pub partition: Option<Arc<Partition>>,
    /// The program.
    pub program: Arc<ScenarioProgram>,
}

impl Site {
    /// Coordinates of a node, on the whole machine if there is a partition.
    #[must_use]
    pub fn address(&self, node: NodeId) -> Coordinates {
        Region { machine: &self.machine, partition: self.partition.as_deref(), allocation: None }
            .address(node)
    }
}

/// Reads the sites of all combinations of a scenario, independently of its embeddings, from the file at
/// `path` or from a text in its place.
///
/// # Errors
///
/// The errors of the machine and the program.
pub fn load_sites(
    path: &Path,
    text: Option<&str>,
    settings: &[Setting],
    memory: u64,
) -> Result<Vec<Site>, ScenarioErrors> {
    let mut library = Library::with_memory(memory);
    let source = match text {
        Some(text) => Ok(SourceFile::excerpt(path, text.to_owned(), 0)),
        None => SourceFile::read_scenario(path, library.budget()),
    };
    let source = source.map_err(|error| vec![unread(path, &error)]);
    let sites = source.and_then(|source| Site::all(&source, settings, &mut library));
    sites.map_err(|errors| ScenarioErrors::new(first_errors(errors)))
}

impl Site {
    fn all(
        source: &Arc<SourceFile>,
        settings: &[Setting],
        library: &mut Library,
    ) -> Result<Vec<Self>, Vec<ScenarioError>> {
        let errors = Errors::default();
        take_text(source, library)?;
        let written = Written::scenario(source, settings, &errors)?;
        let sweep = Sweep::read(&written, &errors);
        let mut findings = Findings::new(source.path(), sweep.combination_count(), errors.take());
        let mut sites = vec![];
        for combination in sweep.combinations().take(usize::try_from(MAX_RUNS).unwrap_or(usize::MAX)) {
            let settings = Settings::new(&combination, &written, library);
            let section = machine::read(&settings, library);
            let program = program::read(&settings, &section, library).map(Arc::new);
            if let Some((machine, _, program)) = combination::together(&section, program.as_ref()) {
                let (machine, partition) = (Arc::clone(machine), section.partition.clone());
                sites.push(Self { machine, partition, program: Arc::clone(program) });
            }
            if !settings.errors().is_empty() {
                findings.add(&combination, settings.errors().take());
            }
        }
        findings.into_result()?;
        Ok(sites)
    }
}
