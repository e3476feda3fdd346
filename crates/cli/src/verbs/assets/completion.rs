//! Completions of the front ends' options in bash, beside those of leadline's own verbs.
//!
//! Belongs here: the script around the words. Must never appear here: a word of an option (its table has it).

use super::page::FRONT_ENDS;
use leadline_dialect::manual::Entry;

/// What follows the completions that clap makes.
pub(super) fn bash() -> String {
    let words =
        |verb: &str, words: &[String]| format!("        {verb}) words='{}' ;;\n", words.join(" "));
    let cases: String = FRONT_ENDS
        .iter()
        .map(|end| words(end.verb, &all(end.entries())))
        .collect();
    SCRIPT.replace("CASES\n", &cases)
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

/// Completes a word that begins with a dash after the verb of a front end, and `plan` before it.
const SCRIPT: &str = r#"
_leadline_front_end() {
    local at=1 words='' word cut
    [[ ${COMP_WORDS[1]} == plan ]] && at=2
    case "${COMP_WORDS[at]}" in
CASES
    esac
    # bash takes words apart at a "="; here it belongs to the word.
    word="${COMP_LINE:0:COMP_POINT}"
    word="${word##* }"
    if [[ -z $words || $COMP_CWORD -le $at || $word != -* ]]; then
        _leadline "$@"
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
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
