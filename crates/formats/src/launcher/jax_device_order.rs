//! `jax-device-order` and `jax-device-ids`: device of every process, a JSON array.
//!
//! JAX, `jax.sharding.Mesh(devices, axis_names)`: a mesh is an array of devices in the order of the logical
//! processes, here `numpy.asarray(jax.devices())[json.load(file)]`. The list of devices is ordered by hosts, not
//! by coordinates. With a coordinate map, which is that list as printed, `jax-device-order` gives positions in it,
//! and `jax-device-ids` gives ids of devices. Without one, devices are numbered like the nodes here: the first
//! coordinate varies fastest, and the devices of a node are consecutive.
//!
//! ```text
//! [0, 1, 3, 2]
//! ```

use std::io::{self, Write};

use super::{
    FormatDescriptor, HostList, HostNaming, LauncherError, LauncherFormat, file::LauncherFile,
    reading::Reading,
};

/// The positions of devices.
pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "jax-device-order",
    summary: "Position of the device of every process in jax.devices(), for jax.sharding.Mesh; --coordinates gives that list",
    hosts: HostNaming::Devices,
    has_slots: true,
    check,
    write: write_order,
    read: |reading| read(reading, |hosts, word| hosts.place_of_listed(word.parse().ok()?)),
};

/// The ids of devices.
pub(super) static IDS: FormatDescriptor = FormatDescriptor {
    name: "jax-device-ids",
    summary: "Id of the device of every process; needs --coordinates with the output of print(jax.devices())",
    hosts: HostNaming::Devices,
    has_slots: true,
    check: check_ids,
    write: write_ids,
    read: |reading| read(reading, |hosts, word| hosts.place(word.trim_matches('"'))),
};

fn check_ids(file: &LauncherFile<'_>) -> Result<(), LauncherError> {
    if file.hosts().is_none() {
        return Err(LauncherError::NoDevices { format: LauncherFormat::JAX_DEVICE_IDS });
    }
    check(file)
}

/// Checks that no two processes share a device. The map lists the devices; without one, each node needs an even share
/// of the processes, so that a reader can infer the number of devices.
fn check(file: &LauncherFile<'_>) -> Result<(), LauncherError> {
    let (placement, expected) = (file.placement, file.placement.max_load());
    if let Some(hosts) = file.hosts() {
        let devices = hosts.hosts_per_node();
        return if expected <= devices {
            Ok(())
        } else {
            Err(LauncherError::SharedDevice { found: expected, expected: devices })
        };
    }
    if expected == placement.process_count().div_ceil(file.region.job_nodes()) {
        return Ok(());
    }
    file.check_even_load()
}

/// Writes the position of the device of each process; without a map, devices are numbered in the order of the job's
/// nodes.
fn write_order(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    let load = file.placement.max_load();
    let Some(numbers) = file.hosts().map(HostList::listed_numbers) else {
        return write(output, file.seats().map(|seat| file.region.job_place(seat.node) * load + seat.turn));
    };
    let number = |place: u64| usize::try_from(place).ok().and_then(|place| numbers.get(place).copied());
    write(output, file.seats().map(|seat| number(file.place(seat)).unwrap_or(0)))
}

fn write_ids(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    // Devices of several slices have names, not only numbers.
    let shown = |name: &str| {
        if name.bytes().all(|byte| byte.is_ascii_digit()) { name.to_owned() } else { format!("{name:?}") }
    };
    write(output, file.seats().map(|seat| shown(file.host(seat))))
}

fn write<T: std::fmt::Display>(output: &mut dyn Write, devices: impl Iterator<Item = T>) -> io::Result<()> {
    for (place, device) in devices.enumerate() {
        write!(output, "{}{device}", if place == 0 { "[" } else { ", " })?;
    }
    writeln!(output, "]")
}

/// Reads the array. `place` finds the device of a map; without a map, each node has an
/// even share of the processes as devices.
fn read(reading: &mut Reading<'_>, place: fn(&HostList, &str) -> Option<u64>) {
    let (region, nodes) = (reading.region, reading.region.job_nodes());
    let load = reading.processes.div_ceil(nodes);
    let text = reading.text.trim();
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        reading.complain_of_all(|| "no array of device numbers, expected [N, N, ..]".to_owned());
        return;
    };
    for (rank, word) in (0..).zip(inner.split(',').map(str::trim)) {
        let Some(process) = reading.next_process(word, rank) else { break };
        if let Some(hosts) = reading.options.hosts {
            let found = place(hosts, word);
            if found.is_none() {
                let found = crate::input::text::described(word);
                reading.complain(word, || format!("device is {found}, expected one of the coordinate map"));
            }
            let node = found.and_then(|place| reading.numbered_node(word, place / hosts.hosts_per_node()));
            reading.seat(process, node, word);
            if let Some(found) = found {
                reading.take(process, (found, 0), word);
            }
            continue;
        }
        let device = reading.number(word, "device", 0..=nodes * load - 1);
        reading.seat(process, device.and_then(|device| region.job_node(device / load)), word);
        if let Some(device) = device {
            reading.take(process, (device / load, device % load), word);
        }
    }
}
