//! The generated completions in a real bash.

use leadline_testkit::skip;
use std::process::Command;

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/completions/leadline.bash"
);

/// What bash offers at the end of a line, one to a line; `None` without a bash.
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
    bash.args(["--norc", "-c", ask, "bash", SCRIPT, line]);
    let Ok(output) = bash.output() else {
        skip("leadline::output::completion", "there is no bash");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn no_shell_offers_a_verb_that_no_user_types() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/completions");
    for name in ["leadline.bash", "_leadline", "leadline.fish"] {
        let script = std::fs::read_to_string(format!("{directory}/{name}")).unwrap();
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
    for (line, expected) in [
        ("leadline fio --rwmixr", &["--rwmixread="][..]),
        ("leadline plan fio job.fio --numj", &["--numjobs="]),
        // After a "=" only the value is asked for.
        ("leadline fio --rw=randr", &["randread", "randrw"]),
        ("leadline fio --name=a --ioengine=io_", &["io_uring"]),
        ("leadline vdbench --accept-l", &["--accept-lost-hosts"]),
        ("leadline diskspd --accept-u", &["--accept-unlike-hosts"]),
        // What is refused is not offered.
        ("leadline fio --verify_ba", &[]),
        // leadline's own verbs as before.
        ("leadline measure --buff", &["--buffered"]),
    ] {
        let Some(words) = offered(line) else { return };
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|w| !w.is_empty())
            .collect();
        assert_eq!(words, expected, "{line}");
    }
}
