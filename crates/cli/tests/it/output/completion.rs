//! The generated completions in a real bash, zsh and fish.

use crate::support::Place;
use leadline_testkit::skip;
use std::process::Command;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/completions");

/// A line, and the words that are offered at its end.
const CASES: [(&str, &[&str]); 10] = [
    ("leadline fio --rwmixr", &["--rwmixread="]),
    ("leadline plan fio job.fio --numj", &["--numjobs="]),
    ("leadline fio --rw=randr", &["--rw=randread", "--rw=randrw"]),
    (
        "leadline fio --name=a --ioengine=io_",
        &["--ioengine=io_uring"],
    ),
    ("leadline vdbench --accept-l", &["--accept-lost-hosts"]),
    ("leadline diskspd --accept-u", &["--accept-unlike-hosts"]),
    ("leadline diskspd -a -Z", &["-Z", "-Zr"]),
    ("leadline study iops --dep", &["--depths"]),
    // What is refused is not offered.
    ("leadline fio --verify_ba", &[]),
    // leadline's own verbs as before.
    ("leadline measure --buff", &["--buffered"]),
];

/// What bash offers at the end of a line; `None` without a bash.
fn offered(line: &str) -> Option<Vec<String>> {
    // As readline does it: words are taken apart at blanks and at each "=".
    let ask = r#"
        source "$1"
        COMP_LINE="$2" COMP_POINT=${#2} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        read -ra COMP_WORDS <<< "${2//=/ = }"
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _leadline_front_end leadline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    let script = format!("{SCRIPTS}/leadline.bash");
    bash.args(["--norc", "-c", ask, "bash", &script, line]);
    let Ok(output) = bash.output() else {
        skip("leadline::output::completion", "there is no bash");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn no_shell_offers_a_verb_that_no_user_types() {
    for name in ["leadline.bash", "_leadline", "leadline.fish"] {
        let script = std::fs::read_to_string(format!("{SCRIPTS}/{name}")).unwrap();
        assert!(script.contains("measure"), "{name}");
        for hidden in ["agent", "generate-assets", "generate__"] {
            assert!(!script.contains(hidden), "{name}: {hidden}");
        }
    }
    let Some(verbs) = offered("leadline ") else {
        return;
    };
    for verb in [
        "measure", "fio", "diskspd", "vdbench", "plan", "report", "help",
    ] {
        assert!(verbs.iter().any(|v| v == verb), "{verb}: {verbs:?}");
    }
    assert!(!verbs.iter().any(|v| v == "agent"), "{verbs:?}");
}

#[test]
fn bash_completes_the_options_of_each_front_end() {
    for (line, expected) in CASES {
        let Some(mut words) = offered(line) else {
            return;
        };
        words.retain(|word| !word.is_empty());
        // After a "=" only the value is asked for.
        let is_value = line
            .rsplit(' ')
            .next()
            .is_some_and(|word| word.contains('='));
        let asked = |word: &&'static str| match word.split_once('=') {
            Some((_, value)) if is_value => value,
            _ => *word,
        };
        let expected: Vec<&str> = expected.iter().map(asked).collect();
        assert_eq!(words, expected, "{line}");
    }
}

#[test]
fn fish_completes_the_options_of_each_front_end() {
    let place = Place::new();
    // To fish a "?" is any letter.
    let help: [(&str, &[&str]); 1] = [("leadline diskspd -?", &["-?"])];
    for (line, expected) in CASES.into_iter().chain(help) {
        let mut fish = Command::new("fish");
        fish.env("HOME", place.path());
        fish.args(["--no-config", "-c", "source $argv[1]; complete -C $argv[2]"]);
        let Ok(output) = fish
            .args([&format!("{SCRIPTS}/leadline.fish"), line])
            .output()
        else {
            return skip("leadline::output::completion_fish", "there is no fish");
        };
        let text = String::from_utf8_lossy(&output.stdout);
        // A description follows a word.
        let words = text.lines().filter_map(|line| line.split('\t').next());
        assert_eq!(words.collect::<Vec<_>>(), expected, "{line}: {output:?}");
    }
}

/// Types a line into a zsh and writes down what its completion adds: its folder, where to, the line.
const ZSH: &str = r#"
    zmodload zsh/zpty || exit 3
    zpty inner zsh -f -i
    zpty -w inner "PS1= ; fpath=(${(q)1} \$fpath) ; out=${(q)2}
        autoload -Uz compinit ; compinit -u -D ; bindkey '^I' complete-word
        compadd() {
            local -a added
            (( \${@[(I)-[ADO]]} )) || builtin compadd -A added \"\$@\"
            (( \$#added )) && print -rl -- \$added >> \$out
            builtin compadd \"\$@\"
        }
        finished() { : > \$out.finished }
        comppostfuncs=(finished)"
    zpty -w -n inner "$3"$'\t'
    repeat 600; do
        [[ -e $2.finished ]] && exit 0
        zpty -r -t inner shown
        sleep 0.05
    done
    exit 4
"#;

#[test]
fn zsh_completes_the_options_of_each_front_end() {
    for (line, expected) in CASES {
        let place = Place::new();
        let out = place.join("words");
        let mut zsh = Command::new("zsh");
        zsh.args(["-f", "-c", ZSH, "zsh", SCRIPTS])
            .arg(&out)
            .arg(line);
        let Ok(done) = zsh.output() else {
            return skip("leadline::output::completion_zsh", "there is no zsh");
        };
        assert!(done.status.success(), "{line}: {done:?}");
        let text = std::fs::read_to_string(&out).unwrap_or_default();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{line}");
    }
}
