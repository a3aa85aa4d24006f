//! Bandwidths and latencies of the links of a machine, class by class, and of messages inside its nodes
//! (`docs/model.md` section 21.6).
//!
//! The cycle is the longest time that divides the time of a unit at every bandwidth. If it is below a thousandth of the
//! shortest time, it is that thousandth, and the other times are rounded.

use cubefold_formats::input::quantity::{Ratio, greatest_common_divisor};
use cubefold_topology::LinkTime;

use super::physical_scale::{PhysicalScale, nanoseconds, whole};

/// A bandwidth \[bytes per second\], above 0, and a latency \[seconds\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) bandwidth: Ratio,
    pub(super) latency: Ratio,
}

/// The links of a machine that is described by bandwidths and latencies, in cycles.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicalLinks {
    scale: PhysicalScale,
    classes: Vec<PhysicalLink>, // at least one
    local: Option<PhysicalLink>,
}

/// The links of one class, or the messages inside nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicalLink {
    name: String,
    figures: Figures,
    time: LinkTime,
    bandwidth_rounding_percent: f64,
}

/// Most parts into which the shortest time of a unit is divided.
const MAX_PARTS: u128 = 1000;

impl PhysicalLinks {
    /// The links of classes with these names and figures, and messages inside nodes; classes without links are ignored;
    /// units have `unit_bytes` bytes. `None` if a number exceeds 128 bits, or a time exceeds 2^63 cycles.
    ///
    /// # Panics
    ///
    /// If no class has links.
    pub(super) fn new(
        classes: &[(String, Figures)],
        has_links: &[bool],
        local: Option<Figures>,
        unit_bytes: u64,
    ) -> Option<Self> {
        let counted = || classes.iter().zip(has_links).filter(|(_, counts)| **counts);
        let counted = || counted().map(|((_, figures), _)| *figures).chain(local);
        let fastest = counted().map(|figures| figures.bandwidth).reduce(|one, other| {
            let is_less = one.difference(other).is_some_and(|(_, is_less)| is_less);
            if is_less { other } else { one }
        })?;
        // The time of a unit is p / q of the shortest, in lowest terms: 1 / q of the shortest is the longest time that
        // divides both.
        let multiples: Option<Vec<Ratio>> =
            counted().map(|figures| fastest.over(figures.bandwidth)).collect();
        let parts = multiples?.into_iter().try_fold(1, |parts, multiple| {
            least_common_multiple(parts, multiple.denominator()).filter(|&parts| parts <= MAX_PARTS)
        });
        let parts = parts.unwrap_or(MAX_PARTS);
        let cycle = Ratio::from(unit_bytes).over(fastest)?.times(Ratio::new(1, parts))?;
        let link = |name: &str, figures: Figures, is_local: bool| {
            let exact = fastest.over(figures.bandwidth)?.times(Ratio::new(parts, 1))?;
            let unit = whole(exact.rounded())?;
            // The time of the unit itself is subtracted, except inside a node.
            let of_unit = if is_local { 0 } else { u128::from(unit) };
            let latency = whole(figures.latency.over(cycle)?.rounded().saturating_sub(of_unit))?;
            let time = LinkTime { unit, latency };
            let bandwidth_rounding_percent = percent(Ratio::from(unit), exact);
            Some(PhysicalLink { name: name.to_owned(), figures, time, bandwidth_rounding_percent })
        };
        Some(Self {
            scale: PhysicalScale::new(cycle, unit_bytes),
            classes: classes
                .iter()
                .map(|(name, figures)| link(name, *figures, false))
                .collect::<Option<_>>()?,
            local: match local {
                Some(figures) => Some(link("inside a node", figures, true)?),
                None => None,
            },
        })
    }

    /// The length of a cycle and the bytes of a unit.
    #[must_use]
    pub fn scale(&self) -> PhysicalScale {
        self.scale
    }

    /// The classes of links, class 0 first, at least one.
    #[must_use]
    pub fn classes(&self) -> &[PhysicalLink] {
        &self.classes
    }

    /// The times of messages inside nodes, if given by bandwidth and latency.
    pub(super) fn local(&self) -> Option<LinkTime> {
        self.local.as_ref().map(|local| local.time)
    }

