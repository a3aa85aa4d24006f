//! Bars side by side over a number axis: histograms of waiting and blocked times, and dilation
//! spectra.

use cubefold_records::PlacementRecord;
use cubefold_scenario::Run;
use cubefold_simulator::{Distribution, Summary};

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks, number},
    error::PictureError,
    font::text_width,
    legend::{Legend, Sign},
    palette::{Activity, series},
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, as_drawn},
    time_scale::{TimeScale, TimeUnit},
};

/// Draws the distribution of waiting and blocked times over pairs of process and stage.
///
/// Most times are 0, so the axis of counts is logarithmic.
///
/// # Errors
///
/// When no process waits or is blocked, and when the plotting library refuses.
pub fn histogram(caption: &str, run: &Run, summary: &Summary) -> Result<Picture, PictureError> {
    let longest = summary.waiting().max().max(summary.blocked().max());
    if longest == 0 {
        return Err(PictureError::NoDelays);
    }
    let bars = |activity: Activity, distribution: &Distribution| Series {
        name: activity.name().to_owned(),
        fill: activity.fill(),
        counts: distribution.counts().collect(),
    };
    let chart = BarChart {
        caption: format!("{caption}: waiting and blocked times"),
        description: "How many processes in how many stages wait, and are blocked, for how long.".to_owned(),
        values: "cycles",
        scale_across: TimeScale::of(run),
        unit: TimeScale::of(run).unit(longest),
        counted: "processes and stages",
        series: vec![bars(Activity::Waiting, summary.waiting()), bars(Activity::Blocked, summary.blocked())],
        scale: Scale::Logarithmic,
    };
    chart.draw()
}

/// The most placements side by side: the number of colours that everybody can distinguish.
pub const MAX_PLACEMENTS: usize = 8;

/// Draws the dilation spectra (González et al. 1995, 4.2) of named placements.
///
/// # Errors
///
/// When there are more than [`MAX_PLACEMENTS`].
pub fn spectrum(caption: &str, placements: &[(String, PlacementRecord)]) -> Result<Picture, PictureError> {
    let found = placements.len();
    if found > MAX_PLACEMENTS {
        return Err(PictureError::TooManyPlacements { found, most: MAX_PLACEMENTS });
    }
    let series = placements.iter().enumerate().map(|(place, (name, placement))| Series {
        name: name.clone(),
        fill: series(place),
        counts: placement.dilation.spectrum.iter().map(|(&dilation, &edges)| (dilation, edges)).collect(),
    });
    let chart = BarChart {
        caption: format!("{caption}: dilation spectrum"),
        description: "How many guest edges have each dilation, one colour an embedding.".to_owned(),
        values: "dilation [links]",
        scale_across: TimeScale::default(),
        unit: TimeScale::default().unit(1),
        counted: "guest edges",
        series: series.collect(),
        scale: Scale::Linear,
    };
    chart.draw()
}

/// The most groups of bars; beyond it, neighbouring values share a bar.
const MAX_BINS: u64 = 48;

/// The number of occurrences of each value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Series {
    name: String,
    /// The fill of its bars.
    fill: &'static str,
    /// Values in ascending order, with their counts.
    counts: Vec<(u64, u64)>,
}

#[derive(Debug, Clone, PartialEq)]
struct BarChart {
    caption: String,
    description: String,
    /// The quantity of the values, with its unit.
    values: &'static str,
    /// The length of a cycle if values are cycles, and the unit of the axis.
    scale_across: TimeScale,
    unit: TimeUnit,
    /// The counted things.
    counted: &'static str,
    series: Vec<Series>,
    /// The scale of the counts.
    scale: Scale,
}

impl BarChart {
    /// Draws the chart.
    ///
    /// # Errors
    ///
    /// When the plotting library refuses.
    fn draw(&self) -> Result<Picture, PictureError> {
        let bins = Bins::of(&self.series);
        let binned: Vec<Vec<u64>> = self.series.iter().map(|series| bins.count(series)).collect();
        let most = binned.iter().flatten().copied().max().unwrap_or(0);
        let entries = self.series.iter().map(|series| (series.name.clone(), Sign::Filled(series.fill)));
        let legend = Legend::new(entries, 72.0, 944.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few rows")]
        let above = 58 + legend.extra_height() as u32;
        let (width, height) = (960.0, 400.0 + legend.extra_height());
        let margins = Margins { left: 64, below: 40, right: 16, above };
        let axes = Axes::draw(width, height, margins, self.across(&bins), self.up(most))?;
        let mut sheet = Sheet::new(width, height, &self.caption, &self.description);
        sheet.caption(&self.caption);
        legend.draw(&mut sheet, 46.0);
        sheet.embed(axes.svg.clone());
        bins.draw_names(&mut sheet, &axes, self.unit);
        for (place, (series, counts)) in self.series.iter().zip(&binned).enumerate() {
            sheet.open(&[("fill", series.fill)]);
            for (bin, &count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
                let area = self.bar(&axes, &bins, bin, place, count);
                let aside = self.scale_across.aside(bins.first + bin * bins.width);
                let (name, values, counted) = (&series.name, self.values, self.counted);
                let title = format!("{name}: {values} {}{aside}, {count} {counted}", bins.name(bin));
                sheet.mark(area, "", &title);
            }
            sheet.close();
        }
        Ok(sheet.finish())
    }

    fn across(&self, bins: &Bins) -> Axis {
        Axis {
            title: self.unit.title(self.values),
            from: as_drawn(bins.first) - 0.5,
            to: as_drawn(bins.first + bins.width * bins.number) - 0.5,
            scale: Scale::Linear,
            ticks: Ticks::Own,
        }
    }

    fn up(&self, most: u64) -> Axis {
        let from_zero = Axis::from_zero(self.counted, as_drawn(most) * 1.05);
        match self.scale {
            Scale::Linear => from_zero,
            Scale::Logarithmic => {
                Axis { from: 0.5, to: as_drawn(most.max(2)) * 1.5, scale: Scale::Logarithmic, ..from_zero }
            }
        }
    }

    /// The bar of a series, beside the bars of the others.
    fn bar(&self, axes: &Axes, bins: &Bins, bin: u64, place: usize, count: u64) -> Area {
        let left = axes.x(as_drawn(bins.first + bin * bins.width) - 0.5);
        let right = axes.x(as_drawn(bins.first + (bin + 1) * bins.width) - 0.5);
        let one = (right - left) * 0.86 / as_drawn(self.series.len() as u64);
        let one_wide = one.min(46.0);
        let all = one_wide * as_drawn(self.series.len() as u64);
        let x = f64::midpoint(left, right) - all / 2.0 + one_wide * as_drawn(place as u64);
        let y = axes.y(as_drawn(count));
        Area { x, y, width: one_wide, height: axes.inside.y + axes.inside.height - y }
    }
}

/// Bins of values, all of one width.
struct Bins {
    first: u64,
    width: u64,
    number: u64,
}

impl Bins {
    fn of(series: &[Series]) -> Self {
        let values = || series.iter().flat_map(|series| series.counts.iter().map(|(value, _)| *value));
        let (first, last) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        let width = (last - first) / MAX_BINS + 1;
        Self { first, width, number: (last - first) / width + 1 }
    }

