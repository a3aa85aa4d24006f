//! The classes of a machine's links, and their times where these differ (`docs/model.md` section 21).
//!
//! A class is a number from 0 on; which links are of one class follows from the machine (section 21.5). The times of
//! the classes are kept with the machine because the routes of networks depend on them (section 21.8); what messages
//! use them for is not known here. A machine whose links are all alike has none.

use std::sync::Arc;

use super::{Graph, GraphSource, Machine, MachineForm};
use crate::{Channel, Direction, NetworkParameters, NodeId, twisted::TwistedTorus};

/// The two numbers of a link (`docs/model.md` section 21.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkTime {
    /// The time for which a unit occupies a channel, `u`, at least 1 \[cycles\].
    pub unit: u64,
    /// The time on the wire and in the router that occupies nothing, `l` \[cycles\].
    pub latency: u64,
}

impl LinkTime {
    /// The time until the first unit is at the other end, `l + u` \[cycles\].
    #[must_use]
    pub fn first_unit(self) -> u64 {
        self.latency.saturating_add(self.unit)
    }
}

impl Machine {
    /// The names of the classes of links, class 0 first, at least one (`docs/model.md` section 21.5).
    #[must_use]
    pub fn link_class_names(&self) -> Vec<String> {
        let numbered =
            |noun: &str, count: usize| (1..=count).map(|number| format!("{noun} {number}")).collect();
        if let Some(grid) = self.coordinate_grid() {
            return numbered("dimension", grid.axes().len());
        }
        if let Some(GraphSource::Parameters(parameters)) = self.source() {
            return parameters.link_class_names();
        }
        match self.graph().map(|network| network.class_count()) {
            Some(classes @ 2..) => numbered("links", classes),
            _ => vec!["links".to_owned()],
        }
    }

    /// The number of classes of links, at least 1.
    #[must_use]
    pub fn link_class_count(&self) -> usize {
        self.link_class_names().len()
    }

    /// Whether any link is of a class, by class.
    #[must_use]
    pub fn has_links_of_class(&self) -> Vec<bool> {
        let mut found = vec![false; self.link_class_count()];
        match &self.form {
            MachineForm::Grid(_) => found.fill(true),
            MachineForm::Graph(graph) => {
                let class = graph.class_of_links();
                for (one, other) in graph.network.links() {
                    found[class(one, other)] = true;
                }
            }
        }
        found
    }

    /// The class of the link of a channel: below [`Self::link_class_count`].
    ///
    /// # Panics
    ///
    /// When a graph has no such node.
    #[must_use]
    pub fn link_class(&self, channel: Channel) -> usize {
        match &self.form {
            MachineForm::Grid(_) => channel.direction.dimension.index(),
            MachineForm::Graph(graph) if graph.network.has_classes() => {
                let first = graph.network.first_channel(channel.node.index()) as usize;
                graph.network.class(first + channel.direction.dimension.index()).into()
            }
            MachineForm::Graph(graph) => graph
                .network
                .neighbour(channel.node, channel.direction)
                .map_or(0, |other| graph.class_of_links()(channel.node, other)),
        }
    }

    /// Whether it is a dragonfly, whose switches are divided into groups.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        let is_dragonfly = |source: &GraphSource| {
            matches!(source, GraphSource::Parameters(NetworkParameters::Dragonfly { .. }))
        };
        self.source().is_some_and(is_dragonfly)
    }

    /// Whether a link between two nodes would join groups of a dragonfly.
    #[must_use]
    pub fn joins_groups(&self, one: NodeId, other: NodeId) -> bool {
        match self.source() {
            Some(GraphSource::Parameters(parameters @ NetworkParameters::Dragonfly { .. })) => {
                parameters.link_class(one, other) == 2
            }
            _ => false,
        }
    }

    /// The times of the links by class, where links differ; `None` where all are alike.
    #[must_use]
    pub fn link_times(&self) -> Option<&[LinkTime]> {
        self.times.as_deref()
    }

    /// The same machine with times of its links by class. If all classes that have links are alike it has none.
    ///
    /// # Panics
    ///
    /// When there are more or fewer times than classes.
    #[must_use]
    pub fn with_link_times(mut self, times: &[LinkTime]) -> Self {
        let has_links = self.has_links_of_class();
        assert_eq!(times.len(), has_links.len(), "a time for each class of links");
        let mut used = times.iter().zip(&has_links).filter(|&(_, &has_links)| has_links);
        let first = used.next().map(|(time, _)| *time);
        let are_alike = used.all(|(time, _)| Some(*time) == first);
        if let MachineForm::Graph(graph) = &mut self.form {
            graph.network = if are_alike {
                graph.network.without_weights()
            } else {
                let class = graph.class_of_links();
                let small = |one, other| u16::try_from(class(one, other)).unwrap_or(u16::MAX);
                graph.network.with_times(small, times)
            };
        }
        self.times = (!are_alike).then(|| Arc::from(times));
        self
    }
}