    /// Describes the cycle and the roundings in sentences.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let (cycle, unit_bytes) = (self.scale.cycle_nanoseconds(), self.scale.unit_bytes());
        if let [only] = &self.classes[..]
            && only.time.unit == 1
            && self.local.as_ref().is_none_or(|local| local.time.unit == 1)
        {
            let length =
                format!("A cycle is {cycle} ns, the time of a unit of {unit_bytes} bytes on a link.");
            return vec![format!("{length} {}", only.describe_latency(self.scale))];
        }
        let mut sentences = vec![format!("A cycle is {cycle} ns; a unit has {unit_bytes} bytes.")];
        sentences.extend(
            self.classes.iter().map(|class| class.describe(self.scale, "hop_cycles", "latency_cycles")),
        );
        let of_local =
            |link: &PhysicalLink| link.describe(self.scale, "local_unit_cycles", "local_latency_cycles");
        sentences.extend(self.local.iter().map(of_local));
        sentences
    }
}

impl PhysicalLink {
    /// The name of the class.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its times in cycles.
    #[must_use]
    pub fn time(&self) -> LinkTime {
        self.time
    }

    /// The difference between the simulated and the given time of a unit, in percent of the given time; negative if the
    /// simulated time is shorter.
    #[must_use]
    pub fn bandwidth_rounding_percent(&self) -> f64 {
        self.bandwidth_rounding_percent
    }

    /// The given latency \[nanoseconds\].
    fn latency_nanoseconds(&self) -> Ratio {
        nanoseconds(self.figures.latency)
    }

    /// The simulated latency, `l + u`, until a unit has arrived \[nanoseconds\].
    fn simulated_latency_nanoseconds(&self, scale: PhysicalScale) -> Ratio {
        Ratio::from(self.time.first_unit()).times(scale.cycle_nanoseconds()).unwrap_or(Ratio::ZERO)
    }

    /// The difference between the simulated and the given latency, negative if the simulated one is shorter
    /// \[nanoseconds\].
    #[must_use]
    pub fn latency_rounding_nanoseconds(&self, scale: PhysicalScale) -> f64 {
        match self.simulated_latency_nanoseconds(scale).difference(self.latency_nanoseconds()) {
            Some((difference, true)) => -difference.to_f64(),
            Some((difference, false)) => difference.to_f64(),
            None => 0.0,
        }
    }

    /// Describes the rounding of the latency in a sentence.
    fn describe_latency(&self, scale: PhysicalScale) -> String {
        let (given, simulated) = (self.latency_nanoseconds(), self.simulated_latency_nanoseconds(scale));
        let rounding = match simulated.difference(given) {
            Some((difference, _)) if difference == Ratio::ZERO => "exactly".to_owned(),
            Some((difference, true)) => format!("{difference} ns less"),
            Some((difference, false)) => format!("{difference} ns more"),
            None => "about".to_owned(),
        };
        let below = self.figures.latency.difference(scale.cycle()).is_some_and(|(_, is_less)| is_less);
        let note = if below { ": less than the cycle that a unit takes in any case" } else { "" };
        let cycles = self.time.latency;
        format!(
            "The latency of {given} ns becomes {simulated} ns ({rounding}){note}; latency_cycles = {cycles}."
        )
    }

    /// Describes its times and their roundings in a sentence; the keys are those for cycles.
    fn describe(&self, scale: PhysicalScale, unit_key: &str, latency_key: &str) -> String {
        let Self { name, figures, time: LinkTime { unit, latency }, .. } = self;
        let bandwidth = figures.bandwidth.times(Ratio::new(1, 1_000_000_000)).unwrap_or(Ratio::ZERO);
        let given = self.latency_nanoseconds();
        let is_local = unit_key != "hop_cycles";
        let simulated = if is_local {
            Ratio::from(*latency).times(scale.cycle_nanoseconds()).unwrap_or(Ratio::ZERO)
        } else {
            self.simulated_latency_nanoseconds(scale)
        };
        let of_latency = match given {
            Ratio::ZERO if simulated == Ratio::ZERO => "exactly".to_owned(),
            Ratio::ZERO => format!("{simulated} ns more, the time of a unit"),
            _ => rounding(percent(simulated, given)),
        };
        let of_unit = rounding(self.bandwidth_rounding_percent);
        format!(
            "{name}: {bandwidth} GB/s, {unit_key} = {unit} ({of_unit}); {given} ns, {latency_key} = {latency} \
             ({of_latency})."
        )
    }
}

