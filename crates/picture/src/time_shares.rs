//! The shares of each run's makespan by activity, a bar per run.

use cubefold_formats::input::engineering_seconds;
use cubefold_records::{RunRecord, grouped};

use crate::{
    axes::{Axes, Axis, Margins, Ticks},
    error::PictureError,
    font::{fitted, text_width},
    legend::{Legend, Sign},
    palette::Activity,
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, as_drawn},
    time_scale::{TimeScale, TimeUnit},
};

/// The maximum number of bars.
pub const MAX_BARS: usize = 120;

/// The widest name of a run \[pixels\]; longer ones are cut off.
const MAX_NAME_WIDTH: f64 = 420.0;

/// A run to compare.
#[derive(Debug, Clone)]
pub struct ComparedRun<'record> {
    /// The whole name.
    pub name: String,
    /// The settings that it shares with the runs it is compared with, such as the machine; empty if all runs share them.
    pub group: String,
    /// The settings in which it differs from those, such as the embedding.
    pub bar: String,
    /// Its results.
    pub record: &'record RunRecord,
}

/// Draws the makespan of each run as a bar, split by the activities of the mean process, with the lower bound as a line
/// if one is known. Bars of a group are below its name. Jobs with parallel steps have no bar, since the activities of
/// their processes overlap.
///
/// # Errors
///
/// When there are more than [`MAX_BARS`], or no bar.
pub fn time_shares(caption: &str, runs: &[ComparedRun<'_>]) -> Result<Picture, PictureError> {
    const BAR: f64 = 22.0;
    const STEP: f64 = 32.0;
    let runs = &divided(runs)?;
    if runs.len() > MAX_BARS {
        return Err(PictureError::TooManyRuns { found: runs.len(), most: MAX_BARS });
    }
    let rows = rows(runs);
    let label = |row: &Row<'_>| match *row {
        Row::Group(_) => 0.0,
        Row::Run { label, .. } => text_width(label, TEXT),
    };
    let left = rows.iter().map(label).fold(0.0, f64::max).min(MAX_NAME_WIDTH) + 20.0;
    let row_count = as_drawn(rows.len() as u64);
    let (width, height) = (960.0, row_count * STEP + 118.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 380")]
    let margins = Margins { left: left as u32, below: 40, right: 70, above: 36 };
    let longest = runs.iter().filter_map(|run| run.record.makespan_cycles).max().unwrap_or(0);
    let unit = TimeScale::common(runs.iter().map(|run| run.record)).unit(longest);
    let ticks = if unit.is_cycles() { Ticks::Whole } else { Ticks::Any };
    let across = Axis { ticks, ..Axis::from_zero(&unit.title("cycles"), unit.of(longest) * 1.02) };
    let axes = Axes::draw(width, height - 26.0, margins, across, Axis::from_zero("", row_count))?;
    let description = "The makespan of each run, split into what the mean process does.";
    let mut sheet = Sheet::new(width, height, caption, description);
    sheet.caption(caption);
    sheet.embed(axes.svg.clone());
    let pitch = axes.inside.height / row_count.max(1.0);
    let mut done = vec![];
    let mut y = axes.inside.y + (pitch - BAR) / 2.0;
    for row in &rows {
        match *row {
            Row::Group(name) => {
                let at = Point { x: 8.0, y: y + BAR - 2.0 };
                sheet.heading(&fitted(name, TEXT, width - 16.0), at, TEXT);
            }
            Row::Run { label, run } => {
                let at = Point { x: axes.inside.x - 8.0, y: y + BAR / 2.0 + 4.0 };
                sheet.text(&fitted(label, TEXT, MAX_NAME_WIDTH), at, TEXT, Anchor::End);
                let row = Area { x: 0.0, y, width: 0.0, height: BAR };
                draw_run(&mut sheet, Place { axes: &axes, unit, row }, &run.name, run.record, &mut done);
            }
        }
        y += pitch;
    }
    let shown: Vec<Activity> = Activity::ALL.into_iter().filter(|activity| done.contains(activity)).collect();
    let has_bound = runs.iter().any(|run| run.record.lower_bound_cycles.is_some());
    let bound = has_bound.then(|| ("lower bound".to_owned(), Sign::Upright));
    Legend::new(Legend::activities(&shown).chain(bound), left, width - 8.0).draw(&mut sheet, height - 10.0);
    Ok(sheet.finish())
}

/// The runs whose time is divided among activities.
fn divided<'record>(runs: &[ComparedRun<'record>]) -> Result<Vec<ComparedRun<'record>>, PictureError> {
    let divided: Vec<_> = runs.iter().filter(|run| run.record.divided_time().is_some()).cloned().collect();
    if divided.is_empty() && !runs.is_empty() { Err(PictureError::NoShares) } else { Ok(divided) }
}

