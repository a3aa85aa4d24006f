//! Lists of the routers or terminals to visit in the next cycle.

/// Numbers that are each listed once.
#[derive(Debug)]
pub(super) struct WakeList {
    listed: Vec<u32>,
    is_listed: Vec<bool>,
}

impl WakeList {
    pub(super) fn new(count: u32) -> Self {
        Self { listed: vec![], is_listed: vec![false; count as usize] }
    }

    #[inline]
    pub(super) fn add(&mut self, number: u32) {
        if !std::mem::replace(&mut self.is_listed[number as usize], true) {
            self.listed.push(number);
        }
    }

    pub(super) fn take(&mut self, taken: &mut Vec<u32>) {
        taken.clear();
        std::mem::swap(&mut self.listed, taken);
        for &number in &*taken {
            self.is_listed[number as usize] = false;
        }
    }

    pub(super) fn clear(&mut self) {
        self.listed.clear();
        self.is_listed.fill(false);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}
