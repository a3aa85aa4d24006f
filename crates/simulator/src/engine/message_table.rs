//! The messages under way, and their sizes.
//!
//! A run has few sizes, so a packet carries the number of one; its entry holds what every
//! packet of such a message needs.

use std::collections::BTreeMap;

use cubefold_mapping::ProcessId;
use cubefold_topology::{NodeId, narrow};
use prefetch_index::prefetch_index;

use crate::{Communication, Cycle, Cycles, message_queue::MessageKey};

/// The messages under way, each in a reusable slot.
#[derive(Debug)]
pub(crate) struct MessageTable {
    communication: Communication,
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    sizes: Vec<SizeEntry>,
    numbers: BTreeMap<u64, u32>, // of sizes, by units
    latest: (u64, u32),          // the units that were looked up last, and their number
    has_turns: bool,
}

/// A message under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageRecord {
    /// The cycle at which it set out.
    pub(crate) start: Cycle,
    /// Its stage; its tag in a task graph.
    pub(crate) stage: u32,
    /// The operation of a task graph that sent it; in a stage program, where a stage has one message between
    /// two processes, its turn, or without turns the group whose chunk it is.
    pub(crate) operation: u32,
    /// The receiving operation of a task graph, if known; for a visitor, its number in the engine of its
    /// destination; the group of a chunk that switches combine. Other messages of stage programs do not use it.
    pub(crate) receiver: u32,
    pub(crate) source: ProcessId,
    pub(crate) destination: ProcessId,
    /// The node of its destination.
    pub(crate) to: NodeId,
    /// The links of its route.
    pub(crate) distance: u32,
    /// The number of its size in a table, which gives it.
    pub(crate) size: u32,
}

impl MessageRecord {
    /// A message from a source to a destination at node `to`. The table gives it its size, the transport its distance.
    #[inline]
    pub(crate) fn new(start: Cycle, stage: u32, [source, destination]: [ProcessId; 2], to: NodeId) -> Self {
        Self { start, stage, operation: 0, receiver: 0, source, destination, to, distance: 0, size: 0 }
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    packets_left: u64, // to be received; of a visitor, to leave
    record: MessageRecord,
}

// Slots are read in no order: the fewer cache lines they take, the better.
const _: () = assert!(size_of::<Slot>() == 48);

/// Sizes and occupancies that all messages of one size share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SizeEntry {
    units: u64,
    /// The packets of a message, at least 1.
    pub(crate) packets: u64,
    /// The units of a packet: of any but the last, and of the last.
    of_packets: [u64; 2],
    /// The cycles for which these occupy a channel, if all channels are alike.
    occupancies: [Cycles; 2],
}

impl SizeEntry {
    fn new(units: u64, communication: Communication) -> Self {
        let packets = communication.packet_count(units);
        let whole = communication.packet().map_or(units, |packet| packet.get().min(units));
        let last = units - packets.saturating_sub(1) * whole;
        let of_packets = [whole, last];
        Self { units, packets, of_packets, occupancies: of_packets.map(|units| communication.hop() * units) }
    }

    /// The units of a packet, counted from 0.
    #[inline]
    pub(crate) fn units_of(&self, packet: u32) -> u64 {
        self.of_packets[usize::from(u64::from(packet) + 1 == self.packets)]
    }

    /// The cycles for which a packet, counted from 0, occupies each channel, if all are alike.
    #[inline]
    pub(crate) fn occupancy(&self, packet: u32) -> Cycles {
        self.occupancies[usize::from(u64::from(packet) + 1 == self.packets)]
    }
}

impl MessageTable {
    pub(crate) fn new(communication: Communication) -> Self {
        let unit = SizeEntry::new(1, communication);
        Self {
            communication,
            slots: vec![],
            vacant: vec![],
            sizes: vec![unit],
            numbers: BTreeMap::from([(1, 0)]),
            latest: (1, 0),
            has_turns: false,
        }
    }

    /// Sets whether messages belong to a stage program in which they take turns.
    pub(crate) fn set_turns(&mut self, has_turns: bool) {
        self.has_turns = has_turns;
    }

    pub(crate) fn bytes(messages: u64) -> u64 {
        messages.saturating_mul((size_of::<Slot>() + size_of::<u32>()) as u64)
    }

    /// Adds a message of `units` units; returns its number. Inside a node it goes in one piece.
    #[inline]
    pub(crate) fn insert(&mut self, record: MessageRecord, units: u64, crosses_links: bool) -> u32 {
        let size = self.size_number(units);
        let packets_left = if crosses_links { self.sizes[size as usize].packets } else { 1 };
        self.put(Slot { packets_left, record: MessageRecord { size, ..record } })
    }

