//! Further versions, options and machines of tools whose files are read: each is read as a whole, or says what to do.

use cubefold_formats::inspection::Inspection;
use serde_json::Value;

use crate::support::answer;

/// The answer for a text of a format.
fn read(format: &str, text: &str) -> Value {
    let found = answer(&Inspection::of_bytes("file".to_owned(), text.as_bytes(), None));
    assert_eq!(found["format"], format, "{text}\n{found:#}");
    found
}

/// The only error of a text of a format.
fn refused(format: &str, text: &str) -> String {
    let found = read(format, text);
    assert_eq!(found["errors"].as_array().unwrap().len(), 1, "{found:#}");
    found["errors"][0]["message"].as_str().unwrap().to_owned()
}

/// The notes that people see.
fn notes(text: &str) -> Vec<String> {
    let mut output = vec![];
    Inspection::of_bytes("file".to_owned(), text.as_bytes(), None).write(&mut output).unwrap();
    let lines = String::from_utf8(output).unwrap();
    lines.lines().filter_map(|line| line.trim().strip_prefix("note: ").map(str::to_owned)).collect()
}

const WIDE: &str = "\
NAME      STATUS   ROLES           AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION
master1   Ready    control-plane   120d   v1.29.3   10.0.0.10     <none>        Ubuntu 22.04.4 LTS   5.15.0-105-generic
gpu-0     Ready    <none>          120d   v1.29.3   10.0.0.20     <none>        Ubuntu 22.04.4 LTS   5.15.0-105-generic
";

#[test]
fn nodes_of_kubectl_without_labels_are_hosts() {
    let hosts = |text: &str| {
        let found = read("kubectl-nodes", text);
        assert_eq!(found["kind"], "hosts", "{found:#}");
        found["data"]["hosts"][1]["name"].clone()
    };
    assert_eq!(hosts(WIDE), "gpu-0");
    assert_eq!(
        hosts(
            "NAME      STATUS   ROLES    AGE   VERSION\nn0   Ready    <none>   9d    v1.30\nn1   Ready    <none>   9d    v1.30\n"
        ),
        "n1"
    );
    assert_eq!(notes(WIDE), ["a network needs columns of labels: kubectl get nodes -L BLOCK,RACK"]);
}

#[test]
fn labels_of_wide_nodes_are_below_their_headings() {
    let mut lines = WIDE.lines();
    let labels = ["       BLOCK   RACK", "                  ", "   b0      r0", "   b0      r1"];
    let third = "gpu-1     Ready    <none>          120d   v1.29.3   10.0.0.21     <none>        Ubuntu 22.04.4 LTS   5.15.0-105-generic";
    let rows: Vec<String> =
        (0..4).map(|row| lines.next().unwrap_or(third).to_owned() + labels[row] + "\n").collect();
    let found = read("kubectl-nodes", &rows.concat());
    assert_eq!(found["data"]["hosts"], serde_json::json!(["gpu-0", "gpu-1"]), "{found:#}");
    assert_eq!(found["counts"]["links"], 4);
}

#[test]
fn xthi_may_name_hosts_once() {
    let text = "Node summary for    2 nodes:\nNode    0, hostname nid001112, mpi   1, omp   2, executable xthi\n\
        Node    1, hostname nid001113, mpi   1, omp   2, executable xthi\nMPI summary: 2 ranks\n\
        Node    0, rank    0, thread   0, (affinity =    0)\nNode    0, rank    0, thread   1, (affinity =    1)\n\
        Node    1, rank    1, thread   0, (affinity =    0)\nNode    1, rank    1, thread   1, (affinity =    1)\n";
    assert_eq!(read("xthi", text)["data"]["ranks"], serde_json::json!(["nid001112", "nid001113"]));
    let without = text.replace("Node    1, hostname nid001113", "Node    2, hostname nid001113");
    assert_eq!(refused("xthi", &without), "rank 1 on node 1, expected a node with a hostname");
}

#[test]
fn nvbandwidth_writes_json_too() {
    let text = r#"{ "nvbandwidth" : { "CUDA Runtime Version" : 12040, "testcases" : [
        { "name" : "host_to_device_memcpy_ce", "bandwidth_matrix" : [["55.64", "55.63"]],
          "bandwidth_description" : "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)" },
        { "name" : "device_to_device_memcpy_read_ce", "status" : "Passed", "sum" : 552.26,
          "bandwidth_description" : "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
          "bandwidth_matrix" : [["N/A", "276.07"], ["276.19", "N/A"]] } ] } }"#;
    let found = read("gpu-pair-rates", text);
    assert_eq!(found["data"]["links"][0]["bandwidth"], 276.07e9, "{found:#}");
    assert_eq!(found["assumed"], serde_json::json!(["full-mesh"]));
}

#[test]
fn ucx_perftest_had_no_stages_before_1_9() {
    let table = "+--------------+-----------------------------+---------------------+-----------------------+\n\
        |              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n\
        | # iterations | typical | average | overall |  average |  overall |   average |   overall |\n\
        586527     0.845     0.852     0.852       4.47       4.47      586527      586527\n\
        1000000     0.844     0.848     0.851       4.50       4.48      589339      587686\n";
    let values = "iterations,typical_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n\
        586527,0.845,0.852,0.852,4.47,4.47,586527,586527\n1000000,0.844,0.848,0.851,4.50,4.48,589339,587686\n";
    let of_both = format!("{table}Final:  1000000  0.844  0.848  0.851  4.50  4.48  589339  587686\n");
    for text in [table, values, &of_both] {
        let found = read("ucx-perftest", text);
        assert_eq!(found["data"]["measures"], "latency");
        assert_eq!(found["data"]["rows"].as_array().unwrap().len(), 1, "{found:#}");
        assert_eq!(found["data"]["rows"][0]["time"], 0.851e-6);
        assert_eq!(notes(text)[0], "the file does not name its test, which is taken for one of latency");
    }
    let rates = format!("| Test:         tag match bandwidth     |\n| Message size: 8     |\n{table}");
    let found = read("ucx-perftest", &rates);
    assert_eq!(
        (&found["data"]["measures"], &found["data"]["rows"][0]["bytes"]),
        (&"bandwidth".into(), &8.into())
    );
}

