//! Refusals of open-loop traffic before it runs.

use cubefold_topology::Machine;

use super::{Bursts, OpenLoop, batches::BATCH_COUNTS};
use crate::{
    Communication, RouterError,
    routers::{Deadlock, settings::Routers},
};

/// The reason why open-loop traffic is refused, or its outcome must not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenLoopError {
    /// A machine without routers with finite buffers.
    #[error(
        "open-loop traffic without routers with finite buffers, expected wormhole or virtual-cut-through"
    )]
    NoRouters,
    /// A load out of its range.
    #[error("a load of {load}, expected above 0 and at most 1")]
    Load {
        /// The load found.
        load: f64,
    },
    /// A pattern of bits on a number of terminals that is not a power of two, or one with an odd exponent.
    #[error("pattern {pattern} of {terminals} terminals, expected {expected}")]
    Terminals {
        /// The pattern.
        pattern: &'static str,
        /// The terminals.
        terminals: u64,
        /// The accepted numbers.
        expected: &'static str,
    },
    /// A pattern of coordinates on a network.
    #[error("pattern {pattern} on a network, expected a grid: it goes by coordinates")]
    NoCoordinates {
        /// The pattern.
        pattern: &'static str,
    },
    /// A destination that is not a terminal, or a list of the wrong length.
    #[error("{found} as a terminal, expected one of 0 to {greatest}")]
    NoSuchTerminal {
        /// The number found.
        found: u64,
        /// The greatest terminal.
        greatest: u64,
    },
    /// A list with more or fewer destinations than terminals.
    #[error("{found} destinations, expected {terminals}, one for each terminal")]
    Destinations {
        /// The destinations found.
        found: u64,
        /// The terminals.
        terminals: u64,
    },
    /// Groups that do not divide the terminals into two or more.
    #[error(
        "groups of {group_size} of {terminals} terminals, expected a divisor that makes at least two groups"
    )]
    Groups {
        /// The terminals of a group.
        group_size: u64,
        /// The terminals.
        terminals: u64,
    },
    /// Sizes, windows, shares or bounds of a search out of their ranges.
    #[error("{what}, expected {expected}")]
    OutOfRange {
        /// The value found.
        what: String,
        /// The values expected.
        expected: &'static str,
    },
    /// Buffers that do not hold the packets.
    #[error(transparent)]
    Routers(#[from] RouterError),
    /// Packets that wait for one another for ever.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
}

impl OpenLoop {
    /// Reports the errors of [`run`](Self::run), except deadlocks.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn check(&self, machine: &Machine, rules: Communication, load: f64) -> Result<(), OpenLoopError> {
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        if rules.packet().is_some() {
            return Err(out_of_range("packets of messages".to_owned(), "none: a packet is a message"));
        }
        if !(load > 0.0 && load <= 1.0) {
            return Err(OpenLoopError::Load { load });
        }
        if self.latency_limit.is_nan() || self.latency_limit <= 0.0 {
            return Err(out_of_range(format!("a limit of latency of {}", self.latency_limit), "above 0"));
        }
        if !BATCH_COUNTS.contains(&self.batches) {
            return Err(out_of_range(format!("{} batches", self.batches), "5, 10, 20 or 30"));
        }
        if self.measure < self.batches {
            return Err(out_of_range(
                format!("{} measured cycles", self.measure),
                "at least one for each batch",
            ));
        }
        if !(matches!(self.seeds, 1..=10 | 20 | 30)) {
            return Err(out_of_range(format!("{} seeds", self.seeds), "1 to 10, 20 or 30"));
        }
        self.warmup.check()?;
        let delay = self.reply.as_ref().map_or(0, |reply| reply.delay);
        let windows = [self.warmup.longest(), self.measure, self.drain, delay].map(u128::from);
        if rules.latency().get() >= 1 << 62 {
            return Err(out_of_range("a latency of 2^62 cycles or more".to_owned(), "less"));
        }
        if windows.iter().sum::<u128>() >= 1 << 62 {
            return Err(out_of_range("windows of 2^62 cycles or more".to_owned(), "fewer in all"));
        }
        check_sizes(&self.sizes, &routers)?;
        if let Some(reply) = &self.reply {
            check_sizes(&reply.sizes, &routers)?;
        }
        self.check_bursts(load)?;
        self.pattern.check(machine)
    }

    fn check_bursts(&self, offered: f64) -> Result<(), OpenLoopError> {
        let Some(bursts @ Bursts { cycles, load }) = self.bursts else { return Ok(()) };
        if !(cycles >= 1.0 && cycles.is_finite()) {
            return Err(out_of_range(format!("bursts of {cycles} cycles"), "at least 1"));
        }
        if !(load > 0.0 && load <= self.mean_size()) {
            return Err(out_of_range(
                format!("a load of bursts of {load}"),
                "above 0, at most the mean size of a packet",
            ));
        }
        let greatest = bursts.greatest_load();
        if offered > greatest && offered < load || offered > load {
            return Err(out_of_range(
                format!("a load of {offered} in bursts that offer at most {greatest}"),
                "a lower load, or a higher burst_load",
            ));
        }
        Ok(())
    }
}

impl Bursts {
    /// The greatest load below that of the bursts which they offer: pauses last at least a cycle on average.
    #[must_use]
    pub fn greatest_load(&self) -> f64 {
        self.load * self.cycles / (self.cycles + 1.0)
    }
}

fn check_sizes(sizes: &[(u64, u64)], routers: &Routers) -> Result<(), OpenLoopError> {
    let expected = "at least one size, sizes and weights of at least 1, and weights below 2^63 together";
    let weights: u128 = sizes.iter().map(|size| u128::from(size.1)).sum();
    if sizes.is_empty()
        || sizes.iter().any(|&(units, weight)| units == 0 || weight == 0 || units >= 1 << 32)
        || weights >= 1 << 63
    {
        return Err(out_of_range("sizes of packets out of their ranges".to_owned(), expected));
    }
    Ok(routers.check_packet(sizes.iter().map(|size| size.0).max().unwrap_or(0))?)
}

pub(super) fn out_of_range(what: String, expected: &'static str) -> OpenLoopError {
    OpenLoopError::OutOfRange { what, expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficPattern;

    #[test]
    fn loads_that_bursts_cannot_offer_are_refused() {
        let with = |cycles, burst, load| {
            let mut traffic = OpenLoop::new(TrafficPattern::Uniform, [0, 10, 0]);
            traffic.bursts = Some(Bursts { cycles, load: burst });
            traffic.check_bursts(load).is_ok()
        };
        assert!(with(1.0, 0.5, 0.25) && with(20.0, 0.5, 0.4) && with(1.0, 0.5, 0.5));
        assert!(!with(10.0, 0.1, 0.2) && !with(1.0, 0.21, 0.2) && !with(20.0, 0.3, 0.29));
    }
}
