//! From the words of a command line to the I/Os themselves: they are those that DISKSPD 2.2 made of the
//! same words, I/O for I/O.

use crate::support::Place;
use leadline_dialect::{diskspd, host::NoHost};
use leadline_engine::access::Generator;
use leadline_engine::schedule;
use leadline_engine::sys::host::Host;
use leadline_model::units::Op;

/// Words, size of the file, thread, and what the original did: kind and offset of each I/O.
#[rustfmt::skip]
const STREAMS: [(&str, u64, usize, &str); 14] = [
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
];

#[test]
fn a_command_line_comes_to_the_same_ios_as_on_windows() {
    let place = Place::new();
    for (words, size, thread, stream) in STREAMS {
        let path = place.join("testfile.dat");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(size).unwrap();
        let mut args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        args.push("-n".to_owned());
        args.push(path.display().to_string());
        let plan = diskspd::parse(&args, &NoHost).plan.unwrap();
        let programs = schedule::compile(&plan.stages[0], &plan, &Host, 1).unwrap();
        let mut generator = Generator::of(&programs[thread]);
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
