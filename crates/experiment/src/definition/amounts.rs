//! Messages, steps, conflicts and queues.

use super::Definition;

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition {
        name: "messages",
        title: "messages",
        aliases: &[],
        unit: "messages",
        text: "The messages of all stages.",
        formula: "",
        source: "docs/model.md, section 2",
    },
    Definition {
        name: "hops",
        title: "hops",
        aliases: &[],
        unit: "links",
        text: "Links crossed by all messages together.",
        formula: "",
        source: "docs/model.md, sections 2 and 4",
    },
    Definition {
        name: "routing_steps",
        title: "steps",
        aliases: &["stages_routing_steps"],
        unit: "steps",
        text: "The parallel data movement steps of a coordinated run: in one step messages move over one link each. \
               In tables, those of all stages together.",
        formula: "sum over the stages of the steps of all their movements; one costs T_c",
        source: "Tao 1988, 4.2; docs/model.md, section 6",
    },
    Definition {
        name: "conflicts",
        title: "conflicts",
        aliases: &["stages_conflicts"],
        unit: "message steps",
        text: "How often a message of a coordinated run wanted a channel and was not moved in that step, because \
               another message had it.",
        formula: "",
        source: "Tao 1988, 4.2; docs/model.md, section 6",
    },
    Definition {
        name: "longest_queue",
        title: "queue",
        aliases: &[],
        unit: "messages",
        text: "The most messages left in the queue of one channel after the picks of a cycle of an asynchronous run; \
               0 if none ever has to stay.",
        formula: "",
        source: "docs/model.md, section 5",
    },
    Definition {
        name: "channel",
        title: "channel",
        aliases: &["link"],
        unit: "",
        text: "One direction of a link between two neighbouring nodes. A message waits for the channel through which \
               it leaves a node in a queue of that channel.",
        formula: "",
        source: "docs/model.md, sections 1 and 5",
    },
];
