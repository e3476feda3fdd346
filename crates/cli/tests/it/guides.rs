//! The commands of docs/guide, run as a reader would: each block of a guide as a script, in the order of the guide, in a
//! folder of its own. Targets are simulated volumes and hosts are processes of this machine; what neither can stand in for
//! (a mount, a cluster, images of containers) is replaced by a program that does nothing and is counted: [`Guide::outside`]
//! names all of it.
//!
//! Must never: run a command on a device, a mount or another machine, or skip a command without a reason.

use crate::support::{Done, LEADLINE, Place, finish, side_by_side};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The law of volumes that a guide does not state: a slow one, since each simulated I/O costs time of this test.
const LAW: &str = "service=exp:2ms,parallel=8,iops=400";

/// One that keeps a p99 of 2 ms.
const FAST: &str = "service=exp:100us,parallel=8,iops=3000";

/// What readers have of their own.
const JOB: &str = "[randread]\nrw=randread\nbs=4k\nsize=64m\niodepth=8\nioengine=libaio\ntime_based\nruntime=10\n\
                   directory=/mnt/volume\n";
const CURVE: &str = "sd=sd1,lun=/mnt/vdb1,size=64m,threads=8\nsd=sd2,lun=/mnt/vdb2,size=64m,threads=8\n\
                     wd=w,sd=sd*,rdpct=100,xfersize=4k\nrd=r,wd=w,iorate=max,elapsed=2,interval=1\n";
const PODS: &str = "bench-0  bench-0  launcher=\"kubectl exec -i {host} --\"\n\
                    bench-1  bench-1  launcher=\"kubectl exec -i {host} --\"\n";

/// What is said of one guide.
struct Guide {
    name: &'static str,
    law: &'static str,
    /// What a reader did before the first command.
    before: &'static str,
    /// How many commands of other programs were stood in for.
    outside: &'static [(&'static str, usize)],
    /// Commands that end with another status than 0, by their beginning, and what the guide says of it.
    ends: &'static [(&'static str, i32, &'static str)],
    /// Commands that are not run, by their beginning: why not.
    left: &'static [(&'static str, &'static str)],
}

const PLAIN: Guide = Guide {
    name: "",
    law: LAW,
    before: "",
    outside: &[],
    ends: &[],
    left: &[],
};

