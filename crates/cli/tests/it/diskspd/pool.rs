//! Threads that drive targets which differ in what is written, in memory and in priority: still the same threads,
//! with the numbers the original's would draw.

use super::streams::{dealt, profile, programs};
use crate::support::{Place, finish};
use leadline_model::plan::Plan;
use leadline_model::plan::engine::Memory;
use std::fs;

/// The original's generator, written down a second time.
struct Numbers([u64; 4]);

impl Numbers {
    fn new(seed: u64) -> Self {
        let mut numbers = Self([0xf1ea_5eed, seed, seed, seed]);
        (0..20).for_each(|_| {
            numbers.next();
        });
        numbers
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let e = s[0].wrapping_sub(s[1].rotate_left(7));
        s[0] = s[1] ^ s[2].rotate_left(13);
        s[1] = s[2].wrapping_add(s[3].rotate_left(37));
        s[2] = s[3].wrapping_add(e);
        s[3] = e.wrapping_add(s[0]);
        s[3]
    }
}

const ZEROS: &str = "<WriteBufferContent><Pattern>zero</Pattern></WriteBufferContent>";
const BYTES: &str = "<WriteBufferContent><Pattern>sequential</Pattern></WriteBufferContent>";
const SOURCE: &str = "<WriteBufferContent><Pattern>random</Pattern><RandomDataSource>\
                      <SizeInBytes>65536</SizeInBytes></RandomDataSource></WriteBufferContent>";

fn target(name: &str, rest: &str) -> String {
    format!(
        "{name}<BlockSize>4096</BlockSize><Random>4096</Random><RequestCount>2</RequestCount>\
         <WriteRatio>100</WriteRatio>{rest}"
    )
}

/// Random numbers that a write of these data takes: a place in a source is one; of random bytes 16 words come of
/// five numbers as long as more than 16 words are left, then each word is one.
const OF_BYTES: usize = 31 * 5 + 16;

#[test]
fn each_target_takes_the_numbers_its_data_need_from_the_generator_of_the_thread() {
    let place = Place::new();
    for (random, first, second, taken) in [
        (false, ZEROS, SOURCE, [0, 1]),
        (false, BYTES, ZEROS, [0, 0]),
        (true, ZEROS, BYTES, [0, OF_BYTES]),
        (true, SOURCE, BYTES, [1, OF_BYTES]),
    ] {
        for drawn in [false, true] {
            let span = format!(
                "<ThreadCount>2</ThreadCount><RandomWriteData>{random}</RandomWriteData>{}",
                if drawn {
                    "<RequestCount>4</RequestCount>"
                } else {
                    ""
                }
            );
            let targets = [target("*a", first), target("*b", second)];
            let all = programs(&place, &span, &[&targets[0], &targets[1]]);
            assert_eq!((all.len(), all[1].depth()), (2, 4));
            let slots = [0, 1, 2, 3, 3, 0, 2, 1, 1, 2, 0, 3];
            let came = dealt(&mut all[1].generator(), &slots);
            let mut numbers = Numbers::new(1);
            let expected = slots.map(|slot| {
                let file = match drawn {
                    true => usize::try_from(numbers.next() & 1).unwrap(),
                    false => usize::from(slot > 1),
                };
                let blocks = [327_680, 67_108_864][file] / 4096;
                let number = numbers.next();
                let offset = number / 4096 % blocks * 4096;
                (0..taken[file]).for_each(|_| {
                    numbers.next();
                });
                format!("{}W{offset}/4", ["a", "b"][file])
            });
            assert_eq!(came, expected.join(" "), "{span} {first} {second}");
        }
    }
}

/// Runs a profile of these targets and gives what it said.
fn run(place: &Place, span: &str, targets: &[String]) -> crate::support::Done {
    let targets: String = targets
        .iter()
        .map(|t| format!("<Target>{t}</Target>"))
        .collect();
    let profile = format!(
        "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup>{span}\
         <Targets>{targets}</Targets></TimeSpan></TimeSpans></Profile>"
    );
    fs::write(place.join("p.xml"), profile).unwrap();
    finish(&mut place.leadline(["diskspd", "--leadline-run=run.leadline", "-Xp.xml"]))
}

