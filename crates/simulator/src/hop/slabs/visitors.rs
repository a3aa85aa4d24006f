//! The messages of other engines on the links of one.

use cubefold_topology::narrow;

use super::super::border::Visitor;

/// Visitors in slots that are used again.
#[derive(Debug, Default)]
pub(super) struct Visitors {
    slots: Vec<Visitor>,
    vacant: Vec<u32>,
}

impl Visitors {
    /// Adds a visitor; returns its slot.
    pub(super) fn insert(&mut self, visitor: Visitor) -> u32 {
        if let Some(vacant) = self.vacant.pop() {
            self.slots[vacant as usize] = visitor;
            return vacant;
        }
        self.slots.push(visitor);
        narrow(self.slots.len() as u64 - 1) // a run has at most 2^30 messages at a time
    }

    /// Removes a visitor that leaves.
    pub(super) fn remove(&mut self, slot: u32) -> Visitor {
        self.vacant.push(slot);
        self.slots[slot as usize]
    }

    pub(super) fn get(&self, slot: u32) -> &Visitor {
        &self.slots[slot as usize]
    }
}
