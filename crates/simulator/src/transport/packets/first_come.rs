//! Channels, or under half-duplex links, that serve packets first come first served.
//!
//! Packets that join a queue later depart later. So the cycle at which a packet departs is known as
//! soon as it joins: when those before it have been transmitted (Lindley 1952). A crossing is one event: the
//! packet joins a queue, and its departure determines when it joins the next.
//!
//! Only packets that join one queue in the same cycle are ordered by their keys (`docs/model.md`
//! section 13.2). The first to join in a cycle departs as if it were the only one; when a second
//! joins, the event of the first is revoked, and all of them are ordered at the end of the cycle. The same holds for packets that another
//! packet of their message follows at the source: if such a packet departs at once, the next joins in the same cycle.
//! If transmissions are logged, all packets are ordered this way, and a transmission is logged when its start is certain.

use cubefold_topology::{LinkMode, Machine, NodeId};
use prefetch_index::prefetch_index;

use super::{Event, EventKind, crossing::Crossing, longest_queue::LongestQueue};
use crate::{
    Communication, Cycle,
    engine::border::Border,
    engine::{MessageTable, PacketKey},
    observe::transmissions::TransmissionLog,
    slab::Slab,
    time_wheel::{EventPlace, TimeWheel},
    transport::{Messages, Packet},
};

/// The channels or links of a machine.
#[derive(Debug)]
pub(super) struct FirstComeNetwork {
    pub(super) crossing: Crossing,
    per_link: bool, // whether links are occupied, not channels
    resources: Vec<Resource>,
    window: u64,                    // the upper half of the present cycle
    arrivals: Vec<(usize, Packet)>, // of a chunk of events, with the places that they are about to join
    joiners: Vec<Joiner>,           // that are ordered at the end of this cycle
    longest: LongestQueue,
    pub(super) log: TransmissionLog,
}

/// A channel or a link, four in a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
struct Resource {
    idle_from: Cycle,  // when all packets that have joined have been transmitted
    last_joined: u32,  // the lower half of the latest cycle in which a packet joined
    event: EventPlace, // that ends the crossing of the only packet that has joined in it; `NONE` of several
}

impl Resource {
    const IDLE: Self = Self { idle_from: Cycle::START, last_joined: 0, event: EventPlace::NONE };
}

/// A packet that is ordered at the end of the cycle.
#[derive(Debug)]
struct Joiner {
    place: usize,
    key: PacketKey,
    packet: Packet,
}

/// The lower half of a cycle.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is that of the present window")]
fn low(cycle: Cycle) -> u32 {
    cycle.get() as u32
}

impl FirstComeNetwork {
    /// The idle channels or links of a slab of a machine, for packets that all have one size, or of any sizes.
    pub(super) fn new(
        machine: &Machine,
        communication: Communication,
        slab: &Slab,
        is_one_size: bool,
    ) -> Self {
        let crossing = Crossing::new(machine, communication, slab);
        let per_link = communication.links() == LinkMode::HalfDuplex;
        let channels = crossing.channels.channel_places();
        Self {
            per_link,
            resources: vec![
                Resource::IDLE;
                if per_link { crossing.channels.link_places() } else { channels }
            ],
            window: 0,
            arrivals: vec![],
            joiners: vec![],
            longest: LongestQueue::new(channels, is_one_size && !per_link),
            log: TransmissionLog::default(),
            crossing,
        }
    }

    /// All channels or links are idle again.
    pub(super) fn reset(&mut self) {
        self.resources.fill(Resource::IDLE);
        self.window = 0;
        self.joiners.clear();
        self.longest.reset();
    }

    /// Bytes for `channels` channels and `packets` packets under way.
    pub(super) fn bytes(channels: u64, packets: u64) -> u64 {
        let channel = (size_of::<Resource>() + LongestQueue::BYTES_PER_CHANNEL) as u64;
        let packet = (size_of::<Joiner>() + LongestQueue::BYTES_PER_PACKET) as u64;
        channels.saturating_mul(channel).saturating_add(packets.saturating_mul(packet))
    }

