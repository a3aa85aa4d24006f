//! The shares of each run's makespan, by activity, one bar a run.

use cubefold_experiment::{engineering_seconds, export::RunRecord};

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

/// The most runs that are drawn under each other.
pub const MAX_BARS: usize = 120;

/// The widest name of a run \[pixels\]; longer ones are cut off.
const MAX_NAME_WIDTH: f64 = 420.0;

/// Draws the makespan of each named run as a bar, split by the activities of the mean process; the
/// lower bound, where one is known, is a line across the bar.
///
/// # Errors
///
/// When there are more than [`MAX_BARS`].
pub fn time_shares(caption: &str, runs: &[(String, &RunRecord)]) -> Result<Picture, PictureError> {
    const BAR: f64 = 22.0;
    const STEP: f64 = 32.0;
    if runs.len() > MAX_BARS {
        return Err(PictureError::TooManyRuns { found: runs.len(), most: MAX_BARS });
    }
    let widest = runs.iter().map(|(name, _)| text_width(name, TEXT)).fold(0.0, f64::max);
    let left = widest.min(MAX_NAME_WIDTH) + 20.0;
    let rows = as_drawn(runs.len() as u64);
    let (width, height) = (960.0, rows * STEP + 118.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 380")]
    let margins = Margins { left: left as u32, below: 40, right: 70, above: 36 };
    let longest = runs.iter().map(|(_, record)| record.makespan_cycles).max().unwrap_or(0);
    let unit = TimeScale::common(runs.iter().map(|(_, record)| *record)).unit(longest);
    let ticks = if unit.is_cycles() { Ticks::Whole } else { Ticks::Any };
    let across = Axis { ticks, ..Axis::from_zero(&unit.title("cycles"), unit.of(longest) * 1.02) };
    let axes = Axes::draw(width, height - 26.0, margins, across, Axis::from_zero("", rows))?;
    let description = "The makespan of each run, split into what the mean process does.";
    let mut sheet = Sheet::new(width, height, caption, description);
    sheet.caption(caption);
    sheet.embed(axes.svg.clone());
    let pitch = axes.inside.height / rows.max(1.0);
    let mut done = vec![];
    let mut y = axes.inside.y + (pitch - BAR) / 2.0;
    for (name, record) in runs {
        let row = Area { x: 0.0, y, width: 0.0, height: BAR };
        let fitting = fitted(name, TEXT, MAX_NAME_WIDTH);
        sheet.text(&fitting, Point { x: axes.inside.x - 8.0, y: y + BAR / 2.0 + 4.0 }, TEXT, Anchor::End);
        let place = Place { axes: &axes, unit, row };
        draw_run(&mut sheet, place, name, record, &mut done);
        y += pitch;
    }
    let shown: Vec<Activity> = Activity::ALL.into_iter().filter(|activity| done.contains(activity)).collect();
    let has_bound = runs.iter().any(|(_, record)| record.lower_bound_cycles.is_some());
    let bound = has_bound.then(|| ("lower bound".to_owned(), Sign::Upright));
    Legend::new(Legend::activities(&shown).chain(bound), left, width - 8.0).draw(&mut sheet, height - 10.0);
    Ok(sheet.finish())
}

/// Where a run is drawn.
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
    let parts = parts(record);
    let all: u128 = parts.iter().map(|(_, cycles)| cycles).sum();
    let mut from = 0.0;
    for (activity, cycles) in parts.into_iter().filter(|(_, cycles)| *cycles > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = cycles as f64 / all as f64;
        let to = from + share * unit.of(record.makespan_cycles);
        let (left, right) = (axes.x(from), axes.x(to));
        let title = format!(
            "{name}: {}, {:.1} % of {} cycles{}; {cycles} cycles over all processes",
            activity.name(),
            share * 100.0,
            record.makespan_cycles,
            scale.aside(record.makespan_cycles)
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

/// The makespan in cycles, or in seconds where the scenario speaks of them.
fn makespan(record: &RunRecord) -> String {
    record.makespan_seconds.map_or_else(|| record.makespan_cycles.to_string(), engineering_seconds)
}

/// The cycles of all processes in each activity; together the makespan times the processes.
fn parts(record: &RunRecord) -> [(Activity, u128); 6] {
    let totals = &record.totals;
    Activity::ALL.map(|activity| {
        let cycles = match activity {
            Activity::Compute => totals.compute_cycles,
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
    use crate::support::{finished, runs};

    #[test]
    fn parts_make_up_the_makespan_of_all_processes() {
        let scenario = "[machine]\nkind = \"torus\"\nshape = [64, 64]\n[program]\nkind = \"cc-cube\"\n\
                        compute_cycles = 2\n[mapping]\nembeddings = [\"standard\", \"byweight\", \"gray\"]\n";
        let runs = runs(scenario);
        let records: Vec<RunRecord> = runs.iter().map(|run| RunRecord::new(run, 0, &finished(run))).collect();
        for record in &records {
            let all: u128 = parts(record).iter().map(|(_, cycles)| cycles).sum();
            assert_eq!(all, u128::from(record.makespan_cycles) * 4096);
        }
        let named: Vec<_> = records.iter().map(|record| (record.embedding.clone(), record)).collect();
        let picture = time_shares("three", &named).unwrap();
        assert_eq!(picture.svg().matches(": lower bound 118 cycles").count(), 3);
        assert!(picture.svg().contains("gray: blocked, "));
    }

    #[test]
    fn bars_are_in_seconds_where_all_runs_speak_of_them() {
        let scenario = "[machine]\nkind = \"ring\"\nshape = [8]\n\
                        link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\n";
        let run = &runs(scenario)[0];
        let record = RunRecord::new(run, 0, &finished(run));
        let picture = time_shares("one", &[("standard".to_owned(), &record)]).unwrap();
        assert!(picture.svg().contains("time [us]"));
        let makespan = format!(" % of {} cycles ({}", record.makespan_cycles, makespan(&record));
        assert!(picture.svg().contains(&makespan), "{makespan}: {}", picture.svg());
    }
}
