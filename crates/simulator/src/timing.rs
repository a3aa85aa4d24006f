//! The rules by which messages travel, and the only place that converts sizes to times.
//!
//! Three questions can be asked of a message of `L` units that is transmitted over a link
//! (`docs/model.md` sections 5 and 13): the time for which it occupies the link, when it joins its
//! next queue, and when it is received at its last node. [`MessageTiming`] answers them. For a
//! message of one unit over links without latency the three answers are equal, `T_c`, and also
//! for messages of one size under whole-message store-and-forward
//! ([`Communication::unit_equivalent`]).
//!
//! Links of different speed (section 21) have their times with the machine
//! ([`Machine::link_times`](cubefold_topology::Machine::link_times)); then the answers depend on the channel.

mod message_timing;

use std::num::NonZeroU64;

use cubefold_derive::Words;
use cubefold_topology::{LinkMode, LinkTime, Machine, TieRule};

pub use self::message_timing::MessageTiming;
pub(crate) use self::message_timing::gap;
use crate::{Cycles, MessageRoutes, RouterError, RouterSettings, routers::settings::Routers};

/// The rules of a machine's network and nodes for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Communication {
    links: LinkMode,
    hop: Cycles, // at least 1
    tie: TieRule,
    routes: MessageRoutes,
    latency: Cycles,
    switching: Switching,
    packet: Option<NonZeroU64>,
    service: ServiceOrder,
    eager: u64,
    message_cost: Cycles,
    local: LocalCost,
    processors: NonZeroU64,
    routers: Option<Routers>, // with finite buffers
}

/// When a message joins its next queue (`docs/model.md` section 13.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum Switching {
    /// When all of it is there.
    #[default]
    StoreAndForward,
    /// When its first unit is there (virtual cut-through, Kermani & Kleinrock 1979).
    CutThrough,
}

/// The rule for the next of the messages that wait for a channel (`docs/model.md` section 13.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum ServiceOrder {
    /// The message that joined the queue first is next; of several the one with the least key.
    #[default]
    FirstCome,
    /// The inputs of the node take turns.
    RoundRobin,
}

/// The time of a message between two processes of one node (`docs/model.md` section 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LocalCost {
    /// Once for the message.
    pub latency: Cycles,
    /// For each of its units.
    pub unit: Cycles,
}

/// A transmission that would take no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("0 cycles a link, expected at least 1")]
pub struct ZeroHopError;

/// The largest size of an eager message if all messages are eager \[units\].
pub const EAGER_ALL: u64 = u64::MAX;

impl Communication {
    /// Links of mode `links`, each occupied for `hop` cycles by a unit (`T_c`, `u`), and `tie` for
    /// equally long routes around a ring.
    ///
    /// All else is as in section 5 of `docs/model.md`: no latency, store-and-forward of whole
    /// messages, first come first served, rendezvous, one processor per node, messages inside a
    /// node in 0 cycles.
    ///
    /// # Errors
    ///
    /// When `hop` is 0.
    pub fn new(links: LinkMode, hop: Cycles, tie: TieRule) -> Result<Self, ZeroHopError> {
        if hop == Cycles::ZERO {
            return Err(ZeroHopError);
        }
        Ok(Self {
            links,
            hop,
            tie,
            routes: MessageRoutes::default(),
            latency: Cycles::ZERO,
            switching: Switching::default(),
            packet: None,
            service: ServiceOrder::default(),
            eager: 0,
            message_cost: Cycles::ZERO,
            local: LocalCost::default(),
            processors: NonZeroU64::MIN,
            routers: None,
        })
    }

    /// The same with another time for which a unit occupies a link, `u`.
    ///
    /// # Errors
    ///
    /// When `hop` is 0.
    pub fn with_hop(self, hop: Cycles) -> Result<Self, ZeroHopError> {
        if hop == Cycles::ZERO { Err(ZeroHopError) } else { Ok(Self { hop, ..self }) }
    }

    /// The same with a rule for the routes of messages.
    #[must_use]
    pub fn with_routes(self, routes: MessageRoutes) -> Self {
        Self { routes, ..self }
    }

    /// The same with a latency of links, `l`: cycles on the wire and in the router that do not occupy
    /// a link.
    #[must_use]
    pub fn with_latency(self, latency: Cycles) -> Self {
        Self { latency, ..self }
    }