/// The difference of a value from an exact one, in percent of the exact one; negative if the value is smaller.
fn percent(value: Ratio, exact: Ratio) -> f64 {
    match value.difference(exact).and_then(|(difference, is_less)| Some((difference.over(exact)?, is_less))) {
        Some((part, true)) => -100.0 * part.to_f64(),
        Some((part, false)) => 100.0 * part.to_f64(),
        None => 0.0,
    }
}

/// A rounding in words.
fn rounding(percent: f64) -> String {
    if percent == 0.0 {
        return "exactly".to_owned();
    }
    let (size, word) = (percent.abs(), if percent < 0.0 { "less" } else { "more" });
    if size < 0.0001 { format!("under 0.0001 % {word}") } else { format!("{size:.4} % {word}") }
}

/// The least common multiple of two numbers of at least 1, if it fits 128 bits.
fn least_common_multiple(one: u128, other: u128) -> Option<u128> {
    (one / greatest_common_divisor(one, other)).checked_mul(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_formats::input::quantity::Measure;

    fn figures(bandwidth: &str, latency: &str) -> Figures {
        Figures {
            bandwidth: Measure::Bandwidth.parse(bandwidth).unwrap(),
            latency: Measure::Time.parse(latency).unwrap(),
        }
    }

    fn links(classes: &[(&str, &str)], local: Option<(&str, &str)>, unit_bytes: u64) -> PhysicalLinks {
        let named = (1..).zip(classes).map(|(number, (bandwidth, latency))| {
            (format!("dimension {number}"), figures(bandwidth, latency))
        });
        let named: Vec<_> = named.collect();
        let local = local.map(|(bandwidth, latency)| figures(bandwidth, latency));
        PhysicalLinks::new(&named, &vec![true; classes.len()], local, unit_bytes).unwrap()
    }

    #[test]
    fn a_cycle_is_the_time_of_a_unit() {
        let links = links(&[("50 GB/s", "400 ns")], None, 64);
        // 312.5 cycles, rounded half up, minus the unit's own.
        assert_eq!(links.classes()[0].time(), LinkTime { unit: 1, latency: 312 });
        assert_eq!(
            links.describe(),
            [
                "A cycle is 1.28 ns, the time of a unit of 64 bytes on a link. The latency of 400 ns becomes 400.64 ns \
              (0.64 ns more); latency_cycles = 312."
            ]
        );
        let rounding = links.classes()[0].latency_rounding_nanoseconds(links.scale());
        assert!((rounding - 0.64).abs() < 1e-9);
    }

    #[test]
    fn a_latency_below_a_cycle_is_said() {
        let links = links(&[("1 GB/s", "10 ns")], None, 64);
        assert_eq!(links.classes()[0].time().latency, 0);
        let described = links.describe().remove(0);
        assert!(described.contains("64 ns (54 ns more): less than the cycle"), "{described}");
    }

    #[test]
    fn classes_without_links_do_not_count() {
        let classes = [("900 GB/s", "0 ns"), ("50 GB/s", "1 us")];
        let named = classes.map(|(bandwidth, latency)| (String::new(), figures(bandwidth, latency)));
        let links = PhysicalLinks::new(&named, &[false, true], None, 64).unwrap();
        assert_eq!(links.scale().cycle_nanoseconds().to_string(), "1.28");
    }

    #[test]
    fn roundings_are_said_in_percent() {
        let links = links(&[("999.9 GB/s", "1 ns"), ("0.7 GB/s", "1 us")], Some(("1 TB/s", "3 ns")), 64);
        assert_eq!(
            links.describe(),
            [
                "A cycle is 0.000064 ns; a unit has 64 bytes.",
                "dimension 1: 999.9 GB/s, hop_cycles = 1000 (0.0100 % less); 1 ns, latency_cycles = 14625 (exactly).",
                "dimension 2: 0.7 GB/s, hop_cycles = 1428571 (under 0.0001 % less); 1000 ns, latency_cycles = \
                 14196429 (exactly).",
                "inside a node: 1000 GB/s, local_unit_cycles = 1000 (exactly); 3 ns, local_latency_cycles = 46875 \
                 (exactly).",
            ]
        );
    }
}
