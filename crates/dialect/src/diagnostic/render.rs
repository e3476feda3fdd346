//! Diagnostics as text for people: the line itself, the place in it, what was expected, what to do.

use super::{Diagnostic, Severity, Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};

/// All diagnostics as text, each with file, line, column, the line itself, what was expected and a
/// hint. `color` adds escape sequences; `width` is that of the terminal in columns, at least 40.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, color: bool, width: usize) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .term_width(width.max(40))
    .decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&[group(diagnostic, sources)]));
        text.push_str("\n\n");
    }
    text
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code)
        .elements(snippets(diagnostic, sources));
    if let Some(expected) = &diagnostic.expected {
        group = group.element(Level::NOTE.message(format!("expected {expected}")));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    group
}

/// One snippet for each text that labels point into; the place itself comes first.
fn snippets<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a Sources,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut ids = Vec::new();
    for label in &diagnostic.labels {
        if !ids.contains(&label.span.source) {
            ids.push(label.span.source);
        }
    }
    ids.into_iter()
        .map(|id| {
            let mut snippet = Snippet::source(sources.text(id)).path(sources.name(id));
            for (i, label) in diagnostic.labels.iter().enumerate() {
                if label.span.source != id {
                    continue;
                }
                let kind = if i == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let mut mark = kind.span(whole_characters(sources.text(id), label.span));
                if !label.text.is_empty() {
                    mark = mark.label(label.text.as_str());
                }
                snippet = snippet.annotation(mark);
            }
            snippet
        })
        .collect()
}

/// A range that is within the text and cuts no character in two.
fn whole_characters(text: &str, span: Span) -> std::ops::Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_line_the_place_and_the_way_out() {
        let mut sources = Sources::default();
        let id = sources.add("job.fio", "[a]\nioengin=libaio\n");
        let text = render(
            &[
                Diagnostic::error("unknown-option", "there is no option `ioengin`")
                    .at(Span::new(id, 4, 11), "here")
                    .expected("the name of an option")
                    .hint("did you mean `ioengine`?"),
            ],
            &sources,
            false,
            100,
        );
        assert!(
            text.contains("error[unknown-option]: there is no option `ioengin`"),
            "{text}"
        );
        assert!(text.contains("job.fio:2:1"), "{text}");
        assert!(text.contains("ioengin=libaio"), "{text}");
        assert!(text.contains("did you mean `ioengine`?"), "{text}");
    }

    #[test]
    fn odd_spans_do_not_panic() {
        let mut sources = Sources::default();
        let id = sources.add("f", "ä\r\n\u{0}b\ttext");
        let empty = sources.add("e", "");
        for (a, b) in [(0, 1), (1, 1), (1, 2), (3, 99), (50, 60), (0, 0)] {
            for source in [id, empty, super::super::SourceId(9)] {
                let d = Diagnostic::note("x", "m").at(Span::new(source, a, b), "");
                assert!(render(&[d], &sources, true, 1).contains('m'));
            }
        }
    }
}
