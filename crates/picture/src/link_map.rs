//! The load of every link, as a heat map of the machine.

use std::collections::BTreeMap;

use cubefold_records::{LinkTraffic, size_in_words};
use cubefold_scenario::Run;
use cubefold_topology::{LinkMode, NodeId};

use crate::{
    error::PictureError,
    font::{fitted, text_width},
    legend::{Legend, Sign as LegendSign},
    link_paths::{LinkPath, PlannedLink, failed_links, planned_links},
    machine_name::machine_name,
    machine_plan::{MachinePlan, check_machine},
    palette::HeatStep,
    picture::Picture,
    placement_grid::MAX_CAPTION_WIDTH,
    sheet::{Anchor, Area, Point, Sheet, TEXT, TITLE, as_drawn},
    time_scale::TimeScale,
};

/// The reach of wraparound stubs out of their node, in distances between neighbours.
const STUB: f64 = 0.75;

/// The measure of the load of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkMeasure {
    /// Guest edges whose routes use the link.
    Congestion,
    /// Cycles in which the link is busy in a run of this makespan; of a full-duplex link, its busier direction.
    BusyCycles {
        /// The makespan \[cycles\].
        makespan: u64,
    },
}

/// The value at the end of the scale, drawn darkest; it gives pictures side by side one scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DarkestValue {
    /// A number of guest edges or busy cycles.
    Count(u64),
    /// A share of the cycles for which a link, or a direction of it, can be busy; at least 0.
    Share(f64),
}

impl LinkMeasure {
    fn unit(self) -> &'static str {
        match self {
            Self::Congestion => "guest edges",
            Self::BusyCycles { .. } => "busy cycles",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Congestion => "link congestion",
            Self::BusyCycles { .. } => "busy cycles of links",
        }
    }

    /// The cycles for which a link, or a direction of it, can be busy.
    fn capacity(self) -> Option<u64> {
        match self {
            Self::Congestion => None,
            Self::BusyCycles { makespan } => Some(makespan),
        }
    }

    /// The value of a link on the scale.
    pub(crate) fn value(self, run: &Run, traffic: &LinkTraffic) -> u64 {
        match (self, traffic.ways) {
            (Self::BusyCycles { .. }, Some([forward, back])) if has_two_directions(run) => forward.max(back),
            _ => traffic.count,
        }
    }

    /// The greatest value of these links; 0 without any.
    pub(crate) fn greatest(self, run: &Run, links: &[LinkTraffic]) -> u64 {
        links.iter().map(|link| self.value(run, link)).max().unwrap_or(0)
    }
}

/// Whether the directions of a link are busy independently.
fn has_two_directions(run: &Run) -> bool {
    run.communication.links() == LinkMode::FullDuplex
}

/// Draws the machine with its links, coloured by what they carry, in steps up to `darkest`, by default the greatest
/// value.
///
/// Wraparound links are stubs on both sides, a link from one layer to the next is a square beside its first node, and a
/// link that is down is dashed.
///
/// # Errors
///
/// When [`check_machine`] refuses the machine, or `darkest` is 0, less than a link carries, or a share of guest edges.
pub fn link_map(
    run: &Run,
    measure: LinkMeasure,
    links: &[LinkTraffic],
    darkest: Option<DarkestValue>,
) -> Result<Picture, PictureError> {
    check_machine(&run.machine)?;
    let greatest = greatest(run, measure, links, darkest)?;
    let step = (900.0 / MachinePlan::longest_side(&run.machine)).clamp(14.0, 40.0);
    let titles = Titles::new(run, measure, links, greatest);
    let place = Point { x: 8.0, y: 0.0 };
    let width = MachinePlan::new(run, step, place).width().max(titles.width()).max(280.0) + 16.0;
    let scale = HeatScale { greatest };
    let down = !failed_links(&run.machine).is_empty();
    let entries = scale.entries().map(|(name, step)| (name, LegendSign::Heat(step)));
    let failed = down.then(|| ("a link that is down".to_owned(), LegendSign::FailedLink));
    let legend = Legend::new(entries.chain(failed), 10.0, width - 8.0);
    let begin = titles.end() + 20.0;
    let plan = MachinePlan::new(run, step, Point { y: begin + legend.extra_height() + 8.0, ..place });
    let description = format!(
        "{}: the colour of each link says its load, up to {greatest} {}.",
        titles.whole(),
        measure.unit()
    );
    let height = plan.height() + begin + legend.extra_height() + 16.0;
    let mut sheet = Sheet::new(width, height, &titles.whole(), &description);
    sheet.define_heat();
    titles.draw(&mut sheet);
    legend.draw(&mut sheet, begin);
    for (title, at) in plan.layer_titles() {
        sheet.text(&title, at, TEXT, Anchor::Start);
    }
    let map = Map { run, plan: &plan, measure, scale };
    map.draw_links(&mut sheet, links);
    Ok(sheet.finish())
}