/// Every guide, in the order of their names.
const GUIDES: &[Guide] = &[
    Guide {
        name: "README",
        ..PLAIN
    },
    Guide {
        name: "ci",
        law: "service=exp:1ms,parallel=8",
        ends: &[(
            "sh regression.sh job.fio baseline results-2",
            99,
            "The status is 99.",
        )],
        ..PLAIN
    },
    Guide {
        name: "cloud-volume",
        ..PLAIN
    },
    Guide {
        name: "compare",
        before: "leadline fio --leadline-run=good-run.leadline job.fio",
        ends: &[(
            "leadline fio job.fio --assert 'randread.p99<2ms",
            99,
            "| it is broken | 99 |",
        )],
        ..PLAIN
    },
    Guide {
        name: "compare-volumes",
        ..PLAIN
    },
    Guide {
        name: "diskspd",
        before: "leadline plan --as diskspd diskspd -c1G -b8K -d2 -r file.dat |
                 sed 's|<Path>.*</Path>|<Path>*1</Path>|' > profile.xml",
        ..PLAIN
    },
    Guide {
        name: "export",
        before: "leadline fio --name=stall --filename=/mnt/volume/f --size=1g --rw=randread --bs=4k --iodepth=8 \
                 --rate_iops=1000 --time_based --runtime=30 --leadline-run=stall.leadline --output=/dev/null \
                 --ioengine=libaio --map '/mnt/volume=sim:service=exp:200us,parallel=8,stall=2s@20s'",
        outside: &[("sqlite3", 1)],
        ..PLAIN
    },
    Guide {
        name: "fio-jobs",
        ..PLAIN
    },
    Guide {
        name: "history",
        before: "mkdir -p runs && for k in 2 3 4 5 6 7 8 9 10 11 12 13 14; do\n\
                 leadline fio --leadline-run=runs/nightly-$k.leadline --output=/dev/null job.fio; done",
        ..PLAIN
    },
    Guide {
        name: "kubernetes",
        before: "leadline fio --leadline-run=survey.leadline job.fio",
        outside: &[("kubectl", 3), ("docker", 2)],
        ..PLAIN
    },
    Guide {
        name: "limit-under-2ms",
        law: FAST,
        ends: &[("leadline fio --name=app", 99, "99")],
        ..PLAIN
    },
    Guide {
        name: "limits",
        before: "leadline study depth sim:iops=3200,service=500us --depths 1,16 --out d",
        ..PLAIN
    },
    Guide {
        name: "many-hosts",
        ..PLAIN
    },
    Guide {
        name: "nconnect",
        outside: &[("mount", 2), ("umount", 2)],
        left: &[(
            "leadline plot nconnect-1.leadline",
            "a simulated volume is not mounted with nconnect",
        )],
        ..PLAIN
    },
    Guide {
        name: "plot",
        ..PLAIN
    },
    Guide {
        name: "published",
        ..PLAIN
    },
    Guide {
        name: "questions",
        law: FAST,
        before: "mkdir -p runs && leadline fio --leadline-run=runs/nightly.leadline --output=/dev/null job.fio",
        ..PLAIN
    },
    Guide {
        name: "simulated",
        ..PLAIN
    },
    Guide {
        name: "six-clients",
        ..PLAIN
    },
    Guide {
        name: "studies",
        outside: &[("mount", 8), ("umount", 8)],
        ..PLAIN
    },
    Guide {
        name: "survey",
        left: &[(
            "leadline confirm",
            "it asks for the volume of the survey, which is a simulated one",
        )],
        ..PLAIN
    },
    Guide {
        name: "troubleshooting",
        ..PLAIN
    },
    Guide {
        name: "vdbench",
        ..PLAIN
    },
    Guide {
        name: "which-number",
        law: FAST,
        ..PLAIN
    },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A fenced block: its language, and its lines.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

/// The fenced blocks of a page, and what stands between them.
fn split(page: &str) -> (Vec<Block<'_>>, String) {
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let mut open: Option<Block<'_>> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                open = Some(Block {
                    language,
                    lines: Vec::new(),
                });
            }
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    (blocks, prose)
}

/// Whether the shell would ask for more lines.
fn is_open(command: &str) -> bool {
    let odd = |quote: char| command.matches(quote).count() % 2 == 1;
    command.ends_with('\\') || odd('"') || odd('\'')
}

/// The commands of a block, and what the guide shows of their output. A block without a prompt is one of commands if its
/// first word is a program.
fn commands(block: &Block<'_>) -> (Vec<String>, Vec<String>) {
    let (mut found, mut shown) = (Vec::<String>::new(), Vec::new());
    let prompted = block.lines.iter().any(|line| line.starts_with("$ "));
    let first = block.lines.first().and_then(|line| line.split(' ').next());
    let programs = [
        "leadline", "mkdir", "mount", "sh", "for", "docker", "kubectl",
    ];
    if !prompted && first.is_some_and(|word| programs.contains(&word)) {
        return (vec![block.lines.join("\n")], shown);
    }
    let mut more = false;
    for line in &block.lines {
        match (line.strip_prefix("$ "), more) {
            (Some(command), _) => found.push(command.to_owned()),
            (None, true) => {
                let last = found.last_mut().unwrap();
                last.push('\n');
                last.push_str(line);
            }
            (None, false) => shown.push((*line).to_owned()),
        }
        more = found.last().is_some_and(|command| is_open(command));
    }
    // The folder is that of what follows.
    if found.iter().any(|command| command.starts_with("cd ")) {
        found = vec![found.join("\n")];
    }
    (found, shown)
}