    /// Sets the links of a message's route; returns how many times its packets cross a link.
    #[inline]
    pub(crate) fn set_distance(&mut self, message: u32, links: u32) -> u64 {
        let record = &mut self.slots[message as usize].record;
        record.distance = links;
        u64::from(links) * self.sizes[record.size as usize].packets
    }

    pub(crate) fn reset(&mut self) {
        self.slots.clear();
        self.vacant.clear();
    }

    #[inline]
    pub(crate) fn size_number(&mut self, units: u64) -> u32 {
        if self.latest.0 != units {
            let (sizes, communication) = (&mut self.sizes, self.communication);
            let number = *self.numbers.entry(units).or_insert_with(|| {
                sizes.push(SizeEntry::new(units, communication));
                narrow(sizes.len() as u64 - 1) // no more than messages
            });
            self.latest = (units, number);
        }
        self.latest.1
    }

    /// Puts a message into a slot, which is returned.
    #[inline]
    fn put(&mut self, slot: Slot) -> u32 {
        if let Some(vacant) = self.vacant.pop() {
            self.slots[vacant as usize] = slot;
            return vacant;
        }
        self.slots.push(slot);
        narrow(self.slots.len() as u64 - 1) // below 2^32, more than memory holds
    }

    /// Adds a visitor: a message that passes through, whose destination belongs to another engine, where its number is `home`.
    /// It stands for one packet, or, if its first is at its source, for all, which depart here one after another.
    /// Returns its number here and that of its size.
    pub(crate) fn admit(
        &mut self,
        record: MessageRecord,
        (units, home): (u64, u32),
        is_at_source: bool,
    ) -> (u32, u32) {
        let size = self.size_number(units);
        let packets_left = if is_at_source { self.sizes[size as usize].packets } else { 1 };
        let record = MessageRecord { size, receiver: home, ..record };
        (self.put(Slot { packets_left, record }), size)
    }

    /// A packet of a visitor leaves the links of this engine.
    pub(crate) fn dismiss(&mut self, message: u32) {
        let slot = &mut self.slots[message as usize];
        slot.packets_left -= 1;
        if slot.packets_left == 0 {
            self.vacant.push(message);
        }
    }

    /// The number of a visitor in the engine of its destination.
    pub(crate) fn home(&self, message: u32) -> u32 {
        self.slots[message as usize].record.receiver
    }

    pub(crate) fn units(&self, message: u32) -> u64 {
        self.size(self.record(message).size).units
    }

    #[inline]
    pub(crate) fn prefetch(&self, message: u32) {
        prefetch_index(&self.slots, message as usize);
    }

    #[inline]
    pub(crate) fn record(&self, message: u32) -> &MessageRecord {
        &self.slots[message as usize].record
    }

    /// The order of a message among those that join a queue in the same cycle.
    #[inline]
    pub(crate) fn message_key(&self, message: u32) -> MessageKey {
        let MessageRecord { stage, source, destination, operation, .. } = *self.record(message);
        let turn = if self.has_turns { operation } else { 0 };
        MessageKey { stage, turn, source: source.label(), destination: destination.label() }
    }

    /// The order of a packet of a message among those that join a queue in the same cycle.
    pub(crate) fn packet_key(&self, message: u32, packet: u32) -> PacketKey {
        let MessageRecord { operation, receiver, .. } = *self.record(message);
        // Where operations are turns, only messages of groups that switches combine have equal keys.
        (self.message_key(message), if self.has_turns { receiver } else { operation }, packet)
    }

    #[inline]
    pub(crate) fn size(&self, size: u32) -> &SizeEntry {
        &self.sizes[size as usize]
    }

    /// A packet of a message is received: with the last one the message is no longer under way, and
    /// is returned with its units.
    pub(crate) fn receive_packet(&mut self, message: u32) -> Option<(MessageRecord, u64)> {
        let slot = &mut self.slots[message as usize];
        slot.packets_left -= 1;
        if slot.packets_left > 0 {
            return None;
        }
        self.vacant.push(message);
        Some((slot.record, self.sizes[slot.record.size as usize].units))
    }
}

/// The order of packets that join a queue in the same cycle (`docs/model.md` sections 13.2 and 18): by stage or
/// tag, turn, source, destination, operation and packet.
pub(crate) type PacketKey = (MessageKey, u32, u32);
