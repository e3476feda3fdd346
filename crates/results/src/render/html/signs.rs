//! What several charts of a page have in common is said once, above the first of them.
//!
//! Belongs here: moving such a sentence from captions to what stands above them. Must never: draw, or say what a chart
//! does not show.

use super::view::{ARROW, Detail, Figure, Section};

/// What stands below a chart about bands and whiskers: words of [`signs`](crate::render::svg::signs).
const BANDS: &str = "Bands are 95 % intervals.";
const WHISKERS: &str = "Whiskers are 95 % intervals.";
const BOTH: &str = "Bands and whiskers are 95 % intervals.";

/// Says signs that several charts of the sections have once, above the first; those of folded time series in `note`.
pub(super) fn say_once(sections: &mut [Section], details: &mut [Detail], note: &mut String) {
    let (said, markers) = shared(sections.iter_mut().flat_map(|one| &mut one.figures));
    let first = sections.iter_mut().find(|one| !one.figures.is_empty());
    if let Some(first) = first {
        add(&mut first.lede, &said);
    }
    // What is inside the markers of a run is said where that run is drawn.
    for words in &markers {
        let has = |one: &&mut Section| one.figures.iter().any(|f| f.markers == *words);
        if let Some(first) = sections.iter_mut().find(has) {
            add(&mut first.lede, words);
        }
    }
    let (said, markers) = shared(details.iter_mut().flat_map(|one| &mut one.figures));
    add(note, &said);
    markers.iter().for_each(|words| add(note, words));
}

fn add(text: &mut String, said: &str) {
    *text = format!("{text} {said}").trim().to_owned();
}

/// Takes what at least two captions say of signs out of all of them; what to say instead, or nothing, and what is inside
/// markers.
fn shared<'a>(figures: impl Iterator<Item = &'a mut Figure>) -> (String, Vec<String>) {
    let mut figures: Vec<&mut Figure> = figures.collect();
    let count = |words: &str| {
        let all = figures.iter();
        all.filter(|one| one.caption.contains(words)).count()
    };
    let (bands, whiskers, both) = (count(BANDS), count(WHISKERS), count(BOTH));
    let mut said = Vec::new();
    if bands + whiskers + both > 1 {
        said.push(match (bands + both > 0, whiskers + both > 0) {
            (true, true) => "In the charts, bands and whiskers are 95 % intervals.",
            (true, false) => "In the charts, bands are 95 % intervals.",
            _ => "In the charts, whiskers are 95 % intervals.",
        });
        take_out(&mut figures, &[BOTH, BANDS, WHISKERS]);
    }
    let has_arrow = |one: &&&mut Figure| one.caption.contains(ARROW);
    if figures.iter().filter(has_arrow).count() > 1 {
        said.push(ARROW);
        take_out(&mut figures, &[ARROW]);
    }
    let mut markers: Vec<String> = Vec::new();
    for words in figures.iter().map(|one| &one.markers) {
        let count = figures.iter().filter(|one| one.markers == *words).count();
        if !words.is_empty() && count > 1 && !markers.contains(words) {
            markers.push(words.clone());
        }
    }
    for words in &markers {
        take_out(&mut figures, &[words]);
    }
    (said.join(" "), markers)
}

fn take_out(figures: &mut [&mut Figure], all: &[&str]) {
    for figure in figures {
        for words in all.iter().filter(|words| !words.is_empty()) {
            if figure.caption.contains(words) {
                add(&mut figure.above, words);
            }
            figure.caption = figure.caption.replace(words, "").replace("  ", " ");
        }
        figure.caption = figure.caption.trim().to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(lede: &str, captions: &[&str]) -> Section {
        Section {
            lede: lede.to_owned(),
            figures: captions
                .iter()
                .map(|caption| Figure {
                    caption: (*caption).to_owned(),
                    ..Figure::default()
                })
                .collect(),
            ..Section::default()
        }
    }

    fn captions(section: &Section) -> Vec<&str> {
        section.figures.iter().map(|f| f.caption.as_str()).collect()
    }

    #[test]
    fn what_signs_mean_is_said_above_the_first_of_several_charts() {
        let mut sections = [
            section("", &[]),
            section("It rises.", &["One. Bands are 95 % intervals. Two.", BOTH]),
            section("", &[ARROW]),
        ];
        let mut note = String::new();
        say_once(&mut sections, &mut [], &mut note);
        assert_eq!(
            sections[1].lede,
            "It rises. In the charts, bands and whiskers are 95 % intervals."
        );
        assert_eq!(captions(&sections[1]), ["One. Two.", ""]);
        // A picture that is saved says it of itself.
        let above = sections[1].figures.iter().map(|f| f.above.as_str());
        assert_eq!(above.collect::<Vec<_>>(), [BANDS, BOTH]);
        // One chart says it itself.
        assert_eq!(captions(&sections[2]), [ARROW]);
        assert_eq!((sections[0].lede.as_str(), note.as_str()), ("", ""));
    }

    #[test]
    fn the_markers_of_runs_are_said_where_these_are_drawn() {
        const MARKERS: &str = "Markers of A are full, of B hollow.";
        let mut sections = [
            section("", &["Of C."]),
            section("It rises.", &[MARKERS, MARKERS]),
        ];
        for figure in &mut sections[1].figures {
            MARKERS.clone_into(&mut figure.markers);
        }
        say_once(&mut sections, &mut [], &mut String::new());
        assert_eq!(sections[0].lede, "");
        assert_eq!(sections[1].lede, format!("It rises. {MARKERS}"));
        assert_eq!(captions(&sections[1]), ["", ""]);
    }

    #[test]
    fn a_chart_alone_says_itself_what_its_signs_mean() {
        let mut sections = [section("", &[WHISKERS])];
        say_once(&mut sections, &mut [], &mut String::new());
        assert_eq!(captions(&sections[0]), [WHISKERS]);
        assert_eq!(sections[0].lede, "");
    }

    /// The words are those that charts have.
    #[test]
    fn signs_are_called_as_below_charts() {
        let mut sections = [section("", &[ARROW, ARROW, WHISKERS, WHISKERS])];
        say_once(&mut sections, &mut [], &mut String::new());
        assert!(
            captions(&sections[0])
                .iter()
                .all(|caption| caption.is_empty())
        );
        assert_eq!(
            sections[0].lede,
            format!("In the charts, whiskers are 95 % intervals. {ARROW}")
        );
    }
}
