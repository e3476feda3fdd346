//! `leadline plot` on runs of simulated volumes, whose figures are known.

use crate::support::{Place, finish};

/// A run of depths 1, 4 and 16 on a volume of 1 ms that works on four I/Os at once: 1,000, 4,000 and 4,000 IOPS.
fn swept(place: &Place, name: &str) {
    let mut job = "[global]\nrw=randread\nbs=4k\nioengine=libaio\ntime_based\nruntime=5\nsize=1g\n"
        .to_owned();
    for depth in [1, 4, 16] {
        job += &format!("[d{depth}]\nstonewall\niodepth={depth}\n");
    }
    std::fs::write(place.join("d.fio"), job).unwrap();
    let file = format!("--leadline-run={name}.leadline");
    let words = [
        "fio",
        "d.fio",
        "--map=*=sim:service=1ms,parallel=4",
        &file,
        "--output=fio.txt",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_picture_has_what_the_volume_gave_and_is_written_over_none_that_is_not_one() {
    let place = Place::new();
    swept(&place, "a");
    let words = ["plot", "a.leadline", "--x", "depth", "--y", "iops,p50"];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(0), "{done:?}");
    let expected = "IOPS, line: 1k at 1, 4k at 4, 4k at 16. latency p50, line: 1.00 ms at 1, 1.00 ms at 4, 4.00 ms at 16";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
    let into = |file: &str| {
        let out = [&words[..], &["-o", file]].concat();
        finish(&mut place.leadline(out))
    };
    assert_eq!(into("a.svg").code, Some(0));
    assert_eq!(into("a.svg").code, Some(0), "a picture is replaced");
    assert_eq!(
        std::fs::read_to_string(place.join("a.svg")).unwrap(),
        done.stdout
    );
    std::fs::write(place.join("mine.svg"), "<svg>").unwrap();
    let kept = into("mine.svg");
    assert_eq!(kept.code, Some(3), "{kept:?}");
    assert_eq!(
        std::fs::read_to_string(place.join("mine.svg")).unwrap(),
        "<svg>"
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_what_was_meant() {
    let place = Place::new();
    let words = [
        "plot",
        "none.leadline",
        "--x",
        "dept",
        "--y",
        "ipos",
        "--by",
        "nconect",
        "--only",
        "bock=4k",
        "-o",
        "x.jpg",
    ];
    let done = finish(&mut place.leadline(words));
    assert_eq!(done.code, Some(2));
    for near in ["depth", "iops", "nconnect", "block"] {
        let hint = format!("did you mean {near}?");
        assert!(done.stderr.contains(&hint), "{hint} in {}", done.stderr);
    }
    let endings = "x.jpg: a picture is written as .svg or .png";
    assert!(done.stderr.contains(endings), "{}", done.stderr);
    assert!(!place.join("x.jpg").exists());
}

/// Whether a font is in the usual place; else the picture is refused with the cure.
fn has_font() -> bool {
    let mut folders = vec![std::path::PathBuf::from("/usr/share/fonts")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("ttf" | "otf") => return true,
                _ => {}
            }
        }
    }
    false
}

#[test]
fn a_picture_of_pixels_is_the_same_at_twice_its_size() {
    let place = Place::new();
    swept(&place, "a");
    let words = [
        "plot",
        "a.leadline",
        "--x",
        "depth",
        "--y",
        "iops,p50",
        "-o",
    ];
    let into = |file: &str| finish(&mut place.leadline([&words[..], &[file]].concat()));
    if !has_font() {
        let refused = into("a.png");
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains("fonts-dejavu-core"), "{refused:?}");
        leadline_testkit::skip("plot::png", "no font below /usr/share/fonts");
        return;
    }
    for file in ["a.svg", "a.png", "a.png"] {
        let done = into(file);
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let svg = std::fs::read_to_string(place.join("a.svg")).unwrap();
    let view = svg.split("viewBox=\"0 0 ").nth(1).unwrap();
    let size: Vec<u32> = view
        .split('"')
        .next()
        .unwrap()
        .split(' ')
        .map(|n| n.parse().unwrap())
        .collect();
    let bytes = std::fs::read(place.join("a.png")).unwrap();
    let decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    // The SVG asks for twice its own units, and each of those has two pixels.
    let by = info.width / size[0];
    assert!(
        by >= 2 && (info.width, info.height) == (by * size[0], by * size[1]),
        "{info:?}"
    );
    // The title is dark, and the paper light: the text was drawn.
    let dark = |row: u32| {
        let from = row as usize * info.line_size;
        let line = &pixels[from..from + info.line_size];
        line.chunks(4)
            .filter(|p| p[0] < 80 && p[1] < 80 && p[2] < 90)
            .count()
    };
    let title: usize = (0..by * 24).map(dark).sum();
    assert!(title > 500, "{title} dark pixels in the title");
    std::fs::write(place.join("mine.png"), &bytes[..8]).unwrap();
    assert_eq!(into("mine.png").code, Some(3), "a picture of somebody else");
}
