//! The report in a real browser: it opens without a complaint, the script makes its charts live, and it
//! prints.

use leadline_model::op::Op;
use leadline_model::plan::OpMix;
use leadline_results::fixture::device::{Device, findings, survey_run};
use leadline_results::fixture::{self, Load, no_recipe};
use leadline_results::render::html::{page, several_page};
use leadline_results::run::Run;
use leadline_results::study::several;
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

pub(crate) fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| dirs.iter().map(move |d| d.join(name)))
        .find(|p| p.is_file())
}

/// Runs the browser without a window; ends it when it hangs.
pub(crate) fn run(browser: &Path, home: &Path, args: &[&str], page: &Path) -> Output {
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=4000",
        ])
        .arg(format!("--user-data-dir={}", home.display()))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the browser starts");
    let id = child.id().to_string();
    let (done, waits) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if waits.recv_timeout(Duration::from_secs(90)).is_err() {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
    });
    // Read while it runs: a full pipe would stop it.
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut pipe) = stderr {
            let _ = std::io::Read::read_to_end(&mut pipe, &mut text);
        }
        text
    });
    let mut output = child.wait_with_output().expect("the browser ends");
    let _ = done.send(());
    let _ = guard.join();
    output.stderr = reader.join().unwrap_or_default();
    output
}

#[test]
fn the_report_opens_without_a_complaint_and_its_charts_come_to_life() {
    let name = "the_report_opens_without_a_complaint_and_its_charts_come_to_life";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let options = SurveyOptions::new(SurveyTarget::Directory("demo".to_owned()), Scope::Quick);
    let mut measured = survey_run(&Device::default(), options);
    measured.findings = findings();
    std::fs::write(&file, page(&measured, no_recipe)).unwrap();

    let tall = "--window-size=1200,9000";
    let output = run(
        &browser,
        &dir.path().join("a"),
        &["--dump-dom", tall],
        &file,
    );
    let said = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let dom = String::from_utf8_lossy(&output.stdout);
    assert!(dom.contains("</html>"), "no page: {said}");
    assert!(dom.matches("<svg class=\"chart\"").count() > 20);
    assert!(
        dom.contains("enlivened")
            && dom.contains(">Zoom</button>")
            && dom.contains(">Save SVG</button>"),
        "no live chart"
    );
    assert!(dom.contains("class=\"theme\""), "no switch for the colours");

    // A phone: the page is no wider than the screen. What is too wide scrolls in itself.
    let phone = std::fs::read_to_string(&file).unwrap().replace(
        "</body>",
        "<script>document.title='wide:'+(document.documentElement.scrollWidth>innerWidth)</script></body>",
    );
    let small = dir.path().join("phone.html");
    std::fs::write(&small, phone).unwrap();
    let output = run(
        &browser,
        &dir.path().join("b"),
        &["--dump-dom", "--window-size=500,900"],
        &small,
    );
    let dom = String::from_utf8_lossy(&output.stdout);
    assert!(
        dom.contains("<title>wide:false"),
        "{}",
        &dom[..dom.len().min(600)]
    );

    let pdf = dir.path().join("report.pdf");
    let to = format!("--print-to-pdf={}", pdf.display());
    run(&browser, &dir.path().join("c"), &[&to], &file);
    assert!(
        std::fs::metadata(&pdf).is_ok_and(|m| m.len() > 20_000),
        "no PDF"
    );
}

/// The page of two surveys under these names.
pub(crate) fn page_of_two(names: [&str; 2]) -> String {
    let options = || SurveyOptions::new(SurveyTarget::Directory("demo".to_owned()), Scope::Quick);
    let [near, far] = [(); 2].map(|()| survey_run(&Device::default(), options()));
    let named = |name: &str, run| (Some(name.to_owned()), String::new(), run);
    let [a, b] = names;
    several_page(&several::named(&[named(a, &near), named(b, &far)]))
}

