//! A heat map in a real browser: the value under the pointer, from cell to cell by the arrow keys, zoom, and a picture of it.

use crate::browser::{browser, run, used};
use leadline_model::op::Op;
use leadline_model::plan::OpMix;
use leadline_results::fixture::{self, Load, no_recipe};
use leadline_results::render::html::page;

/// Reads cells of the first heat map by key and by pointer, zooms it and saves it.
const USE: &str = r"<script>
  var figure = Array.prototype.find.call(document.querySelectorAll('figure'), function (f) {
    return f.querySelector('h3').textContent === 'Latency heat map';
  });
  var svg = figure.querySelector('svg.chart'), out = figure.querySelector('output');
  function press(id, key) {
    svg.dispatchEvent(new KeyboardEvent('keydown', { key: key, cancelable: true }));
    keep(id, out.textContent);
  }
  svg.focus();
  keep('focused', document.activeElement === svg && getComputedStyle(svg).outlineStyle);
  press('first', 'ArrowRight');
  press('next', 'ArrowRight');
  press('above', 'ArrowUp');
  press('below', 'ArrowDown');
  press('last', 'End');
  keep('rings', svg.querySelectorAll('rect.cell').length);
  press('none', 'Escape');
  var b = svg.getBoundingClientRect(), scale = b.width / svg.viewBox.baseVal.width;
  function point(id, x, y) {
    svg.dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + x * scale, clientY: b.top + y * scale }));
    keep(id, out.textContent);
  }
  // The first column and the lowest row, then the axis.
  point('pointed', 52, 184);
  point('outside', 52, 200);
  press('again', 'Home');
  press('zoomed', '+');
  keep('ticks', Array.prototype.map.call(svg.querySelectorAll('g.ticks text'), function (t) { return t.textContent; }).join(' '));
  keep('moved', svg.querySelector('g.moves > g').getAttribute('transform'));
  press('whole', 'Escape');
  Array.prototype.find.call(figure.querySelectorAll('button'), function (b) { return b.textContent === 'Save SVG'; }).click();
</script></body>";

#[test]
fn a_heat_map_is_read_cell_by_cell_zoomed_and_saved() {
    let name = "a_heat_map_is_read_cell_by_cell_zoomed_and_saved";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    // Ten seconds of 1,000 reads a second that take 100 to 300 us.
    let own = vec![fixture::workload("w", OpMix::reads(), 4096, 4, 10)];
    let plan = fixture::plan(vec![("s", own)]);
    let loads = [vec![Load::simple(Op::Read, 1000, 4096, 200_000, 10)]];
    let measured = fixture::run_of(&fixture::events_of(plan, &loads));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    std::fs::write(&file, used(&page(&measured, no_recipe), USE)).unwrap();
    let args = ["--dump-dom", "--window-size=1200,3000"];
    let output = run(&browser, &dir.path().join("a"), &args, &file);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let kept = |id: &str| {
        let found = dom.split_once(&format!("<pre id=\"{id}\">"));
        let (_, rest) = found.unwrap_or_else(|| panic!("{id}: {dom}"));
        rest.split("</pre>").next().unwrap().to_owned()
    };
    // The fullest row of the first column, and as far as it goes; zoom keeps the cell where it is.
    let first = "0 s to 1 s, 220 us to 262 us: 320 I/Os (32 %)";
    for (id, words) in [("first", first), ("again", first), ("zoomed", first)] {
        assert_eq!(kept(id), words, "{id}");
    }
    for (id, words) in [
        ("focused", "solid"),
        ("next", "1 s to 2 s, 220 us to 262 us: "),
        ("above", "1 s to 2 s, 262 us to 312 us: "),
        ("below", "1 s to 2 s, 220 us to 262 us: "),
        ("last", "9 s to 10 s, "),
        ("rings", "2"),
        ("pointed", "0 s to 1 s, up to "),
        ("ticks", "1 s 2 s 3 s 4 s 5 s"),
        ("moved", "matrix(2"),
    ] {
        assert!(kept(id).starts_with(words), "{id}: {}", kept(id));
    }
    for id in ["none", "outside", "whole"] {
        assert_eq!(kept(id), "", "{id}");
    }
    let saved = kept("saved")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let document = roxmltree::Document::parse(&saved).unwrap();
    let cells = document
        .descendants()
        .filter(|n| n.attribute("class").is_some_and(|c| c.starts_with("heat ")));
    assert!(cells.count() > 0 && !saved.contains("cursor"), "{saved}");
}
