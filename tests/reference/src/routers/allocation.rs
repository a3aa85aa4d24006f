//! The two allocations of a router: section 26.2, phases 4 and 5.

use std::collections::{BTreeMap, BTreeSet};

use super::run::{Router, Run, State};
use super::wiring::End;
use super::{RouterRule, TableRule};

/// The smallest of a set not less than `x`, or its smallest.
pub(super) fn first_from(set: &BTreeSet<usize>, x: usize) -> usize {
    *set.range(x..).next().or_else(|| set.first()).expect("not an empty set")
}

/// What every asking input channel asks for, output channels by index.
pub(super) type Asked = BTreeMap<usize, BTreeSet<usize>>;

/// A pair of phase 5: input port, output port, channel of the input, whether it is speculative.
pub(super) type SwitchPair = (usize, usize, usize, bool);

/// A channel that represents an input port for an output port: whether it is speculative, and its number.
type Representative = (bool, usize);

impl Run<'_> {
    /// What the channels of a router that wait, and whose cycle has come, ask for.
    pub(super) fn asked(&mut self, node: u64) -> Asked {
        let v = self.problem.channels;
        let mut asked = Asked::new();
        for port in 0..self.wiring.ports[&node].len() {
            for channel in 0..v {
                let input = &self.routers[&node].inputs[port][channel];
                let State::Waiting { since } = input.state else { continue };
                if since > self.step {
                    continue;
                }
                let packet = input.buffer[0].packet;
                if input.candidates.is_none() {
                    let came_in = match self.wiring.ports[&node][port] {
                        End::Router(..) => Some(channel),
                        End::Terminal(_) | End::Nothing => None,
                    };
                    let candidates = self.route(packet, node, came_in);
                    self.routers.get_mut(&node).unwrap().inputs[port][channel].candidates = Some(candidates);
                }
                let wanted = self.wanted(node, port, channel);
                if !wanted.is_empty() {
                    asked.insert(port * v + channel, wanted);
                }
            }
        }
        asked
    }

    /// The output channels that a head asks for in this cycle.
    fn wanted(&self, node: u64, port: usize, channel: usize) -> BTreeSet<usize> {
        let (v, router) = (self.problem.channels, &self.routers[&node]);
        let input = &router.inputs[port][channel];
        let flits = self.packets[input.buffer[0].packet].flits;
        let need = match self.problem.rule {
            _ if self.problem.is_cut_through => flits,
            RouterRule::Adaptive(_) => flits.min(self.problem.buffer),
            RouterRule::Table(_) if self.problem.table.contains("escape") => flits.min(self.problem.buffer),
            _ => 0,
        };
        let unused = |port: usize, channels: &[usize]| -> Vec<usize> {
            channels.iter().copied().filter(|&channel| !router.outputs[port][channel].used).collect()
        };
        let can_be_asked = |port: usize, channels: &[usize]| -> BTreeSet<usize> {
            let unused = unused(port, channels).into_iter();
            unused
                .filter(|&own| router.outputs[port][own].credits >= need)
                .map(|own| port * v + own)
                .collect()
        };
        let candidates = input.candidates.as_ref().unwrap();
        let mut best: Option<(u64, BTreeSet<usize>)> = None;
        let mut all = BTreeSet::new();
        for (port, channels) in &candidates.others {
            let asked = can_be_asked(*port, channels);
            if asked.is_empty() {
                continue;
            }
            all.extend(&asked);
            let credits = unused(*port, channels).iter().map(|&own| router.outputs[*port][own].credits).sum();
            if best.as_ref().is_none_or(|best| credits > best.0) {
                best = Some((credits, asked));
            }
        }
        match (best, self.problem.rule) {
            (None, _) => candidates.escape.iter().flat_map(|own| can_be_asked(own.0, &own.1)).collect(),
            (Some(_), RouterRule::Adaptive(true) | RouterRule::Table(TableRule::Any)) => all,
            (Some((_, asked)), _) => asked,
        }
    }

    /// The pairs of phase 4, input and output channels.
    pub(super) fn channel_pairs(&self, node: u64, asked: &Asked) -> Vec<(usize, usize)> {
        let (v, router) = (self.problem.channels, &self.routers[&node]);
        let g = |output: usize| router.outputs[output / v][output % v].pointer;
        let a = |input: usize| router.inputs[input / v][input % v].pointer;
        let outputs: BTreeSet<usize> = asked.values().flatten().copied().collect();
        let mut pairs = vec![];
        if self.problem.is_input_first {
            let chosen: BTreeMap<usize, usize> =
                asked.iter().map(|(&input, outputs)| (input, first_from(outputs, a(input)))).collect();
            for output in outputs {
                let inputs: BTreeSet<usize> =
                    chosen.iter().filter(|own| *own.1 == output).map(|own| *own.0).collect();
                if !inputs.is_empty() {
                    pairs.push((first_from(&inputs, g(output)), output));
                }
            }
        } else {
            let offered = |&output: &usize| {
                let inputs: BTreeSet<usize> =
                    asked.iter().filter(|own| own.1.contains(&output)).map(|own| *own.0).collect();
                (output, first_from(&inputs, g(output)))
            };
            let offers: BTreeMap<usize, usize> = outputs.iter().map(offered).collect();
            for &input in asked.keys() {
                let own: BTreeSet<usize> =
                    offers.iter().filter(|own| *own.1 == input).map(|own| *own.0).collect();
                if !own.is_empty() {
                    pairs.push((input, first_from(&own, a(input))));
                }
            }
        }
        pairs
    }

    /// The pairs of phase 5, by the state before phase 4.
    pub(super) fn switch_pairs(&self, node: u64, asked: &Asked) -> Vec<SwitchPair> {
        let router = &self.routers[&node];
        let representatives = self.representatives(router, asked);
        let ports = router.inputs.len();
        let at = |input: usize, output: usize| representatives.get(&(input, output)).copied();
        let (g, a) = (&router.output_pointers, &router.input_pointers);
        let mut pairs = vec![];
        if self.problem.is_input_first {
            // Those that are not speculative before others.
            let first = |set: Vec<(usize, Representative)>, pointer: usize| {
                let is_late = set.iter().all(|own| own.1.0);
                let set: BTreeSet<usize> =
                    set.iter().filter(|own| own.1.0 == is_late).map(|own| own.0).collect();
                (!set.is_empty()).then(|| first_from(&set, pointer))
            };
            let wishes: Vec<Option<usize>> = (0..ports)
                .map(|input| {
                    let outputs = (0..ports).filter_map(|output| Some((output, at(input, output)?)));
                    first(outputs.collect(), a[input])
                })
                .collect();
            for (output, &pointer) in g.iter().enumerate() {
                let inputs = (0..ports).filter(|&input| wishes[input] == Some(output));
                let inputs = inputs.filter_map(|input| Some((input, at(input, output)?)));
                if let Some(input) = first(inputs.collect(), pointer) {
                    pairs.push((input, output));
                }
            }
        } else {
            let offers: Vec<Option<usize>> = (0..ports)
                .map(|output| {
                    let inputs: BTreeSet<usize> =
                        (0..ports).filter(|&input| at(input, output).is_some()).collect();
                    (!inputs.is_empty()).then(|| first_from(&inputs, g[output]))
                })
                .collect();
            for (input, &pointer) in a.iter().enumerate() {
                let own: BTreeSet<usize> =
                    (0..ports).filter(|&output| offers[output] == Some(input)).collect();
                if !own.is_empty() {
                    pairs.push((input, first_from(&own, pointer)));
                }
            }
        }
        let with_channel = |(input, output)| {
            let (is_speculative, channel) = at(input, output).unwrap();
            (input, output, channel, is_speculative)
        };
        pairs.into_iter().map(with_channel).collect()
    }

    /// For every input and output port the channel that represents the input.
    fn representatives(&self, router: &Router, asked: &Asked) -> BTreeMap<(usize, usize), Representative> {
        let v = self.problem.channels;
        let mut requests: BTreeMap<(usize, usize), [BTreeSet<usize>; 2]> = BTreeMap::new();
        for (port, channels) in router.inputs.iter().enumerate() {
            for (channel, input) in channels.iter().enumerate() {
                if let State::Active { port: output, channel: own } = input.state
                    && !input.buffer.is_empty()
                    && router.outputs[output][own].credits > 0
                {
                    requests.entry((port, output)).or_default()[0].insert(channel);
                }
            }
        }
        if self.problem.router_cycles <= 2 {
            for (input, outputs) in asked {
                for output in outputs {
                    if router.outputs[output / v][output % v].credits > 0 {
                        requests.entry((input / v, output / v)).or_default()[1].insert(input % v);
                    }
                }
            }
        }
        let represent = |(ports, [active, speculative]): (&(usize, usize), &[BTreeSet<usize>; 2])| {
            let pointer = router.channel_pointers[ports.0];
            let is_speculative = active.is_empty();
            let set = if is_speculative { speculative } else { active };
            (*ports, (is_speculative, first_from(set, pointer)))
        };
        requests.iter().map(represent).collect()
    }
}