#[test]
fn lists_of_neighbours_of_equal_length_are_networks() {
    let links = |text: &str| {
        let found = read("adjacency-list", text);
        assert_eq!(found["missing"].as_array().unwrap()[..2], ["bandwidth", "latency"], "{found:#}");
        found["counts"]["links"].as_u64().unwrap()
    };
    assert_eq!(links("0 1 5\n1 0 2\n2 1 3\n3 2 4\n4 3 5\n5 4 0\n"), 6);
    let cube = "0: 1 2 4\n1: 0 3 5\n2: 0 3 6\n3: 1 2 7\n4: 0 5 6\n5: 1 4 7\n6: 2 4 7\n7: 3 5 6\n";
    assert_eq!(links(cube), 12);
    assert_eq!(links(&cube.replace(':', "")), 12);
    assert_eq!(links("a: b c\nb: a c\nc: a b\n"), 3);
    assert_eq!(links("0: 1 2\n1: 0 2\n2: 0 1 3\n3: 2\n"), 4);
    assert_eq!(links("1: 2 3\n2: 1 4\n3: 1 4\n4: 2 3\n"), 4);
    // A row of a matrix with the number of its rank before it lists itself.
    read("matrix-dense", "0: 0 5 3\n1: 5 0 2\n2: 3 2 0\n");
    let mixed = notes("a b c\nb a\nc\n");
    assert_eq!(mixed, ["1 pair listed from both ends, which other links are not: each counts as two"]);
}

#[test]
fn a_header_of_metis_that_counts_ends_is_told() {
    let ring = "8 16\n8 2\n1 3\n2 4\n3 5\n4 6\n5 7\n6 8\n7 1\n";
    let message = "16 edges, which are counted from both ends, expected 8: each edge once";
    assert_eq!(refused("metis-graph", ring), message);
    assert_eq!(read("metis-graph", &ring.replace("8 16", "8 8"))["counts"]["links"], 8);
}

#[test]
fn matrices_of_pandas_may_have_a_header_alone() {
    let rows = "0,1,2,3\n4,0,5,6\n7,8,0,9\n1,2,3,0\n";
    let named = read("labelled-matrix", &format!("a,b,c,d\n{rows}"));
    assert_eq!(named["data"]["labels"], serde_json::json!(["a", "b", "c", "d"]));
    let numbered = format!("0,1,2,3\n{rows}");
    assert_eq!(read("labelled-matrix", &numbered)["counts"]["bytes"], 51);
    assert_eq!(notes(&numbered), ["the first row, 0 to 3, is taken for a header"]);
    let three = read("labelled-matrix", "0,1,2\n0,5,6\n7,0,8\n9,1,0\n");
    assert_eq!(three["candidates"][0], "labelled-matrix", "{three:#}");
    // Rows of three are pairs with amounts if they send nothing to themselves.
    read("matrix-triples", "0,1,2\n1,2,2\n2,3,2\n3,0,2\n");
    let message = refused("matrix-dense", &format!("5,6,7,8\n{rows}"));
    assert!(message.starts_with("5 rows of 4 columns, expected as many rows as columns, below"), "{message}");
}

#[test]
fn frames_that_are_printed_in_part_are_refused() {
    let gap = "     0    1  ...   99\n0    0    1  ...   99\n..  ..  ...  ...  ...\n99  99   98  ...    0\n\n[100 rows x 100 columns]\n";
    assert!(refused("labelled-matrix", gap).starts_with("the print leaves values out"));
    let blocks = "     0    1  \\\n0    0  101   \n1  110    0   \n\n     2  \n0  103  \n1  113  \n";
    assert!(refused("labelled-matrix", blocks).starts_with("the print is broken into blocks of columns"));
}

#[test]
fn names_of_traces_say_what_is_expected() {
    for text in ["trace/rank0.json\ntrace/rank1.json\n", "rank-0.et\nrank-1.et\n"] {
        assert_eq!(read("file-names", text)["read"], false);
    }
    read("host-list", "a.edu.et\nb.edu.et\n");
}

#[test]
fn every_wrong_row_of_a_table_of_pairs_is_told() {
    let found = read("pair-table", "source,destination,bytes\n0,1,x\n1,2,3\n2,,4\n2,1\n");
    let lines: Vec<&Value> = found["errors"].as_array().unwrap().iter().map(|error| &error["line"]).collect();
    assert_eq!(lines, [2, 4, 5], "{found:#}");
    let many = "0,1,x\n".repeat(99);
    let found = read("pair-table", &format!("source,destination,bytes\n{many}"));
    assert_eq!(found["errors"].as_array().unwrap().len(), 20);
}

#[test]
fn a_single_host_is_in_the_singular() {
    assert_eq!(
        cubefold_formats::launcher::fabric::Fabric::parse("SwitchName=s0 Nodes=n0\n").unwrap_err().kept()[0]
            .message,
        "1 host, expected at least 2"
    );
}