    /// The same with a switching rule.
    #[must_use]
    pub fn with_switching(self, switching: Switching) -> Self {
        Self { switching, ..self }
    }

    /// The same with packets of at most `packet` units, `P`; `None` for whole messages.
    #[must_use]
    pub fn with_packets(self, packet: Option<NonZeroU64>) -> Self {
        Self { packet, ..self }
    }

    /// The same with an order in which channels serve their messages.
    #[must_use]
    pub fn with_service(self, service: ServiceOrder) -> Self {
        Self { service, ..self }
    }

    /// The same with eager messages: those of at most `eager` units; [`EAGER_ALL`] for all.
    #[must_use]
    pub fn with_eager(self, eager: u64) -> Self {
        Self { eager, ..self }
    }

    /// The same with a cost of each message: the time for which the core of a process is busy with one that it sends or
    /// receives (`docs/model.md` section 14).
    #[must_use]
    pub fn with_message_cost(self, message_cost: Cycles) -> Self {
        Self { message_cost, ..self }
    }

    /// The cost of each message at either end.
    #[must_use]
    pub fn message_cost(self) -> Cycles {
        self.message_cost
    }

    /// The same with a cost of messages inside a node.
    #[must_use]
    pub fn with_local_cost(self, local: LocalCost) -> Self {
        Self { local, ..self }
    }

    /// The same with up to `processors` processes of a node that compute at the same time.
    #[must_use]
    pub fn with_processors(self, processors: NonZeroU64) -> Self {
        Self { processors, ..self }
    }

    /// The same with routers with finite buffers (`docs/model.md` section 26), on a machine. Call this last: the other rules
    /// are checked against the routers.
    ///
    /// # Errors
    ///
    /// If a parameter is out of its range, there are too few channels or, under virtual cut-through, too small buffers for
    /// packets, or the machine or another rule does not suit them.
    pub fn with_routers(self, settings: RouterSettings, machine: &Machine) -> Result<Self, RouterError> {
        let routers = Routers::new(settings, machine, Self { routers: None, ..self })?;
        Ok(Self { routers: Some(routers), ..self })
    }

    /// The routers with finite buffers; `None` if queues have no limit.
    #[must_use]
    pub fn routers(self) -> Option<RouterSettings> {
        self.routers.map(|routers| routers.settings)
    }

    /// The routers with finite buffers, as they suit their machine.
    pub(crate) fn router_rules(self) -> Option<Routers> {
        self.routers
    }

    /// The link mode.
    #[must_use]
    pub fn links(self) -> LinkMode {
        self.links
    }

    /// The rule for the routes of messages.
    #[must_use]
    pub fn routes(self) -> MessageRoutes {
        self.routes
    }

    /// The time for which a unit occupies a link, `T_c` or `u`, at least 1; of links of different speed, the longest.
    #[must_use]
    pub fn hop(self) -> Cycles {
        self.hop
    }

    /// The latency of a link, `l`; of links of different speed, the longest.
    #[must_use]
    pub fn latency(self) -> Cycles {
        self.latency
    }

    /// The least latency of a link, for bounds: over routers with finite buffers, where hosts are no routers, that of the
    /// links of hosts or between groups if it is less \[cycles\].
    #[must_use]
    pub fn least_latency(self) -> Cycles {
        match self.routers {
            Some(routers) if routers.end_links > 0 => {
                let between_groups = routers.settings.global_latency.unwrap_or(u64::MAX);
                let least = between_groups.min(routers.settings.terminal_latency.into());
                self.latency.min(Cycles::new(least))
            }
            Some(_) | None => self.latency,
        }
    }

    /// The switching rule.
    #[must_use]
    pub fn switching(self) -> Switching {
        self.switching
    }

    /// The most units of a packet, `P`; `None` if messages go whole.
    #[must_use]
    pub fn packet(self) -> Option<NonZeroU64> {
        self.packet
    }

    /// The order in which channels serve their messages.
    #[must_use]
    pub fn service(self) -> ServiceOrder {
        self.service
    }

    /// The largest size of an eager message \[units\]; 0 for none, [`EAGER_ALL`] for all.
    #[must_use]
    pub fn eager(self) -> u64 {
        self.eager
    }

    /// The cost of messages inside a node.
    #[must_use]
    pub fn local_cost(self) -> LocalCost {
        self.local
    }

