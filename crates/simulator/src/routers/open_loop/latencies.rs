//! Latencies of measured packets, some of which may be missing (`docs/model.md` section 30.6).

use super::batches::ratio;

/// Latencies of measured packets. If one is missing, only percentiles below it are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LatencySummary {
    /// Their sum \[cycles\]; `None` if a packet is missing.
    pub sum: Option<u64>,
    /// Their mean \[cycles\]; `None` if a packet is missing, or without packets.
    pub mean: Option<f64>,
    /// The smallest that half of all measured packets do not exceed \[cycles\]; `None` if a missing one may.
    pub p50: Option<u64>,
    /// The smallest that 99 % of them do not exceed \[cycles\]; `None` if a missing one may.
    pub p99: Option<u64>,
    /// The largest \[cycles\]; `None` if a packet is missing, or without packets.
    pub max: Option<u64>,
}

/// The number of packets of each latency.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    counts: Vec<u64>, // by latency
}

/// The measured packets that are not received by the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Missing {
    pub(super) packets: u64,
    pub(super) sum: u64,      // the least that their latencies can be together
    pub(super) smallest: u64, // the least that one of them can be
}

impl Missing {
    /// Adds packets with this least latency.
    pub(super) fn add(&mut self, packets: u64, least: u64) {
        if packets > 0 {
            self.smallest = if self.packets == 0 { least } else { self.smallest.min(least) };
            self.sum = self.sum.saturating_add(packets.saturating_mul(least));
            self.packets += packets;
        }
    }
}

impl Latencies {
    pub(super) fn add(&mut self, latency: u64) {
        let place = usize::try_from(latency).unwrap_or(usize::MAX);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
    }

    pub(super) fn sum(&self) -> u64 {
        self.all().fold(0, |sum, (latency, count)| sum.saturating_add(latency.saturating_mul(count)))
    }

    fn all(&self) -> impl Iterator<Item = (u64, u64)> {
        (0_u64..).zip(self.counts.iter().copied()).filter(|entry| entry.1 > 0)
    }

    /// The summary, given these missing packets.
    pub(super) fn summary(&self, missing: Missing) -> LatencySummary {
        let received: u64 = self.all().map(|entry| entry.1).sum();
        let percentile = |percent: u128| {
            let rank = (u128::from(received + missing.packets) * percent).div_ceil(100);
            let mut below = 0_u128;
            let entry = self.all().find(|entry| {
                below += u128::from(entry.1);
                below >= rank
            });
            entry.map(|entry| entry.0).filter(|&latency| missing.packets == 0 || latency <= missing.smallest)
        };
        let [p50, p99] = [50, 99].map(percentile);
        if missing.packets > 0 {
            return LatencySummary { p50, p99, ..LatencySummary::default() };
        }
        let sum = self.sum();
        LatencySummary {
            sum: Some(sum),
            mean: (received > 0).then(|| ratio(sum.into(), received.into())),
            p50,
            p99,
            max: self.all().last().map(|entry| entry.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_known_if_no_missing_packet_can_change_it() {
        let mut latencies = Latencies::default();
        (1..=60).for_each(|latency| latencies.add(latency));
        let all = latencies.summary(Missing::default());
        assert_eq!((all.p50, all.p99, all.max, all.sum), (Some(30), Some(60), Some(60), Some(1830)));
        let mut missing = Missing::default();
        missing.add(30, 80);
        missing.add(10, 50);
        assert_eq!((missing.packets, missing.sum, missing.smallest), (40, 2900, 50));
        let some = latencies.summary(missing);
        assert_eq!((some.p50, some.p99, some.max, some.mean), (Some(50), None, None, None));
        missing.add(1, 49);
        // Rank 51 of 101.
        assert_eq!(latencies.summary(missing).p50, None);
    }
}
