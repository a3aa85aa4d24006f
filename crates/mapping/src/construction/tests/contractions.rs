//! Many-to-one constructions: loads, set-valued inverses, unit dilation.

use cubefold_topology::{Machine, MachineKind};

use super::support::{check, machines, shapes};
use crate::{Construction, ConstructionKind};

const CONTRACTIONS: [ConstructionKind; 5] = [
    ConstructionKind::Contraction,
    ConstructionKind::RingFold,
    ConstructionKind::TorusFold,
    ConstructionKind::Projection,
    ConstructionKind::FoldedProjection,
];

#[test]
fn contractions_have_exact_loads_complete_inverses_and_their_dilation_on_all_pairs_up_to_64_processes() {
    let mut checked = [0; CONTRACTIONS.len()];
    for (processes, nodes) in (4..=64).flat_map(|all| (2..=all / 2).map(move |few| (all, few))) {
        let all = |size| shapes(size).iter().flat_map(|shape| machines(shape)).collect::<Vec<_>>();
        let hosts = all(nodes);
        for guest in all(processes).iter().filter(|_| processes.is_multiple_of(nodes)) {
            for host in &hosts {
                for (count, kind) in checked.iter_mut().zip(CONTRACTIONS) {
                    if let Ok(construction) = Construction::named(kind, guest, host) {
                        check(&construction);
                        *count += 1;
                    }
                }
            }
        }
    }
    assert!(checked.iter().all(|&count| count > 50), "{checked:?}");
}

#[test]
fn the_special_cases_of_5_3_have_unit_dilation() {
    for (guest, host) in
        [([24, 8].as_slice(), [3, 2].as_slice()), (&[12, 36], &[3, 3, 3]), (&[8, 12, 3], &[2, 3])]
    {
        let torus = Machine::new(MachineKind::Torus, guest).unwrap();
        let mesh = Machine::new(MachineKind::Mesh, host).unwrap();
        for kind in &CONTRACTIONS[1..] {
            if let Ok(construction) = Construction::named(*kind, &torus, &mesh) {
                assert_eq!(construction.dilation().links, 1);
                check(&construction);
            }
        }
    }
}

#[test]
fn the_whole_guest_is_listed_once_over_all_nodes_of_a_large_host() {
    let guest = Machine::new(MachineKind::Torus, &[64, 96, 5]).unwrap();
    let host = Machine::new(MachineKind::Mesh, &[24, 16]).unwrap();
    let construction = Construction::choose(&guest, &host).unwrap();
    assert_eq!(construction.kind(), ConstructionKind::FoldedProjection);
    assert_eq!(construction.load(), 80);
    check(&construction);
}
