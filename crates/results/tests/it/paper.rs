//! Pages on paper, laid out by a real browser.

use crate::browser::{browser, run};
use leadline_model::finding::Finding;
use leadline_results::fixture::device::{Device, findings, survey_run};
use leadline_results::fixture::no_recipe;
use leadline_results::render::html::page;
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};
use leadline_text::markup::attribute;

/// Looks at the page in the frame: which notes are to be seen, and what a page may part.
const LOOK: &str = r"<pre id=seen></pre><script>
  document.querySelector('iframe').onload = function () {
    var page = this.contentDocument, seen = [];
    page.querySelectorAll('details.notes, details.notes details').forEach(function (details) {
      var inner = details.parentElement.closest('details'), last = details.lastElementChild;
      seen.push((inner ? 'inner ' : 'outer ') + (last.checkVisibility({ contentVisibilityAuto: true }) ? 'shown' : 'folded'));
    });
    page.querySelectorAll('.lede, #legend').forEach(function (e) {
      seen.push('together ' + page.defaultView.getComputedStyle(e).breakInside);
    });
    document.getElementById('seen').textContent = seen.join('\n');
  };
</script>";

/// Width of a sheet of A4 in CSS pixels.
const SHEET: u32 = 794;

/// What is seen of a page in a frame as wide as a sheet; `None` without a browser.
fn seen(name: &str, text: &str) -> Option<Vec<String>> {
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return None;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("frame.html");
    let framed = attribute(text);
    let frame = format!(
        "<!DOCTYPE html><iframe width={SHEET} height=9000 frameborder=0 srcdoc=\"{framed}\"></iframe>{LOOK}"
    );
    std::fs::write(&file, frame).expect("written");
    let args = ["--dump-dom", "--window-size=1400,1000"];
    let output = run(&browser, &dir.path().join("a"), &args, &file);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, rest) = dom
        .split_once("<pre id=\"seen\">")
        .expect("it was looked at");
    let said = rest.split("</pre>").next().unwrap_or_default();
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn on_paper_notes_are_printed_and_what_is_folded_within_them_is_not() {
    let name = "on_paper_notes_are_printed_and_what_is_folded_within_them_is_not";
    let target = SurveyTarget::Directory("demo".to_owned());
    let options = SurveyOptions::new(target, Scope::Quick);
    let mut measured = survey_run(&Device::default(), options);
    let mut all = findings();
    // Each note once more, with another figure: the same words would be said once.
    let again = all.to_vec();
    all.extend(again.into_iter().map(|note| Finding {
        text: format!("{} again", note.text),
        ..note
    }));
    measured.findings = all;
    let text = page(&measured, no_recipe);
    let on_paper = text.replace("@media print{", "@media all{");
    let (Some(on_screen), Some(on_paper)) = (seen(name, &text), seen(name, &on_paper)) else {
        return;
    };
    let is_there = |seen: &[String], words: &str| seen.iter().any(|line| line == words);
    assert!(is_there(&on_screen, "outer folded"), "{on_screen:?}");
    assert!(is_there(&on_paper, "outer shown"), "{on_paper:?}");
    assert!(is_there(&on_paper, "inner folded"), "{on_paper:?}");
    assert!(!is_there(&on_paper, "inner shown"), "{on_paper:?}");
    // Words that say what a table below means are not parted from themselves.
    let together: Vec<&String> = on_paper
        .iter()
        .filter(|l| l.starts_with("together"))
        .collect();
    assert!(!together.is_empty());
    assert!(
        together.iter().all(|line| *line == "together avoid"),
        "{together:?}"
    );
}
