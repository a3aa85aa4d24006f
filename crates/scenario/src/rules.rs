//! Keys that do not go together: the one list of rules that refuse a key because of others.
//!
//! The reader of a key asks [`Settings::obeys`] first. A rule of a whole scenario, such as one of open loops, is
//! reported once, where the scenario is read ([`report`]). Limits that a machine or a program sets for a value are in
//! its reader.

use super::{errors::ScenarioError, keys::Key, settings::Settings};

/// Keys that are refused for the same reason.
struct Rule {
    keys: &'static [Key],
    case: Case,
    /// The problem, and what is expected; `{}` is the key, `{other}` the key that refuses it.
    message: &'static str,
    /// The label at the key's value; `{other}` is the name of the key that refuses it.
    label: &'static str,
    /// The label at the value of the key that refuses it; `{other}` is its name.
    because: &'static str,
    /// The help; empty if the message says it.
    help: &'static str,
}

/// The cases in which keys are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Another key is also set.
    Beside(Key),
    /// Another key is set in the same layer; otherwise the higher layer counts.
    InLayerOf(Key),
    /// The same in other measures is set in the same layer; otherwise the higher layer counts.
    InOtherMeasures(Key),
    /// Another key is set in the same layer or a lower one.
    Over(Key),
    /// Another key is set in the same layer or a higher one.
    Under(Key),
    /// Another key is not set.
    Without(Key),
    /// The program is open-loop traffic.
    OpenLoop,
    /// The machine has unlimited queues, and no higher layer sets that.
    WithoutRouters,
    /// The machine has routers with finite buffers.
    WithRouters,
}

/// An empty text of a rule.
const NOTHING: &str = "";

static RULES: &[Rule] = &[
    Rule {
        keys: &[Key::MachineAllocation],
        case: Case::Beside(Key::MachinePartition),
        message: "{} beside machine.partition, expected one of them",
        label: "with a partition beside it",
        because: "the partition",
        help: "remove one of them",
    },
    Rule::either(&[Key::MachineHopCycles, Key::MachineLatencyCycles], Key::MachineLink),
    Rule::either(&[Key::MachineLocalLatencyCycles, Key::MachineLocalUnitCycles], Key::MachineLocal),
    Rule::either(&[Key::ProgramBytes], Key::ProgramUnits),
    Rule::either(&[Key::ProgramCompute], Key::ProgramComputeCycles),
    Rule::either(&[Key::ProgramMessageCost], Key::ProgramMessageCostCycles),
    Rule::either(&[Key::ProgramStartup], Key::ProgramStartupCycles),
    Rule {
        keys: &[Key::MachineDimensions],
        case: Case::InLayerOf(Key::MachineShape),
        message: "both machine.shape and {}, expected one of them",
        label: "with a shape beside it",
        because: "the shape",
        help: NOTHING,
    },
    Rule {
        keys: &[Key::MachineNicsPerNode],
        case: Case::Without(Key::MachineOutside),
        message: "{} without machine.outside, expected links that NICs lead to",
        label: "lead nowhere",
        because: NOTHING,
        help: NOTHING,
    },
    Rule {
        keys: &[Key::ProgramRings],
        case: Case::Without(Key::ProgramChannels),
        message: "{} without program.channels, expected both",
        label: "orders of the devices on channels",
        because: NOTHING,
        help: "add channels = .., such as the number of the rings",
    },
    Rule {
        keys: &[Key::ProgramUnits, Key::ProgramBytes],
        case: Case::Over(Key::ProgramCells),
        message: "both {} and cells, expected one of them",
        label: "with cells beside it",
        because: "the cells",
        help: NOTHING,
    },
    Rule {
        keys: &[Key::ProgramLoad],
        case: Case::InLayerOf(Key::ProgramSaturation),
        message: "both {} and program.saturation, expected one of them",
        label: "with saturation beside it",
        because: "the search",
        help: "remove one of them",
    },
    Rule {
        keys: &[Key::ExecutionRoutes],
        case: Case::Under(Key::ExecutionRouting),
        message: "both {} and execution.routing, expected one of them",
        label: "routes from a file",
        because: "the routing",
        help: "remove one of them",
    },
    Rule::in_open_loop(&[Key::MachinePacketUnits], "a packet is a message: program.sizes has its size"),
    Rule::in_open_loop(
        &[
            Key::ProgramComputeCycles,
            Key::ProgramCompute,
            Key::ProgramMessageCostCycles,
            Key::ProgramMessageCost,
            Key::ProgramLoading,
        ],
        "nothing computes",
    ),
    Rule::in_open_loop(&[Key::ExecutionEagerUnits], "packets wait for no destination"),
    Rule {
        help: "remove [mapping]",
        ..Rule::in_open_loop(
            &[Key::MappingEmbeddings, Key::MappingSpareNodes],
            "every terminal has traffic of its own",
        )
    },
    Rule {
        keys: &[
            Key::MachineRouterVirtualChannels,
            Key::MachineRouterBufferUnits,
            Key::MachineRouterCycles,
            Key::MachineRouterCreditCycles,
            Key::MachineRouterTerminalLatencyCycles,
            Key::MachineRouterAllocator,
            Key::MachineRouterEjection,
            Key::MachineRouterSpeedup,
            Key::MachineGlobalLatencyCycles,
            Key::ExecutionRoutes,
            Key::ExecutionRouteChoice,
            Key::ExecutionAdaptiveChoice,
            Key::ExecutionUgalThreshold,
        ],
        case: Case::WithoutRouters,
        message: "{} without routers, expected switching wormhole or virtual-cut-through",
        label: "only of routers with finite buffers",
        because: "queues without limit",
        help: "add switching = \"wormhole\" to [machine], or remove it",
    },
    Rule {
        keys: &[Key::MachineArbitration],
        case: Case::WithRouters,
        message: "{} of routers with finite buffers, expected none",
        label: "machine.router.allocator says what is granted",
        because: "routers with finite buffers",
        help: NOTHING,
    },
];