/// The value that is drawn darkest.
fn greatest(
    run: &Run,
    measure: LinkMeasure,
    links: &[LinkTraffic],
    darkest: Option<DarkestValue>,
) -> Result<u64, PictureError> {
    let found = measure.greatest(run, links);
    let asked = match (darkest, measure.capacity()) {
        (None, _) => return Ok(found),
        (Some(DarkestValue::Count(count)), _) => count,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, from 0 on")]
        (Some(DarkestValue::Share(share)), Some(capacity)) => (share * as_drawn(capacity)).ceil() as u64,
        (Some(DarkestValue::Share(_)), None) => return Err(PictureError::ShareOfEdges),
    };
    if asked < found.max(1) {
        return Err(PictureError::DarkestTooSmall { asked, found, unit: measure.unit() });
    }
    Ok(asked)
}

/// A share as text, in percent.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".to_owned() } else { format!("{:.1} %", as_drawn(part) / as_drawn(whole) * 100.0) }
}

/// Units as text, with their bytes if known.
fn units_in_words(run: &Run, units: u64) -> String {
    let bytes = run.scale.and_then(|scale| units.checked_mul(scale.unit_bytes()));
    let aside = bytes.map_or_else(String::new, |bytes| format!(" ({})", size_in_words(units, Some(bytes))));
    format!("{}{aside}", size_in_words(units, None))
}

/// The steps of the scale: one for nothing, then steps of equal width up to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HeatScale {
    greatest: u64,
}

impl HeatScale {
    /// The number of steps above nothing.
    fn parts(self) -> u64 {
        self.greatest.min(u64::from(HeatStep::COUNT) - 1)
    }

    /// The step of a value up to the greatest.
    fn step(self, count: u64) -> HeatStep {
        let part =
            |from_one: u64| u128::from(from_one - 1) * u128::from(self.parts()) / u128::from(self.greatest);
        let place = match count {
            0 => 0,
            count => u64::try_from(part(count.min(self.greatest))).unwrap_or(0) + 1,
        };
        HeatStep::of(place, self.parts() + 1)
    }

    /// All steps with their values.
    fn entries(self) -> impl Iterator<Item = (String, HeatStep)> {
        let before = move |part: u64| {
            let all =
                (u128::from(part) * u128::from(self.greatest)).div_ceil(u128::from(self.parts().max(1)));
            u64::try_from(all).unwrap_or(u64::MAX)
        };
        let values = (0..self.parts()).map(move |part| (before(part) + 1, before(part + 1)));
        [(0, 0)].into_iter().chain(values).map(move |(first, last)| {
            let name = if first == last { first.to_string() } else { format!("{first} to {last}") };
            (name, self.step(last))
        })
    }
}

/// The caption above the links.
#[derive(Debug)]
struct Titles {
    caption: String,
    /// Embedding and machine; the unit of the scale; and the value of the most used link if the scale goes further.
    lines: Vec<String>,
}