    fn count(&self, series: &Series) -> Vec<u64> {
        let mut counts = vec![0; usize::try_from(self.number).unwrap_or(0)];
        for &(value, count) in &series.counts {
            let bin = usize::try_from((value - self.first) / self.width).unwrap_or(usize::MAX);
            counts[bin] += count;
        }
        counts
    }

    /// Labels the bins with enough room, by their first value.
    fn draw_names(&self, sheet: &mut Sheet, axes: &Axes, unit: TimeUnit) {
        let x = |bin: u64| axes.x(as_drawn(self.first + bin * self.width) - 0.5);
        let one = x(1) - x(0);
        let names: Vec<String> =
            (0..self.number).map(|bin| number(unit.of(self.first + bin * self.width))).collect();
        let widest = names.iter().map(|name| text_width(name, TEXT) + 8.0).fold(0.0, f64::max);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most the number of bins"
        )]
        let step = (widest / one).ceil().max(1.0) as usize;
        // The label of several values is at the first of them.
        let (aside, anchor) =
            if self.width == 1 { (one / 2.0, Anchor::Middle) } else { (0.0, Anchor::Start) };
        for (bin, name) in (0..).zip(&names).step_by(step) {
            let at = Point { x: x(bin) + aside, y: axes.inside.y + axes.inside.height + 16.0 };
            sheet.text(name, at, TEXT, anchor);
        }
    }

    /// The values of a bin, as text.
    fn name(&self, bin: u64) -> String {
        let first = self.first + bin * self.width;
        match self.width {
            1 => first.to_string(),
            width => format!("{first} to {}", first + width - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{finished, run};

    fn chart(counts: Vec<(u64, u64)>, scale: Scale) -> BarChart {
        let series = vec![Series { name: "one".to_owned(), fill: "#000000", counts }];
        let (caption, description) = ("a chart".to_owned(), "counts".to_owned());
        let (values, counted, scale_across) = ("links", "edges", TimeScale::default());
        let unit = scale_across.unit(1);
        BarChart { caption, description, values, scale_across, unit, counted, series, scale }
    }

    #[test]
    fn bars_are_as_high_as_the_counts() {
        let svg = chart(vec![(1, 10), (3, 5)], Scale::Linear).draw().unwrap();
        let heights: Vec<f64> = svg
            .svg()
            .split("class=\"mark\" height=\"")
            .skip(1)
            .map(|mark| mark.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 2);
        assert!((heights[0] - 2.0 * heights[1]).abs() < 0.1, "{heights:?}");
        assert!(svg.svg().contains("<title>one: links 3, 5 edges</title>"));
    }

    #[test]
    fn times_are_in_seconds_where_the_scenario_speaks_of_them() {
        let run = run("[machine]\nkind = \"line\"\nshape = [8]\n\
                       link = { bandwidth = \"1 GB/s\", latency = \"640 ns\" }\n\
                       [program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"gray\"]\n");
        let summary = finished(&run).outcome.summary;
        let picture = histogram("a line", &run, &summary).unwrap();
        assert!(picture.svg().contains("time [ns]"));
        assert!(picture.svg().contains("blocked: cycles 0 (0 ps), "), "{}", picture.svg());
    }

    #[test]
    fn many_values_are_put_together_and_none_is_lost() {
        let series =
            Series { name: String::new(), fill: "", counts: (7..1007).map(|value| (value, value)).collect() };
        let bins = Bins::of(std::slice::from_ref(&series));
        assert!(bins.number <= MAX_BINS);
        assert_eq!(bins.count(&series).iter().sum::<u64>(), (7..1007).sum::<u64>());
        assert_eq!((bins.name(0), bins.name(1)), ("7 to 27".to_owned(), "28 to 48".to_owned()));
    }

    #[test]
    fn nothing_and_the_largest_numbers_can_be_drawn() {
        chart(vec![], Scale::Linear).draw().unwrap();
        chart(vec![(0, u64::MAX / 4), (u64::MAX / 4, 1)], Scale::Logarithmic).draw().unwrap();
    }
}
