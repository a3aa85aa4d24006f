//! The keys of a scenario file.

/// A key of a scenario that holds one value, named by its path in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Name,
    Seed,
    MachineKind,
    MachineShape,
    MachineDimensions,
    MachineEdges,
    MachineLinks,
    MachineHopCycles,
    MachineWrap,
    MachinePartition,
    MachineFile,
    ProgramKind,
    ProgramDimensions,
    ProgramStages,
    ProgramComputeCycles,
    ProgramLoading,
    ProgramGuest,
    ProgramCommunication,
    ProgramSets,
    MappingEmbeddings,
    ExecutionMode,
    ExecutionTie,
    ExecutionEngine,
    ExecutionDimensionChoice,
    ExecutionPhases,
}

/// A part of a scenario file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    /// The keys before the first table.
    Top,
    Machine,
    Program,
    Mapping,
    Execution,
}

impl Key {
    /// Every key, in the order in which they are documented.
    pub(super) const ALL: [Self; 25] = [
        Self::Name,
        Self::Seed,
        Self::MachineKind,
        Self::MachineShape,
        Self::MachineDimensions,
        Self::MachineEdges,
        Self::MachineLinks,
        Self::MachineHopCycles,
        Self::MachineWrap,
        Self::MachinePartition,
        Self::MachineFile,
        Self::ProgramKind,
        Self::ProgramDimensions,
        Self::ProgramStages,
        Self::ProgramComputeCycles,
        Self::ProgramLoading,
        Self::ProgramGuest,
        Self::ProgramCommunication,
        Self::ProgramSets,
        Self::MappingEmbeddings,
        Self::ExecutionMode,
        Self::ExecutionTie,
        Self::ExecutionEngine,
        Self::ExecutionDimensionChoice,
        Self::ExecutionPhases,
    ];

    /// Its path, as a sweep writes it.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Seed => "seed",
            Self::MachineKind => "machine.kind",
            Self::MachineShape => "machine.shape",
            Self::MachineDimensions => "machine.dimensions",
            Self::MachineEdges => "machine.edges",
            Self::MachineLinks => "machine.links",
            Self::MachineHopCycles => "machine.hop_cycles",
            Self::MachineWrap => "machine.wrap",
            Self::MachinePartition => "machine.partition",
            Self::MachineFile => "machine.file",
            Self::ProgramKind => "program.kind",
            Self::ProgramDimensions => "program.dimensions",
            Self::ProgramStages => "program.stages",
            Self::ProgramComputeCycles => "program.compute_cycles",
            Self::ProgramLoading => "program.loading",
            Self::ProgramGuest => "program.guest",
            Self::ProgramCommunication => "program.communication",
            Self::ProgramSets => "program.sets",
            Self::MappingEmbeddings => "mapping.embeddings",
            Self::ExecutionMode => "execution.mode",
            Self::ExecutionTie => "execution.tie",
            Self::ExecutionEngine => "execution.engine",
            Self::ExecutionDimensionChoice => "execution.dimension_choice",
            Self::ExecutionPhases => "execution.phases",
        }
    }

    /// The part of the file that it stands in.
    pub(super) fn section(self) -> Section {
        let section = self.path().split_once('.').map_or("", |(section, _)| section);
        Section::TABLES.into_iter().find(|table| table.name() == section).unwrap_or(Section::Top)
    }

    /// Its key inside that part.
    pub(super) fn key(self) -> &'static str {
        self.path().split_once('.').map_or(self.path(), |(_, key)| key)
    }

    /// The one with this path.
    pub(super) fn with_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.path() == path)
    }

    /// The one with this key in a part of the file.
    pub(super) fn with_key(section: Section, key: &str) -> Option<Self> {
        Self::in_section(section).find(|setting| setting.key() == key)
    }

    /// Those of a part of the file.
    pub(super) fn in_section(section: Section) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |setting| setting.section() == section)
    }
}

impl Section {
    /// The tables.
    pub(super) const TABLES: [Self; 4] = [Self::Machine, Self::Program, Self::Mapping, Self::Execution];

    /// The name of the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Top => "",
            Self::Machine => "machine",
            Self::Program => "program",
            Self::Mapping => "mapping",
            Self::Execution => "execution",
        }
    }

    /// The table with this name.
    pub(super) fn with_name(name: &str) -> Option<Self> {
        Self::TABLES.into_iter().find(|table| table.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_of_sections_and_keys() {
        for setting in Key::ALL {
            assert_eq!(Key::with_path(setting.path()), Some(setting));
            assert_eq!(Key::with_key(setting.section(), setting.key()), Some(setting));
        }
        assert_eq!(Key::with_key(Section::Machine, "kind"), Some(Key::MachineKind));
        assert_eq!(Key::with_key(Section::Program, "kind"), Some(Key::ProgramKind));
        let top: Vec<_> = Key::in_section(Section::Top).collect();
        assert_eq!(top, [Key::Name, Key::Seed]);
    }
}
