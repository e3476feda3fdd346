//! Charts on the screen of a phone, in a real browser: every word is on it, and none lies on another.

use crate::browser::{browser, page_of_two, run};
use leadline_results::fixture::device::{Device, survey_run};
use leadline_results::fixture::no_recipe;
use leadline_results::render::html::page;
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};
use std::path::Path;

/// Tells the page around how many words charts have, which of them leave the screen, and which lie on one another. A map has
/// a box of its own that scrolls.
const LOOK: &str = r"<script>
  var said = [], count = 0;
  document.querySelectorAll('details').forEach(function (part) { part.open = true; });
  document.querySelectorAll('figure:not(.map) svg.chart').forEach(function (svg) {
    var texts = Array.prototype.map.call(svg.querySelectorAll('text'), function (text) {
      return { words: text.textContent, at: text.getBoundingClientRect() };
    });
    count += texts.length;
    texts.forEach(function (one, n) {
      if (one.at.left < -0.5 || one.at.right > innerWidth + 0.5) said.push('off: ' + one.words);
      texts.slice(n + 1).forEach(function (other) {
        var wide = Math.min(one.at.right, other.at.right) - Math.max(one.at.left, other.at.left);
        var high = Math.min(one.at.bottom, other.at.bottom) - Math.max(one.at.top, other.at.top);
        if (wide > 2 && high > 5) said.push('both: ' + one.words + ' / ' + other.words);
      });
    });
  });
  parent.postMessage(innerWidth + ' wide, ' + count + ' words\n' + said.join('\n'), '*');
</script></body>";

/// A page in a screen of this width, which a browser's own window cannot be.
fn framed(file: &str, width: u32) -> String {
    format!(
        "<!DOCTYPE html><pre id=\"said\"></pre>\
         <iframe src=\"{file}\" style=\"border:0;width:{width}px;height:900px\"></iframe><script>\
         addEventListener('message', function (e) {{ document.getElementById('said').textContent = e.data; }});\
         </script>"
    )
}

/// What such a page says of its words.
fn looked_at(browser: &Path, text: &str, width: u32) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("in.html"), text.replace("</body>", LOOK))
        .expect("the page is written");
    let file = dir.path().join("out.html");
    std::fs::write(&file, framed("in.html", width)).expect("the page is written");
    let output = run(browser, &dir.path().join("a"), &["--dump-dom"], &file);
    let dom = String::from_utf8_lossy(&output.stdout);
    let (_, said) = dom.split_once("<pre id=\"said\">").expect("what it says");
    said.split("</pre>").next().unwrap_or_default().to_owned()
}

#[test]
fn every_word_of_a_chart_is_on_the_screen_of_a_phone() {
    let name = "every_word_of_a_chart_is_on_the_screen_of_a_phone";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let options = SurveyOptions::new(SurveyTarget::Directory("demo".to_owned()), Scope::Quick);
    let one = page(&survey_run(&Device::default(), options), no_recipe);
    for text in [one, page_of_two(["near-the-one", "far-from-all"])] {
        for width in [390, 1280] {
            let said = looked_at(&browser, &text, width);
            let (first, rest) = said.split_once('\n').unwrap_or((&said, ""));
            assert!(first.starts_with(&format!("{width} wide, ")), "{said}");
            assert!(!first.ends_with(" 0 words"), "{said}");
            assert_eq!(rest, "", "{width}");
        }
    }
}
