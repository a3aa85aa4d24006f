//! Messages on their way through a network, moved link by link, many at a time.
//!
//! What a message needs for its next link goes with it, so that a step looks up nothing of the message. What a step
//! looks up of a node is read for all messages before it is used for the first, so that cache misses overlap.

use prefetch_index::prefetch_index;

use super::{Network, RouteChoice};
use crate::{
    NodeId,
    routing::{ChannelNumbers, Hop, RouteHash, RouteSteps},
};

/// A message on its way from node to node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutedMessage {
    tag: [u32; 3],
    at: NodeId,
    to: NodeId,
    from: NodeId,
    steps: RouteSteps, // that are left, where all links of a route are found together
}

impl RoutedMessage {
    /// A message that sets out.
    #[inline]
    fn new(from: NodeId, to: NodeId) -> Self {
        Self { tag: [0; 3], at: from, to, from, steps: RouteSteps::default() }
    }

    /// Gives it the links of its route, where all of them are found together.
    #[inline]
    pub(super) fn set_steps(&mut self, steps: RouteSteps) {
        self.steps = steps;
    }

    /// What goes along with it, which means something only to those who gave it.
    #[inline]
    #[must_use]
    pub fn tag(&self) -> [u32; 3] {
        self.tag
    }

    /// Gives it a tag.
    #[inline]
    pub fn set_tag(&mut self, tag: [u32; 3]) {
        self.tag = tag;
    }

    /// The node that it is at.
    #[inline]
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.at
    }

    /// Whether it is at its destination.
    #[inline]
    #[must_use]
    pub fn has_arrived(&self) -> bool {
        self.at == self.to
    }

    /// What is left of its route, where that goes with it.
    #[inline]
    pub(crate) fn steps(&self) -> RouteSteps {
        self.steps
    }

    /// Crosses the link that `next` returns, given where it is and what is left of its route, which changes.
    #[inline]
    pub(crate) fn cross(&mut self, next: impl FnOnce(u32, &mut RouteSteps) -> Hop) -> Hop {
        next(self.at.index(), &mut self.steps)
    }

    /// The number by which its next link is drawn.
    #[inline]
    pub(crate) fn hash(&self, choice: RouteChoice) -> u64 {
        RouteHash::of_choice(choice, [self.from, self.to], self.at)
    }

    /// The nodes that it is at and goes to.
    #[inline]
    pub(crate) fn ends(&self) -> (u32, u32) {
        (self.at.index(), self.to.index())
    }
}

/// What a message occupies while it crosses a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// The channel: messages in both directions at once.
    Channel,
    /// The link.
    Link,
}

/// Messages that move over their next links, by formula; whether they occupy whole links, not channels alone, is known to
/// the compiler, as each way to move them is compiled for each.
#[derive(Debug)]
pub(crate) struct Moving<'a, const LINKS: bool> {
    pub(crate) messages: &'a mut [RoutedMessage],
    pub(crate) numbers: ChannelNumbers,
    pub(crate) resources: &'a mut Vec<u32>, // the numbers of what they occupy are written behind those that are there
}

impl<const LINKS: bool> Moving<'_, LINKS> {
    /// Moves all of them, given the next link of a message, and the number of the link that leads from a node.
    #[inline]
    pub(crate) fn each(self, hop: impl Fn(&mut RoutedMessage) -> Hop, link: impl Fn(u32, Hop) -> u32) {
        let Self { messages, numbers, resources } = self;
        resources.extend(messages.iter_mut().map(|message| {
            let (at, hop) = (message.at.index(), hop(message));
            message.at = NodeId::new(hop.next);
            if LINKS { link(at, hop) } else { numbers.channel(at, hop.code) }
        }));
    }

    /// The same, given the code of the link back of a link from a node. Of a host, which has one channel, and to a host any code
    /// will do: its own channel has the lower number.
    #[inline]
    pub(crate) fn each_there_and_back(
        self,
        hop: impl Fn(&mut RoutedMessage) -> Hop,
        back: impl Fn(u32, Hop) -> u32,
    ) {
        let numbers = self.numbers;
        self.each(hop, |at, hop| numbers.link(at, hop, back(at, hop)));
    }
}