impl Graph {
    /// The class of the link between two neighbours.
    fn class_of_links(&self) -> Box<dyn Fn(NodeId, NodeId) -> usize + '_> {
        match (&self.source, self.grid.as_deref()) {
            _ if self.network.has_classes() => {
                Box::new(|one, other| self.network.class_between(one, other).into())
            }
            (GraphSource::Parameters(parameters), _) => {
                Box::new(|one, other| parameters.link_class(one, other))
            }
            (GraphSource::Twists(twists), Some(grid)) => {
                let torus = TwistedTorus::new(grid.shape().lengths(), twists);
                Box::new(move |one, other| {
                    torus.as_ref().map_or(0, |torus| torus.dimension_between(one, other))
                })
            }
            (GraphSource::Grid, Some(grid)) => Box::new(|one, other| {
                let leads = |&direction: &Direction| grid.neighbour(one, direction) == Some(other);
                grid.directions().find(leads).map_or(0, |direction| direction.dimension.index())
            }),
            _ => Box::new(|_, _| 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MachineKind, NetworkParameters};

    fn class_counts(machine: &Machine) -> Vec<usize> {
        let mut counts = vec![0; machine.link_class_count()];
        for node in machine.nodes() {
            for direction in machine.directions() {
                if machine.neighbour(node, direction).is_some() {
                    counts[machine.link_class(Channel { node, direction })] += 1;
                }
            }
        }
        let has_links: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
        assert_eq!(machine.has_links_of_class(), has_links);
        counts.into_iter().map(|channels| channels / 2).collect()
    }

    #[test]
    fn links_are_of_the_classes_of_the_model() {
        let torus = Machine::new(MachineKind::Torus, &[4, 2, 3]).unwrap();
        assert_eq!(class_counts(&torus), [24, 12, 24]);
        let failed = torus.with_failures(&[(NodeId::new(0), NodeId::new(1))], &[]).unwrap();
        assert_eq!(class_counts(&failed), [23, 12, 24]);
        let twists = vec![vec![0, 2], vec![0, 0]];
        let twisted = Machine::twisted_torus(&[4, 4], &twists).unwrap();
        assert_eq!(class_counts(&twisted), [16, 16]);
        let of = |parameters: &NetworkParameters| class_counts(&Machine::of_parameters(parameters).unwrap());
        assert_eq!(of(&NetworkParameters::HyperX { shape: vec![3, 2], hosts_per_switch: 4 }), [24, 6, 3]);
        let dragonfly = |a| NetworkParameters::dragonfly(2, a, 1);
        assert_eq!(of(&dragonfly(2)), [12, 3, 3]);
        assert_eq!(of(&dragonfly(1)), [4, 0, 1]);
        assert_eq!(of(&NetworkParameters::leaf_spine(3, 2, 2)), [6, 6]);
        assert_eq!(of(&NetworkParameters::k_ary_tree(2, 3)), [8, 8, 8]);
        assert_eq!(of(&NetworkParameters::k_ary_tree(3, 1)), [3]);
        assert_eq!(of(&NetworkParameters::FullMesh { nodes: 4 }), [6]);
    }

    #[test]
    fn equal_times_are_none() {
        let [slow, fast] = [LinkTime { unit: 4, latency: 1 }, LinkTime { unit: 1, latency: 0 }];
        let torus = Machine::new(MachineKind::Torus, &[4, 2]).unwrap();
        assert_eq!(torus.clone().with_link_times(&[fast, fast]), torus);
        let unequal = torus.clone().with_link_times(&[slow, fast]);
        assert_eq!(unequal.link_times(), Some(&[slow, fast][..]));
        // A class without links does not count.
        let parameters = NetworkParameters::dragonfly(2, 1, 3);
        let machine = Machine::of_parameters(&parameters).unwrap();
        assert_eq!(machine.clone().with_link_times(&[fast, slow, fast]), machine);
    }
}
