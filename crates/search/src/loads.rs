//! The loads of all channels under an arrangement, kept up to date as processes move.

use crate::{routes::Routes, traffic::Traffic};

/// The total time for which messages occupy each channel, or under half-duplex each link \[cycles\].
#[derive(Debug)]
pub(crate) struct Loads<'a> {
    routes: &'a Routes<'a>,
    cycles: Vec<u64>, // by place
}

impl<'a> Loads<'a> {
    pub(crate) fn new(routes: &'a Routes<'a>) -> Self {
        Self { routes, cycles: vec![0; routes.place_count()] }
    }

    /// Removes all messages.
    pub(crate) fn clear(&mut self) {
        self.cycles.fill(0);
    }

    /// Adds the messages of a process with the processes for which `counts` is true. `sites` are the sites of all
    /// processes.
    pub(crate) fn add(
        &mut self,
        traffic: &Traffic,
        process: u32,
        sites: &[u32],
        counts: impl Fn(u32) -> bool,
    ) {
        self.change(traffic, process, sites, counts, 1);
    }

    /// Removes all messages of a process.
    pub(crate) fn remove(&mut self, traffic: &Traffic, process: u32, sites: &[u32]) {
        self.change(traffic, process, sites, |_| true, 1_u64.wrapping_neg());
    }

    /// Adds the messages `times` times, modulo 2^64.
    fn change(
        &mut self,
        traffic: &Traffic,
        process: u32,
        sites: &[u32],
        counts: impl Fn(u32) -> bool,
        times: u64,
    ) {
        let Self { routes, cycles } = self;
        let site = sites[process as usize] as usize;
        let mut route = |from, to, units: u64| {
            if units > 0 {
                let units = units.wrapping_mul(times);
                routes.for_each(from, to, |place, unit| {
                    cycles[place] = cycles[place].wrapping_add(units.wrapping_mul(unit));
                });
            }
        };
        for flow in traffic.of(process).iter().filter(|flow| counts(flow.other)) {
            let other = sites[flow.other as usize] as usize;
            route(site, other, flow.sent);
            route(other, site, flow.received);
        }
    }

    /// The largest load \[cycles\].
    pub(crate) fn largest(&self) -> u64 {
        self.cycles.iter().copied().max().unwrap_or(0)
    }

    /// The eighth norm of all loads \[cycles\]: near the largest, but less whenever any of the larger ones is.
    #[expect(clippy::cast_precision_loss, reason = "it orders placements roughly")]
    pub(crate) fn norm(&self) -> f64 {
        let largest = self.largest().max(1) as f64;
        let eighth = |&cycles: &u64| {
            let square = (cycles as f64 / largest).powi(2);
            let fourth = square * square;
            fourth * fourth
        };
        // Summed in order, so that the result is the same on every computer.
        let sum: f64 = self.cycles.iter().map(eighth).sum();
        largest * sum.sqrt().sqrt().sqrt()
    }

    /// The number of channels that have this load.
    pub(crate) fn count(&self, cycles: u64) -> usize {
        self.cycles.iter().filter(|&&load| load == cycles).count()
    }

    pub(crate) fn len(&self) -> usize {
        self.cycles.len()
    }
}
