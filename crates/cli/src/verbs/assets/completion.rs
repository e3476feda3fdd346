//! Completions of the front ends' options in each shell, beside those of leadline's own verbs.
//!
//! Belongs here: the scripts around the words. Must never appear here: a word of an option (its table has it).

use super::page::{FRONT_ENDS, FrontEnd};
use clap_complete::Shell;
use leadline_dialect::manual::Entry;

/// The completions of a shell: those that clap made, with the words of the front ends.
pub(super) fn with_front_ends(shell: Shell, made: &str) -> String {
    match shell {
        Shell::Zsh => zsh(made),
        Shell::Fish => made.to_owned() + &FISH.replace("CASES\n", &cases(fish_case)),
        _ => made.to_owned() + &BASH.replace("CASES\n", &cases(sh_case)),
    }
}

/// What clap made becomes a function that is asked for all other words, as zsh calls the one that is named like the file.
fn zsh(made: &str) -> String {
    let made = made.replace("\n_leadline() {\n", "\n_leadline_verbs() {\n");
    let at = made.rfind("\nif [ ").unwrap_or(made.len());
    let script = ZSH.replace("CASES\n", &cases(sh_case));
    format!("{}{script}{}", &made[..at], &made[at..])
}

/// One branch for each front end.
fn cases(case: fn(&str, &str) -> String) -> String {
    let of = |end: &FrontEnd| case(end.verb, &all(end.entries()).join(" "));
    FRONT_ENDS.iter().map(of).collect()
}

fn sh_case(verb: &str, words: &str) -> String {
    format!("        {verb}) list='{words}' ;;\n")
}

fn fish_case(verb: &str, words: &str) -> String {
    format!("        case {verb}\n            string split -- ' ' '{words}'\n")
}

/// The words of a front end.
fn all(entries: impl Iterator<Item = Entry>) -> Vec<String> {
    let mut words: Vec<String> = entries.flat_map(|entry| entry.words).collect();
    // A word that a shell would read otherwise is left to the user.
    words.retain(|word| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_=.:?".contains(c))
    });
    words.sort_unstable();
    words.dedup();
    words
}

/// Each completes a word that begins with a dash after the verb of a front end, and `plan` before it.
const BASH: &str = r#"
_leadline_front_end() {
    local at=1 list='' word cut
    [[ ${COMP_WORDS[1]} == plan ]] && at=2
    case "${COMP_WORDS[at]}" in
CASES
    esac
    # bash takes words apart at a "="; here it belongs to the word.
    word="${COMP_LINE:0:COMP_POINT}"
    word="${word##* }"
    if [[ -z $list || $COMP_CWORD -le $at || $word != -* ]]; then
        _leadline "$@"
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then
        cut="${word%"${word##*=}"}"
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}

complete -F _leadline_front_end -o bashdefault -o default leadline
"#;

const ZSH: &str = r#"
_leadline() {
    local at=2 list='' ret=1
    local -a offered open
    [[ $words[2] == plan ]] && at=3
    case "$words[at]" in
CASES
    esac
    if [[ -z $list || $CURRENT -le $at || $PREFIX != -* ]]; then
        _leadline_verbs "$@"
        return
    fi
    offered=(${(s: :)list})
    # No blank follows a "=".
    open=(${(M)offered:#*=})
    offered=(${offered:#*=})
    compadd -S '' -a open && ret=0
    compadd -a offered && ret=0
    if [[ $ret -ne 0 && $PREFIX == *=* ]]; then
        compset -P '*='
        _files && ret=0
    fi
    return ret
}
"#;

const FISH: &str = r#"
function __fish_leadline_front_end
    string match -q -- '-*' (commandline -ct)
    or return
    # fish would take a "?" for any letter.
    if string match -qr -- '\?' (commandline -ct)
        __fish_leadline_words | string match -r -- '^'(string escape --style=regex -- (commandline -ct))'.*'
        return
    end
    __fish_leadline_words
end

function __fish_leadline_words
    set -l cmd (commandline -opc)
    set -e cmd[1]
    test "$cmd[1]" = plan
    and set -e cmd[1]
    switch "$cmd[1]"
CASES
    end
end

complete -c leadline -a "(__fish_leadline_front_end)"
"#;