    /// The most packets left in one channel's queue at the end of any cycle so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.longest.length()
    }

    /// The node whose slab has the channel that a packet needs, or its link.
    #[inline]
    pub(super) fn owner(&self, packet: &Packet) -> NodeId {
        let is_back = self.per_link && packet.direction() % 2 == 1;
        if is_back { NodeId::new(self.crossing.channels.next(&packet.transit)) } else { packet.node() }
    }

    /// The place of the queue of the channel that a packet needs, given that of the channel or link.
    #[inline]
    fn queue(&self, place: usize, packet: &Packet) -> usize {
        if self.per_link { self.crossing.channels.queue_of_link(place, &packet.transit) } else { place }
    }

    /// The channel that a packet needs, or its link.
    #[inline]
    fn place(&self, packet: &Packet) -> usize {
        let channels = &self.crossing.channels;
        if self.per_link { self.link(packet) } else { channels.channel(&packet.transit) }
    }

    #[inline(never)] // so that the other is compiled into its callers
    fn link(&self, packet: &Packet) -> usize {
        self.crossing.channels.link(&packet.transit)
    }

    #[inline]
    pub(super) fn begin_cycle(&mut self, now: Cycle) {
        let window = now.get() >> 32;
        if self.window != window {
            self.window = window;
            self.forget_joined();
        }
    }

    /// Forgets the cycles in which packets have joined, since their lower halves recur. A packet that joins a resource
    /// in cycle 0 of a window is ordered at the end of the cycle, as if it were not the first.
    #[cold]
    fn forget_joined(&mut self) {
        for resource in &mut self.resources {
            *resource = Resource { idle_from: resource.idle_from, ..Resource::IDLE };
        }
    }

    /// Moves the packets of a chunk of events that continue in their direction to their next channels. Most events are
    /// of this kind.
    pub(super) fn go_on<B: Border>(
        &mut self,
        chunk: &[Event],
        messages: &Messages<'_, B>,
        leaving: &mut Vec<(usize, Packet)>,
    ) {
        for Event { packet, kind } in chunk {
            if *kind == EventKind::Crossed && packet.goes_on() {
                let packet = self.crossing.cross(packet);
                self.arrive(&packet, messages, leaving);
            }
        }
    }

    /// A packet that has crossed a channel arrives at the next, whose record is prefetched: it will
    /// [join](Self::join_together) the queue. If the channel belongs to another engine, it is added to `leaving`, with the engine.
    #[inline]
    pub(super) fn arrive<B: Border>(
        &mut self,
        packet: &Packet,
        messages: &Messages<'_, B>,
        leaving: &mut Vec<(usize, Packet)>,
    ) {
        if !B::IS_ALONE
            && let Some(engine) = messages.elsewhere(self.owner(packet))
        {
            leaving.push((engine, *packet));
        } else {
            let place = self.place(packet);
            prefetch_index(&self.resources, place);
            self.arrivals.push((place, *packet));
        }
    }

    /// The packets that have arrived join the queues of their channels.
    pub(super) fn join_together(
        &mut self,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        events.prefetch();
        for (place, packet) in &arrivals {
            if self.log.keeps() {
                self.join_later(*place, packet, now, messages, events);
            } else {
                self.join_at(*place, packet, now, messages, events);
            }
        }
        arrivals.clear();
        self.arrivals = arrivals;
    }

    /// A packet needs the next channel of its leg from `now` on.
    pub(super) fn join(
        &mut self,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let place = self.place(packet);
        if self.log.keeps() || packet.following(messages).is_some() {
            self.join_later(place, packet, now, messages, events);
        } else {
            self.join_at(place, packet, now, messages, events);
        }
    }

    /// A packet without a successor joins the queue of a channel or link.
    #[inline]
    fn join_at(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let resource = &mut self.resources[place];
        if resource.last_joined == low(now) {
            self.join_later(place, packet, now, messages, events);
            return;
        }
        let start = resource.idle_from.max(now);
        let occupancy = self.crossing.occupancy(packet, messages);
        let (kind, cycle) = self.crossing.depart(packet, start, occupancy);
        resource.idle_from = start + occupancy;
        resource.last_joined = low(now);
        resource.event = events.add(Event::of(*packet, kind), cycle.get());
        if start > now {
            self.longest.join(self.queue(place, packet), start, now, occupancy);
        }
    }

    /// A packet is ordered at the end of the cycle, and with it another that has joined before in
    /// the same cycle.
    #[inline(never)]
    fn join_later(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) {
        let resource = &mut self.resources[place];
        let is_second = resource.last_joined == low(now) && resource.event != EventPlace::NONE;
        resource.last_joined = low(now);
        let event = std::mem::replace(&mut resource.event, EventPlace::NONE);
        if is_second {
            let Event { packet, .. } = events.replace(event, Event::of(Packet::NONE, EventKind::Revoked));
            let occupancy = self.crossing.occupancy(&packet, messages);
            let start = Cycle::new(resource.idle_from.get() - occupancy.get());
            // Equivalent to the previous state from this cycle on.
            resource.idle_from = start;
            if start > now {
                self.longest.revoke(self.queue(place, &packet));
            }
            self.joiners.push(Joiner { place, key: packet.key(messages), packet });
        }
        self.joiners.push(Joiner { place, key: packet.key(messages), packet: *packet });
    }

    /// Ends a cycle: the packets that joined one queue in it depart in the order of their keys.
    #[inline]
    pub(super) fn end_cycle(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        if !self.joiners.is_empty() {
            self.order_joiners(now, messages, events);
        }
    }

    fn order_joiners(&mut self, now: Cycle, messages: &MessageTable, events: &mut TimeWheel<Event>) {
        let mut joiners = std::mem::take(&mut self.joiners);
        joiners.sort_unstable_by_key(|joiner| (joiner.place, joiner.key));
        for of_place in joiners.chunk_by(|one, other| one.place == other.place) {
            // At most the first departs in this cycle, and another packet of its message may follow.
            let mut following: Option<Packet> = None;
            for Joiner { place, key, packet } in of_place {
                if let Some(next) = following.take_if(|next| next.key(messages) < *key) {
                    self.depart_in_order(*place, &next, now, messages, events);
                }
                following = self.depart_in_order(*place, packet, now, messages, events).or(following);
            }
            if let Some(next) = following {
                self.depart_in_order(of_place[0].place, &next, now, messages, events);
            }
        }
        joiners.clear();
        self.joiners = joiners;
    }

    /// A packet departs after all in the queue. Returns the packet that joins the queue in
    /// this cycle since this one departs in it.
    fn depart_in_order(
        &mut self,
        place: usize,
        packet: &Packet,
        now: Cycle,
        messages: &MessageTable,
        events: &mut TimeWheel<Event>,
    ) -> Option<Packet> {
        let resource = &mut self.resources[place];
        let start = resource.idle_from.max(now);
        let occupancy = self.crossing.occupancy(packet, messages);
        resource.idle_from = start + occupancy;
        let (kind, cycle) = self.crossing.depart(packet, start, occupancy);
        events.add(Event::of(*packet, kind), cycle.get());
        if start > now {
            self.longest.join(self.queue(place, packet), start, now, occupancy);
        }
        if self.log.keeps() {
            let ends = self.crossing.ends(packet);
            let of_packet = (messages.record(packet.message()), packet.number);
            self.log.add(of_packet, ends, [now, start, start + occupancy]);
        }
        let next = packet.following(messages)?;
        if start == now {
            return Some(next);
        }
        events.add(Event::of(next, EventKind::Arrival), start.get());
        None
    }
}