impl Titles {
    fn new(run: &Run, measure: LinkMeasure, links: &[LinkTraffic], greatest: u64) -> Self {
        let found = measure.greatest(run, links);
        let words = |count| Self::words(run, measure, count);
        let of = match measure {
            LinkMeasure::BusyCycles { .. } if has_two_directions(run) => "of the busier direction of a link",
            _ => "of a link",
        };
        let scale = format!("{} {of}; the scale ends with {}", measure.unit(), words(greatest));
        let placement = format!("{} on {}", run.embedding, machine_name(run));
        let most = (found < greatest).then(|| format!("The most here: {}", words(found)));
        Self {
            caption: format!("{}: {}", run.scenario, measure.title()),
            lines: [placement, scale].into_iter().chain(most).collect(),
        }
    }

    /// The title of the document.
    fn whole(&self) -> String {
        format!("{}, {}", self.caption, self.lines[0])
    }

    /// The load of a link; busy cycles with their time, their share of the capacity, and the units.
    fn words(run: &Run, measure: LinkMeasure, count: u64) -> String {
        let Some(capacity) = measure.capacity() else { return count.to_string() };
        let whole = if has_two_directions(run) { "direction" } else { "link" };
        let share = match percent(count, capacity) {
            // The end of the scale may come from a longer run.
            _ if count > capacity => format!("more than a {whole} can be busy"),
            percent => format!("{percent} of a {whole}"),
        };
        // Links of different speed carry different units in equal times.
        let are_alike = run.machine.link_times().is_none();
        let units = are_alike.then(|| units_in_words(run, count / run.communication.hop().get()));
        let units = units.map_or_else(String::new, |units| format!(", {units}"));
        format!("{count}{}, {share}{units}", TimeScale::of(run).aside(count))
    }

    /// The lowest line \[pixels\].
    fn end(&self) -> f64 {
        22.0 + 18.0 * as_drawn(self.lines.len() as u64)
    }

    fn width(&self) -> f64 {
        let lines = self.lines.iter().map(|line| text_width(line, TEXT));
        lines.chain([text_width(&self.caption, TITLE)]).fold(0.0, f64::max).min(MAX_CAPTION_WIDTH)
    }

    fn draw(&self, sheet: &mut Sheet) {
        sheet.caption(&self.caption);
        let mut y = 22.0;
        for line in &self.lines {
            y += 18.0;
            sheet.text(&fitted(line, TEXT, self.width()), Point { x: 8.0, y }, TEXT, Anchor::Start);
        }
    }
}

struct Map<'picture> {
    run: &'picture Run,
    plan: &'picture MachinePlan<'picture>,
    measure: LinkMeasure,
    scale: HeatScale,
}

