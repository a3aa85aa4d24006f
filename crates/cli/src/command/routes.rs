//! `cubefold routes`: a table of the routes of packets over the routers of a machine (`docs/model.md` section 30.2).

use std::io::Write;

use cubefold_simulator::RouterTie;
use cubefold_topology::{minimal_routes, valiant_routes};

use crate::{
    arguments::{RoutesOptions, SharedOptions},
    failure::Failure,
    grouping::one_run,
    output::Output,
};

pub(super) fn routes(options: &RoutesOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let scenarios = options.run.scenario.load(shared)?;
    let run = one_run(&scenarios, &options.run)?;
    let (machine, communication) = (&run.machine, run.communication);
    let has_random_ties = communication.routers().is_some_and(|routers| routers.tie == RouterTie::Random);
    if options.valiant && has_random_ties {
        let message = "routes by way of every router with execution.tie = \"random\", expected a rule";
        return Err(Failure::usage(message, "add --set execution.tie=positive, or another rule"));
    }
    let table =
        if options.valiant { valiant_routes(machine, communication.tie()) } else { minimal_routes(machine) };
    let table = table.map_err(|error| {
        Failure::usage(error.to_string(), "write the table by a program of your own: docs/routers.md has one")
    })?;
    Output::open(shared, &scenarios)?.write(|output| output.write_all(table.as_bytes()))
}
