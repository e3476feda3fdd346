//! Examples of each verb: one table for help and man pages.
//!
//! Belongs here: command lines that are accepted. Must never: run one.

use crate::args::Cli;
use crate::statuses;
use clap::CommandFactory;

/// Examples of a verb, each on its line; of the command without one where that is empty.
pub(crate) fn of(verb: &str) -> &'static str {
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
             leadline study throughput /mnt/volume --bs 1m --depth 16 --assert 'bw>500MiB/s'\n\
             leadline study nfs.toml --resume last\n"
        }
        "limits" => {
            "leadline limits --service anf-premium --quota 10TiB --vm D32s_v3:4 --bs 64k --read 0\n\
             leadline limits --vm D8ds_v4 --disk 3xP30:none,P30:ro --bs 8k --measured write:uncached:13052.65\n\
             leadline limits --disk gp3:500GiB:6000iops:250MiB/s --bs 16k --demand 5000\n\
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
             leadline plot a.leadline b.leadline --x iops --y p99 --by run -o curve.svg\n\
             leadline plot last --x reads --y iops --by op --published anf-2025-4k -o mix.svg\n"
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

/// The end of a verb's help: how it ends, and examples.
pub(crate) fn end(verb: &str) -> String {
    let statuses = block("Exit status", &statuses::of(verb));
    format!("{statuses}\n{}", block("Examples", of(verb)))
}

/// The end of the help of one study: how it ends, and its example.
pub(crate) fn end_of_study(example: &str) -> String {
    let statuses = block("Exit status", &statuses::of("study"));
    format!("{statuses}\n{}", block("Example", example))
}

fn block(title: &str, text: &str) -> String {
    let each = text.lines().map(|line| format!("  {line}\n"));
    format!("{title}:\n{}", each.collect::<String>())
}

/// The command line with examples at the end of each help.
pub(crate) fn shown() -> clap::Command {
    let with_end = |command: clap::Command, verb: &str| {
        let notes = command.get_after_help().map(|notes| format!("{notes}\n\n"));
        command.after_help(notes.unwrap_or_default() + end(verb).trim_end())
    };
    let command = Cli::command();
    let verbs: Vec<String> = command
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let command = verbs
        .iter()
        .filter(|verb| !of(verb).is_empty())
        .fold(command, |command, verb| {
            command.mut_subcommand(verb, |command| with_end(command, verb))
        });
    with_end(command, "")
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
            let examples = of(verb);
            assert!(!examples.is_empty(), "{verb}");
            for example in examples.lines() {
                assert!(example.contains(verb), "{example}");
                let words = example.split(" >").next().unwrap_or_default().split(' ');
                assert!(Cli::try_parse_from(words).is_ok(), "{example}");
            }
        }
    }

    #[test]
    fn help_of_every_verb_ends_with_its_examples() {
        let mut command = shown();
        command.build();
        for verb in command
            .get_subcommands_mut()
            .filter(|verb| !verb.is_hide_set())
        {
            let help = verb.clone().render_long_help().to_string();
            assert!(help.ends_with(&end(verb.get_name())), "{help}");
        }
        assert!(command.render_long_help().to_string().ends_with(&end("")));
    }
}
