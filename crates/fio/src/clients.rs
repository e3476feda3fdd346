//! `--client`: fio gives each of its servers the jobs that follow its name. Here every host gets the same
//! jobs, started by OpenSSH rather than by a fio server.
//!
//! Belongs here: making one set of jobs of those, and names of hosts of fio's addresses. Must never:
//! resolve a name.

use leadline_dialect::diagnostic::{Diagnostic, Span};

/// The words with one set of jobs: those between the `--client`s are left out where they say the same
/// again. `None` where they differ.
pub(super) fn one_set_of_jobs(args: &[String]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut sets: Vec<Vec<String>> = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match (
            word.trim_start_matches('-').split_once('='),
            sets.last_mut(),
        ) {
            (Some(("client", _)), _) if word.starts_with('-') => {
                words.push(word.clone());
                sets.push(Vec::new());
            }
            (None, _) if word == "--client" || word == "-client" => {
                words.push(word.clone());
                words.extend(rest.next().cloned());
                sets.push(Vec::new());
            }
            (_, Some(set)) => set.push(word.clone()),
            (_, None) => words.push(word.clone()),
        }
    }
    sets.retain(|set| !set.is_empty());
    sets.dedup();
    match sets.as_slice() {
        [] | [_] => {
            words.extend(sets.into_iter().flatten());
            Some(words)
        }
        _ => None,
    }
}

/// The host of an address as fio writes it: `NAME`, `ip:NAME`, `ip6:NAME`, each with `,PORT` appended, or
/// a file of names. Ports and protocols mean nothing here, which is said.
pub(super) fn host_of(text: &str, span: Span, sink: &mut Vec<Diagnostic>) -> Option<String> {
    if text.starts_with("sock:") || text.is_empty() {
        sink.push(
            Diagnostic::error("client-socket", "sockets of a fio server are not supported")
                .at(span, "")
                .expected("the name or address of a host"),
        );
        return None;
    }
    sink.push(
        Diagnostic::note(
            "no-fio-server",
            format!(
                "`{text}`: leadline starts itself on that host through OpenSSH; no fio server is \
                 used"
            ),
        )
        .at(span, ""),
    );
    let name = ["ip:", "ip4:", "ip6:"]
        .iter()
        .find_map(|kind| text.strip_prefix(kind));
    let name = name.unwrap_or(text);
    let name = name.split_once(',').map_or(name, |(name, _)| name);
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn each_host_gets_the_same_jobs() {
        let one = |text: &str| one_set_of_jobs(&words(text)).map(|w| w.join(" "));
        for (text, expected) in [
            ("a.fio --bs=4k", "a.fio --bs=4k"),
            ("--client=h a.fio", "--client=h a.fio"),
            (
                "--output=o --client=h --client=k a.fio b.fio",
                "--output=o --client=h --client=k a.fio b.fio",
            ),
            (
                "--client=h a.fio --client k a.fio",
                "--client=h --client k a.fio",
            ),
        ] {
            assert_eq!(one(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(one("--client=h a.fio --client=k b.fio"), None);
    }

    #[test]
    fn addresses_become_names() {
        let span = Span::default();
        for (text, expected) in [
            ("h", Some("h")),
            ("h,8765", Some("h")),
            ("ip:10.0.0.1,8765", Some("10.0.0.1")),
            ("ip6:fe80::1", Some("fe80::1")),
            ("sock:/tmp/s", None),
        ] {
            let mut said = Vec::new();
            assert_eq!(host_of(text, span, &mut said).as_deref(), expected);
            assert_eq!(said.len(), 1);
        }
    }
}