#[test]
fn each_file_holds_what_its_target_writes() {
    for span in [
        "<ThreadCount>2</ThreadCount>",
        "<ThreadCount>2</ThreadCount><RequestCount>5</RequestCount>",
    ] {
        let place = Place::new();
        for name in ["zeros", "bytes", "source"] {
            fs::write(place.join(name), vec![0x55; 1 << 20]).unwrap();
        }
        fs::write(place.join("words"), b"abc").unwrap();
        let from_file =
            SOURCE.replace("</SizeInBytes>", "</SizeInBytes><FilePath>words</FilePath>");
        let large = |t: String| t.replace("<BlockSize>4096", "<BlockSize>16384");
        let targets = [
            target("<Path>source</Path>", &from_file),
            target("<Path>zeros</Path>", ZEROS),
            large(target("<Path>bytes</Path>", BYTES)),
        ];
        let done = run(&place, span, &targets);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(place.kept().stages[0].workers.len(), 2, "{done:?}");
        let written = |name: &str, is: &dyn Fn(&[u8]) -> bool| {
            let data = fs::read(place.join(name)).unwrap();
            let blocks: Vec<_> = data
                .chunks(4096)
                .filter(|b| b.iter().any(|b| *b != 0x55))
                .collect();
            assert!(blocks.len() > 32, "{name}: {} blocks", blocks.len());
            assert!(blocks.iter().all(|b| is(b)), "{name}");
        };
        written("zeros", &|b| b.iter().all(|b| *b == 0));
        written("bytes", &|b| {
            b.iter().zip((0..=255_u8).cycle()).all(|(a, b)| *a == b)
        });
        written("source", &|b| {
            b.windows(2)
                .all(|w| matches!(w, b"ab" | b"bc" | b"ca" | b"aa"))
        });
        // The doubt is about the target that compresses.
        assert!(
            place
                .findings()
                .contains(&"compressible-payload".to_owned())
        );
    }
}

#[test]
fn a_target_is_made_of_the_bytes_it_is_written_with() {
    let place = Place::new();
    let made = "<FileSize>1048576</FileSize>";
    let read = |t: String| t.replace("<WriteRatio>100", "<WriteRatio>0");
    let targets = [
        read(target("<Path>random</Path>", &format!("{SOURCE}{made}"))),
        read(target("<Path>bytes</Path>", &format!("{BYTES}{made}"))),
    ];
    let done = run(&place, "<ThreadCount>1</ThreadCount>", &targets);
    assert_eq!(done.code, Some(0), "{done:?}");
    let data = |name| fs::read(place.join(name)).unwrap();
    let pattern = |d: Vec<u8>| d.iter().zip((0..=255_u8).cycle()).all(|(a, b)| *a == b);
    assert!(pattern(data("bytes")));
    assert!(!pattern(data("random")));
}

#[test]
fn priority_goes_with_each_targets_ios_and_large_pages_are_for_all() {
    let place = Place::new();
    for span in [
        "<ThreadCount>2</ThreadCount>",
        "<ThreadCount>2</ThreadCount><RequestCount>4</RequestCount>",
    ] {
        let plan = |first: &str, second: &str| {
            let (a, b) = (target("*a", first), target("*b", second));
            assert_eq!(
                programs(&place, span, &[&a, &b]).len(),
                2,
                "{first} {second}"
            );
            let shown = finish(&mut place.leadline(["plan", "--json", "diskspd", "-Xp.xml"]));
            let plan: Plan = serde_json::from_str(&shown.stdout).unwrap();
            (plan.stages[0].workloads[0].clone(), shown.stderr)
        };
        let (w, said) = plan("<IOPriority>1</IOPriority>", "<IOPriority>2</IOPriority>");
        assert_eq!(w.engine.file_priorities, [(3, 0), (2, 7)], "{said}");
        assert_eq!(w.placement.io_priority, None);
        let (w, _) = plan("", "<IOPriority>2</IOPriority>");
        assert_eq!(w.engine.file_priorities, [(0, 0), (2, 7)]);
        let large = target("*b", "<UseLargePages>true</UseLargePages>");
        profile(&place, span, &[&target("*a", ""), &large]);
        let shown = finish(&mut place.leadline(["plan", "--json", "diskspd", "-Xp.xml"]));
        let said = &shown.stderr;
        assert!(said.contains("large-pages-for-all"), "{said}");
        assert!(!said.contains("divided among"), "{said}");
        // Most hosts have reserved none.
        match serde_json::from_str::<Plan>(&shown.stdout) {
            Ok(plan) => {
                let w = &plan.stages[0].workloads[0];
                assert_eq!(w.placement.memory, Memory::Huge);
                assert_eq!(w.engine.file_priorities, []);
            }
            Err(_) => assert!(said.contains("4 MiB of huge pages"), "{said}"),
        }
    }
}