/// Commands in the midst of a sentence that can be run as they stand, with `last` for RUN.
fn in_prose(prose: &str) -> Vec<String> {
    let joined = prose.split('\n').collect::<Vec<_>>().join(" ");
    let code = joined.split('`').skip(1).step_by(2);
    let commands = code.filter(|code| code.starts_with("leadline "));
    let whole = commands.map(|code| code.replace("RUN", "last").replace("VERB", "study"));
    let said = |command: &String| {
        let names = ["leadline study", "leadline measure"].iter();
        let is_name = names.clone().any(|name| command.starts_with(name))
            && !command.contains(" /")
            && !command.contains("--help");
        let placeholder =
            |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
        command.split(' ').count() > 2
            && !is_name
            && !command.contains("...")
            && !command.contains("-TIME")
            && !command.split(' ').any(placeholder)
    };
    whole.filter(said).collect()
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// leadline as these scripts find it: on simulated volumes and hosts of this machine, with short points, and each call with
/// its status in `log`.
fn wrapper(law: &str) -> String {
    format!(
        "#!/bin/sh\nset -f\nadd=\n\
         case \"$*\" in\n\
           *sim:*|*--ioengine=sim*|*--help*) ;;\n\
           plan*|fio*|vdbench*|diskspd*|measure*|study*|compare*--interleave*) add='--map=*=sim:{law}' ;;\n\
         esac\n\
         case \"$*\" in\n\
           *--help*|*--time*|*--quick*) ;;\n\
           measure*) add=\"$add --time 1s\" ;;\n\
           study*) add=\"$add --time 1s --warmup 100ms\" ;;\n\
         esac\n\
         case \"$*\" in\n\
           *--launcher*|*'--hosts pods'*|*'--hosts hosts'*|*'--hosts=hosts'*) ;;\n\
           *--hosts*) add=\"$add --launcher local\" ;;\n\
         esac\n\
         \"{LEADLINE}\" \"$@\" $add\ncode=$?\n\
         printf '%s leadline %s %s\\n' \"$code\" \"$*\" \"$add\" >> \"$LOG\"\nexit $code\n"
    )
}

/// What stands in for a program that acts outside of this folder: it does nothing, and is counted. `kubectl exec` starts
/// the command here.
const STAND_IN: &str = "#!/bin/sh\n\
    [ \"$1\" = exec ] && { shift 4; exec \"$@\"; }\n\
    printf 'outside %s\\n' \"${0##*/}\" >> \"$LOG\"\n";

/// A folder with all that the guides take for granted.
fn furnish(guide: &Guide, blocks: &[Block<'_>]) -> Place {
    let place = Place::new();
    std::fs::create_dir(place.join("bin")).unwrap();
    script(&place.join("bin/leadline"), &wrapper(guide.law));
    for name in ["mount", "umount", "kubectl", "docker", "sqlite3"] {
        script(&place.join(&format!("bin/{name}")), STAND_IN);
    }
    let both = JOB.replace("[randread]\n", "[global]\n") + "[a]\nfilename=a\n[b]\nfilename=b\n";
    let files = [
        ("job.fio", JOB.to_owned()),
        ("jobs.fio", JOB.to_owned()),
        ("old.fio", JOB.to_owned()),
        ("new.fio", JOB.replace("iodepth=8", "iodepth=9")),
        ("regular.fio", JOB.replace("/mnt/volume", "/mnt/vol")),
        ("two-jobs.fio", both.replace("/mnt/volume", "/mnt/vdb1")),
        ("FILE", CURVE.to_owned()),
        ("curve.vdb", CURVE.to_owned()),
        ("oltp.vdb", CURVE.to_owned()),
        ("vnet1-RndRead-workload", CURVE.to_owned()),
        ("volume", "iops=400,service=2ms,parallel=8\n".to_owned()),
        ("pods", PODS.to_owned()),
        (
            "hosts",
            "a x launcher=local\nb x launcher=local\n".to_owned(),
        ),
        ("regression.sh", text("regression.sh")),
    ];
    for (name, text) in files {
        std::fs::write(place.join(name), text).unwrap();
    }
    for block in blocks {
        let name = match block.language {
            "awk" => "totals.awk",
            "toml" => "mine.toml",
            _ => continue,
        };
        std::fs::write(place.join(name), block.lines.join("\n")).unwrap();
    }
    place
}

/// Runs a script; its status, what it wrote, and what the wrapper and the stand-ins noted.
fn run(place: &Place, script: &str) -> (Done, Vec<String>) {
    let log = place.join("log");
    std::fs::write(&log, "").unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .current_dir(place.path())
        .env("PATH", format!("{}:{path}", place.join("bin").display()))
        .env("LOG", &log)
        .env("XDG_STATE_HOME", place.join("state"))
        .env("GITHUB_STEP_SUMMARY", "summary.md")
        .env("NO_COLOR", "1");
    let done = finish(&mut command);
    let notes = std::fs::read_to_string(&log).unwrap();
    (done, notes.lines().map(str::to_owned).collect())
}

/// Whether what was written is what the guide shows, where `...` stands for anything.
fn is_as_shown(shown: &[String], written: &str) -> bool {
    let lines: Vec<&str> = written.lines().map(str::trim_end).collect();
    let mut from = 0;
    for part in shown
        .split(|line| line == "...")
        .filter(|part| !part.is_empty())
    {
        let at = (from..=lines.len().saturating_sub(part.len())).find(|&at| {
            part.iter()
                .zip(&lines[at..])
                .all(|(a, b)| a.trim_end() == *b)
        });
        match at {
            Some(at) => from = at + part.len(),
            None => return false,
        }
    }
    true
}

/// What became of the commands of a guide.
#[derive(Default)]
struct Outcome {
    wrong: Vec<String>,
    calls: usize,
    outside: Vec<String>,
}

impl Outcome {
    /// Runs one script of the guide.
    fn take(&mut self, place: &Place, guide: &Guide, command: &str, shown: &[String]) {
        if guide
            .left
            .iter()
            .any(|(begin, _)| command.starts_with(begin))
        {
            return;
        }
        let end = guide.ends.iter().find(|end| command.contains(end.0));
        let wanted = end.map_or(0, |end| end.1);
        let (done, notes) = run(place, command);
        if done.code != Some(wanted) {
            let what = format!("`{command}` did not end with {wanted}: {done:?}");
            self.wrong.push(what);
        }
        for note in notes {
            let (code, call) = note.split_once(' ').unwrap_or_default();
            match code {
                "outside" => self.outside.push(call.to_owned()),
                "0" => self.calls += 1,
                _ if call.starts_with("leadline") && wanted == 0 => {
                    self.wrong.push(format!("{code}: {call}\n{}", done.stderr));
                }
                _ => self.calls += 1,
            }
        }
        // What is computed from tables alone is the same everywhere.
        let is_table = command.starts_with("leadline limits ") && !command.contains("--run");
        if is_table && !is_as_shown(shown, &done.stdout) {
            let what = format!("`{command}` does not write what is shown:\n{}", done.stdout);
            self.wrong.push(what);
        }
    }
}

/// Runs all commands of a guide; what is wrong.
fn follow(guide: &Guide) -> Vec<String> {
    let page = text(&format!("{}.md", guide.name));
    let (blocks, prose) = split(&page);
    let place = furnish(guide, &blocks);
    let (before, _) = run(&place, guide.before);
    assert_eq!(before.code, Some(0), "{}: {before:?}", guide.name);
    let mut outcome = Outcome::default();
    let mut seen = Vec::new();
    for block in blocks.iter().filter(|block| block.language.is_empty()) {
        let (found, shown) = commands(block);
        for command in found {
            let lines: Vec<String> = command.lines().map(str::to_owned).collect();
            let again = lines.iter().all(|line| seen.contains(line));
            // A shown result of a table is compared, though the command was there before.
            if !again || (!shown.is_empty() && command.starts_with("leadline limits")) {
                outcome.take(&place, guide, &command, &shown);
            }
            seen.extend(lines);
        }
    }
    for command in in_prose(&prose) {
        outcome.take(&place, guide, &command, &[]);
    }
    let counted = |name: &str| outcome.outside.iter().filter(|o| *o == name).count();
    for (name, times) in guide.outside {
        if counted(name) != *times {
            let what = format!("{name}: {} calls, {times} are named", counted(name));
            outcome.wrong.push(what);
        }
    }
    let named = |name: &String| guide.outside.iter().any(|(known, _)| known == name);
    let others = outcome.outside.iter().filter(|name| !named(name));
    outcome
        .wrong
        .extend(others.map(|name| format!("{name} is not named")));
    for (_, _, said) in guide.ends {
        if !page.contains(said) {
            outcome
                .wrong
                .push(format!("the guide does not say: {said}"));
        }
    }
    if outcome.calls == 0 && !blocks.is_empty() {
        outcome.wrong.push("not one command was run".to_owned());
    }
    outcome.wrong
}

#[test]
fn each_guide_is_named_here() {
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut guides: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()))
        .collect();
    guides.sort();
    let mut named: Vec<&str> = GUIDES.iter().map(|guide| guide.name).collect();
    named.sort_unstable();
    assert_eq!(guides, named);
}

