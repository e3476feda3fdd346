//! Completions and man pages, from the same table as the parser.

mod completion;
mod page;

use crate::args::Cli;
use crate::exit::Exit;
use crate::out;
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use leadline_engine::os::host::make_folders;
use std::path::Path;

pub(crate) fn run(directory: &Path) -> Exit {
    match write(directory) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            out::say(&format!("error: {}: {error}", directory.display()));
            Exit::Environment
        }
    }
}

fn write(directory: &Path) -> std::io::Result<()> {
    make_folders(directory)?;
    let command = Cli::command();
    let mut offered = offered(&command);
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut offered, "leadline", directory)?;
    }
    let bash = directory.join("leadline.bash");
    let text = std::fs::read_to_string(&bash)? + &completion::bash();
    std::fs::write(bash, text)?;
    let shown = command.clone();
    clap_mangen::generate_to(command, directory)?;
    for end in &page::FRONT_ENDS {
        let verb = shown.find_subcommand(end.verb);
        let about = verb.and_then(clap::Command::get_about);
        let text = end.page(&about.map(ToString::to_string).unwrap_or_default());
        std::fs::write(directory.join(format!("leadline-{}.1", end.verb)), text)?;
    }
    let verbs = shown.get_subcommands().filter(|verb| !verb.is_hide_set());
    for verb in verbs.map(clap::Command::get_name) {
        complete(directory, &format!("leadline-{verb}.1"), verb)?;
    }
    complete(directory, "leadline.1", "")
}

/// The command as it is offered to be completed: without the verbs that no user types, which clap offers all the same.
fn offered(command: &clap::Command) -> clap::Command {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    clap::Command::new("leadline")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(command.get_arguments().cloned())
        .subcommands(verbs.cloned())
}

/// Adds to a page what the table of options does not say.
fn complete(directory: &Path, page: &str, verb: &str) -> std::io::Result<()> {
    let path = directory.join(page);
    let text = std::fs::read_to_string(&path)?.replace(".SH EXTRA\n", ".SH NOTES\n");
    // The version is at the end of the main page.
    let (text, version) = match text.find(".SH VERSION") {
        Some(at) => (text[..at].to_owned(), text[at..].to_owned()),
        None => (text, String::new()),
    };
    let sections = sections(verb)
        .into_iter()
        .filter(|(_, body)| !body.is_empty());
    let sections: String = sections
        .map(|(title, body)| format!(".SH {title}\n.nf\n{}.fi\n", verbatim(&body)))
        .collect();
    std::fs::write(path, text + &sections + &version)
}

/// The further sections of a page.
fn sections(verb: &str) -> Vec<(&'static str, String)> {
    let codes = match verb {
        "fio" => FIO_CODES,
        "diskspd" => DISKSPD_CODES,
        "vdbench" => VDBENCH_CODES,
        _ => CODES,
    };
    vec![
        ("EXIT STATUS", codes.to_owned()),
        ("FILES", FILES.to_owned()),
        ("ENVIRONMENT", ENVIRONMENT.to_owned()),
        ("EXAMPLES", examples(verb).to_owned()),
        ("SEE ALSO", SEE_ALSO.to_owned()),
    ]
}

const CODES: &str = "0    fine
1    I/O errors
2    usage or input that is not accepted
3    the environment: permission, space, a missing feature, a result that could not be written, a lost host
     without --accept-lost-hosts
4    refused for safety, or because a target is not on the same storage on all hosts
99   the grade is as bad as --fail-on-grade says, or worse
130  ended by the user; what was measured is reported
";

const FIO_CODES: &str = "As fio's: 0; 1 if something could not be read, started or written, or a host was lost without --accept-lost-hosts; the
number of jobs that failed; 128 when interrupted; 99 where --fail-on-grade asks for it.
";

const DISKSPD_CODES: &str =
    "As DISKSPD's: 0; 3 if the input could not be read; 1 if the run failed, a result could not be
written, or a host was lost without --accept-lost-hosts; 99 where --fail-on-grade asks for it.
";

const VDBENCH_CODES: &str =
    "As Vdbench's: 0; 157 for every failure, including a lost host without --accept-lost-hosts; 130 when
interrupted; 99 where --fail-on-grade asks for it.
";

const FILES: &str = "NAME.leadline                  A run: one SQLite file.
~/.local/state/leadline/       Runs without a path of their own. Those without a tag are removed there after 90 days,
                               and the oldest when together they exceed 1 GiB.
