//! `machine.uplinks`: the cables between linked switches of adjacent levels (`docs/model.md` section 22).

use cubefold_topology::{Levels, NodeId};

use super::{
    errors::{Errors, ScenarioError},
    keys::Key,
    value::{Content, Value},
};

/// The most cables between two switches.
const MOST: u64 = 1024;

/// The cables between linked switches of adjacent levels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uplinks {
    /// The same number between every two switches.
    Each(u64),
    /// One number for each level of links between switches, from the leaves up.
    ByLevel(Vec<u64>),
    /// The fewest with which every switch has at least as many cables upwards as downwards.
    Full,
}

impl Uplinks {
    pub(super) fn read(value: &Value, name: &str, errors: &Errors) -> Option<Self> {
        match &value.content {
            Content::Text(text) if text == "full" => Some(Self::Full),
            Content::List(items) => {
                let mut levels = vec![];
                for item in items {
                    levels.push(item.natural(name, 1..=MOST, errors)?);
                }
                Some(Self::ByLevel(levels))
            }
            Content::Integer(_) => value.natural(name, 1..=MOST, errors).map(Self::Each),
            _ => errors.fail(value.unexpected(name, "a number from 1 to 1024, a list of them, or full")),
        }
    }

    /// The cables of each of `levels` levels of links between switches; `full` gives them for full bisection.
    pub(super) fn by_level(
        &self,
        levels: usize,
        full: impl FnOnce() -> Vec<u64>,
        value: &Value,
        errors: &Errors,
    ) -> Option<Vec<u64>> {
        match self {
            Self::Each(each) => Some(vec![*each; levels]),
            Self::Full => Some(full()),
            Self::ByLevel(counts) => {
                Self::check_length(counts, levels, value, errors)?;
                Some(counts.clone())
            }
        }
    }

    /// Reports a list whose length differs from the number of levels of links between switches.
    pub(super) fn check_length(counts: &[u64], levels: usize, value: &Value, errors: &Errors) -> Option<()> {
        if counts.len() == levels {
            return Some(());
        }
        let message = format!(
            "{} has {} numbers, expected {levels}: one for each level of links between switches",
            Key::MachineUplinks.path(),
            counts.len()
        );
        errors.fail(ScenarioError::at(&value.place, message, "from the leaves up"))
    }

    /// The cables of each link, given by its ends, in the order of the links, for a network that does not count them.
    /// Links between switches of one level, or that skip one, and links of hosts have one.
    pub(super) fn cables(&self, links: &[(u32, u32)], levels: &Levels) -> Vec<u64> {
        let level = |node: u32| levels.of(NodeId::new(node)).unwrap_or(0);
        let mut cables = vec![1; links.len()];
        // From the leaves up: the cables of a level follow from those below.
        for below in 1..levels.count() {
            let upwards: Vec<(usize, u32)> = links
                .iter()
                .enumerate()
                .filter_map(|(link, &(one, other))| {
                    let (low, high) = if level(one) < level(other) { (one, other) } else { (other, one) };
                    (level(low) == below && level(high) == below + 1).then_some((link, low))
                })
                .collect();
            let nodes = links.iter().flat_map(|&(one, other)| [one, other]).max().unwrap_or(0) as usize + 1;
            let (mut down, mut up) = (vec![0_u64; nodes], vec![0_u64; nodes]);
            for (link, &(one, other)) in links.iter().enumerate() {
                for (near, far) in [(one, other), (other, one)] {
                    if level(near) == below && level(far) < below {
                        down[near as usize] += cables[link];
                    }
                }
            }
            for &(_, low) in &upwards {
                up[low as usize] += 1;
            }
            for (link, low) in upwards {
                cables[link] = match self {
                    Self::Each(each) => *each,
                    Self::ByLevel(counts) => counts.get(below as usize - 1).copied().unwrap_or(1),
                    Self::Full => down[low as usize].div_ceil(up[low as usize].max(1)).max(1),
                };
            }
        }
        cables
    }
}
