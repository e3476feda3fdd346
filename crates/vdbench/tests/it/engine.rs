//! Which back end a workload of Vdbench gets, and that it is said.

use crate::common::FakeHost;
use leadline_model::plan::EngineKind;
use leadline_model::plan::EngineKind::{IoUring, Psync, Threads};
use leadline_vdbench as vdbench;

/// The back ends of the workloads of the run itself, and what is said of memory. `/shm` is in memory.
fn engines(text: &str) -> (Vec<EngineKind>, Vec<String>) {
    let host = FakeHost {
        files: [("p".to_owned(), text.to_owned())].into(),
        memory: "/shm/".into(),
        ..FakeHost::default()
    };
    let parsed = vdbench::parse(&["-f".into(), "p".into()], &host);
    let plan = parsed
        .plan
        .unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let workloads = plan
        .stages
        .last()
        .into_iter()
        .flat_map(|stage| &stage.workloads);
    let said = parsed.diagnostics.iter().filter(|d| d.code == "in-memory");
    (
        workloads.map(|w| w.engine.kind).collect(),
        said.map(|d| d.message.clone()).collect(),
    )
}

#[test]
fn several_ios_at_once_to_memory_are_done_by_threads() {
    let rest = "wd=wd1,sd=*\nrd=rd1,wd=wd*,iorate=max,elapsed=5,interval=1\n";
    let shm = "sd=sd1,lun=/shm/f,size=1m,threads=8\n";
    let disk = "sd=sd1,lun=/disk/f,size=1m,threads=8\n";
    let (kinds, said) = engines(&format!("{shm}{rest}"));
    assert_eq!(kinds, [Threads]);
    assert!(
        said.len() == 1 && said[0].starts_with("`sd1` is in memory"),
        "{said:?}"
    );
    assert_eq!(engines(&format!("{disk}{rest}")), (vec![IoUring], vec![]));
    // One after the other is a plain system call anywhere, at a rate as well as without.
    let one = shm.replace("threads=8", "threads=1");
    assert_eq!(engines(&format!("{one}{rest}")), (vec![Psync], vec![]));
    let paced = rest.replace("iorate=max", "iorate=1000");
    assert_eq!(engines(&format!("{shm}{paced}")).0, [Threads]);
    // Each storage for itself; said once.
    let both = format!(
        "{shm}{}sd=sd3,lun=/shm/g,size=1m,threads=2\n{rest}",
        disk.replace("sd1", "sd2")
    );
    let (kinds, said) = engines(&both);
    assert_eq!(kinds, [Threads, IoUring, Threads]);
    assert!(
        said.len() == 1 && said[0].starts_with("`sd1` (and 1 more) is"),
        "{said:?}"
    );
    // What far hosts have at that path is not known here.
    let far = format!(
        "hd=a,system=a\nhd=b,system=b\n{shm}wd=wd1,sd=*,host=*\nrd=rd1,wd=wd*,iorate=max,elapsed=5,interval=1\n"
    );
    assert!(engines(&far).0.iter().all(|kind| *kind == IoUring));
}