";

const ENVIRONMENT: &str =
    "XDG_STATE_HOME  Where the directory of kept runs is, in place of ~/.local/state.
NO_COLOR        No colours.
COLUMNS         Width of text, in place of the terminal's.
";

const SEE_ALSO: &str = "leadline(1), leadline-measure(1), leadline-confirm(1), leadline-report(1), leadline-explain(1), leadline-list(1),
leadline-fio(1), leadline-vdbench(1), leadline-diskspd(1); docs/guide and docs/reference in the source.
";

/// Examples of a verb, each on its line; of the command without one where that is empty.
fn examples(verb: &str) -> &'static str {
    match verb {
        "" => "leadline measure /mnt/volume\nleadline fio job.fio\nleadline report last\n",
        "measure" => {
            "leadline plan measure /mnt/volume\nleadline measure /mnt/volume\n\
             leadline measure --quick --out before /mnt/volume\n\
             leadline measure --hosts a,b,c /mnt/shared\n\
             leadline measure --fail-on-grade C /mnt/volume\n"
        }
        "confirm" => "leadline confirm last\nleadline confirm run.leadline --out confirmed\n",
        "fio" => {
            "leadline fio job.fio\nleadline fio --name=a --filename=/mnt/f --size=1g --rw=randread --runtime=30\n\
             leadline fio --hosts=a,b,c job.fio\n"
        }
        "diskspd" => "leadline diskspd -c1G -b4K -r -o32 -t4 -w30 -d60 /mnt/f\n",
        "study" => {
            "leadline plan study depth /mnt/volume --depths 1..256 --jobs 1,4\n\
             leadline study depth /mnt/volume --depths 1..256 --jobs 1,4\n\
             leadline study mix /mnt/volume --step 10 --bs 4k,64k --repeat 3\n\
             leadline study nfs.toml --resume last\n"
        }
        "limits" => {
            "leadline limits --service anf-premium --quota 10TiB --vm D32s_v3:4 --bs 64k --read 0\n\
             leadline limits --vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 8k --measured write:uncached:13052.65\n\
             leadline limits --demand 4500MiB/s --latency 1.14ms\n\
             leadline limits --service anf-premium --quota 10TiB --run last\n"
        }
        "vdbench" => "leadline vdbench -f parameters.vdb -o output\n",
        "plan" => "leadline plan measure /mnt/volume\nleadline plan fio job.fio\n",
        "schema" => "leadline schema run\nleadline schema run >run.schema.json\n",
        "report" => {
            "leadline report last\nleadline report run.leadline --json -o run.json\n\
             leadline report a.leadline b.leadline --label before --label after\n"
        }
        "show" => "leadline show last\n",
        "compare" => {
            "leadline compare before.leadline after.leadline\n\
             leadline compare before after --fail-on 'iops<-3%,p99>+10%'\n\
             leadline compare --baseline main last --junit compare.xml\n\
             leadline compare --interleave old.fio new.fio --rounds 6\n"
        }
        "plot" => {
            "leadline plot last --x depth --y iops,p99 -o depth.svg\n\
             leadline plot a.leadline b.leadline --x iops --y p99 --by run -o curve.svg\n"
        }
        "check" => {
            "leadline check\nleadline check etcd /var/lib/etcd\nleadline check etcd /srv --json\n"
        }
        "list" => "leadline list\nleadline list /srv/runs\nleadline list /srv/runs --json\n",
        "tag" => "leadline tag last baseline\n",
        "explain" => "leadline explain\nleadline explain host-busy\n",
        "help" => "leadline help measure\n",
        _ => "",
    }
}

/// Text that stands as it is on a page.
fn verbatim(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        let guard = if line.starts_with(['.', '\'']) {
            "\\&"
        } else {
            ""
        };
        format!("{guard}{line}\n")
    };
    text.trim_matches('\n').lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn every_verb_that_a_user_sees_has_examples_that_are_accepted() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        for verb in shown.map(clap::Command::get_name).chain([""]) {
            let examples = examples(verb);
            assert!(!examples.is_empty(), "{verb}");
            for example in examples.lines() {
                assert!(example.contains(verb), "{example}");
                let words = example.split(" >").next().unwrap_or_default().split(' ');
                assert!(Cli::try_parse_from(words).is_ok(), "{example}");
            }
        }
    }
}