    /// The number of processes of a node that may compute at the same time.
    #[must_use]
    pub fn processors(self) -> NonZeroU64 {
        self.processors
    }

    /// The rule for equally long routes around a ring.
    #[must_use]
    pub fn tie(self) -> TieRule {
        self.tie
    }

    /// Whether a message of `units` units sets out without waiting for its destination
    /// (`docs/model.md` section 14).
    #[must_use]
    pub fn is_eager(self, units: u64) -> bool {
        units <= self.eager
    }

    /// The times of a message of one unit.
    #[must_use]
    pub fn timing(self) -> MessageTiming {
        self.timing_of(1)
    }

    /// The times of a message of `units` units; one of 0 units takes no time anywhere (section 23.5). Times past 2^64 cycles
    /// saturate: runs that could have such times are refused.
    #[must_use]
    pub fn timing_of(self, units: u64) -> MessageTiming {
        if units == 0 {
            return MessageTiming::NONE;
        }
        let forwarded = match self.switching {
            Switching::CutThrough => 1,
            Switching::StoreAndForward => self.packet.map_or(units, |packet| packet.get().min(units)),
        };
        let linear = |constant: Cycles, slope: Cycles, units: u64| {
            Cycles::new(constant.get().saturating_add(slope.get().saturating_mul(units)))
        };
        let local = linear(self.local.latency, self.local.unit, units);
        if let Some(routers) = self.routers {
            return self.timing_over(routers, units, local);
        }
        MessageTiming {
            occupancy: linear(Cycles::ZERO, self.hop, units),
            head: linear(self.latency, self.hop, forwarded),
            receipt: linear(self.latency, self.hop, units),
            first_links: 1,
            local,
        }
    }

    /// The times of a message over routers with finite buffers: `2m + 3 + (D + 1) rho + D (l + 1) + F - 1` over `D` links
    /// between them (sections 26.2 and 30.1).
    fn timing_over(self, routers: Routers, units: u64, local: Cycles) -> MessageTiming {
        let settings = routers.settings;
        let terminal = u64::from(settings.terminal_latency);
        let router = settings.speedup.head_cycles(settings.router_cycles);
        // If links between groups differ, the least: transfers go by the route there ([`TransferTimes`]).
        let latency = self.latency.get().min(settings.global_latency.unwrap_or(u64::MAX));
        let head = latency.saturating_add(router + 1);
        let over_none = (2 * terminal + 2 + router).saturating_add(units);
        // If hosts are no routers, two links lead to and from hosts of one switch; else one leads to a neighbour.
        let (first_links, receipt) = match routers.end_links {
            0 => (1, over_none.saturating_add(head)),
            links => (links, over_none),
        };
        let [head, receipt] = [head, receipt].map(Cycles::new);
        MessageTiming { occupancy: Cycles::new(units), head, receipt, first_links, local }
    }

    /// The same on a machine whose links have these times by class: the longest, as bounds require.
    #[must_use]
    pub fn with_longest(self, times: &[LinkTime]) -> Self {
        let longest = |of: fn(&LinkTime) -> u64| times.iter().map(of).max();
        let hop = longest(|time| time.unit).unwrap_or(0).max(1);
        Self {
            hop: Cycles::new(hop),
            latency: Cycles::new(longest(|time| time.latency).unwrap_or(0)),
            ..self
        }
    }

    /// The same on a machine: if its links differ, with the least occupancy and the least latency of any.
    #[must_use]
    pub fn with_shortest(self, machine: &Machine) -> Self {
        let Some(times) = machine.link_times() else { return self };
        let has_links = machine.has_links_of_class();
        let used = || times.iter().zip(&has_links).filter(|&(_, &has_links)| has_links).map(|(time, _)| time);
        let unit = used().map(|time| time.unit).min().unwrap_or(1).max(1);
        let latency = used().map(|time| time.latency).min().unwrap_or(0);
        Self { hop: Cycles::new(unit), latency: Cycles::new(latency), ..self }
    }

    /// The same on a machine: if its links differ, with the longest times.
    pub(crate) fn on(self, machine: &Machine) -> Self {
        machine.link_times().map_or(self, |times| self.with_longest(times))
    }

    /// The same with these times for all links.
    #[must_use]
    pub(crate) fn with_links_of(self, time: LinkTime) -> Self {
        self.with_longest(&[time])
    }

