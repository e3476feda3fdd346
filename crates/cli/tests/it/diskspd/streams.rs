//! From the words of a command line to the I/Os themselves: they are those that DISKSPD 2.2 made of the
//! same words, I/O for I/O.

use crate::support::{Place, finish};
use leadline_dialect::host::NoHost;
use leadline_diskspd as diskspd;
use leadline_engine::access::Generator;
use leadline_engine::prepare::Host;
use leadline_engine::schedule;
use leadline_model::op::Op;
use leadline_model::plan::Plan;

/// Words, size of the file, thread, and what the original did: kind and offset of each I/O.
#[rustfmt::skip]
const STREAMS: [(&str, u64, usize, &str); 15] = [
    ("-b4K -r", 67_108_864, 0, "R59752448 R25374720 R16928768 R21401600 R32972800 R13721600 R59117568 R39227392 R65142784 R49598464 R17457152 R12570624"),
    ("-b4K -r -t2", 67_108_864, 1, "R17170432 R5648384 R44224512 R1294336 R16584704 R59879424 R782336 R43474944 R21164032 R8638464 R5738496 R31473664"),
    ("-b4K -r -z42", 67_108_864, 0, "R67104768 R46637056 R33140736 R43024384 R20979712 R16805888 R30904320 R56557568"),
    ("-b4K -r -w30", 67_108_864, 0, "R25374720 W21401600 R13721600 R39227392 R49598464 W12570624 R11141120 W65429504 R66351104 R9482240 R66674688 W43388928"),
    ("-b4K -r -w100", 67_108_864, 0, "W59752448 W25374720 W16928768 W21401600 W32972800 W13721600"),
    ("-b4K -r -B16M:16M", 67_108_864, 0, "R26198016 R25374720 R16928768 R21401600 R32972800 R30498816 R25563136 R22450176"),
    ("-b4K -rs50 -w50", 67_108_864, 0, "R59752448 R32972800 R39227392 R17457152 R11141120 R11145216 R66351104 R55742464 W43388928 W43393024 W24637440 R48484352"),
    ("-b64K -r4K", 1_048_576, 0, "R106496 R671744 R843776 R237568 R221184 R708608 R745472 R696320 R671744 R778240"),
    ("-b64K", 262_144, 0, "R0 R65536 R131072 R196608 R0 R65536 R131072"),
    ("-b64K -t2 -T128K", 327_680, 1, "R131072 R196608 R262144 R0 R65536 R131072 R196608"),
    ("-b64K -s96K", 327_680, 0, "R0 R98304 R196608 R0 R98304 R196608 R0"),
    ("-b64K -si -t2", 263_144, 0, "R0 R65536 R131072 R196608 R0 R65536 R131072"),
    ("-b64K -p", 262_144, 0, "R0 R65536 R131072 R196608 R0 R65536"),
    ("-b4K -r -rdpct90/10:0/10:5/20", 67_108_864, 0, "R1458176 R3461120 R25432064 R2060288 R2310144 R516096 R5292032 R5902336 R6422528 R3846144"),
    ("-b4K -r -w30 -Zr", 67_108_864, 0, "R25374720 W21401600 R9846784 W35573760 W17276928 R38035456 R1773568 R364544 R32673792 R24252416 R46755840 R26714112"),
];

#[test]
fn a_command_line_makes_the_same_ios_as_on_windows() {
    let place = Place::new();
    for (words, size, thread, stream) in STREAMS {
        let path = place.join("testfile.dat");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(size).unwrap();
        let mut args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        args.push("-n".to_owned());
        args.push(path.display().to_string());
        let plan = diskspd::parse(&args, &NoHost).plan.unwrap();
        let programs = schedule::compile(&plan.stages[0], &plan, &Host::default(), 1).unwrap();
        let mut generator = programs[thread].generator();
        let came: Vec<String> = stream
            .split(' ')
            .map(|_| {
                let op = generator.pick_op();
                let io = generator.next(op).unwrap();
                let kind = if op == Op::Read { "R" } else { "W" };
                format!("{kind}{}", io.offset)
            })
            .collect();
        assert_eq!(came.join(" "), stream, "{words}");
    }
}