#[test]
fn the_page_of_several_runs_shows_without_a_script_in_light_and_dark() {
    let name = "the_page_of_several_runs_shows_without_a_script_in_light_and_dark";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("curves.html");
    let text = page_of_two(["near", "far"]);
    std::fs::write(&file, &text).unwrap();
    let mut pictures = Vec::new();
    for scheme in ["0", "1"] {
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let home = dir.path().join(&scheme);
        let args = ["--dump-dom", "--window-size=1200,2000", &scheme];
        let output = run(&browser, &home, &args, &file);
        let said = String::from_utf8_lossy(&output.stderr);
        let complaints: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("</html>"));
        let picture = home.join("picture.png");
        let to = format!("--screenshot={}", picture.display());
        run(&browser, &home, &[&to, args[1], &scheme], &file);
        pictures.push(std::fs::read(&picture).unwrap());
    }
    assert!(pictures.iter().all(|p| p.len() > 20_000));
    assert_ne!(pictures[0], pictures[1], "dark looks like light");
}

/// A page with this script at its end, which keeps what it finds (`keep`) and what it saves.
pub(crate) fn used(page: &str, script: &str) -> String {
    page.replace("</body>", &format!("{KEEP}{script}"))
}

/// What scripts of tests share.
const KEEP: &str = r"<script>
  function keep(id, text) {
    var kept = document.createElement('pre');
    kept.id = id;
    kept.textContent = text;
    document.body.appendChild(kept);
  }
  URL.createObjectURL = function (file) {
    file.text().then(function (text) { keep('saved', text); });
    return '#';
  };
  HTMLAnchorElement.prototype.click = function () {};
</script>";

/// Saves the chart of a curve, reads a value from it by key, and zooms it.
const USE: &str = r"<script>
  var figure = document.querySelector('#depth-0 figure'), svg = figure.querySelector('svg.chart');
  Array.prototype.find.call(figure.querySelectorAll('button'), function (b) {
    return b.textContent === 'Save SVG';
  }).click();
  function press(key) { svg.dispatchEvent(new KeyboardEvent('keydown', { key: key })); }
  press('Home');
  keep('read', figure.querySelector('output').textContent);
  press('+');
  keep('zoomed', svg.outerHTML);
  keep('ticks', Array.prototype.map.call(svg.querySelectorAll('g.ticks text'), function (t) {
    return t.textContent;
  }).join(' '));
  keep('button', Array.prototype.map.call(figure.querySelectorAll('button'), function (b) {
    return b.textContent;
  }).join(', '));
  press('Escape');
  keep('whole', svg.querySelectorAll('[clip-path]').length);
</script></body>";

/// Random reads at five depths, 16 seconds each: from the third on no more I/Os are done.
fn curve() -> Run {
    let points = [(1, 100), (2, 200), (4, 400), (8, 402), (16, 404)];
    let names = points.map(|(depth, _)| format!("d{depth}"));
    let stages = points.iter().zip(&names).map(|((depth, _), name)| {
        let own = fixture::workload("w", OpMix::reads(), 4096, *depth, 16);
        (name.as_str(), vec![own])
    });
    let plan = fixture::plan(stages.collect());
    let loads = points.map(|(_, ios)| vec![Load::simple(Op::Read, ios, 4096, 10_000_000, 16)]);
    fixture::run_of(&fixture::events_of(plan, &loads))
}

#[test]
fn a_chart_is_saved_as_it_looks_and_zoomed_with_all_that_it_shows() {
    let name = "a_chart_is_saved_as_it_looks_and_zoomed_with_all_that_it_shows";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let measured = curve();
    let used = used(&page(&measured, no_recipe), USE);
    std::fs::write(&file, used).unwrap();
    let output = run(&browser, &dir.path().join("a"), &["--dump-dom"], &file);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let kept = |id: &str| {
        let (_, rest) = dom.split_once(&format!("<pre id=\"{id}\">")).unwrap();
        let text = rest.split("</pre>").next().unwrap();
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    };
    let saved = kept("saved");
    let document = roxmltree::Document::parse(&saved).unwrap();
    let haloed: Vec<&str> = document
        .descendants()
        .filter(|node| {
            node.attribute("class")
                .is_some_and(|c| c.starts_with("name"))
        })
        .filter_map(|node| node.attribute("style"))
        .collect();
    assert!(!haloed.is_empty(), "{saved}");
    assert!(
        haloed
            .iter()
            .all(|style| style.contains("paint-order:stroke")),
        "{haloed:?}"
    );
    // It says what it is of and what its marks are, as it may be looked at alone.
    let texts = texts_of(&saved);
    for words in ["IOPS by queue depth", "fixture"] {
        assert!(texts.contains(words), "{words}: {saved}");
    }
    for words in [
        "A ring marks where throughput stops rising.",
        "The line at N* marks the highest rate times the mean latency of one I/O alone",
        "The 95 % intervals are too narrow to be seen.",
    ] {
        assert_eq!(texts.matches(words).count(), 1, "{words}: {texts}");
    }
    assert!(kept("read").contains("(95 %: "), "{}", kept("read"));
    let ticks = kept("ticks");
    let mut named: Vec<&str> = ticks.split(' ').collect();
    named.dedup();
    assert_eq!(named.join(" "), ticks, "a tick is named twice");
    assert!(kept("button").contains("Save SVG of this part"));
    // What marks and bounds a line is there as before, cut at the frame.
    let zoomed = kept("zoomed");
    for part in [
        "class=\"within ",
        "N* = ",
        "class=\"ring\"",
        "clip-path=\"url(#",
    ] {
        assert!(zoomed.contains(part), "{part}: {zoomed}");
    }
    assert_eq!(kept("whole"), "0");
}

