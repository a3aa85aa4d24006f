//! Options of the commands that write something of one run: its placement, program, tables or routes.

use clap::Args;

use super::{HostFileOptions, OUTPUT, OneRunOptions};
use crate::{
    format::{ExportFormat, PlacementFormat, TablesFormat},
    option_value::{RuntimeName, StageName},
};

#[derive(Debug, Args)]
pub(crate) struct PlaceOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The placement after a stage of the embedding greenberg: slots of the intermediate mesh, as grid, csv or
    /// json [default: the final placement]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) stage: Option<StageName>,

    /// The format of the placement [default: by the extension of --output, else grid]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<PlacementFormat>,

    #[command(flatten)]
    pub(crate) hosts: HostFileOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The format of the program; formats with a file for each process go to the folder --output
    /// [default: by the extension of --output, else goal]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ExportFormat>,

    /// The runtime that executes msccl-xml: its names and its limits [default: msccl, with notes on the others]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) runtime: Option<RuntimeName>,
}

#[derive(Debug, Args)]
pub(crate) struct RoutesOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// Every shortest next router, in the class of the links passed [default]
    #[arg(long, conflicts_with = "valiant")]
    pub(crate) minimal: bool,

    /// The routes by way of every router with terminals
    #[arg(long)]
    pub(crate) valiant: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TablesOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The method: 1 evaluates the embedding, 2 exchanges addresses with the physical neighbours and needs unit
    /// dilation
    #[arg(long, value_name = "1|2", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) method: u8,

    /// The format of the tables [default: by the extension of --output, else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<TablesFormat>,
}
