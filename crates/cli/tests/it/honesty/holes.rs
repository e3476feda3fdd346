//! Reading what was never written asks no device, and that is said.

use crate::support::{Done, Place, finish, or_skip};
use leadline_model::finding::Severity;
use leadline_results::trust::grade::Grades;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::path::Path;

const SIZE: u64 = 4 << 20;

fn read(place: &Place, path: &Path) -> Done {
    let file = format!("--filename={}", path.display());
    let done = finish(&mut place.fio(&["--name=a", &file, "--rw=randread", "--bs=4k"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.job()["read"]["total_ios"], SIZE / 4096);
    done
}

/// It is said in the output itself, and kept.
fn is_said(place: &Place, done: &Done, code: &str, words: &str) {
    assert!(place.findings().contains(&code.to_owned()), "{done:?}");
    assert!(done.stdout.contains(words), "{done:?}");
    assert!(done.stdout.contains("100.0 %"), "{done:?}");
    assert_eq!(
        done.stderr, "",
        "fio's users take a word there for a failure"
    );
}

#[test]
fn a_file_of_holes_is_noticed() {
    let place = Place::new();
    let path = place.join("sparse");
    File::create(&path).unwrap().set_len(SIZE).unwrap();
    let done = read(&place, &path);
    is_said(&place, &done, "holes", "is a hole");
    // Named with its cure, and of no use for anything.
    let run = place.kept();
    let finding = run.findings.iter().find(|f| f.code == "holes").unwrap();
    let cure = &finding.cure.text;
    assert!(cure.contains("the file with real data first"), "{cure}");
    assert_eq!(Grades::of_run(&run).run.letter, 'F');
}

#[test]
fn a_file_of_unwritten_extents_is_noticed() {
    let place = Place::new();
    let path = place.join("claimed");
    let file = File::create(&path).unwrap();
    let claimed = fallocate(&file, FallocateFlags::empty(), 0, SIZE)
        .map_err(|error| format!("the file system of the tests cannot claim space: {error}"));
    if or_skip("honesty::unwritten", claimed).is_none() {
        return;
    }
    let done = read(&place, &path);
    is_said(&place, &done, "unwritten-extents", "never written");
}

#[test]
fn a_file_of_data_raises_no_alarm() {
    let place = Place::new();
    let path = place.file("data", usize::try_from(SIZE).unwrap());
    let done = read(&place, &path);
    let found = place.findings();
    assert!(!found.iter().any(|code| code == "holes"), "{found:?}");
    assert!(
        !found.iter().any(|code| code == "unwritten-extents"),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|code| code == "same-contents"),
        "{found:?}"
    );
    assert!(!done.stdout.contains("needs no device I/O"), "{done:?}");
    // What leadline lays out itself to be read is data as well.
    let laid = finish(&mut place.fio(&["--name=laid", "--size=4m", "--rw=read", "--bs=64k"]));
    assert_eq!(laid.code, Some(0), "{laid:?}");
    assert!(!laid.stdout.contains("needs no device I/O"), "{laid:?}");
}

/// A volume that gives zeros for what it never kept, and one that keeps a block once: no extent of a file says so, its bytes do.
#[test]
fn a_target_of_zeros_or_of_one_block_is_noticed() {
    let place = Place::new();
    let size = usize::try_from(SIZE).unwrap();
    let random = |seed: u64| {
        let mut now = seed;
        let next = |_| {
            now = now.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now.to_be_bytes()[0]
        };
        (0..4096).map(next).collect::<Vec<u8>>()
    };
    let blocks = |of: &dyn Fn(u64) -> Vec<u8>| (0..SIZE / 4096).flat_map(of).collect::<Vec<u8>>();
    let same = |name: &str, bytes: &[u8]| {
        let path = place.join(name);
        std::fs::write(&path, bytes).unwrap();
        File::open(&path).unwrap().sync_all().unwrap();
        read(&place, &path);
        let run = place.kept();
        let found = run.findings.iter().find(|f| f.code == "same-contents");
        found.map(|f| (f.severity, f.text.clone()))
    };
    let (severity, text) = same("zeros", &vec![0; size]).unwrap();
    assert!(text.starts_with("All of 64 sampled blocks of"), "{text}");
    assert!(text.contains("are zeros"), "{text}");
    assert_eq!(severity, Severity::Fail);
    // A fifth of them: said, and the figures are of use.
    let some = blocks(&|n| if n % 5 == 0 { vec![0; 4096] } else { random(n) });
    let (severity, text) = same("some", &some).unwrap();
    assert!(text.contains("are zeros"), "{text}");
    assert_eq!(severity, Severity::Warn);
    let (_, text) = same("one", &random(7).repeat(size / 4096)).unwrap();
    assert!(
        text.contains("have the same contents as another one"),
        "{text}"
    );
    assert_eq!(same("data", &blocks(&random)), None);
    // 1 MiB again and again: a period of more blocks than are looked at.
    let mib: Vec<u8> = (0..256).flat_map(random).collect();
    let (_, text) = same("period", &mib.repeat(4)).unwrap();
    assert!(
        text.contains("have the same contents as another one"),
        "{text}"
    );
    // Blocks of which a tenth is data and the rest spaces: none is zeros, none like another.
    let thin = |n: u64| [&random(n)[..410], &[b' '; 3686]].concat();
    let (severity, text) = same("thin", &blocks(&thin)).unwrap();
    assert!(
        text.contains("compress by 8") || text.contains("compress by 9"),
        "{text}"
    );
    assert_eq!(severity, Severity::Warn);
}

/// What is written is looked at as well, whatever the plan says of it.
#[test]
fn written_data_are_judged_by_samples() {
    let place = Place::new();
    let found = |job: &str| {
        let words = format!("--name=a --filename=w --size=1m --rw=write --bs=4k {job}");
        let words: Vec<&str> = words.split_whitespace().collect();
        let done = finish(&mut place.fio(&words));
        assert_eq!(done.code, Some(0), "{done:?}");
        let run = place.kept();
        let payload = |code: &str| code == "compressible-payload" || code == "repeated-payload";
        let found = run.findings.iter().find(|f| payload(&f.code));
        found.map(|f| (f.code.clone(), f.text.clone()))
    };
    assert_eq!(found("--refill_buffers=1"), None);
    // A third of each buffer is zeros: fio's own option, and what is measured of it.
    let (code, text) = found("--refill_buffers=1 --buffer_compress_percentage=33").unwrap();
    assert_eq!(code, "compressible-payload");
    let share = text.split(" %").next().unwrap().rsplit(' ').next().unwrap();
    let share: f64 = share.parse().unwrap();
    assert!((31.0..36.0).contains(&share), "{text}");
    assert!(text.contains("estimated from"), "{text}");
    let (code, text) = found("--refill_buffers=1 --dedupe_percentage=50").unwrap();
    assert_eq!(code, "repeated-payload");
    // Half of them, as a store that keeps equal blocks once would count: by 64 samples within 20 % (three standard errors).
    let copies: f64 = text.split(' ').next().unwrap().parse().unwrap();
    assert!((20.0..45.0).contains(&copies), "{text}");
    let part = "of 64 sampled blocks of the written data";
    assert!(text.contains(part), "{text}");
    assert!(
        text.contains("had the contents of an earlier one; the plan asks for 50 %"),
        "{text}"
    );
    // One buffer for all writes, which does not compress.
    let (code, text) = found("--scramble_buffers=0").unwrap();
    assert!(text.starts_with("All 64 sampled blocks"), "{text}");
    assert_eq!(code, "repeated-payload", "{text}");
}
