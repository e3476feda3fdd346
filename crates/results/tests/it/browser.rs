//! The report in a real browser: it opens without a complaint, the script makes its charts live, and it
//! prints.

use leadline_results::fixture::device::{Device, findings, survey_run};
use leadline_results::fixture::no_recipe;
use leadline_results::render::html::{page, several_page};
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

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| dirs.iter().map(move |d| d.join(name)))
        .find(|p| p.is_file())
}

/// Runs the browser without a window; ends it when it hangs.
fn run(browser: &Path, home: &Path, args: &[&str], page: &Path) -> Output {
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

#[test]
fn the_page_of_several_runs_shows_without_a_script_in_light_and_dark() {
    let name = "the_page_of_several_runs_shows_without_a_script_in_light_and_dark";
    let Some(browser) = browser() else {
        leadline_testkit::skip(name, "no Chromium is installed (apt-get install chromium)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("curves.html");
    let options = || SurveyOptions::new(SurveyTarget::Directory("demo".to_owned()), Scope::Quick);
    let runs = [(); 2].map(|()| survey_run(&Device::default(), options()));
    let [near, far] = &runs;
    let named = |name: &str, run| (Some(name.to_owned()), String::new(), run);
    let runs = several::named(&[named("near", near), named("far", far)]);
    let text = several_page(&runs);
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
