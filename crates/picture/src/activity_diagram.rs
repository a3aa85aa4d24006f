//! Rows down, time across: the activities of each row.
//!
//! Space-time diagrams and timelines are such diagrams. A diagram is independent of programs; it has only the names of
//! its rows and spans of activities.

use std::ops::RangeInclusive;

use cubefold_records::counted;

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks},
    error::PictureError,
    font::text_width,
    legend::Legend,
    palette::Activity,
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, as_drawn},
    time_scale::{TimeScale, TimeUnit},
};

/// The baseline of the makespan's label \[pixels\], between the caption and the names of stages.
const MAKESPAN_LINE: f64 = 42.0;

/// The activity of a row from one cycle to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    /// The row, counted from 0.
    pub(crate) row: usize,
    pub(crate) activity: Activity,
    /// The cycle at which it begins.
    pub(crate) from: u64,
    /// The cycle at which it ends.
    pub(crate) to: u64,
    /// The text under the pointer.
    pub(crate) title: String,
}

/// A part of a row with a name, such as a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// The row, counted from 0.
    pub(crate) row: usize,
    /// The cycle at which it begins.
    pub(crate) from: u64,
    /// The light part on which the name is written.
    pub(crate) label: RangeInclusive<u64>,
    pub(crate) name: String,
}

/// A line from one row to another: a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// The rows where it begins and ends.
    pub(crate) rows: [usize; 2],
    /// The cycles at which it begins and ends.
    pub(crate) cycles: [u64; 2],
}

/// A diagram without its spans.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActivityDiagram<'text> {
    pub(crate) caption: &'text str,
    /// The picture in words, for screen readers.
    pub(crate) description: String,
    /// The noun for a row.
    pub(crate) row_title: &'text str,
    /// The names of the rows, from top to bottom.
    pub(crate) rows: Vec<String>,
    /// The cycle at which the run ends; marked if it is in the diagram.
    pub(crate) makespan: u64,
    /// The first and the last cycle.
    pub(crate) cycles: RangeInclusive<u64>,
    pub(crate) scale: TimeScale,
}

/// The rows and cycles of a diagram in words: `ranks 0 to 7 down, cycles 0 to 40 across`.
pub(crate) fn down_and_across(
    rows: &str,
    shown: &RangeInclusive<u64>,
    cycles: &RangeInclusive<u64>,
) -> String {
    let [first, last, begin, end] = [shown.start(), shown.end(), cycles.start(), cycles.end()];
    format!("{rows} {first} to {last} down, cycles {begin} to {end} across")
}

impl ActivityDiagram<'_> {
    /// Whether some of the time between two cycles is in the diagram.
    pub(crate) fn shows(&self, from: u64, to: u64) -> bool {
        from.max(*self.cycles.start()) < to.min(*self.cycles.end())
    }

    /// Draws the parts of spans and sections, and the arrows, that lie in the diagram's cycles.
    ///
    /// # Errors
    ///
    /// When the plotting library refuses.
    pub(crate) fn draw(
        &self,
        spans: &[Span],
        sections: &[Section],
        arrows: &[Arrow],
    ) -> Result<Picture, PictureError> {
        let rows = as_drawn(self.rows.len() as u64);
        let row_height = (640.0 / rows).clamp(3.0, 20.0);
        let (width, height) = (960.0, rows * row_height + 124.0);
        let widest = self.rows.iter().map(|name| text_width(name, TEXT)).fold(0.0, f64::max);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 300")]
        let left = (widest + 20.0).clamp(52.0, 300.0) as u32;
        let margins = Margins { left, below: 36, right: 16, above: 64 };
        let unit = self.scale.unit(*self.cycles.end());
        let across = Axis {
            title: unit.title("cycle"),
            from: unit.of(*self.cycles.start()),
            to: unit.of(*self.cycles.end()),
            scale: Scale::Linear,
            ticks: if unit.is_cycles() { Ticks::Whole } else { Ticks::Any },
        };
        let axes = Axes::draw(width, height - 24.0, margins, across, Axis::from_zero("", rows))?;
        let mut sheet = Sheet::new(width, height, self.caption, &self.description);
        sheet.caption(self.caption);
        sheet.embed(axes.svg.clone());
        sheet.text(self.row_title, Point { x: 8.0, y: 59.0 }, TEXT, Anchor::Start);
        if !sections.is_empty() {
            sheet.text("numbers: stages", Point { x: 8.0, y: MAKESPAN_LINE }, TEXT, Anchor::Start);
        }
        let row_height = axes.inside.height / rows;
        let drawing = Drawing { diagram: self, axes: &axes, unit, row_height };
        drawing.draw_names(&mut sheet);
        let done = drawing.draw_spans(&mut sheet, spans);
        if !sections.is_empty() {
            drawing.draw_section_starts(&mut sheet, sections);
        }
        if !arrows.is_empty() {
            drawing.draw_arrows(&mut sheet, arrows);
        }
        if !sections.is_empty() && drawing.is_high() {
            drawing.name_sections_in_rows(&mut sheet, sections, !arrows.is_empty());
        } else if !sections.is_empty() {
            drawing.name_sections_above(&mut sheet, sections);
        }
        drawing.draw_makespan(&mut sheet);
        Legend::new(Legend::activities(&done), 60.0, width).draw(&mut sheet, height - 10.0);
        Ok(sheet.finish())
    }
}

