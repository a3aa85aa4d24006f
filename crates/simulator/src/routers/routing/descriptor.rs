//! The descriptors of routing rules, and a rule with its options.

use std::fmt;

use cubefold_derive::Words;
use cubefold_topology::Machine;

use super::{Classes, LISTED, RoutingRule};
use crate::routers::{
    channel_load::AddLinkLoads,
    settings::{RouterSettings, RouterTie},
};

/// A routing rule: the facts that scenarios, help, load limits and routers use.
///
/// Several may share a name if no machine has two of them.
#[derive(Debug)]
pub struct RoutingDescriptor {
    /// Its name in files.
    pub name: &'static str,
    /// A sentence on it, for `cubefold explain`.
    pub summary: &'static str,
    /// The options that it has.
    pub options: &'static [RoutingOption],
    /// Whether its routes come from a file, which a separate key names.
    pub is_from_file: bool,
    /// Whether it is the default on machines to which it applies.
    pub(super) is_default: bool,
    /// Whether packets can leave over the channels of their class (`docs/model.md` section 30.1).
    pub(in crate::routers) ejects_by_class: bool,
    pub(super) applies_to: fn(&Machine) -> bool,
    /// The classes that share the channels of a machine to which it applies; at least 1.
    pub(in crate::routers) classes: fn(&Machine) -> u32,
    /// The channels that it needs besides one for each class.
    pub(super) adaptive_channels: u32,
    /// The most links of a route if it may exceed twice the largest distance, else 0.
    pub(in crate::routers) longest_route: fn(&Machine) -> u64,
    /// Whether packets take the routes of the machine, by the choice between equally long ways.
    pub(super) takes_machine_routes: fn(RouterTie) -> bool,
    /// The expected loads of links; `None` if routes depend on the state of the network, so that only the channels of
    /// terminals count (section 30.5).
    pub(in crate::routers) link_loads: Option<AddLinkLoads>,
    pub(super) make: MakeRule,
}

/// Makes a rule for a machine to which it applies.
pub(super) type MakeRule =
    for<'run> fn(&'run Machine, &RouterSettings, Classes) -> Box<dyn RoutingRule + 'run>;

impl RoutingDescriptor {
    /// An adaptive rule of one class without options.
    pub(super) const fn new(
        name: &'static str,
        summary: &'static str,
        applies_to: fn(&Machine) -> bool,
        make: MakeRule,
    ) -> Self {
        Self {
            name,
            summary,
            options: &[],
            is_from_file: false,
            is_default: false,
            ejects_by_class: false,
            applies_to,
            classes: |_| 1,
            adaptive_channels: 0,
            longest_route: |_| 0,
            takes_machine_routes: |_| false,
            link_loads: None,
            make,
        }
    }
}

/// An option that some rules have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingOption {
    /// [`RoutingOptions::adaptive_choice`].
    AdaptiveChoice,
    /// [`RoutingOptions::ugal_threshold`].
    UgalThreshold,
    /// [`RoutingOptions::route_choice`].
    RouteChoice,
}

/// The values of all options; a rule looks at those that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoutingOptions {
    /// The ports that an adaptive packet asks for.
    pub adaptive_choice: AdaptiveChoice,
    /// The candidates of a table that a packet asks for.
    pub route_choice: TableChoice,
    /// The number by which the queue of the shorter way must be longer than that of the other \[flits times links\].
    pub ugal_threshold: i64,
}

/// The candidates of a table that a packet asks for (`docs/model.md` section 30.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum TableChoice {
    /// Only the candidate whose unused channels have the most credits.
    #[default]
    Credits,
    /// All candidates of a line.
    Any,
    /// One candidate, drawn once at each router.
    Random,
}

/// The ports that an adaptive packet asks for (`docs/model.md` section 26.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum AdaptiveChoice {
    /// Only the port whose unused channels have the most credits.
    #[default]
    Credits,
    /// All ports that lead nearer.
    Any,
}

/// The routes of packets through routers: a rule of the list, with its options (`docs/model.md` section 26.3).
#[derive(Clone, Copy)]
pub struct RouterRouting {
    descriptor: &'static RoutingDescriptor,
    options: RoutingOptions, // defaults of those that the rule does not have
}

impl RouterRouting {
    /// Every rule, with the defaults of its options.
    pub fn all() -> impl Iterator<Item = Self> {
        LISTED.iter().map(|descriptor| Self { descriptor, options: RoutingOptions::default() })
    }

    /// The rule with this name on a machine, with default options; a rule for other machines if this one has
    /// none of that name.
    #[must_use]
    pub fn named(name: &str, machine: &Machine) -> Option<Self> {
        let of_name = || Self::all().filter(|rule| rule.name() == name);
        of_name().find(|rule| rule.applies_to(machine)).or_else(|| of_name().next())
    }

    /// The default rule of a machine.
    ///
    /// # Panics
    ///
    /// If the list has no default for it, which the tests exclude.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a machine is a grid or a network")]
    pub fn default_of(machine: &Machine) -> Self {
        let is_default = |rule: &Self| rule.descriptor.is_default && rule.applies_to(machine);
        Self::all().find(is_default).expect("a default for every machine")
    }

    /// The routes of the machine's table, if it has one.
    #[must_use]
    pub fn of_table(machine: &Machine) -> Option<Self> {
        Self::all().find(|rule| rule.descriptor.is_from_file && rule.applies_to(machine))
    }

    /// The same rule with those of the options that it has.
    #[must_use]
    pub fn with(self, options: RoutingOptions) -> Self {
        let mut taken = RoutingOptions::default();
        for option in self.descriptor.options {
            match option {
                RoutingOption::AdaptiveChoice => taken.adaptive_choice = options.adaptive_choice,
                RoutingOption::UgalThreshold => taken.ugal_threshold = options.ugal_threshold,
                RoutingOption::RouteChoice => taken.route_choice = options.route_choice,
            }
        }
        Self { options: taken, ..self }
    }

    /// The rule without options.
    #[must_use]
    pub fn descriptor(self) -> &'static RoutingDescriptor {
        self.descriptor
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor.name
    }

    /// Whether it has an option.
    #[must_use]
    pub fn has(self, option: RoutingOption) -> bool {
        self.descriptor.options.contains(&option)
    }

    /// The values of its options, with the defaults of those that it does not have.
    #[must_use]
    pub fn options(self) -> RoutingOptions {
        self.options
    }

    /// Whether a machine supports it. Grids with failures and twisted toruses are networks.
    #[must_use]
    pub fn applies_to(self, machine: &Machine) -> bool {
        (self.descriptor.applies_to)(machine)
    }

    /// Whether packets take the routes of the machine, which are known before the run.
    #[must_use]
    pub fn takes_machine_routes(self, tie: RouterTie) -> bool {
        (self.descriptor.takes_machine_routes)(tie)
    }

    /// The least number of channels with which it runs on a machine that supports it, at least 1.
    #[must_use]
    pub fn least_channels(self, machine: &Machine) -> u32 {
        (self.descriptor.classes)(machine) + self.descriptor.adaptive_channels
    }
}

/// By name, as rules of one name are of different machines.
impl PartialEq for RouterRouting {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.options == other.options
    }
}

impl Eq for RouterRouting {}

impl fmt::Debug for RouterRouting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?}", self.descriptor.name, self.options)
    }
}
