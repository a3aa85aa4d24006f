//! The order of the messages that move in one direction of a line.

use cubefold_topology::narrow;

/// Capacity of a chunk \[messages\].
const CAPACITY: usize = 128;

/// Number of messages at the end of a search that are prefetched together.
const PREFETCHED_TOGETHER: usize = 16;

pub(super) const NO_MESSAGE: u32 = u32::MAX;

/// Messages from the rearmost to the foremost, in chunks: finding a position takes a search among the chunks
/// and one in a chunk, and inserting moves half a chunk and rarely the list of chunks.
#[derive(Debug)]
pub(super) struct MessageOrder {
    chunks: Vec<Vec<u32>>,
    directory: Vec<u32>, // numbers of the non-empty chunks, in order
    places: Vec<u32>,    // by chunk, its index in the directory
    vacant: Vec<u32>,    // empty chunks
    chunk_of: Vec<u32>,  // by message
    pub(super) foremost: u32,
}

/// A position between two messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderPlace {
    pub(super) ahead: u32, // the message ahead of it, or `NO_MESSAGE`
    place: usize,          // of a chunk in the directory
    index: usize,          // in the chunk
}

impl MessageOrder {
    /// An empty order for at most `messages` messages.
    pub(super) fn new(messages: usize) -> Self {
        Self {
            chunks: vec![],
            directory: vec![],
            places: vec![],
            vacant: vec![],
            chunk_of: vec![0; messages],
            foremost: NO_MESSAGE,
        }
    }

    pub(super) fn rearmost(&self) -> u32 {
        self.directory.first().map_or(NO_MESSAGE, |&chunk| self.chunks[chunk as usize][0])
    }

    /// Lists some of the messages behind another one, nearest last.
    pub(super) fn some_behind(&self, message: u32) -> &[u32] {
        let chunk = &self.chunks[self.chunk_of[message as usize] as usize];
        let index = chunk.iter().position(|&other| other == message).unwrap_or(0);
        &chunk[..index]
    }

    /// The position behind the rearmost message for which `is_ahead` holds, as it does for all messages ahead of
    /// that. `prefetch` prefetches the data of several messages for `is_ahead`.
    pub(super) fn find(&self, is_ahead: impl Fn(u32) -> bool, prefetch: impl Fn(&[u32])) -> OrderPlace {
        // The last chunk that does not start with a message ahead, or else the first.
        let begins_ahead = |&chunk: &u32| is_ahead(self.chunks[chunk as usize][0]);
        let place = self.directory.partition_point(|chunk| !begins_ahead(chunk)).saturating_sub(1);
        let Some(&number) = self.directory.get(place) else {
            return OrderPlace { ahead: NO_MESSAGE, place, index: 0 };
        };
        let chunk = &self.chunks[number as usize];
        // Binary search down to a few messages, whose cache misses overlap.
        let (mut from, mut to) = (0, chunk.len());
        while to - from > PREFETCHED_TOGETHER {
            let middle = from.midpoint(to);
            if is_ahead(chunk[middle]) { to = middle } else { from = middle + 1 }
        }
        prefetch(&chunk[from..to]);
        let index = from + chunk[from..to].partition_point(|&other| !is_ahead(other));
        let first_of_next = || self.directory.get(place + 1).map(|&next| self.chunks[next as usize][0]);
        let ahead = chunk.get(index).copied().or_else(first_of_next).unwrap_or(NO_MESSAGE);
        OrderPlace { ahead, place, index }
    }

    /// Inserts a message at a position that was found since the last change.
    pub(super) fn insert(&mut self, message: u32, at: OrderPlace) {
        let number = self.directory.get(at.place).copied().unwrap_or_else(|| self.new_chunk(0));
        let chunk = &mut self.chunks[number as usize];
        chunk.insert(at.index, message);
        let is_full = chunk.len() == CAPACITY;
        self.chunk_of[message as usize] = number;
        if at.ahead == NO_MESSAGE {
            self.foremost = message;
        }
        if is_full {
            self.split(number, at.place);
        }
    }

    /// Moves the upper half of a chunk to a new one.
    fn split(&mut self, number: u32, place: usize) {
        let upper = self.chunks[number as usize].split_off(CAPACITY / 2);
        let new = self.new_chunk(place + 1);
        for &moved in &upper {
            self.chunk_of[moved as usize] = new;
        }
        self.chunks[new as usize].extend(upper);
    }

    /// Adds an empty chunk at this index of the directory.
    fn new_chunk(&mut self, place: usize) -> u32 {
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.chunks.push(Vec::with_capacity(CAPACITY));
            self.places.push(0);
            narrow(self.chunks.len() as u64 - 1) // no more chunks than messages
        });
        self.directory.insert(place, number);
        self.renumber(place);
        number
    }

    fn renumber(&mut self, from: usize) {
        for (place, &chunk) in self.directory.iter().enumerate().skip(from) {
            self.places[chunk as usize] = narrow(place as u64);
        }
    }

    /// Removes a message; `behind` is the next message behind it.
    pub(super) fn remove(&mut self, message: u32, behind: u32) {
        let number = self.chunk_of[message as usize];
        let chunk = &mut self.chunks[number as usize];
        if let Some(index) = chunk.iter().position(|&other| other == message) {
            chunk.remove(index);
        }
        if chunk.is_empty() {
            let place = self.places[number as usize] as usize;
            self.directory.remove(place);
            self.renumber(place);
            self.vacant.push(number);
        }
        if self.foremost == message {
            self.foremost = if self.directory.is_empty() { NO_MESSAGE } else { behind };
        }
    }
}
