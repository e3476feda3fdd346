//! What is shown of the host: its processors, what threads waited for, sizes of files.

use super::*;
use leadline_model::event::Event;
use leadline_model::facts::Fact;

#[test]
fn a_thread_that_waits_for_its_rate_says_how_often_and_how() {
    let mut w = target("t.dat", 0, 2);
    w.think = None;
    let mut plan = plan(vec![stage(vec![w], true, true)]);
    change(&mut plan, |profile| profile.verbose_stats = true);
    let run = fixture::run_of(&fixture::events_of(plan, &[vec![load(2)]]));
    let rows = "
     0 |             300 |            20  -      3 |        17 | 9 5 1 0 0 0 0 2
     1 |             301 |            20  -      3 |        17 | 9 5 1 0 0 0 0 2
";
    assert!(text(&run).contains(rows), "{}", text(&run));
    let shown = xml(&run);
    for part in [
        "<ThrottleWait>20<",
        "<ThrottleSleep>3<",
        "<Lookaside>17<",
        "<LookasideCompletion>9 5 1 0 0 0 0 2<",
    ] {
        assert_eq!(shown.matches(part).count(), 2, "{part}: {shown}");
    }
}

#[test]
fn wait_statistics_of_earlier_files_have_what_was_counted_and_no_more() {
    let of = |open: bool| {
        let mut w = target("t.dat", 0, 2);
        if open {
            w.pace = leadline_model::plan::Pace::Open {
                rates: PerOp::splat(None),
                arrival: leadline_model::plan::Arrival::Constant,
                together: Some(leadline_model::plan::Rate::Iops(1000.0)),
                schedule: Vec::new(),
            };
        }
        let mut plan = plan(vec![stage(vec![w], true, true)]);
        change(&mut plan, |profile| profile.verbose_stats = true);
        let mut load = load(2);
        load.adjust = |w| {
            w.cpu.waits = leadline_model::sample::Waits::default();
            w.counts.depths.complete = [7, 40, 1 + u64::from(w.worker), 0, 0, 0, 0];
        };
        fixture::run_of(&fixture::events_of(plan, &[vec![load]]))
    };
    let run = of(false);
    let lines = "
Wait Statistics
thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per lookaside
-----------------------------------------------------------------------------------------------
     0 |              41 |             0  -      0 |         0 | 0 0 0 0 0 0 0 0
     1 |              42 |             0  -      0 |         0 | 0 0 0 0 0 0 0 0
";
    assert!(text(&run).contains(lines), "{}", text(&run));
    let shown = xml(&run);
    let doc = Document::parse(&shown).unwrap();
    let waits = all(doc.root_element(), "TimeSpan/Thread/WaitStatistics");
    let names: Vec<(&str, &str)> = waits[1]
        .children()
        .filter(Node::is_element)
        .map(|n| (n.tag_name().name(), n.text().unwrap()))
        .collect();
    assert_eq!(
        names,
        [
            ("CompletionWait", "42"),
            ("ThrottleWait", "0"),
            ("ThrottleSleep", "0"),
            ("Lookaside", "0"),
            ("LookasideCompletion", "0 0 0 0 0 0 0 0")
        ]
    );
    let run = of(true);
    let row = "     1 |              42 |           N/A  -    N/A |       N/A | N/A\n";
    assert!(text(&run).contains(row) && text(&run).contains("were not counted: N/A\n"));
    assert!(!xml(&run).contains("Throttle") && xml(&run).contains("<CompletionWait>42<"));
    assert!(!text(&two(true, true)).contains("Wait Statistics"));
}

#[test]
fn sockets_nodes_groups_and_threads_of_cores_are_columns_where_there_are_several() {
    let mut run = two(true, false);
    let cpu = |cpu| CpuTime {
        cpu,
        user: Nanos(25),
        idle: Nanos(75),
        span: Nanos(100),
        ..CpuTime::default()
    };
    run.stages[0].cpus = [0, 1, 64, 65].map(cpu).to_vec();
    let mut known = vec![("online", "0-1,64-65"), ("sockets", "0: 0-1; 1: 64-65")];
    known.extend([("NUMA nodes", "0: 0-1; 1: 64-65"), ("cores", "0-1; 64-65")]);
    let facts = known
        .into_iter()
        .map(|(name, value)| Fact::new(("cpu", name), "", value));
    run.apply(&Event::Facts(facts.collect()));
    let shown = text(&run);
    let table = "
Socket | Node | Group | Core | CPU |  Usage |  User  | Kernel |  Idle
-----------------------------------------------------------------------
      0|     0|      0|     0|    0|  25.00%|  25.00%|   0.00%|  75.00%
      0|     0|      0|     0|    1|  25.00%|  25.00%|   0.00%|  75.00%
      1|     1|      1|     0|    0|  25.00%|  25.00%|   0.00%|  75.00%
      1|     1|      1|     0|    1|  25.00%|  25.00%|   0.00%|  75.00%
-----------------------------------------------------------------------
                               avg.|  25.00%|  25.00%|   0.00%|  75.00%
";
    assert!(shown.contains(table), "{shown}");
    let counts =
        "\tcore count:\t\t2\n\tgroup count:\t\t2\n\tnode count:\t\t2\n\tsocket count:\t\t2\n";
    assert!(shown.contains(counts), "{shown}");
    let shown = xml(&run);
    let doc = Document::parse(&shown).unwrap();
    let root = doc.root_element();
    let masks = |path: &str| -> Vec<(String, String)> {
        let of = |n: &Node| {
            (
                n.attribute("Group").unwrap().into(),
                n.attribute("Mask").unwrap().into(),
            )
        };
        all(root, path).iter().map(of).collect()
    };
    let both = [("0", "0x3"), ("1", "0x3")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    for path in ["Socket/Group", "Node/Group", "Core"] {
        assert_eq!(
            masks(&format!("System/ProcessorTopology/{path}")),
            both,
            "{path}"
        );
    }
    let last = all(root, "TimeSpan/CpuUtilization/CPU")[3];
    let of = |name: &str| {
        last.children()
            .find(|n| n.has_tag_name(name))
            .unwrap()
            .text()
    };
    let place = ["Socket", "Node", "Group", "Core", "Id"].map(|name| of(name).unwrap());
    assert_eq!(place, ["1", "1", "1", "0", "1"]);
}

#[test]
fn a_file_that_an_earlier_time_span_made_has_its_size_in_the_later_ones() {
    let mut later = target("t.dat", 0, 1);
    later.original = kept(0, None);
    later.blocks_mut().region.size = None;
    let stages = vec![
        stage(vec![target("t.dat", 0, 1)], true, false),
        stage(vec![later], true, false),
    ];
    let run = run_of(stages, &[vec![load(1)], vec![load(1)]]);
    assert_eq!(text(&run).matches("| t.dat (64MiB)\n").count(), 6);
    let shown = xml(&run);
    assert_eq!(
        shown.matches("<FileSize>67108864</FileSize>").count(),
        2,
        "{shown}"
    );
}