/// Words, sizes of the targets, thread, and what it does when its I/Os end in the order they were asked
/// for: target (a, b), kind and offset. One generator serves all targets of a thread, so these are the
/// numbers of the streams above, dealt out.
#[rustfmt::skip]
const OVER_TARGETS: [(&str, &[u64], usize, &str); 5] = [
    ("-b4K -r -F1 -o2", &[67_108_864, 33_554_432], 0, "aR59752448 aR25374720 bR16928768 bR21401600 aR32972800 aR13721600 bR25563136 bR5672960 aR65142784 aR49598464 bR17457152 bR12570624"),
    ("-b4K -r -w30 -F2 -o1", &[67_108_864, 67_108_864], 1, "aW44224512 bR16584704 aR782336 bW21164032 aR5738496 bW17965056 aW6459392 bW39493632 aR50151424 bW2330624 aW13099008 bR53309440"),
    ("-b4K -rs50 -w50 -F1 -o2", &[67_108_864, 67_108_864], 0, "aW13721600 aW13725696 bW16928768 bR17457152 aR11141120 aR11145216 bR66351104 bR55742464 aW43388928 aW43393024 bW24637440 bR48484352"),
    ("-b4K -r -w30 -F1 -O4", &[67_108_864, 67_108_864], 0, "aW21401600 bR59117568 aR49598464 bW48005120 aW65429504 aR31707136 aR66674688 aR62644224 aW24637440 aR48484352 aR20541440 aR20389888"),
    ("-b64K -F2 -o2 -T128K", &[327_680, 262_144], 1, "aR131072 aR196608 bR131072 bR196608 aR262144 aR0 bR0 bR65536"),
];

#[test]
fn a_thread_over_several_targets_deals_out_one_stream() {
    let place = Place::new();
    for (words, sizes, thread, stream) in OVER_TARGETS {
        let mut args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        args.push("-n".to_owned());
        for (name, size) in ["a.dat", "b.dat"].iter().zip(sizes) {
            let path = place.join(name);
            std::fs::File::create(&path)
                .unwrap()
                .set_len(*size)
                .unwrap();
            args.push(path.display().to_string());
        }
        let plan = diskspd::parse(&args, &NoHost).plan.unwrap();
        let programs = schedule::compile(&plan.stages[0], &plan, &Host::default(), 1).unwrap();
        let threads = if words.contains("-F2") { 2 } else { 1 };
        assert_eq!(programs.len(), threads, "{words}");
        let depth = programs[thread].depth();
        assert_eq!(
            depth,
            if words.contains("-w30 -F2") { 2 } else { 4 },
            "{words}"
        );
        let mut generator = programs[thread].generator();
        let came: Vec<String> = stream
            .split(' ')
            .zip((0..u16::try_from(depth).unwrap()).cycle())
            .map(|(_, slot)| {
                generator.for_slot(slot);
                let op = generator.pick_op();
                let io = generator.next(op).unwrap();
                let kind = if op == Op::Read { "R" } else { "W" };
                format!("{}{kind}{}", ["a", "b"][io.file as usize], io.offset)
            })
            .collect();
        assert_eq!(came.join(" "), stream, "{words}");
    }
}

/// The programs of [`profile`].
pub(super) fn programs(place: &Place, span: &str, targets: &[&str]) -> Vec<schedule::Program> {
    profile(place, span, targets);
    let shown = finish(&mut place.leadline(["plan", "--json", "diskspd", "-Xp.xml"]));
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let plan: Plan = serde_json::from_str(&shown.stdout).unwrap();
    schedule::compile(&plan.stages[0], &plan, &Host::default(), 1).unwrap()
}

/// Makes `p.xml`, a profile with these time span's elements and targets; `*a` and `*b` are files of 320 KiB and 64 MiB.
pub(super) fn profile(place: &Place, span: &str, targets: &[&str]) {
    let path = |name: &str, size: u64| {
        let path = place.join(name);
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(size).unwrap();
        path.display().to_string()
    };
    let (a, b) = (path("a.dat", 327_680), path("b.dat", 67_108_864));
    let target = |t: &&str| format!("<Target>{t}</Target>");
    let targets: String = targets.iter().map(target).collect();
    let targets = targets.replace("*a", &format!("<Path>{a}</Path>"));
    let targets = targets.replace("*b", &format!("<Path>{b}</Path>"));
    let profile = format!(
        "<Profile><TimeSpans><TimeSpan>{span}<DisableAffinity>true</DisableAffinity>\
         <Targets>{targets}</Targets></TimeSpan></TimeSpans></Profile>"
    );
    std::fs::write(place.join("p.xml"), profile).unwrap();
}

