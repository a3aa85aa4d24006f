//! The stages of a program, one after another, each as what it takes.

use std::{collections::BTreeMap, rc::Rc};

use cubefold_mapping::{CubeDimension, Placement, PlacementForm};

use super::{product_stages::ProductStages, routed_stages::RoutedStages, stage_schedule::StageSchedule};
use crate::{Communication, DimensionChoice, LinkUse, Program, Routing};

/// Schedules the stages of one run.
pub(super) struct Scheduler<'run, P> {
    program: &'run P,
    placement: &'run Placement,
    product: Option<ProductStages>, // where stages may be scheduled without looking at every process
    routed: RoutedStages<'run>,
    repeats: Repeats,
    known: BTreeMap<CubeDimension, Rc<StageSchedule>>, // the exchanges so far, where they repeat
}

/// Whether two exchanges along one dimension are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeats {
    Alike,
    /// They are chosen anew each time, or each is to be counted.
    Each,
}

impl<'run, P: Program> Scheduler<'run, P> {
    pub(super) fn new(
        program: &'run P,
        placement: &'run Placement,
        communication: Communication,
        routing: &'run Routing,
        link_use: Option<LinkUse>,
    ) -> Self {
        let product = match placement.form() {
            PlacementForm::Product(product) if link_use.is_none() => {
                Some(ProductStages::new(product, communication))
            }
            PlacementForm::Product(_) | PlacementForm::Table(_) | PlacementForm::Construction(_) => None,
        };
        let repeats = match routing.dimension_choice {
            DimensionChoice::Lowest if link_use.is_none() => Repeats::Alike,
            DimensionChoice::Lowest | DimensionChoice::Random { .. } => Repeats::Each,
        };
        let routed = RoutedStages::new(placement, communication, routing, link_use);
        Self { program, placement, product, routed, repeats, known: BTreeMap::new() }
    }

    /// What a stage takes. Stages are asked for in order, each once.
    pub(super) fn schedule(&mut self, stage: usize) -> Rc<StageSchedule> {
        let exchange = self.program.as_cube().map(|cube| cube.stages()[stage]);
        if let Some(known) = exchange.and_then(|dimension| self.known.get(&dimension)) {
            return Rc::clone(known);
        }
        let schedule = Rc::new(match (&self.product, exchange) {
            (Some(product), Some(dimension)) => product.exchange(dimension),
            (None, Some(dimension)) if placed_apart(self.placement) => self.routed.exchange(dimension),
            (None | Some(_), None | Some(_)) => self.routed.route(self.program, stage),
        });
        if let (Some(dimension), Repeats::Alike) = (exchange, self.repeats) {
            self.known.insert(dimension, Rc::clone(&schedule));
        }
        schedule
    }

    /// The links that were crossed, where they were to be counted.
    pub(super) fn into_link_use(self) -> Option<LinkUse> {
        self.routed.into_link_use()
    }
}

/// Whether every process has a node to itself and no construction tells their messages apart.
fn placed_apart(placement: &Placement) -> bool {
    match placement.form() {
        PlacementForm::Product(_) => true,
        PlacementForm::Table(table) => table.max_load() == 1,
        PlacementForm::Construction(_) => false,
    }
}
