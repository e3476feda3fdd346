//! Results of other tools, shown: those of leadline in their shapes, those of Debian's fio, and what is none.

mod drawn;

use crate::support::{Done, Place, finish, or_skip};
use std::process::Command;

fn shown(place: &Place, path: &str) -> Done {
    finish(&mut place.leadline(["show", path]))
}

/// A volume of 10,000 reads a second at depth 1, in all three shapes.
#[test]
fn results_in_the_shapes_of_other_tools_are_read_back() {
    let place = Place::new();
    let map = "--map=*=sim:service=100us";
    let fio = [
        "fio",
        "--name=j",
        "--rw=randread",
        "--size=8m",
        "--filename=f",
        map,
    ];
    for (format, file) in [("json+", "r.json"), ("normal", "r.txt")] {
        let output = [
            format!("--output-format={format}"),
            format!("--output={file}"),
        ];
        let done = finish(place.leadline(fio).args(output));
        assert_eq!(done.code, Some(0), "{done:?}");
        let text = shown(&place, file);
        assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text:?}");
        assert!(text.stdout.contains("j read"), "{text:?}");
        assert!(text.stdout.contains("10,000"), "{text:?}");
    }
    for (form, file) in [("-Rxml", "d.xml"), ("-Rtext", "d.txt")] {
        let words = [
            "diskspd", map, "-b4K", "-r", "-o1", "-t1", "-d2", "-L", "-c8M", form, "f",
        ];
        let done = finish(&mut place.leadline(words));
        assert_eq!(done.code, Some(0), "{done:?}");
        std::fs::write(place.join(file), &done.stdout).unwrap();
        let text = shown(&place, file);
        assert_eq!(text.code, Some(0), "{text:?}");
        assert!(
            text.stdout.contains("read  ") && text.stdout.contains("10,0"),
            "{text:?}"
        );
    }
    let job = "sd=s,lun=f,size=8m,threads=1\nwd=w,sd=s,rdpct=100,xfersize=4k,seekpct=100\n\
               rd=r1,wd=w,iorate=max,elapsed=5,interval=1\n";
    std::fs::write(place.join("p"), job).unwrap();
    let done = finish(&mut place.leadline(["vdbench", map, "-f", "p", "-o", "out"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    // The folder holds the run itself, with percentiles; without it, its pages are read as Vdbench's.
    let whole = shown(&place, "out");
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(
        whole.stdout.contains("r1") && !whole.stdout.contains("no histogram fine enough"),
        "{whole:?}"
    );
    std::fs::remove_file(place.join("out/run.leadline")).unwrap();
    let text = shown(&place, "out");
    assert_eq!(text.code, Some(0), "{text:?}");
    assert!(
        text.stdout.contains("r1 read") && text.stdout.contains("10,000"),
        "{text:?}"
    );
    assert!(text.stdout.contains("no histogram fine enough"), "{text:?}");
}

/// The flat file has the threads of all hosts, a run those of each: the folder of a run on two hosts is as that run.
#[test]
fn a_folder_of_two_hosts_is_alike_to_its_run() {
    let place = Place::new();
    let job = "sd=s,lun=f,size=8m,threads=4\nwd=w,sd=s,rdpct=100,xfersize=4k,seekpct=100\n\
               rd=r1,wd=w,iorate=max,elapsed=5,interval=1\n";
    std::fs::write(place.join("p"), job).unwrap();
    let words = ["vdbench", "--map=*=sim:service=1ms", "-f", "p", "-o", "out"];
    let hosts = ["--hosts=h1,h2", "--launcher=local"];
    let done = finish(place.leadline(words).args(hosts));
    assert_eq!(done.code, Some(0), "{done:?}");
    std::fs::rename(place.join("out/run.leadline"), place.join("r.leadline")).unwrap();
    let done = finish(&mut place.leadline(["compare", "out", "r.leadline"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stdout.contains("not comparable"), "{done:?}");
}

#[test]
fn what_is_no_result_is_said_with_what_was_looked_for() {
    let place = Place::new();
    std::fs::create_dir(place.join("d")).unwrap();
    std::fs::write(place.join("notes"), "hello").unwrap();
    for (path, said) in [
        ("notes", "not a result of a known form"),
        ("d", "no flatfile.html"),
    ] {
        let done = shown(&place, path);
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
        assert!(done.stderr.contains(said), "{done:?}");
        assert!(done.stderr.contains("DISKSPD's XML or text"), "{done:?}");
    }
    std::fs::write(
        place.join("cut.json"),
        "{ \"fio version\" : \"fio-3.33\",\n \"jobs\" : [",
    )
    .unwrap();
    let done = shown(&place, "cut.json");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr.contains("this is no JSON") && done.stderr.contains("cut.json:2"),
        "{done:?}"
    );
    let none = shown(&place, "none");
    assert!(none.stderr.contains("No such file"), "{none:?}");
}

/// The figures of Debian's fio in its JSON and its text are alike, as it rounds them.
#[test]
fn results_of_debians_fio_are_read() {
    let place = Place::new();
    let there = Command::new("fio").arg("--version").output();
    let there = there.map_err(|error| format!("fio cannot be started: {error}"));
    if or_skip("leadline::imports", there).is_none() {
        return;
    }
    let mut fio = Command::new("fio");
    fio.current_dir(place.path()).args([
        "--name=a",
        "--size=1m",
        "--rw=randrw",
        "--bs=4k",
        "--output-format=json+,normal",
        "--output=both",
    ]);
    assert!(fio.status().unwrap().success());
    let both = std::fs::read_to_string(place.join("both")).unwrap();
    let at = both.find("\na: (groupid=").unwrap();
    std::fs::write(place.join("text"), &both[at..]).unwrap();
    for file in ["both", "text"] {
        let done = shown(&place, file);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        assert!(
            done.stdout.contains("a read") && done.stdout.contains("a write"),
            "{done:?}"
        );
    }
}
