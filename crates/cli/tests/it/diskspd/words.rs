//! What the engine says, in the words of the front end that was used.

use crate::support::{LEADLINE, Place, filtered, finish, or_skip};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Each front end's words that read 4 MiB of the file `a` for a second; `%` = this many threads.
const FRONT_ENDS: [(&str, &str); 3] = [
    (
        "fio",
        "fio --leadline-run=none --name=j --filename=a --size=1m --rw=read --runtime=1 --time_based \
         --ioengine=io_uring --iodepth=4 --numjobs=%",
    ),
    ("DISKSPD", "diskspd --leadline-run=none -W0 -d1 -o4 -t% a"),
    ("Vdbench", "vdbench -f p.vdb --leadline-run=none"),
];

fn words(command: &mut Command, line: &str, threads: u32) -> String {
    command.args(line.replace('%', &threads.to_string()).split_whitespace());
    let done = finish(command);
    assert_ne!(done.code, Some(0), "{done:?}");
    format!("{}{}", done.stdout, done.stderr)
}

fn place(threads: u32) -> Place {
    let place = Place::new();
    place.file("a", 4 << 20);
    let sds = (0..threads).map(|n| {
        format!(
            "sd=sd{n},lun={},size=1m,threads=4\n",
            place.join("a").display()
        )
    });
    let sds: String = sds.collect();
    let file = format!(
        "{sds}wd=wd1,sd=sd*,xfersize=4k,rdpct=100\nrd=rd1,wd=wd1,iorate=max,elapsed=2,interval=1\n"
    );
    fs::write(place.join("p.vdb"), file).unwrap();
    place
}

/// No front end's words are in what another one's user reads.
fn only_of(front: &str, said: &str, of_each: &[(&str, &str)]) {
    for (other, words) in of_each {
        assert_eq!(
            said.contains(words),
            front == *other,
            "{words} of {other}, to a user of {front}:\n{said}"
        );
    }
    for other in ["fio: ", "DISKSPD: ", "Vdbench: "] {
        assert!(!said.contains(&format!("({other}")), "{front}: {said}");
        assert!(!said.contains(&format!("; {other}")), "{front}: {said}");
    }
}

#[test]
fn what_the_kernel_refuses_is_reported_in_words_of_the_front_end() {
    // io_uring_setup(2), as a container's filter answers it.
    for (front, line) in FRONT_ENDS {
        let Some(mut command) = or_skip(
            "what_the_kernel_refuses_is_reported_in_words_of_the_front_end",
            filtered(425, 1),
        ) else {
            return;
        };
        let place = place(1);
        command.current_dir(place.path());
        let said = words(&mut command, line, 1);
        assert!(said.contains("io_uring is blocked"), "{front}: {said}");
        assert!(said.contains("seccomp=unconfined"), "{front}: {said}");
        only_of(front, &said, &[("fio", "ioengine=libaio")]);
    }
}

#[test]
fn what_is_lacking_is_reported_in_words_of_the_front_end() {
    for (front, line) in FRONT_ENDS {
        let place = place(60);
        let mut command = Command::new("sh");
        command
            .current_dir(place.path())
            .args(["-c", "ulimit -Sn 90; ulimit -Hn 90; exec \"$@\"", "sh"])
            .arg(LEADLINE);
        let said = words(&mut command, line, 60);
        assert!(
            said.contains("use fewer files or workers"),
            "{front}: {said}"
        );
        let of_each = [
            ("fio", "(nrfiles, numjobs)"),
            ("DISKSPD", "(fewer targets, -t or -F)"),
            ("Vdbench", "(fewer sd=)"),
        ];
        only_of(front, &said, &of_each);
    }
}

#[test]
fn what_is_found_before_the_start_is_reported_in_words_of_the_front_end() {
    for (front, line) in FRONT_ENDS {
        let place = place(1);
        let sparse = fs::File::create(place.join("a")).unwrap();
        sparse.set_len(4 << 20).unwrap();
        drop(sparse);
        let line = line.replace('%', "1");
        let done = finish(&mut place.leadline(line.split_whitespace()));
        assert_eq!(done.code, Some(0), "{done:?}");
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("is a hole"), "{front}: {said}");
        let of_each = [
            ("fio", "(rw=write)"),
            ("DISKSPD", "(-c<size>, or -w100)"),
            ("Vdbench", "(rdpct=0,seekpct=eof)"),
        ];
        only_of(front, &said, &of_each);
    }
}

/// Literals of a source file that are not comments, tests aside.
fn literals(text: &str) -> Vec<String> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let literals = code.replace("\\\"", "'");
    let literals = literals.split('"').skip(1).step_by(2);
    literals.map(str::to_owned).collect()
}

fn sources(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "fixture" {
            sources(&path, all);
        } else if name.ends_with(".rs") && !name.starts_with("tests") {
            all.extend(literals(&fs::read_to_string(path).unwrap()));
        }
    }
}

#[test]
fn the_engine_and_the_results_spell_no_option_of_a_front_end() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    for folder in ["engine/src", "model/src", "results/src"] {
        sources(&crates.join(folder), &mut all);
    }
    assert!(all.len() > 2000, "{}", all.len());
    for literal in &all {
        for word in [
            "fio: ",
            "DISKSPD: ",
            "Vdbench: ",
            "ioengine=",
            "iodepth",
            "numjobs",
            "nrfiles",
            "runtime=",
            "time_based",
            "openflags=",
            "xfersize",
        ] {
            assert!(!literal.contains(word), "`{word}` is spelt in: {literal}");
        }
    }
}