impl Case {
    /// The key whose value refuses others in this case.
    fn other(self) -> Option<Key> {
        match self {
            Self::Beside(other)
            | Self::InLayerOf(other)
            | Self::InOtherMeasures(other)
            | Self::Over(other)
            | Self::Under(other) => Some(other),
            Self::Without(_) => None,
            Self::OpenLoop => Some(Key::ProgramKind),
            Self::WithoutRouters | Self::WithRouters => Some(Key::MachineSwitching),
        }
    }

    /// Whether it refuses a key that is set.
    fn refuses(self, key: Key, settings: &Settings<'_>) -> bool {
        let is_over = |one: Key, other: Key| settings.is_written_with(one, other);
        match self {
            Self::Beside(other) => settings.get(other).is_some(),
            Self::InLayerOf(other) | Self::InOtherMeasures(other) => {
                is_over(key, other) && is_over(other, key)
            }
            Self::Over(other) => settings.get(other).is_some() && is_over(key, other),
            Self::Under(other) => is_over(other, key),
            Self::Without(other) => settings.get(other).is_none(),
            // A sweep may set the switching alone, and leave keys of the scenario unused.
            Self::WithoutRouters => is_over(key, Key::MachineSwitching),
            Self::OpenLoop | Self::WithRouters => true,
        }
    }

    /// Whether it depends on the whole scenario rather than on a key.
    fn is_of_scenario(self) -> bool {
        matches!(self, Self::OpenLoop | Self::WithoutRouters | Self::WithRouters)
    }
}

impl Rule {
    /// The same values in other measures, such as cycles and seconds. In different layers, the higher one counts.
    const fn either(keys: &'static [Key], other: Key) -> Self {
        Self {
            keys,
            case: Case::InOtherMeasures(other),
            message: "both {} and {other}, expected one of them",
            label: "with {other} beside it",
            because: "{other}",
            help: "remove one of them",
        }
    }

    /// Keys of what open-loop traffic does not have.
    const fn in_open_loop(keys: &'static [Key], label: &'static str) -> Self {
        Self {
            keys,
            case: Case::OpenLoop,
            message: "{} in open loop, expected none",
            label,
            because: "open loop",
            help: NOTHING,
        }
    }

    /// Reports a key that is set although this rule refuses it, or its value, by this name.
    fn report(&self, key: Key, name: &str, settings: &Settings<'_>) {
        let Some(place) = settings.place(key) else { return };
        if !self.case.refuses(key, settings) {
            return;
        }
        let other = self.case.other();
        let with_path = |text: &str| text.replace("{other}", other.map_or(NOTHING, Key::path));
        let with_name = |text: &str| text.replace("{other}", other.map_or(NOTHING, Key::key));
        let message = with_path(self.message).replace("{}", name);
        let error = ScenarioError::at(place, message, with_name(self.label))
            .because(other.and_then(|other| settings.place(other)), with_name(self.because));
        settings.report(error.with_help(self.help));
    }
}

impl Settings<'_> {
    /// Whether no other key refuses this one; reports the keys that do.
    pub(super) fn obeys(&self, key: Key) -> bool {
        let before = self.errors().len();
        let rules = RULES.iter().filter(|rule| !rule.case.is_of_scenario() && rule.keys.contains(&key));
        rules.for_each(|rule| rule.report(key, key.path(), self));
        self.errors().len() == before
    }
}

/// The keys, by their paths, that a higher layer replaces if it sets this one: the same value in other measures.
pub(super) fn same_in_other_measures(path: &str) -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(move |rule| {
        let (Case::InLayerOf(other) | Case::InOtherMeasures(other)) = rule.case else { return vec![] };
        if other.path() == path {
            rule.keys.iter().map(|key| key.path()).collect()
        } else {
            rule.keys.iter().filter(|key| key.path() == path).map(|_| other.path()).collect()
        }
    })
}

/// The keys whose values another key gives in other measures, such as seconds or bytes.
pub(super) fn in_other_measures() -> impl Iterator<Item = (&'static [Key], Key)> {
    RULES.iter().filter_map(|rule| match rule.case {
        Case::InOtherMeasures(other) => Some((rule.keys, other)),
        _ => None,
    })
}

/// Reports the keys that a case of the whole scenario refuses.
pub(super) fn report(settings: &Settings<'_>, case: Case) {
    for rule in RULES.iter().filter(|rule| rule.case == case) {
        rule.keys.iter().for_each(|&key| rule.report(key, key.path(), settings));
    }
}

/// Reports a value, called `name`, of a key that a case of the whole scenario refuses with this value only.
pub(super) fn report_value(settings: &Settings<'_>, case: Case, key: Key, name: &str) {
    let rule = RULES.iter().find(|rule| rule.case == case);
    rule.into_iter().for_each(|rule| rule.report(key, name, settings));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Section;

    #[test]
    fn the_rules_of_sections_name_all_their_keys() {
        let keys = |case: Case| RULES.iter().filter(move |rule| rule.case == case).flat_map(|rule| rule.keys);
        for key in Key::in_part(Section::Machine, "router") {
            assert!(keys(Case::WithoutRouters).any(|named| *named == key), "{}", key.path());
        }
        for key in Key::in_section(Section::Mapping) {
            assert!(keys(Case::OpenLoop).any(|named| *named == key), "{}", key.path());
        }
    }
}