    /// The time from the start of a packet's transmission until it joins the queue of its next channel, `d_i` of
    /// section 21.2: a fast channel after a slow one begins when the packet can cross it without a gap \[cycles\].
    pub(crate) fn joins_after(self, link: LinkTime, next: LinkTime, units: u64) -> u128 {
        let LinkTime { unit, latency } = link;
        let stored = match self.switching {
            Switching::StoreAndForward => u128::from(unit).saturating_mul(units.into()),
            Switching::CutThrough => u128::from(unit).saturating_add(gap(unit, next.unit, units)),
        };
        stored.saturating_add(latency.into())
    }

    /// The number of packets of a message of `units` units: 1 if messages are not divided, 0 for 0 units.
    #[must_use]
    pub fn packet_count(self, units: u64) -> u64 {
        self.packet.map_or(units.min(1), |packet| units.div_ceil(packet.get()))
    }

    /// A bound on the time of all transmissions of a message of `units` units, one after another,
    /// over at most `links` links \[cycles\].
    pub(crate) fn transfer_bound(self, units: u64, links: u64) -> u128 {
        if let Some(of_flit) = self.flit_bound(links) {
            let local = u128::from(self.local.unit.get()).saturating_mul(units.into());
            let local = local.saturating_add(self.local.latency.get().into());
            return of_flit.saturating_mul(units.into()).max(local);
        }
        let linear = |constant: Cycles, times: u64, slope: Cycles| {
            let constant = u128::from(constant.get()).saturating_mul(times.into());
            constant.saturating_add(u128::from(slope.get()).saturating_mul(units.into()))
        };
        let link = linear(self.latency, self.packet_count(units), self.hop);
        let local = linear(self.local.latency, 1, self.local.unit);
        u128::from(links).saturating_mul(link).max(local)
    }

    /// A bound on the time \[cycles\] that a flit adds to the times of all messages over routers with finite buffers,
    /// if the longest distance is `links` links; `None` if queues have no limit. In every cycle that a message takes, a
    /// flit of some message is on a link or in a router, or a credit for one is on its way back.
    pub(crate) fn flit_bound(self, links: u64) -> Option<u128> {
        let Routers { settings, longest_route, .. } = self.routers?;
        let latency = self.latency.get().max(settings.terminal_latency.into());
        let latency = latency.max(settings.global_latency.unwrap_or(0));
        let cycles = u64::from(settings.router_cycles) + u64::from(settings.credit_cycles) + 4;
        let of_crossing = u128::from(latency).saturating_mul(2).saturating_add(cycles.into());
        // Ways by a random node or group are at most twice as long; two links lead to and from terminals.
        let crossed = u128::from(links).saturating_mul(2).max(longest_route.into()).saturating_add(2);
        Some(of_crossing.saturating_mul(crossed))
    }

    /// The rules under which messages of one unit take the times that messages of `units` units
    /// take under these; `None` if there are no such rules.
    ///
    /// A message that is stored whole before it is forwarded, over links without latency, is a
    /// message of one unit over links with `T_c = u L`. If several processes share a node,
    /// `shares_nodes`, messages inside a node must also take 0 cycles, and processors must serve one process.
    #[must_use]
    pub(crate) fn unit_equivalent(self, units: u64, shares_nodes: bool) -> Option<Self> {
        let is_plain = self.service == ServiceOrder::FirstCome && !self.is_eager(units);
        let is_plain_inside =
            !shares_nodes || self.local == LocalCost::default() && self.processors == NonZeroU64::MIN;
        let hop = self.hop.get().checked_mul(units)?;
        (is_plain && is_plain_inside && self.timing_of(units).uniform().is_some())
            .then(|| Self::new(self.links, Cycles::new(hop), self.tie).ok())
            .flatten()
    }

    /// The time of a message of `units` units over a link, if it is stored whole before it is forwarded and sets
    /// out only when its destination is ready; `None` under other rules \[cycles\].
    #[must_use]
    pub(crate) fn stored_hop(self, units: u64) -> Option<Cycles> {
        let timing = self.timing_of(units);
        let is_stored = self.routers.is_none() && timing.head == timing.receipt;
        (is_stored && !self.is_eager(units)).then_some(timing.head)
    }
}

#[cfg(test)]
mod tests;
