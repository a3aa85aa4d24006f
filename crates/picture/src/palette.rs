//! Colours that people with any kind of colour vision can distinguish, also in prints without colour.
//!
//! The hues are those of Okabe & Ito 2008. Activities also differ by lightness, from dark to
//! light: computing, blocked, sharing, transfer, waiting, idle; and blocked is hatched.

use cubefold_derive::Words;

/// The activity of a process; legends and bars have this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub(crate) enum Activity {
    /// It computes.
    Compute,
    /// It waits for its node's processor.
    Sharing,
    /// It waits for its partner.
    Waiting,
    /// The message that it awaits moves.
    Transfer,
    /// That message is held up by others.
    Blocked,
    /// It has finished, or has nothing to do.
    Idle,
}

impl Activity {
    /// The fill of its marks: a colour, or the hatching that every sheet defines.
    pub(crate) fn fill(self) -> &'static str {
        match self {
            Self::Compute => "#0072b2",
            Self::Sharing => "#cc79a7",
            Self::Waiting => "#f0e442",
            Self::Transfer => "#56b4e9",
            Self::Blocked => "url(#blocked)",
            Self::Idle => "#e6e6e6",
        }
    }
}

/// The colour under the hatching of blocked times.
pub(crate) const BLOCKED: &str = "#d55e00";

/// The colour of the series with this number, such as an embedding.
pub(crate) fn series(number: usize) -> &'static str {
    const COLORS: [&str; 8] =
        ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "currentColor", "#b8a800"];
    COLORS[number % COLORS.len()]
}

/// A step of heat maps, from nothing to the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HeatStep(u8); // less than Self::COUNT

impl HeatStep {
    pub(crate) const COUNT: u8 = 8;

    /// Step `place` of `count`, spread over all steps; `count` is 2 to [`Self::COUNT`], and `place` less than `count`.
    pub(crate) fn of(place: u64, count: u64) -> Self {
        let last = u64::from(Self::COUNT) - 1;
        let step = (place * last + (count - 1) / 2) / (count - 1).max(1);
        Self(u8::try_from(step.min(last)).unwrap_or(0))
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// The class of its marks: `heat-0` to `heat-7`.
    pub(crate) fn class(self) -> String {
        format!("heat-{}", self.0)
    }

    fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Self::COUNT - 1)
    }

    /// The colour on a light background: the maximum is the darkest, nothing is grey.
    pub(crate) fn color(self) -> String {
        if self.0 == 0 { "#dcdcdc".to_owned() } else { heat(self.share()) }
    }

    /// The colour on a dark background: the maximum is the brightest, nothing is a visible grey.
    pub(crate) fn color_on_dark(self) -> String {
        if self.0 == 0 { "#33383f".to_owned() } else { heat(0.85 * (1.0 - self.share())) }
    }
}

/// The colour of a share of the greatest value, 0 to 1, from pale to dark.
fn heat(share: f64) -> String {
    // Stops of "cividis" (Nunez, Anderton & Renslow 2018), from light to dark.
    const STOPS: [[f64; 3]; 5] = [
        [255.0, 234.0, 70.0],
        [188.0, 175.0, 111.0],
        [124.0, 123.0, 120.0],
        [65.0, 77.0, 107.0],
        [0.0, 32.0, 77.0],
    ];
    let place = share.clamp(0.0, 1.0) * 4.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 4")]
    let below = (place.floor() as usize).min(3);
    let rest = place - place.floor().min(3.0);
    let mixed = std::array::from_fn::<f64, 3, _>(|part| {
        STOPS[below][part] + (STOPS[below + 1][part] - STOPS[below][part]) * rest
    });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
    let [red, green, blue] = mixed.map(|part| part.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The perceived lightness of a colour, 0 to 255.
    fn lightness(color: &str) -> f64 {
        let part = |place: usize| f64::from(u8::from_str_radix(&color[place..place + 2], 16).unwrap());
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn activities_differ_without_colour() {
        let plain =
            |activity: Activity| if activity == Activity::Blocked { BLOCKED } else { activity.fill() };
        let mut all = Activity::ALL.map(|activity| lightness(plain(activity)));
        all.sort_by(f64::total_cmp);
        for pair in all.windows(2) {
            assert!(pair[1] - pair[0] > 8.0, "{all:?}");
        }
    }

    #[test]
    fn heat_stands_out_more_the_more_there_is_on_light_and_on_dark_ground() {
        let colors = |of: fn(HeatStep) -> String| -> Vec<f64> {
            HeatStep::all().map(|step| lightness(&of(step))).collect()
        };
        assert!(colors(HeatStep::color).windows(2).all(|pair| pair[1] < pair[0] - 8.0));
        assert!(colors(HeatStep::color_on_dark).windows(2).all(|pair| pair[1] > pair[0] + 8.0));
        for count in 2..=u64::from(HeatStep::COUNT) {
            let steps: Vec<HeatStep> = (0..count).map(|place| HeatStep::of(place, count)).collect();
            assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{count} {steps:?}");
            assert_eq!((steps[0].0, steps[steps.len() - 1].0), (0, 7));
        }
    }

    #[test]
    fn heat_grows_darker() {
        let shares = (0..=20).map(|part| lightness(&heat(f64::from(part) / 20.0)));
        let all: Vec<f64> = shares.collect();
        assert!(all.windows(2).all(|pair| pair[1] < pair[0]), "{all:?}");
        assert_eq!((heat(-1.0), heat(2.0)), ("#ffea46".to_owned(), "#00204d".to_owned()));
    }
}