#[test]
fn commands_of_the_guides_do_what_the_guides_say() {
    let wrong = std::sync::Mutex::new(Vec::new());
    side_by_side(4, GUIDES, |guide| {
        let own = follow(guide);
        let own = own.iter().map(|what| format!("{}.md: {what}", guide.name));
        wrong.lock().unwrap().extend(own);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A block whose volume is simulated and whose seed is fixed: what it shows is what a reader gets, to the last digit.
struct Repeated {
    guide: &'static str,
    /// How its first command begins.
    begins: &'static str,
    /// What was done before.
    before: &'static str,
    /// What the guide says was put in the place of words of its commands.
    instead: &'static [(&'static str, &'static str)],
}

const REPEATED: &[Repeated] = &[
    Repeated {
        guide: "compare-volumes",
        begins: "leadline compare old",
        before: "for it in old=iops=8000,service=exp:400us new=iops=9000,service=exp:450us; do\n\
                 leadline study depth /mnt/v --depths 1,8,32 --repeat 5 --out ${it%%=*} --map /mnt/v=sim:${it#*=} --seed 1\n\
                 done",
        instead: &[],
    },
    Repeated {
        guide: "compare-volumes",
        begins: "leadline study arms",
        before: "",
        instead: &[
            ("/mnt/old", "sim:iops=8000,service=exp:400us"),
            ("/mnt/new", "sim:iops=9000,service=exp:450us --seed 1"),
        ],
    },
    Repeated {
        guide: "cloud-volume",
        begins: "leadline study limit /mnt/volume",
        before: "",
        instead: &[(
            "--slo",
            "--map /mnt/volume=sim:iops=10000,write_iops=2500,service=500us,parallel=64 --seed 1 --slo",
        )],
    },
    Repeated {
        guide: "cloud-volume",
        begins: "leadline study burst /mnt/volume",
        before: "",
        instead: &[(
            "--time",
            "--map /mnt/volume=sim:iops=3000,burst_iops=9000,burst_store=540000,service=500us,parallel=64 --seed 1 --time",
        )],
    },
    Repeated {
        guide: "limit-under-2ms",
        begins: "leadline study limit /mnt/volume",
        before: "",
        instead: &[(
            "--slo",
            "--map /mnt/volume=sim:service=exp:200us,parallel=1 --seed 1 --slo",
        )],
    },
    Repeated {
        guide: "limits",
        begins: "leadline limits --vm D2s_v3",
        before: "leadline study depth sim:iops=3200,service=500us --depths 1,16 --out d",
        instead: &[],
    },
    Repeated {
        guide: "limits",
        begins: "leadline study depth sim:iops=3200",
        before: "",
        instead: &[],
    },
    Repeated {
        guide: "six-clients",
        begins: "leadline study scale-out",
        before: "",
        instead: &[(
            "--out",
            "--launcher local --depths 16 --seed 1 \
             --map /mnt/volume=sim:iops=50000,service=500us,host_bytes=60m --out",
        )],
    },
    Repeated {
        guide: "studies",
        begins: "leadline study limit sim:iops=1000",
        before: "",
        instead: &[],
    },
    Repeated {
        guide: "survey",
        begins: "leadline measure /mnt/volume",
        before: "",
        instead: &[(
            "/mnt/volume",
            "/mnt/volume --seed 1 --map /mnt/volume=sim:iops=9000,service=exp:450us",
        )],
    },
    Repeated {
        guide: "which-number",
        begins: "leadline study depth /mnt/volume --depths 1..64",
        before: "",
        instead: &[(
            "--depths",
            "--seed 1 --map /mnt/volume=sim:service=exp:400us,parallel=4 --depths",
        )],
    },
];

/// Runs a block in a folder of its own, on a terminal as wide as the guides say; what is wrong.
fn repeat(block: &Repeated) -> Option<String> {
    let page = text(&format!("{}.md", block.guide));
    let (blocks, _) = split(&page);
    let all = blocks.iter().map(commands);
    let is_it = |all: &(Vec<String>, Vec<String>)| {
        !all.1.is_empty() && all.0.first().is_some_and(|c| c.starts_with(block.begins))
    };
    let Some((found, shown)) = all.into_iter().find(is_it) else {
        return Some(format!("{}.md has no `{}`", block.guide, block.begins));
    };
    let place = Place::new();
    std::fs::create_dir(place.join("bin")).unwrap();
    let plain = format!("#!/bin/sh\nexec \"{LEADLINE}\" \"$@\"\n");
    script(&place.join("bin/leadline"), &plain);
    let mut words = found.join("\n");
    for (from, to) in block.instead {
        words = words.replacen(from, to, 1);
    }
    let before = match block.before {
        "" => String::new(),
        before => format!("{{ {before}\n}} > before.txt\n"),
    };
    let (done, _) = run(&place, &format!("export COLUMNS=100\n{before}{words}"));
    let is_shown = is_as_shown(&shown, &done.stdout);
    let what = || {
        format!(
            "{}.md shows what `{words}` does not write: {done:?}",
            block.guide
        )
    };
    (!is_shown).then(what)
}

#[test]
fn what_a_seed_repeats_is_shown_to_the_last_digit() {
    let wrong = std::sync::Mutex::new(Vec::new());
    side_by_side(2, REPEATED, |block| {
        let own = repeat(block);
        wrong.lock().unwrap().extend(own);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// CSV has such a name in quotes, and doubles those of its own.
#[test]
fn a_name_with_commas_and_quotes_is_one_label_of_prometheus() {
    let page = text("export.md");
    let (blocks, _) = split(&page);
    let awk = blocks.iter().find(|block| block.language == "awk").unwrap();
    let place = Place::new();
    std::fs::write(place.join("totals.awk"), awk.lines.join("\n")).unwrap();
    let name = r#"4k, "cold", a\b"#;
    let script = format!(
        "\"{LEADLINE}\" fio '--name={name}' --filename=/mnt/f --size=64m --rw=randread --ioengine=libaio --runtime=1 --time_based \
         --map '/mnt/f=sim:service=1ms' --leadline-run=r.leadline --output=/dev/null &&\n\
         \"{LEADLINE}\" report r.leadline --csv-totals | awk -v run=nightly -v ended=9 -f totals.awk"
    );
    let (done, _) = run(&place, &script);
    let labels =
        r#"{run="nightly",stage="4k, \"cold\", a\\b",workload="4k, \"cold\", a\\b",op="read"}"#;
    for wanted in [
        format!("leadline_iops{labels} 1000.000"),
        format!("leadline_bytes_per_second{labels} 4096000"),
        format!("leadline_p99_seconds{labels} 0.001"),
        "leadline_run_end_timestamp_seconds{run=\"nightly\"} 9".to_owned(),
    ] {
        assert!(
            done.stdout.lines().any(|line| line == wanted),
            "{wanted}\n{done:?}"
        );
    }
}

#[test]
fn commands_and_output_are_distinguished() {
    let page = "a `leadline show RUN` b `leadline study x`\n```\n$ leadline a \\\n    b\nout\n$ c\n```\n```awk\nx\n```\n";
    let (blocks, prose) = split(page);
    assert_eq!(blocks.len(), 2);
    let (found, shown) = commands(&blocks[0]);
    assert_eq!(found, ["leadline a \\\n    b", "c"]);
    assert_eq!(shown, ["out"]);
    assert_eq!(in_prose(&prose), ["leadline show last"]);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(is_as_shown(&lines("a\n...\nc\n"), "a\nb\nb\nc\n"));
    assert!(!is_as_shown(&lines("a\nc\n"), "a\nb\nc\n"));
}
