//! `jax-device-order`: device number of every process, a JSON array.
//!
//! JAX, `jax.sharding.Mesh(devices, axis_names)`: a mesh is an array of devices in the order of the logical
//! processes, here `numpy.asarray(jax.devices())[json.load(file)]`. Devices are numbered as `jax.devices()`
//! lists them, which on a TPU slice is the order of the nodes here: the first coordinate varies fastest, and
//! the cores of a chip are consecutive.
//!
//! ```text
//! [0, 1, 3, 2]
//! ```

use std::io::{self, Write};

use super::{FormatDescriptor, HostNaming, LauncherError, file::LauncherFile, reading::Reading};

/// The format.
pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "jax-device-order",
    summary: "Number of the device of every process, for jax.sharding.Mesh",
    hosts: HostNaming::Nodes,
    has_slots: true,
    check,
    write,
    read,
};

/// Checks that a reader can infer the devices per node: an even share of the processes.
fn check(file: &LauncherFile<'_>) -> Result<(), LauncherError> {
    let (placement, expected) = (file.placement, file.placement.max_load());
    let machine = placement.machine();
    if expected == placement.process_count().div_ceil(machine.node_count()) {
        return Ok(());
    }
    let loads = machine.nodes().map(|node| (node, placement.processes(node).count() as u64));
    let short = loads.into_iter().find(|&(_, load)| load < expected);
    short.map_or(Ok(()), |(node, found)| {
        Err(LauncherError::EmptySlot { address: file.written_address(node), found, expected })
    })
}

/// Writes the device of each process, numbered within the partition if there is one.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    let load = file.placement.max_load();
    for (place, seat) in file.seats().enumerate() {
        let before = if place == 0 { "[" } else { ", " };
        write!(output, "{before}{}", u64::from(seat.node.index()) * load + seat.turn)?;
    }
    writeln!(output, "]")
}

/// Reads the array; each node has an even share of the processes as devices.
fn read(reading: &mut Reading<'_>) {
    let machine = reading.region.machine;
    let load = reading.processes.div_ceil(machine.node_count());
    let text = reading.text.trim();
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        reading.complain_of_all(|| "no array of device numbers, expected [N, N, ..]".to_owned());
        return;
    };
    for (rank, word) in (0..).zip(inner.split(',').map(str::trim)) {
        let Some(process) = reading.next_process(word, rank) else { break };
        let device = reading.number(word, "device", 0..=machine.node_count() * load - 1);
        reading.seat(process, device.and_then(|device| machine.node(device / load).ok()), word);
        if let Some(device) = device {
            reading.take(process, (device / load, device % load), word);
        }
    }
}
