//! Variants of the given files: other versions and options of the same tools, and files that only look alike.

use cubefold_formats::inspection::Inspection;
use serde_json::{Value, json};

use crate::support::answer;

/// A text, the name of its format, and values in the answer by their pointers.
type Sibling = (&'static str, Option<&'static str>, &'static [(&'static str, &'static str)]);

const SIBLINGS: &[Sibling] = &[
    // Hosts of LSF and Grid Engine.
    ("a 16 b 8\n", Some("host-list"), &[("/data/hosts/1", r#"{"name": "b", "slots": 8}"#)]),
    ("a 0,1 NULL 0\nb 0,1 NULL 0\n", Some("host-list"), &[("/counts/hosts", "2")]),
    (
        "a.site 8 all.q@a.site UNDEFINED\nb.site 8 all.q@b.site UNDEFINED\n",
        Some("host-list"),
        &[("/data/hosts/0/slots", "8")],
    ),
    // A launcher's prefix before each line; a line that begins like one is none.
    (
        "[1,0]<stdout>:E\t0\t1\t100 bytes\t1 msgs sent\n[1,1]<stdout>:E\t1\t0\t9 bytes\t1 msgs sent\n",
        Some("open-mpi-monitoring"),
        &[("/counts/bytes", "109")],
    ),
    ("Switch 4 \"a\"\n[1] \"b\"[1]\n", Some("infiniband-net"), &[("/read", "false")]),
    (
        "#Paraver (10/04/2001 at 18:21):620244_ns:1(4):1:2(1:1,1:1)\n3:1:1:1:1:5:5:2:1:5:1:6:9:4096:7\n",
        Some("paraver"),
        &[("/errors/0/message", r#""a message between tasks 1 and 5, expected 1 to 2""#)],
    ),
    ("Switch 4 \"a\" # \"b\"\n", Some("infiniband-net"), &[("/read", "false")]),
    (
        "Stats level: 4\n~~~~ Process 0 of 1 on node a\n0: 1 --> 2\n",
        Some("intel-mpi-statistics"),
        &[("/read", "false")],
    ),
    // Matrices.
    ("# by a tool\nsrc,dst,bytes\n0,1,5\n1,0,7\n", Some("pair-table"), &[("/counts/bytes", "12")]),
    ("# src dst bytes\n0 1 10\n1 0 20\n", Some("pair-table"), &[("/counts/bytes", "30")]),
    ("array([[0, 1],\n       [2, 0]], dtype=int32)\n", Some("bracketed-matrix"), &[("/counts/bytes", "3")]),
    ("[[nan 1.]\n [1. 0.]]\n", Some("bracketed-matrix"), &[("/read", "false")]),
    ("0 -5\n5 0\n", Some("matrix-dense"), &[("/errors/0/line", "1")]),
    (
        "<ipm><task mpi_rank=\"0\" mpi_size=\"2\" host=\"a\"><hash>\
         <hent call=\"MPI_Send\" bytes=\"8\" orank=\"7\" count=\"3\"/></hash></task></ipm>",
        Some("ipm-xml"),
        &[("/errors/0/message", r#""orank is 7, expected below 2""#)],
    ),
    // GPUs: adapters by the names of their devices; tests that read.
    (
        "\tGPU0\tGPU1\tibp12s0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0\nGPU1\tNV4\t X \tSYS\t0\nibp12s0\tPIX\tSYS\t X \n",
        Some("nvidia-topo"),
        &[("/data/paths/PIX", r#"[["GPU0", "ibp12s0"]]"#)],
    ),
    (
        "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n 0 1\n 0 N/A 400.1\n 1 401.2 N/A\n",
        Some("gpu-pair-rates"),
        &[("/data/links/0/bandwidth", "400100000000")],
    ),
    (
        "<system version=\"2\"><cpu numaid=\"0\"><pci busid=\"0000:c1:00.0\"><gpu dev=\"0\">\
         <xgmi target=\"0000:c6:00.0\" count=\"4\" tclass=\"0x038000\"/></gpu></pci>\
         <pci busid=\"0000:c6:00.0\"><gpu dev=\"1\">\
         <xgmi target=\"0000:c1:00.0\" count=\"4\" tclass=\"0x038000\"/></gpu></pci></cpu></system>",
        Some("nccl-topology"),
        &[
            ("/data/links/0/ends", r#"["GPU0", "GPU1"]"#),
            ("/data/links/0/lanes", "4"),
            ("/data/links/0/class", r#""XGMI""#),
            ("/counts/links", "3"),
        ],
    ),
    // Lists that have every link in both directions, and parallel links.
    ("0 1 {}\n1 0 {}\n1 2 {}\n2 1 {}\n", Some("networkx-edge-list"), &[("/counts/links", "2")]),
    ("0 1 {}\n1 0 {}\n1 2 {}\n", Some("networkx-edge-list"), &[("/counts/links", "3")]),
    ("graph { 0 -- 1; 1 -- 0; 1 -- 2; 2 -- 1; }\n", Some("graphviz-dot"), &[("/counts/links", "2")]),
    ("0 1 1 3\n1 2\n2\n3\n", Some("adjacency-list"), &[("/counts/links", "4")]),
    // Blocks of blocks as scontrol prints them.
    (
        "BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4\nBlockName=b2 BlockIndex=1 Nodes=n[5-8] BlockSize=4\n\
         BlockName=b3 BlockIndex=2 Nodes=n[9-12] BlockSize=4\nBlockName=b4 BlockIndex=3 Nodes=n[13-16] BlockSize=4\n\
         AggregatedBlock=b[1-2] BlockIndex=4 Nodes=n[1-8] BlockSize=8\n\
         AggregatedBlock=b[3-4] BlockIndex=5 Nodes=n[9-16] BlockSize=8\n\
         AggregatedBlock=b[1-4] BlockIndex=6 Nodes=n[1-16] BlockSize=16\n",
        Some("slurm-topology"),
        &[("/counts/nodes", "23"), ("/counts/links", "22")],
    ),
    // Configurations of BookSim: what is not taken is told.
    (
        "topology = mesh;\nk = 4;\nn = 2;\nrouting_function = xy_yx;\ntraffic = hotspot({5,6});\npacket_size = {{1,5}};\n",
        Some("booksim-config"),
        &[
            ("/use/8", r#""pattern = \"hotspot\"""#),
            ("/use/9", r#""hotspots = [5, 6]""#),
            ("/use/11", r#""load = 0.3""#),
            ("/use/12", r#""sizes = [[1, 1], [5, 1]]""#),
        ],
    ),
    // Tables and lists of links are no hosts.
    ("iteration,loss,accuracy\ntrain,0.5,0.9\n", None, &[]),
    ("src,dst,capacity\na,b,10\n", None, &[]),
    ("source,target\na,sw\nb,sw\n", Some("link-table"), &[("/counts/links", "2"), ("/counts/nodes", "3")]),
    ("n[1-2],n4\n", Some("host-list"), &[("/counts/hosts", "3")]),
    // Ranks on addresses, and a gap between ranks.
    ("0: 10.0.0.1\n1: 10.0.0.2\n", Some("labelled-hostnames"), &[("/data/ranks/1", r#""10.0.0.2""#)]),
    // A line may stand twice, but labels are mostly different.
    ("0: n1\n1: n2\n0: n1\n", Some("labelled-hostnames"), &[("/data/ranks/1", r#""n2""#)]),
    ("0: n1\n0: n2\n1: n1\n1: n2\n", Some("host-list"), &[]),
    (
        "0: n1\n1: n1\n3: n2\n",
        Some("labelled-hostnames"),
        &[("/errors/0/message", r#""no line for rank 2 of 4""#)],
    ),
    (
        "0x0012\tMT4119 ConnectX5 Mellanox Technologies\n0x0013\tMT4119 ConnectX5 Mellanox Technologies\n",
        Some("opensm-ca-order"),
        &[("/counts/hosts", "2"), ("/data/hosts/0/name", r#""0x12""#)],
    ),
    (
        "#Paraver (10/04/2001 at 18:21):620244_ns:1(4):2:2(1:1,1:1):1(1:1)\n",
        Some("paraver"),
        &[("/errors/0/message", r#""applications are 2, expected 1""#)],
    ),
    // Lines that a scenario takes.
    (
        "\tGPU0\tGPU1\tNIC0\nGPU0\t X \tSYS\tPIX\nGPU1\tSYS\t X \tPHB\nNIC0\tPIX\tPHB\t X \n",
        Some("nvidia-topo"),
        &[("/use/3", r#""paths = { SYS = \"..\" }""#)],
    ),
    (
        "rank 0=+n2 slot=0\nrank 1=+n1 slot=0\n",
        Some("open-mpi-rankfile"),
        &[("/use/1", r#""host_names = \"..\"""#)],
    ),
    ("2\n0 1\n1 0\n0 2\n2 0\n", Some("qaplib"), &[("/use/3", r#""matrix = 1""#)]),
    // Other forms of the same tools.
    (
        "<ipm_job_profile><task mpi_rank=\"0\" mpi_size=\"2\" host=\"a\"><hash>\
         <hent call=\"MPI_Send\" bytes=\"8\" orank=\"1\" count=\"3\"/></hash></task></ipm_job_profile>",
        Some("ipm-xml"),
        &[("/counts/bytes", "24")],
    ),
    (
        "\tGPU0\tGPU1\nGPU0\t X \tSOC\nGPU1\tSOC\t X \n",
        Some("nvidia-topo"),
        &[("/data/paths/SOC", r#"[["GPU0", "GPU1"]]"#)],
    ),
    ("GRAPH G { a -- b; SUBGRAPH c { b -- d } }\n", Some("graphviz-dot"), &[("/counts/links", "2")]),
    // Clusters of SimGrid: routes between them are read, and what is left out is told.
    (
        "<platform><zone id=\"w\"><cluster id=\"a\" prefix=\"a\" radical=\"0-1\" bw=\"1GBps\" lat=\"1us\" bb_bw=\"1GBps\"/>\
         <cluster id=\"b\" prefix=\"b\" radical=\"0-1\" bw=\"1GBps\" lat=\"1us\"/>\
         <link id=\"l\" bandwidth=\"2GBps\" latency=\"5us\"/>\
         <zoneRoute src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></zoneRoute></zone></platform>",
        Some("simgrid-platform"),
        &[("/counts/links", "5"), ("/missing", "[]")],
    ),
    (
        "<platform><cluster id=\"a\" prefix=\"a\" radical=\"0-1\" bw=\"125e6\" lat=\"1us\"/></platform>",
        Some("simgrid-platform"),
        &[(
            "/errors/0/message",
            r#""bw of a cluster is \"125e6\" and lat \"1us\", expected such as 125MBps and 50us""#,
        )],
    ),
    // Benchmarks are no lists of links.
    (
        "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n0   1.00\n1   1.10\n",
        Some("osu"),
        &[("/data/measures", r#""latency""#), ("/counts/rows", "2"), ("/candidates", "[]")],
    ),
    (
        "# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)\n4   10.00\n8   11.00\n",
        Some("osu"),
        &[("/missing", r#"["ranks"]"#), ("/data/operation", r#""all-reduce""#)],
    ),
    // Networks.
    ("0,1\n1,2\n2,0\n", Some("edge-list"), &[("/counts/links", "3")]),
    (
        "1 2\n2 3\n3 1\n",
        Some("edge-list"),
        &[("/assumed", r#"["all-hosts", "base-1"]"#), ("/counts/nodes", "3")],
    ),
    ("from;to;bandwidth\n0;1;10 GB/s\n1;2;10 GB/s\n", Some("link-table"), &[("/counts/links", "2")]),
    (
        "topology: [ Switch, Switch ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 1, 1 ]\nlatency: [ 1, 1 ]\n",
        Some("astra-network"),
        &[("/data/nodes", r#"["0", "1", "2", "3", "switch0", "switch1", "switch2", "switch3"]"#)],
    ),
    // Trees of schedulers: a label `name`, and nodes without labels.
    (
        "items:\n- kind: HyperNode\n  metadata:\n    name: s0\n    labels:\n      name: other\n  spec:\n    members:\n    \
         - selector:\n        exactMatch:\n          name: n0\n      type: Node\n    tier: 1\nkind: List\n",
        Some("hypernode"),
        &[("/data/nodes", r#"["n0", "s0"]"#)],
    ),
    (
        "NAME STATUS ROLES AGE VERSION RACK\nn0 Ready <none> 9d v1.30 r0\nn1 Ready control-plane 9d v1.30\n",
        Some("kubectl-nodes"),
        &[("/data/hosts", r#"["n0"]"#)],
    ),
    // A list of cpus that goes on in a second line ends no table.
    (
        "[0] MPI startup(): Rank Pid Node name Pin cpu\n[0] MPI startup(): 0 7 a.site {0,1,\n\
         [0] MPI startup(): 2}\n[0] MPI startup(): 1 8 b.site {3}\n[0] MPI startup(): Rank Pin nic\n\
         [0] MPI startup(): 0 7 mlx5_0\n",
        Some("intel-mpi-startup"),
        &[("/data/ranks", r#"["a.site", "b.site"]"#)],
    ),
    // Tables as Markdown has them, and numbers as other languages write them.
    (
        "| src | dst | bytes |\n|-----|:---:|------:|\n| 0 | 1 | 100 |\n| 1 | 0 | 50 |\n",
        Some("pair-table"),
        &[("/counts/bytes", "150"), ("/counts/pairs", "2")],
    ),
    (
        "src;dst;bytes\n0;1;1.000,5\n",
        Some("pair-table"),
        &[("/errors/0/message", r#""the amount is \"1.000,5\", expected a number of at least 0""#)],
    ),
    ("\u{feff}src,dst,bytes\r\n0,1,100\r\n", Some("pair-table"), &[("/counts/bytes", "100")]),
    (",0,1\n0,,5\n1,6,\n", Some("labelled-matrix"), &[("/counts/bytes", "11")]),
    (
        ",10,20\n10,,30\n20,30,\n",
        Some("matrix-dense"),
        &[("/errors/0/message", r#""a blank cell, expected 0 where there is nothing""#)],
    ),
    ("src,dst,size,bytes\n0,1,100,4000\n1,0,100,4000\n", Some("pair-table"), &[("/counts/bytes", "8000")]),
    // Graphs with remarks before them.
    (
        "/* by hand */\n// 2026\nstrict graph \"my net\" {\n a -- b -- c [w=1];\n \"x \\\"y\\\"\" -- {a b};\n}\n",
        Some("graphviz-dot"),
        &[("/counts/links", "4"), ("/data/nodes", r#"["a", "b", "c", "x \"y\""]"#)],
    ),
    (
        "% bip unweighted\n% 3 2\n0 1\n1 2\n2 3\n",
        Some("edge-list"),
        &[("/counts/nodes", "4"), ("/counts/links", "3")],
    ),
    ("% sym\n0 1 5\n1 2 6\n2 0 7\n", Some("matrix-triples"), &[("/counts/bytes", "18")]),
    // A profile of one rank, which has no collectives.
    (
        "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1, \"dur\": 2}]}",
        Some("kineto"),
        &[("/errors/0/message", r#""no kernel with the name of a collective""#)],
    ),
    // No format.
    ("int main(void) { return 0; }\n", None, &[]),
    ("a 0,1,2,3\na 4,5,6,7\n", None, &[]),
    ("step 1 energy 2.0\nstep 2 energy 3.0\n", None, &[]),
];

#[test]
fn variants_are_read_like_the_given_files() {
    for (text, format, values) in SIBLINGS {
        let found = answer(&Inspection::of_bytes("file".to_owned(), text.as_bytes(), None));
        assert_eq!(found["format"], json!(format), "{text}");
        for (pointer, expected) in *values {
            let expected: Value = serde_json::from_str(expected).unwrap();
            assert_eq!(found.pointer(pointer), Some(&expected), "{text}");
        }
    }
}

#[test]
fn traces_that_are_not_run_lead_on() {
    let shown = |text: &str| {
        let mut output = vec![];
        Inspection::of_bytes("file".to_owned(), text.as_bytes(), None).write(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    };
    let workload = shown("DATA\n1\nl -1 100 ALLREDUCE 1024 200 NONE 0 300 NONE 0 100\n");
    assert!(workload.ends_with("makes traces for kind = \"chakra\"\n"), "{workload}");
    let algorithm = shown(
        "<algo name=\"a\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"allreduce\"><gpu id=\"0\"><tb id=\"0\">\
         <step s=\"0\" type=\"s\" cnt=\"1\"/></tb></gpu></algo>",
    );
    assert!(algorithm.contains("note: its steps are counted, not run"), "{algorithm}");
    for text in [
        "0 init\n1 init\n0 send 1 0 10 6\n",
        "#Paraver (10/04/2001 at 18:21):620244_ns:1(4):1:2(1:1,1:1)\n3:1:1:1:1:5:5:2:1:2:1:6:9:4096:7\n",
    ] {
        let found = shown(text);
        assert!(found.contains("note: used as a matrix") && found.contains("kind = \"traffic\""), "{found}");
    }
}

#[test]
fn values_of_booksim_that_nothing_matches_are_told() {
    let shown = |text: &str| {
        let mut output = vec![];
        Inspection::of_bytes("file".to_owned(), text.as_bytes(), None).write(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    };
    let mesh =
        shown("topology = mesh;\nrouting_function = xy_yx;\ntraffic = randperm(3);\npacket_size = {5};\n");
    let told = "note: nothing here is like traffic = randperm(3), routing_function = xy_yx\n";
    assert!(mesh.contains(told) && mesh.contains("pattern = \"..\"") && mesh.contains("[[5, 1]]"), "{mesh}");
    let butterfly = shown("topology = flatfly;\n");
    assert!(butterfly.contains("note: nothing here is like topology = flatfly\n"), "{butterfly}");
}

#[test]
fn compressed_and_broken_files_are_named() {
    let message = |bytes: &[u8]| {
        let found = answer(&Inspection::of_bytes("file".to_owned(), bytes, None));
        assert_eq!(found["format"], Value::Null);
        found["errors"][0]["message"].as_str().unwrap().to_owned()
    };
    let gzip = message(b"\x1f\x8b\x08\0\0");
    assert_eq!(gzip, "the file is compressed by gzip, expected a text: decompress it first");
    let of_windows = message(b"\xff\xfea\0\n\0");
    assert!(
        of_windows.ends_with("expected a text in UTF-8: iconv -f UTF-16 -t UTF-8 converts it"),
        "{of_windows}"
    );
    assert!(message(b"{\"traceEvents\": [{\"ph\": ").starts_with("the file is broken JSON: EOF"));
    assert_eq!(message(b"\n"), "the file is empty");
    assert_eq!(message(b"x y z\n"), "no format is like this file: cubefold inspect --list has all");
}