impl Network {
    /// Messages set out from hosts to hosts, given by their sources and destinations; each is written behind those that are
    /// there, as is the length of its route \[links\], 0 where there is none.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    pub fn set_out_together(
        &self,
        choice: RouteChoice,
        ends: impl Iterator<Item = (NodeId, NodeId)>,
        messages: &mut Vec<RoutedMessage>,
        lengths: &mut Vec<u32>,
    ) {
        let first = messages.len();
        messages.extend(ends.map(|(from, to)| RoutedMessage::new(from, to)));
        self.find_routes(choice, &mut messages[first..], lengths);
    }

    /// Gives messages that set out what of their routes goes along with them, and writes the lengths of these.
    fn find_routes(&self, choice: RouteChoice, messages: &mut [RoutedMessage], lengths: &mut Vec<u32>) {
        if self.looks_up() {
            self.look_up_together(choice, messages, lengths);
            return;
        }
        for message in messages {
            let (links, steps) = self.find_route(choice, message.from, message.to);
            message.steps = steps;
            lengths.push(links);
        }
    }

    /// One of them by itself, with the length of its route.
    #[cfg(test)]
    pub(crate) fn set_out(&self, choice: RouteChoice, from: NodeId, to: NodeId) -> (u32, RoutedMessage) {
        let (mut message, mut lengths) = (RoutedMessage::new(from, to), vec![]);
        self.find_routes(choice, std::slice::from_mut(&mut message), &mut lengths);
        (lengths[0], message)
    }

    /// The length of a route from a host to a host \[links\], 0 where there is none, and what of it goes along with a message;
    /// where routes are not looked up.
    #[inline]
    fn find_route(&self, choice: RouteChoice, from: NodeId, to: NodeId) -> (u32, RouteSteps) {
        let ends = [from, to].map(NodeId::index);
        let found = match choice {
            RouteChoice::Lowest => self.rule.set_out(self, ends, None),
            RouteChoice::Spread(seed) => {
                self.rule.set_out(self, ends, Some(RouteHash::new(seed, [from, to])))
            }
        };
        found.unwrap_or_else(|| (self.distance(choice, from, to).unwrap_or(0), RouteSteps::default()))
    }

    /// How many numbers [`Self::advance`] has for channels.
    #[must_use]
    pub fn channel_numbers(&self) -> u64 {
        self.numbers().map_or(self.channel_ends().len() as u64, |numbers| numbers.count(self.node_count()))
    }

    /// The numbers of channels, where a formula has them.
    fn numbers(&self) -> Option<ChannelNumbers> {
        if self.looks_up() { None } else { self.rule.channel_numbers(self) }
    }

    /// Moves messages that are not at their destinations over the next links of their routes, by the same choice always.
    /// The number of what each one occupies is written to `resources`, behind what is there: no two channels have the same,
    /// nor two links, and all are below [`Self::channel_numbers`].
    ///
    /// # Panics
    ///
    /// When a message has no route.
    pub fn advance(
        &self,
        choice: RouteChoice,
        resource: Resource,
        messages: &mut [RoutedMessage],
        resources: &mut Vec<u32>,
    ) {
        if let Some(numbers) = self.numbers() {
            match resource {
                Resource::Channel => {
                    self.rule.advance(self, choice, Moving::<false> { messages, numbers, resources });
                }
                Resource::Link => {
                    self.rule.advance(self, choice, Moving::<true> { messages, numbers, resources });
                }
            }
            return;
        }
        let first = resources.len();
        for message in &*messages {
            prefetch_index(self.channel_ends(), self.first_channel(message.at.index()) as usize);
        }
        for message in messages {
            let port = self.take_port(choice, message);
            resources.push(self.first_channel(message.at.index()) + port);
            message.at = self.neighbours(message.at)[port as usize];
        }
        if resource == Resource::Link {
            self.number_links(&mut resources[first..]);
        }
    }

    /// The port of the next link of a message, by tables or by a look at all neighbours.
    #[inline]
    fn take_port(&self, choice: RouteChoice, message: &mut RoutedMessage) -> u32 {
        let ends = [message.from, message.at, message.to];
        if !self.looks_up() {
            #[expect(clippy::expect_used, reason = "documented at `advance`")]
            return self.port(choice, ends).expect("a message that has a route").into();
        }
        if !message.steps.has_codes() {
            message.steps = self.looked_up_steps(choice, ends);
            assert!(message.steps.has_codes(), "a message that has a route");
        }
        message.steps.take_code(self.port_bits)
    }

    /// Makes of the numbers of channels those of their links.
    fn number_links(&self, channels: &mut [u32]) {
        let links = self.links_of_channels();
        for &channel in &*channels {
            prefetch_index(links, channel as usize);
        }
        for channel in channels {
            *channel = links[*channel as usize];
        }
    }

    /// For every channel of [`Self::first_channels`] the number of its link.
    fn links_of_channels(&self) -> &[u32] {
        self.links_of_channels.get_or_init(|| {
            let nodes = (0..).map(NodeId::new).take(self.firsts.len() - 1);
            let links = |node: NodeId| {
                let ends = self.neighbours(node).iter();
                ends.map(move |&other| self.link_number(node, other))
            };
            nodes.flat_map(links).collect()
        })
    }

    /// The number of the link between two neighbours among the channels of [`Self::first_channels`]: that of the channel
    /// from the node with the lower index.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn link_number(&self, one: NodeId, other: NodeId) -> u32 {
        let (near, far) = (one.min(other).index(), one.max(other).index());
        self.first_channel(near) + self.port_to(near, far).map_or(0, u32::from)
    }
}