impl Map<'_> {
    /// Draws the links, heavier ones above lighter ones.
    fn draw_links(&self, sheet: &mut Sheet, links: &[LinkTraffic]) {
        // Links of networks cross, and lie close to each other.
        let share = if self.plan.is_network() { 0.1 } else { 0.3 };
        let thick = (self.plan.step * share).clamp(3.0, 9.0).to_string();
        // Of parallel links, the busiest.
        let mut used: BTreeMap<[NodeId; 2], &LinkTraffic> = BTreeMap::new();
        for link in links {
            let Some(ends) = link.ends(self.plan.machine) else { continue };
            let busiest = used.entry(ends).or_insert(link);
            if self.value(Some(link)) > self.value(Some(busiest)) {
                *busiest = link;
            }
        }
        let planned = planned_links(self.plan);
        let is_directed = self.plan.machine.is_directed();
        let traffic = |link: &PlannedLink| {
            let back = || used.get(&[link.far, link.near]).filter(|_| !is_directed);
            used.get(&[link.near, link.far]).or_else(back).copied()
        };
        let (down, working): (Vec<&PlannedLink>, Vec<&PlannedLink>) =
            planned.iter().partition(|link| link.is_down);
        let mut working: Vec<(&PlannedLink, Option<&LinkTraffic>)> =
            working.into_iter().map(|link| (link, traffic(link))).collect();
        working.sort_by_key(|(_, traffic)| self.value(*traffic));
        for (link, traffic) in working {
            self.draw(sheet, link, traffic, &thick);
        }
        if self.plan.is_network() {
            self.draw_nodes(sheet);
        }
        for link in down {
            if let Some(line) = link.path.description(|from, to| self.leave(from, to), STUB) {
                let [near, far] = [link.near, link.far].map(|node| self.plan.address_text(node));
                sheet.failed_link(&line, link.path.middle(), &format!("({near}) to ({far}): down"));
            }
        }
    }

    /// The value of a link on the scale; 0 without traffic.
    fn value(&self, traffic: Option<&LinkTraffic>) -> u64 {
        traffic.map_or(0, |traffic| self.measure.value(self.run, traffic))
    }

    /// Draws the nodes of a network, which show where links end; switches are larger than hosts.
    fn draw_nodes(&self, sheet: &mut Sheet) {
        sheet.open(&[("fill", "currentColor"), ("pointer-events", "none")]);
        for node in self.plan.machine.nodes() {
            let share = if self.plan.machine.is_host(node) { 0.09 } else { 0.15 };
            sheet.point(self.plan.middle(node), self.plan.step * share);
        }
        sheet.close();
    }

    /// A remark on parallel links; empty for one.
    fn among_parallels(&self, link: &PlannedLink) -> String {
        let links = self.plan.machine.graph().map_or(1, |network| {
            network.neighbours(link.near).iter().filter(|&&next| next == link.far).count()
        });
        if links > 1 { format!(" on the busiest of {links} links") } else { String::new() }
    }

    /// The cycles for which a unit occupies a link.
    fn unit_cycles(&self, traffic: &LinkTraffic) -> u64 {
        let machine = self.plan.machine;
        match machine.link_times().zip(traffic.channel(machine)) {
            Some((times, channel)) => times[machine.link_class(channel)].unit,
            None => self.run.communication.hop().get(),
        }
    }

    /// The start of a link, next to the node, so that heavy links do not cover the others there.
    fn leave(&self, from: Point, to: Point) -> Point {
        from.leaving(to, self.plan.step * 0.17)
    }

    /// The text of a link under the pointer.
    fn title(&self, link: &PlannedLink, traffic: Option<&LinkTraffic>) -> String {
        let count = traffic.map_or(0, |traffic| traffic.count);
        // The end from which messages go forward.
        let near = traffic.map_or(link.near, |traffic| traffic.link.near);
        let ends = if near == link.near { [link.near, link.far] } else { [link.far, link.near] };
        let ends = ends.map(|node| self.plan.address_text(node));
        let carried = format!(
            "({}) to ({}): {count} {}{}",
            ends[0],
            ends[1],
            self.measure.unit(),
            self.among_parallels(link)
        );
        let LinkMeasure::BusyCycles { makespan } = self.measure else { return carried };
        let [forward, back] = traffic.and_then(|traffic| traffic.ways).unwrap_or([0; 2]);
        let shares = match self.run.communication.links() {
            LinkMode::FullDuplex => {
                format!("{} forward and {} back", percent(forward, makespan), percent(back, makespan))
            }
            LinkMode::HalfDuplex | LinkMode::SingleDirection => percent(count, makespan),
        };
        let units = units_in_words(self.run, count / traffic.map_or(1, |traffic| self.unit_cycles(traffic)));
        format!("{carried}{}, {shares}, {units}", TimeScale::of(self.run).aside(count))
    }

    fn draw(&self, sheet: &mut Sheet, link: &PlannedLink, traffic: Option<&LinkTraffic>, thick: &str) {
        let step = self.scale.step(self.value(traffic));
        let title = self.title(link, traffic);
        if let LinkPath::ToLayer(at, dimension) = link.path {
            let side = self.plan.step * 0.24;
            let aside = side * 1.1 * as_drawn(dimension.saturating_sub(3) as u64);
            let area = Area { x: at.x + side * 0.3 + aside, y: at.y + side * 0.5, width: side, height: side };
            sheet.heat_swatch(area, step, &title);
        } else if let Some(line) = link.path.description(|from, to| self.leave(from, to), STUB) {
            sheet.heat_line(&line, step, thick, &title);
        }
    }
}

#[cfg(test)]
mod tests;
