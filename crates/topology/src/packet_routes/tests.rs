use super::*;
use crate::{MachineKind, NetworkParameters, TieRule};

fn refused(text: &str, machine: &Machine) -> String {
    PacketRoutes::new(text, machine).unwrap_err().to_string()
}

#[test]
fn lines_that_cannot_be_read_are_named() {
    let ring = Machine::new(MachineKind::Ring, &[3]).unwrap();
    let all = "0 1 : 1\n0 2 : 2\n1 0 : 0\n1 2 : 2\n2 0 : 0\n2 1 : 1\n";
    assert!(PacketRoutes::new(&format!("# a ring\n\nroutes hop 1 # C\n{all}"), &ring).is_ok());
    let cases = [
        ("", "line 1: \"\", expected routes hop C"),
        ("routes hop\n", "line 1: \"routes hop\", expected routes hop C"),
        ("routes hop 0\n", "expected 1 to 64 classes"),
        ("routes path 1 escape 0\n", "expected routes hop C"),
        ("routes hop 2 escape 2\n", "line 1: class 2, expected a class below 2"),
        ("routes hop 1\n0 1 : 1/1\n", "line 2: class 1, expected a class below 1"),
        ("routes hop 1\n0/1 1 : 1\n", "line 2: class 1, expected a class below 1"),
        ("routes hop 1\n0 1 2 : 1\n", "line 2: \"0 1 2 : 1\", expected R[/q] D : N[/q] N[/q] .."),
        ("routes hop 1\n0 1 :\n", "line 2: \"0 1 :\", expected R[/q] D"),
        ("routes hop 1\n0 1 1\n", "line 2: \"0 1 1\", expected R[/q] D"),
        ("routes hop 1\n0 -1 : 1\n", "line 2"),
        ("routes hop 1\n0 1 : 1\n0/i 1 : 1\n0 1 : 2\n", "line 4: the left side of line 2 again"),
        ("routes path 1\n0 1 0 : 1\n", "expected a weight of at least 1"),
    ];
    for (text, message) in cases {
        let found = refused(text, &ring);
        assert!(found.contains(message), "{text:?}: {found}");
    }
}

#[test]
fn lines_are_checked_in_the_order_of_the_model() {
    let ring = Machine::new(MachineKind::Ring, &[3]).unwrap();
    let hop = |lines: &str| refused(&format!("routes hop 2\n{lines}"), &ring);
    assert_eq!(hop("2 0 : 0\n0 1 : 0\n"), "line 3: link 0>0, which the machine does not have");
    assert_eq!(hop("0 1 : 1\n7 0 : 0\n"), "line 3: router 7, expected one of 0 to 2");
    assert_eq!(hop("0 9 : 1\n"), "line 2: router 9, expected one of 0 to 2");
    assert_eq!(hop("0 1 : 1\n"), "no route at 1 to 0");
    assert_eq!(hop("1 0 : 2/1\n2/i 0 : 0\n"), "no route at 2/1 to 0");
    let circle = "0 1 : 1\n0 2 : 1\n1 0 : 2\n1 2 : 2\n2 0 : 0\n2 1 : 0\n";
    assert!(hop(circle).starts_with("cycle 0>1/0 1>2/0 2>0/0"), "{}", hop(circle));
    let escape = |lines: &str| refused(&format!("routes hop 2 escape 0\n{lines}"), &ring);
    assert_eq!(escape("1 0 : 0/1\n"), "line 2: no escape at 1 to 0");
    assert_eq!(
        escape("1 0 : 2/1 0/0\n2/i 0 : 1/0\n2/1 0 : 0/0\n1/0 0 : 0/1 0/0\n"),
        "line 5: leaves escape at 1 to 0"
    );
    assert_eq!(escape("1 0 : 2/1 0\n2 0 : 1/1 0\n"), "endless to 0");
    let path = |lines: &str| refused(&format!("routes path 2\n{lines}"), &ring);
    assert_eq!(path("0 1 : 1\n"), "no route 0 to 2");
    assert_eq!(path("0 1 : 1\n0 1 : 2\n"), "line 3: ends at 2 not at 1");
    assert_eq!(path("0 1 : 1 1\n"), "line 2: link 1>1, which the machine does not have");
    let around = "0 1 : 1\n0 2 : 1 2\n1 0 : 2 0\n1 2 : 2\n2 0 : 0\n2 1 : 0 1\n";
    assert!(path(around).starts_with("cycle 0>1/0 1>2/0 2>0/0"), "{}", path(around));
}