/// The next I/Os of a worker: file, kind, offset and KiB.
pub(super) fn dealt(generator: &mut Generator, slots: &[u16]) -> String {
    let word = |&slot: &u16| {
        generator.for_slot(slot);
        let op = generator.pick_op();
        let io = generator.next(op).unwrap();
        let kind = if op == Op::Read { "R" } else { "W" };
        let file = ["a", "b"][io.file as usize];
        format!("{file}{kind}{}/{}", io.offset, io.len / 1024)
    };
    slots.iter().map(word).collect::<Vec<_>>().join(" ")
}

const STRIDE: &str = "*a<BlockSize>65536</BlockSize><StrideSize>65536</StrideSize>\
                      <ThreadStride>131072</ThreadStride><RequestCount>1</RequestCount>";
const RANDOM: &str =
    "*b<BlockSize>4096</BlockSize><Random>4096</Random><RequestCount>2</RequestCount>";

#[test]
fn targets_that_are_not_alike_have_the_same_threads_and_their_own_laws() {
    let place = Place::new();
    let all = programs(&place, "<ThreadCount>2</ThreadCount>", &[STRIDE, RANDOM]);
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].depth(), 3);
    assert_eq!(all[1].buffer.0, 65_536);
    // Only the random target takes numbers: each stream is that of the original alone.
    assert_eq!(
        dealt(&mut all[1].generator(), &[0, 1, 2, 0, 1, 2, 0, 0]),
        "aR131072/64 bR17170432/4 bR5648384/4 aR196608/64 bR44224512/4 bR1294336/4 aR262144/64 aR0/64"
    );
    // Each draws its target from the numbers of its thread.
    let span = "<ThreadCount>2</ThreadCount><RequestCount>5</RequestCount>";
    let all = programs(&place, span, &[STRIDE, RANDOM]);
    assert_eq!((all.len(), all[0].depth()), (2, 5));
    let came = dealt(&mut all[0].generator(), &[0; 40]);
    for law in ["aR0/64 ", "aR65536/64 ", "/4 "] {
        assert!(came.contains(law), "{came}");
    }
}

#[test]
fn threads_with_targets_of_their_own_begin_apart_by_their_numbers() {
    let place = Place::new();
    let only = |threads: &[u32]| -> String {
        let each = threads
            .iter()
            .map(|n| format!("<ThreadTarget><Thread>{n}</Thread></ThreadTarget>"));
        format!(
            "<ThreadTargets>{}</ThreadTargets>",
            each.collect::<String>()
        )
    };
    let span = "<ThreadCount>3</ThreadCount><RequestCount>2</RequestCount>";
    let first = format!("{STRIDE}{}", only(&[0, 2]));
    let second = format!("{RANDOM}{}", only(&[1, 2]));
    let of = |generator: &mut Generator, file: char| {
        let all = dealt(generator, &[0; 20]);
        let own = all.split(' ').filter(|io| io.starts_with(file));
        own.map(|io| io[2..].to_owned()).collect::<Vec<_>>()
    };
    let all = programs(&place, span, &[&first, &second]);
    assert_eq!(all.len(), 3);
    let one = of(&mut all[0].generator(), 'a');
    assert_eq!((one.len(), &*one[0], &*one[1]), (20, "0/64", "65536/64"));
    // The third thread begins at twice the stride.
    let third = of(&mut all[2].generator(), 'a');
    assert!((3..18).contains(&third.len()), "{third:?}");
    assert_eq!(third[..3], ["262144/64", "0/64", "65536/64"]);
    // Of its numbers one draws each target; the next is the offset.
    let random = of(&mut all[2].generator(), 'b');
    assert!(random.iter().all(|io| io.ends_with("/4")), "{random:?}");
    // All threads of a target share one position, wherever it stands among a thread's targets.
    let interlocked = "<InterlockedSequential>true</InterlockedSequential>";
    let shared = first.replace("<ThreadStride>131072</ThreadStride>", interlocked);
    let all = programs(&place, span, &[&second, &shared]);
    let (mut one, mut three) = (all[0].generator(), all[2].generator());
    assert_eq!(dealt(&mut one, &[0]), "aR0/64");
    let third = of(&mut three, 'b');
    assert_eq!(third[..2], ["65536/64", "131072/64"]);
    let next = (third.len() + 1) % 5 * 65_536;
    assert_eq!(dealt(&mut one, &[0]), format!("aR{next}/64"));
}