/// A row of the picture.
#[derive(Debug, Clone, Copy)]
enum Row<'runs> {
    /// The name of the following group.
    Group(&'runs str),
    /// A bar.
    Run { label: &'runs str, run: &'runs ComparedRun<'runs> },
}

/// The rows: groups in order of first occurrence. If every group has one run, groups have no names.
fn rows<'runs>(runs: &'runs [ComparedRun<'runs>]) -> Vec<Row<'runs>> {
    let groups = grouped(runs.iter().map(|run| (run.group.as_str(), run)));
    if groups.iter().all(|(_, runs)| runs.len() == 1) {
        return runs.iter().map(|run| Row::Run { label: &run.name, run }).collect();
    }
    let rows = |(name, runs): (&'runs str, Vec<&'runs ComparedRun<'runs>>)| {
        let title = (!name.is_empty()).then_some(Row::Group(name));
        title.into_iter().chain(runs.into_iter().map(|run| Row::Run { label: &run.bar, run }))
    };
    groups.into_iter().flat_map(rows).collect()
}

/// The place of a run in the picture.
#[derive(Debug, Clone, Copy)]
struct Place<'axes> {
    axes: &'axes Axes,
    unit: TimeUnit,
    row: Area,
}

fn draw_run(
    sheet: &mut Sheet,
    Place { axes, unit, row }: Place<'_>,
    name: &str,
    record: &RunRecord,
    done: &mut Vec<Activity>,
) {
    let scale = TimeScale::common([record].into_iter());
    let makespan_cycles = record.makespan_cycles.unwrap_or(0);
    let parts = parts(record);
    let all: u128 = parts.iter().map(|(_, cycles)| cycles).sum();
    let mut from = 0.0;
    for (activity, cycles) in parts.into_iter().filter(|(_, cycles)| *cycles > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = cycles as f64 / all as f64;
        let to = from + share * unit.of(makespan_cycles);
        let (left, right) = (axes.x(from), axes.x(to));
        let title = format!(
            "{name}: {}, {:.1} % of {} cycles{}; {cycles} cycles over all processes",
            activity.name(),
            share * 100.0,
            makespan_cycles,
            scale.aside(makespan_cycles)
        );
        sheet.mark(Area { x: left, width: right - left, ..row }, activity.fill(), &title);
        done.push(activity);
        from = to;
    }
    let at = Point { x: axes.x(from) + 6.0, y: row.y + row.height / 2.0 + 4.0 };
    sheet.text(&makespan(record), at, TEXT, Anchor::Start);
    if let Some(bound) = record.lower_bound_cycles {
        let x = axes.x(unit.of(bound));
        let (top, bottom) = (Point { x, y: row.y - 4.0 }, Point { x, y: row.y + row.height + 4.0 });
        let properties = [("stroke", "currentColor"), ("stroke-width", "2.5")];
        let title = format!("{name}: lower bound {bound} cycles{}", scale.aside(bound));
        sheet.line(top, bottom, &properties, &title);
    }
}

/// The makespan in cycles, or in seconds if the length of a cycle is known.
fn makespan(record: &RunRecord) -> String {
    let cycles = || record.makespan_cycles.map(|cycles| cycles.to_string()).unwrap_or_default();
    record.makespan_seconds.map_or_else(cycles, engineering_seconds)
}

/// The cycles of all processes in each activity; together the makespan times the processes.
fn parts(record: &RunRecord) -> [(Activity, u128); 6] {
    Activity::ALL.map(|activity| {
        let Some(totals) = record.divided_time() else { return (activity, 0) };
        let cycles = match activity {
            // The core of a process computes, or sends and receives.
            Activity::Compute => totals.compute_cycles.saturating_add(totals.overhead_cycles),
            Activity::Sharing => totals.sharing_cycles,
            Activity::Waiting => totals.waiting_cycles,
            Activity::Transfer => totals.transfer_cycles,
            Activity::Blocked => totals.blocked_cycles,
            Activity::Idle => totals.idle_at_end_cycles,
        };
        (activity, cycles)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::records;

    #[test]
    fn parts_make_up_the_makespan_of_all_processes() {
        let scenario = "[machine]\nkind = \"torus\"\nshape = [64, 64]\n[program]\nkind = \"cc-cube\"\n\
                        compute_cycles = 2\n[mapping]\nembeddings = [\"standard\", \"byweight\", \"gray\"]\n";
        let records = records(scenario);
        for record in &records {
            let all: u128 = parts(record).iter().map(|(_, cycles)| cycles).sum();
            assert_eq!(all, u128::from(record.makespan_cycles.unwrap()) * 4096);
        }
        let named: Vec<ComparedRun<'_>> = records.iter().map(|record| compared("", record)).collect();
        let picture = time_shares("three", &named).unwrap();
        assert_eq!(picture.svg().matches(": lower bound 118 cycles").count(), 3);
        assert!(picture.svg().contains("gray: blocked, "));
    }

    fn compared<'a>(group: &str, record: &'a RunRecord) -> ComparedRun<'a> {
        let bar = record.embedding.clone();
        let name = if group.is_empty() { bar.clone() } else { format!("{bar}, {group}") };
        ComparedRun { name, group: group.to_owned(), bar, record }
    }

    #[test]
    fn runs_stand_below_what_they_have_in_common() {
        let records = records("[machine]\nkind = \"ring\"\nshape = [8]\n");
        let named: Vec<ComparedRun<'_>> = ["small", "large"]
            .iter()
            .flat_map(|group| records.iter().map(|record| compared(group, record)))
            .collect();
        let labels = |runs: &[ComparedRun<'_>]| -> Vec<String> {
            rows(runs)
                .iter()
                .map(|row| match row {
                    Row::Group(name) => format!("[{name}]"),
                    Row::Run { label, .. } => (*label).to_owned(),
                })
                .collect()
        };
        let expected = ["[small]", "standard", "xor", "byweight", "[large]", "standard", "xor", "byweight"]
            .map(str::to_owned);
        assert_eq!(labels(&named), expected);
        // The order of the runs does not matter.
        let mixed = [0, 3, 1, 4, 2, 5].map(|place: usize| named[place].clone());
        assert_eq!(labels(&mixed), expected);
        let single = [named[0].clone(), named[3].clone()];
        assert_eq!(labels(&single), ["standard, small", "standard, large"]);
        assert!(time_shares("both", &named).unwrap().svg().contains("\nlarge\n"));
    }

    #[test]
    fn bars_are_in_seconds_where_all_runs_speak_of_them() {
        let scenario = "[machine]\nkind = \"ring\"\nshape = [8]\n\
                        link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\n";
        let record = &records(scenario)[0];
        let picture = time_shares("one", &[compared("", record)]).unwrap();
        assert!(picture.svg().contains("time [us]"));
        let makespan = format!(" % of {} cycles ({}", record.makespan_cycles.unwrap(), makespan(record));
        assert!(picture.svg().contains(&makespan), "{makespan}: {}", picture.svg());
    }
}
