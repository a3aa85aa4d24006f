//! Links of different speed: the model's section 21, channel by channel.

use std::collections::BTreeMap;

use super::stage_program::Switching;

/// `u` and `l` of a channel \[cycles\].
pub type Speed = (u64, u64);

/// The speeds of links, by their two nodes, the lower first; links that are not there have another speed, the same all.
pub type Speeds = BTreeMap<(u64, u64), Speed>;

/// `d_i(p)`: how long after it begins over a channel a packet of `p` units joins the queue of the next (section 21.2).
pub fn joins_after(switching: Switching, own: Speed, next: Speed, units: u64) -> u64 {
    let ((u, l), (u_next, _)) = (own, next);
    match switching {
        Switching::StoreAndForward => l + u * units,
        Switching::CutThrough => l + u + u.saturating_sub(u_next) * (units - 1),
    }
}

/// The time of a message over the channels `1 .. D` of its route with nothing in its way (section 21.3).
///
/// # Panics
///
/// Where there is no channel.
pub fn transfer(switching: Switching, route: &[Speed], units: u64, packet_units: Option<u64>) -> u64 {
    let whole = packet_units.unwrap_or(units);
    let packets = units.div_ceil(whole);
    let rest = units - (packets - 1) * whole;
    let (mut e, mut m) = (0, route[0].0);
    let mut b = (packets - 1) * whole * route[0].0;
    for pair in route.windows(2) {
        let (own, next) = (pair[0], pair[1]);
        e += joins_after(switching, own, next, whole);
        m = m.max(next.0);
        b += joins_after(switching, own, next, rest);
        if packets > 1 {
            b = b.max(e + (packets - 2) * whole * m + whole * next.0);
        }
    }
    let (u, l) = route[route.len() - 1];
    b + l + u * rest
}