#[test]
fn mapped_memory_beside_other_targets_has_threads_of_its_own_and_says_why() {
    let place = Place::new();
    let mapped = "<MemoryMappedIo>true</MemoryMappedIo>";
    for (span, said) in [
        (
            "<ThreadCount>2</ThreadCount>",
            "each target has its own threads",
        ),
        (
            "<ThreadCount>2</ThreadCount><RequestCount>4</RequestCount>",
            "are divided among its targets",
        ),
    ] {
        let (a, b) = (target("*a", mapped), target("*b", ""));
        assert_eq!(programs(&place, span, &[&a, &b]).len(), 4);
        let shown = finish(&mut place.leadline(["plan", "diskspd", "-Xp.xml"]));
        assert!(shown.stderr.contains("one way to do I/O"), "{shown:?}");
        assert!(shown.stderr.contains(said), "{shown:?}");
        // All of them mapped are driven by the same threads, whatever else they differ in.
        let b = target("*b", mapped).replace("<BlockSize>4096", "<BlockSize>8192");
        let all = programs(&place, span, &[&a, &b]);
        assert_eq!((all.len(), all[0].depth()), (2, 1), "{span}");
    }
}

#[test]
fn the_job_for_fio_has_a_section_for_each_target() {
    let place = Place::new();
    let a = target("*a", ZEROS);
    let b = target("*b", BYTES).replace("<WriteRatio>100", "<WriteRatio>30");
    let b = format!(
        "{}<MaxFileSize>1048576</MaxFileSize>",
        b.replace("4096", "65536")
    );
    for (count, depths, remark) in [
        ("0", "iodepth=2", "threads drive all targets; here"),
        ("9", "iodepth=4", "the target of each I/O is chosen"),
    ] {
        let span = format!("<ThreadCount>3</ThreadCount><RequestCount>{count}</RequestCount>");
        programs(&place, &span, &[&a, &b]);
        let shown = finish(&mut place.leadline(["plan", "--json", "diskspd", "-Xp.xml"]));
        let plan: Plan = serde_json::from_str(&shown.stdout).unwrap();
        let job = leadline_fio::print::fio_job(&plan);
        let (shared, rest) = job.split_once("\n[").unwrap();
        let (first, second) = rest.split_once("\n[").unwrap();
        for part in ["numjobs=3", depths] {
            assert!(shared.contains(part), "{part}: {job}");
        }
        for (part, which) in [
            ("rw=randwrite", first),
            ("bs=4096", first),
            ("zero_buffers", first),
            ("rw=randrw", second),
            ("rwmixread=70", second),
            ("bs=65536", second),
            ("size=1048576", second),
            ("buffer_pattern=0x000102", second),
            (remark, first),
            (remark, second),
        ] {
            assert!(which.contains(part), "{part}: {job}");
        }
        let paths = [place.join("a.dat"), place.join("b.dat")].map(|p| p.display().to_string());
        assert!(first.contains(&format!("filename={}\n", paths[0])), "{job}");
        assert!(
            second.contains(&format!("filename={}\n", paths[1])),
            "{job}"
        );
        // It is a job: it becomes two stages of three threads each.
        fs::write(place.join("j.fio"), &job).unwrap();
        let shown = finish(&mut place.leadline(["plan", "--json", "fio", "j.fio"]));
        assert_eq!(shown.code, Some(0), "{shown:?}");
        let plan: Plan = serde_json::from_str(&shown.stdout).unwrap();
        let clones: Vec<u32> = plan.stages[0].workloads.iter().map(|w| w.clones).collect();
        assert_eq!(clones, [3, 3], "{job}");
    }
}