/// All words of a picture; none of what is no XML.
fn texts_of(svg: &str) -> String {
    let Ok(document) = roxmltree::Document::parse(svg) else {
        return String::new();
    };
    let texts = document.descendants().filter(|n| n.has_tag_name("text"));
    let texts: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    texts.join(" ")
}

/// Saves the first chart that has numbers at its lines, under a long title, and reads a value from it by key.
const SAVE: &str = r"<script>
  function keep(id, text) {
    var kept = document.createElement('pre');
    kept.id = id;
    kept.textContent = text;
    document.body.appendChild(kept);
  }
  URL.createObjectURL = function (file) {
    file.text().then(function (text) {
      keep('saved', text);
      var box = document.createElement('div');
      box.innerHTML = text;
      document.body.appendChild(box);
      var svg = box.querySelector('svg'), edge = svg.getBoundingClientRect(), out = [];
      svg.querySelectorAll('text').forEach(function (t) {
        var r = t.getBoundingClientRect();
        if (r.right > edge.right + 1 || r.bottom > edge.bottom + 1 || r.top < edge.top - 1) out.push(t.textContent);
      });
      keep('outside', out.join('; '));
    });
    return '#';
  };
  HTMLAnchorElement.prototype.click = function () {};
  var figure = Array.prototype.find.call(document.querySelectorAll('figure'), function (f) {
    var below = f.querySelector('figcaption');
    return below && /^Lines: /.test(below.textContent.trim());
  });
  document.querySelector('h1').textContent = 'a volume with a long name '.repeat(8);
  Array.prototype.find.call(figure.querySelectorAll('button'), function (b) {
    return b.textContent === 'Save SVG';
  }).click();
  figure.querySelector('svg.chart').dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }));
  keep('read', figure.querySelector('output').textContent);
</script></body>";

#[test]
fn a_chart_with_numbers_at_its_lines_is_saved_and_read_with_their_names() {
    let name = "a_chart_with_numbers_at_its_lines_is_saved_and_read_with_their_names";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("two.html");
    std::fs::write(&file, page_of_two(["near", "far"]).replace("</body>", SAVE)).unwrap();
    let home = dir.path().join("a");
    let output = run(
        &browser,
        &home,
        &["--dump-dom", "--window-size=1200,900"],
        &file,
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let kept = |id: &str| {
        let found = dom.split_once(&format!("<pre id=\"{id}\">"));
        let (_, rest) = found.unwrap_or_else(|| panic!("{id}: {dom}"));
        let text = rest.split("</pre>").next().unwrap();
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    };
    assert!(kept("read").contains("near read p50 "), "{}", kept("read"));
    let saved = kept("saved");
    for name in ["near read p50", "far write p99"] {
        assert_eq!(saved.matches(&format!(" = {name}")).count(), 1, "{saved}");
    }
    // What the page says once above its first chart.
    let texts = texts_of(&saved);
    let markers = "Markers of near are full, of far hollow.";
    assert!(texts.contains(markers), "{texts}");
    assert_eq!(kept("outside"), "", "cut at an edge: {}", kept("saved"));
}