#[test]
fn the_line_of_a_class_goes_before_that_of_a_terminal() {
    let tree = Machine::of_parameters(&NetworkParameters::leaf_spine(2, 2, 2)).unwrap();
    // Hosts 0 to 3, leaves 4 and 5, spines 6 and 7.
    let text = "routes hop 1\n4 2 : 6\n4 5 : 6 7\n4/i 5 : 7\n4/i 3 : 6\n5 4 : 6\n6 4 : 4\n6 5 : 5\n7 5 : 5\n";
    let routes = PacketRoutes::new(text, &tree).unwrap();
    let RouteLines::Hop(lines) = routes.lines() else { panic!("next routers") };
    let node = NodeId::new;
    let next = |class, to: u32| -> Vec<u32> {
        let candidates = lines.candidates(node(4), class, [node(to), node(5)]).unwrap();
        candidates.iter().map(|hop| hop.node.index()).collect()
    };
    assert_eq!(next(ClassIn::Terminal, 2), [7]);
    assert_eq!(next(ClassIn::Terminal, 3), [6]);
    assert_eq!(next(ClassIn::Class(0), 2), [6]);
    assert_eq!(next(ClassIn::Class(0), 3), [6, 7]);
    assert_eq!((routes.classes(), routes.has_escape()), (1, false));
}

#[test]
fn a_draw_chooses_a_path_by_the_weights() {
    let ring = Machine::new(MachineKind::Ring, &[3]).unwrap();
    let text = "routes path 2\n0 1 2 : 1\n0 1 3 : 2 1/1\n0 2 : 2\n1 0 : 0\n1 2 : 2\n2 0 : 0\n2 1 : 1\n";
    let routes = PacketRoutes::new(text, &ring).unwrap();
    let RouteLines::Path(lines) = routes.lines() else { panic!("whole routes") };
    let ends = [0, 1].map(|node| [NodeId::new(node); 2]);
    let links = |draw: u64| lines.hops(lines.choose(ends[0], ends[1], draw).unwrap()).len();
    assert_eq!([0, 1, 2, 4, 5, 6].map(links), [1, 1, 2, 2, 1, 1]);
    assert_eq!(routes.longest(), 2);
}

#[test]
fn tables_that_are_written_out_pass_all_checks() {
    let machines = [
        Machine::new(MachineKind::Torus, &[4, 3]).unwrap(),
        Machine::new(MachineKind::Mesh, &[3, 3]).unwrap(),
        Machine::of_parameters(&NetworkParameters::leaf_spine(3, 2, 2)).unwrap(),
        Machine::of_parameters(&NetworkParameters::dragonfly(1, 2, 1)).unwrap(),
    ];
    for machine in machines {
        let minimal = PacketRoutes::new(&minimal_routes(&machine).unwrap(), &machine).unwrap();
        let valiant =
            PacketRoutes::new(&valiant_routes(&machine, TieRule::Direct).unwrap(), &machine).unwrap();
        assert_eq!(valiant.classes(), 2 * minimal.classes());
    }
}

#[test]
fn routes_by_way_of_a_router_are_those_of_the_machine() {
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let link = [1, 2].map(NodeId::new);
    let failed = torus.with_failures(&[(link[0], link[1])], &[]).unwrap();
    for machine in [torus, failed] {
        let table =
            PacketRoutes::new(&valiant_routes(&machine, TieRule::Positive).unwrap(), &machine).unwrap();
        let RouteLines::Path(lines) = table.lines() else { panic!("whole routes") };
        let leg = |from: NodeId, to: NodeId| -> Vec<NodeId> {
            let channels = machine.route(from, to, TieRule::Positive);
            channels.map(|channel| machine.neighbour(channel.node, channel.direction).unwrap()).collect()
        };
        for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
            if from != to {
                for (middle, (path, _)) in machine.nodes().zip(lines.weighted([from; 2], [to; 2]).unwrap()) {
                    let found: Vec<NodeId> = lines.hops(path).iter().map(|hop| hop.node).collect();
                    assert_eq!(found, [leg(from, middle), leg(middle, to)].concat());
                }
            }
        }
    }
}