struct Drawing<'picture> {
    diagram: &'picture ActivityDiagram<'picture>,
    axes: &'picture Axes,
    unit: TimeUnit,
    row_height: f64,
}

impl Drawing<'_> {
    /// The upper edge of a row.
    fn top(&self, row: usize) -> f64 {
        self.axes.inside.y + as_drawn(row as u64) * self.row_height
    }

    fn x(&self, cycle: u64) -> f64 {
        self.axes.x(self.unit.of(cycle))
    }

    /// Labels the rows with enough room: those whose index is a multiple of a power of two.
    fn draw_names(&self, sheet: &mut Sheet) {
        let step = [1, 2, 4, 8, 16, 32].into_iter().find(|&step| as_drawn(step) * self.row_height >= TEXT);
        let step = step.unwrap_or(64);
        let rows = &self.diagram.rows;
        // Rows of processes are labelled by multiples of the process number.
        let number = |name: &String| name.parse::<u64>().ok();
        for (row, name) in rows.iter().enumerate() {
            if number(name).unwrap_or(row as u64).is_multiple_of(step) {
                let at =
                    Point { x: self.axes.inside.x - 6.0, y: self.top(row) + self.row_height / 2.0 + 4.0 };
                sheet.text(name, at, TEXT, Anchor::End);
            }
        }
    }

    /// Draws the spans, activity by activity, and returns the activities that occur.
    fn draw_spans(&self, sheet: &mut Sheet, spans: &[Span]) -> Vec<Activity> {
        let mut done = vec![];
        let is_shown = |span: &&Span| self.diagram.shows(span.from, span.to);
        for activity in Activity::ALL {
            sheet.open(&[("fill", activity.fill())]);
            for span in spans.iter().filter(|span| span.activity == activity).filter(is_shown) {
                self.draw_span(sheet, span);
                if done.last() != Some(&activity) {
                    done.push(activity);
                }
            }
            sheet.close();
        }
        done
    }

    /// Draws the part of a span inside the diagram.
    fn draw_span(&self, sheet: &mut Sheet, span: &Span) {
        let (left, right) = self.ends(&(span.from..=span.to));
        let gap = if self.row_height > 6.0 { 1.0 } else { 0.0 };
        let area =
            Area { x: left, y: self.top(span.row), width: right - left, height: self.row_height - gap };
        sheet.mark(area, "", &span.title);
    }

    /// Marks the end of the run, with its time above the rows.
    fn draw_makespan(&self, sheet: &mut Sheet) {
        let makespan = self.diagram.makespan;
        if !self.diagram.cycles.contains(&makespan) {
            return;
        }
        let (x, inside) = (self.x(makespan), self.axes.inside);
        let properties = [("stroke", "currentColor"), ("stroke-width", "1.5"), ("stroke-dasharray", "5 2")];
        let top = Point { x, y: MAKESPAN_LINE + 3.0 };
        sheet.line(top, Point { x, y: inside.y + inside.height }, &properties, "");
        let text = format!("makespan {}{}", counted(makespan, "cycle"), self.diagram.scale.aside(makespan));
        // On the side with enough room.
        let (aside, anchor) = match text_width(&text, TEXT) + 4.0 {
            width if x + width <= inside.x + inside.width => (4.0, Anchor::Start),
            _ => (0.0, Anchor::End),
        };
        sheet.text(&text, Point { x: x + aside, y: MAKESPAN_LINE }, TEXT, anchor);
    }

    /// Whether rows have room for names.
    fn is_high(&self) -> bool {
        self.row_height >= TEXT + 2.0
    }

    /// Draws a line at the beginning of each section.
    fn draw_section_starts(&self, sheet: &mut Sheet, sections: &[Section]) {
        let (first, last) = (*self.diagram.cycles.start(), *self.diagram.cycles.end());
        let is_high = self.is_high();
        sheet.open(&[("stroke", "#000000"), ("stroke-width", if is_high { "0.8" } else { "0.4" })]);
        for section in sections.iter().filter(|section| (first + 1..last).contains(&section.from)) {
            let (x, top) = (self.x(section.from), self.top(section.row));
            sheet.line(Point { x, y: top }, Point { x, y: top + self.row_height }, &[], "");
        }
        sheet.close();
    }

    /// The beginning and end of the visible part of a range of cycles \[pixels\].
    fn ends(&self, cycles: &RangeInclusive<u64>) -> (f64, f64) {
        let (first, last) = (*self.diagram.cycles.start(), *self.diagram.cycles.end());
        (self.x((*cycles.start()).max(first)), self.x((*cycles.end()).min(last)))
    }

    /// Names the sections with enough room in their rows; with `over_arrows`, on a background.
    fn name_sections_in_rows(&self, sheet: &mut Sheet, sections: &[Section], over_arrows: bool) {
        let fits = |section: &&Section| {
            let (left, right) = self.ends(&section.label);
            right - left >= text_width(&section.name, TEXT) + 4.0
        };
        if over_arrows {
            // Light, but not the colour of an activity.
            sheet.open(&[("fill-opacity", "0.6")]);
            for section in sections.iter().filter(fits) {
                let (left, right) = self.ends(&section.label);
                let width = text_width(&section.name, TEXT) + 4.0;
                let y = self.top(section.row) + (self.row_height - TEXT) / 2.0;
                let x = f64::midpoint(left, right) - width / 2.0;
                sheet.swatch(Area { x, y, width, height: TEXT }, "#ffffff");
            }
            sheet.close();
        }
        // On light marks, independent of the colour of the page.
        sheet.open(&[("fill", "#000000"), ("text-anchor", "middle")]);
        for section in sections.iter().filter(fits) {
            let (left, right) = self.ends(&section.label);
            let y = self.top(section.row) + self.row_height / 2.0 + TEXT * 0.36;
            sheet.label(&section.name, Point { x: f64::midpoint(left, right), y }, TEXT);
        }
        sheet.close();
    }

    /// Names the sections of the first row above that row, where rows are too low for names; those without room are left out.
    fn name_sections_above(&self, sheet: &mut Sheet, sections: &[Section]) {
        sheet.open(&[("fill", "currentColor"), ("text-anchor", "middle")]);
        let mut free_from = self.axes.inside.x;
        for section in sections.iter().filter(|section| section.row == 0) {
            let (left, right) = self.ends(&(section.from..=*section.label.end()));
            let (middle, width) = (f64::midpoint(left, right), text_width(&section.name, TEXT) + 4.0);
            if left < right && middle - width / 2.0 >= free_from {
                sheet.label(&section.name, Point { x: middle, y: self.axes.inside.y - 5.0 }, TEXT);
                free_from = middle + width / 2.0;
            }
        }
        sheet.close();
    }

    /// Draws the arrows inside the diagram, with a point at the end.
    fn draw_arrows(&self, sheet: &mut Sheet, arrows: &[Arrow]) {
        let (first, last) = (*self.diagram.cycles.start(), *self.diagram.cycles.end());
        let shown = || arrows.iter().filter(|arrow| arrow.cycles[0] >= first && arrow.cycles[1] <= last);
        let place = |arrow: &Arrow, end: usize| Point {
            x: self.x(arrow.cycles[end]),
            y: self.top(arrow.rows[end]) + self.row_height / 2.0,
        };
        sheet.open(&[("stroke", "currentColor"), ("stroke-width", "0.8"), ("stroke-opacity", "0.75")]);
        for arrow in shown() {
            sheet.line(place(arrow, 0), place(arrow, 1), &[("class", "message")], "");
        }
        sheet.close();
        sheet.open(&[("fill", "currentColor")]);
        for arrow in shown() {
            sheet.point(place(arrow, 1), 2.0);
        }
        sheet.close();
    }
}
