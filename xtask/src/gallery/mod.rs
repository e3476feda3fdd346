//! `cargo xtask gallery`: the charts of five published comparisons, each made by `leadline plot` of simulated runs, beside
//! what was published: one page.
//!
//! Belongs here: running leadline, and the page. Must never: draw a chart, or hold a published figure that leadline does
//! not have.

mod charts;
mod numbers;

use crate::args::Args;
use crate::shell;
use anyhow::{Context, Result, bail};
use charts::{CHARTS, Chart, RUNS, Recipe};
use leadline_text::markup::attribute;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the page goes unless asked otherwise.
const PLACE: &str = "target/gallery";

/// Makes the runs, the charts and the page; true when all were made.
pub(crate) fn run(words: &[String]) -> Result<bool> {
    let mut args = Args::new(words);
    let place = args.value("--out")?.unwrap_or_else(|| PLACE.to_owned());
    let pictures = args.value("--pictures")?.map(PathBuf::from);
    let given = args.value("--leadline")?.map(PathBuf::from);
    args.finish()?;
    let leadline = match given {
        Some(path) => path.canonicalize().context("--leadline")?,
        None => shell::built_leadline()?,
    };
    let place = PathBuf::from(place);
    std::fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    // The runs are simulated, and so the same however long each takes.
    at_once(RUNS.len(), |n| {
        let (recipe, start) = (&RUNS[n], shell::now());
        make(&leadline, &place, recipe).with_context(|| recipe.name.to_owned())?;
        eprintln!(
            "run {}: {:.1} s",
            recipe.name,
            start.elapsed().as_secs_f64()
        );
        Ok(())
    })?;
    let drawn = at_once(CHARTS.len(), |n| {
        picture(&leadline, &place, &CHARTS[n]).with_context(|| CHARTS[n].name.to_owned())
    })?;
    let mut body = String::new();
    let mut missing = Vec::new();
    for (chart, shown) in CHARTS.iter().zip(drawn) {
        let picture = original(pictures.as_deref(), chart.name)?;
        let own = [picture, numbers::picture(&chart.tables())];
        let own: Vec<String> = own.into_iter().flatten().collect();
        let own = (!own.is_empty()).then(|| own.concat());
        if own.is_none() {
            missing.push(chart.name);
        }
        body.push_str(&article(chart, &shown, own.as_deref()));
    }
    let page = place.join("index.html");
    std::fs::write(&page, html(&body, &missing)).with_context(|| page.display().to_string())?;
    println!("written: {}, {} charts", page.display(), CHARTS.len());
    if let Some(words) = without(&missing) {
        println!("{words}");
    }
    Ok(true)
}

/// Does something with each of N, as many at a time as there are processors; what came of it, in order.
fn at_once<T: Send>(count: usize, each: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let some = || -> Result<Vec<(usize, T)>> {
        let mut own = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= count {
                return Ok(own);
            }
            own.push((n, each(n)?));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, T)>> {
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(some)).collect();
        let ends = all.into_iter().map(|one| {
            let end = one.join();
            end.unwrap_or_else(|_| bail!("a thread of the gallery panicked"))
        });
        // All are waited for before the first error is returned.
        let ends: Vec<Result<Vec<(usize, T)>>> = ends.collect();
        let ends: Result<Vec<Vec<(usize, T)>>> = ends.into_iter().collect();
        Ok(ends?.into_iter().flatten().collect())
    })?;
    done.sort_by_key(|one| one.0);
    Ok(done.into_iter().map(|one| one.1).collect())
}

/// What leadline says when it is called so in the place.
fn say(leadline: &Path, place: &Path, words: &[&str]) -> Result<String> {
    let out = Command::new(leadline)
        .args(words)
        .current_dir(place)
        .output()
        .context("leadline")?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        bail!("leadline {}: {}", words.join(" "), why.trim());
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// A simulated run, as a run file of its name.
fn make(leadline: &Path, place: &Path, recipe: &Recipe) -> Result<()> {
    let file = format!("{}.leadline", recipe.name);
    // Left from an earlier page.
    let _ = std::fs::remove_file(place.join(&file));
    if let Some(curve) = recipe.curve {
        let words: Vec<&str> = curve.split(' ').collect();
        let all = [
            &["study", "curve", recipe.law][..],
            &words,
            &["--force", "--out", recipe.name],
        ];
        say(leadline, place, &all.concat())?;
        return Ok(());
    }
    let job = format!("{}.fio", recipe.name);
    std::fs::write(place.join(&job), recipe.job())?;
    let map = format!("--map=*={}", recipe.law);
    let kept = format!("--leadline-run={file}");
    let mut words = vec![
        "fio",
        job.as_str(),
        map.as_str(),
        kept.as_str(),
        "--output=/dev/null",
    ];
    let second = recipe
        .second
        .map(|(directory, law)| format!("--map={directory}={law}"));
    words.extend(second.as_deref());
    say(leadline, place, &words)?;
    Ok(())
}

/// The picture of a chart, or the text where it is a table.
fn picture(leadline: &Path, place: &Path, chart: &Chart) -> Result<String> {
    let words: Vec<&str> = chart.words.split(' ').collect();
    let said = say(leadline, place, &words)?;
    let Some((_, svg)) = said.split_once("<svg ") else {
        return Ok(format!("<pre>{}</pre>", attribute(&said)));
    };
    let file = place.join(format!("{}.svg", chart.name));
    std::fs::write(&file, &said).with_context(|| file.display().to_string())?;
    // Each has names of its own on the page.
    let own = svg.replace("plot-t", &format!("{}-t", chart.name));
    let own = own.replace("plot-d", &format!("{}-d", chart.name));
    Ok(format!("<svg {own}"))
}

/// The picture that was published, as markup: NAME.png, .jpg or .svg of the folder.
fn original(pictures: Option<&Path>, name: &str) -> Result<Option<String>> {
    let Some(folder) = pictures else {
        return Ok(None);
    };
    for ending in ["png", "jpg", "svg"] {
        let file = folder.join(format!("{name}.{ending}"));
        if file.is_file() {
            let file = file.canonicalize().context("--pictures")?;
            let (file, name) = (
                attribute(&file.to_string_lossy()).to_string(),
                name.to_uppercase(),
            );
            return Ok(Some(format!(
                "<img src=\"file://{file}\" alt=\"{name} as published\">"
            )));
        }
    }
    Ok(None)
}

/// Which charts stand without the picture that was published.
fn without(missing: &[&str]) -> Option<String> {
    let names: Vec<String> = missing.iter().map(|name| name.to_uppercase()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Nothing that was published is drawn beside: {}. Their figures were not published as numbers, and the pictures \
             are their publishers' and not part of leadline: what they show stands in words. --pictures DIR shows \
             DIR/g1.png and so on.",
            names.join(", ")
        )
    })
}

fn article(chart: &Chart, shown: &str, original: Option<&str>) -> String {
    let mut out = String::new();
    let original = original.unwrap_or_default();
    let _ = write!(
        out,
        "<article id=\"{0}\"><div><h2>{1}</h2><p>{2}</p><p>{3}</p><pre class=\"said\">leadline {4}</pre>{original}</div>\
         <figure tabindex=\"0\" role=\"region\" aria-label=\"{1}\">{shown}</figure></article>",
        chart.name,
        attribute(&chart.title()),
        attribute(chart.published),
        attribute(&chart.note(&chart.drawn().map(numbers::levels).unwrap_or_default())),
        attribute(chart.words)
    );
    out
}

fn html(body: &str, missing: &[&str]) -> String {
    let without = without(missing).unwrap_or_default();
    let without = attribute(&without);
    let links = CHARTS.iter().map(|chart| {
        let name = chart.name;
        format!("<a href=\"#{name}\">{}</a>", name.to_uppercase())
    });
    let links: Vec<String> = links.collect();
    format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Published charts, and leadline's of simulated volumes</title><style>{STYLE}</style>\
         <main><h1>Published charts, and leadline's</h1><p>Each chart is drawn by leadline of a run on a simulated volume that \
         has the limits the publication states. Dashed grey is what was published as a number.</p><p>{without}</p>\
         <nav>{}</nav>{body}</main></html>\n",
        links.join(" ")
    )
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1160px;padding:16px;\
    background:#fbfbf8;color:#17212b;color-scheme:light dark}article{display:grid;\
    grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:24px;border-top:1px solid #8886;padding:16px 0}\
    h2{font-size:1.1rem;margin:0}figure{margin:0}figure svg{width:100%;height:auto}pre{overflow:auto;max-width:100%;font-size:.76rem}\
    .said{white-space:pre-wrap;overflow-wrap:anywhere;color:#4a5763}nav a{margin-right:.5em;color:inherit}\
    article:has(figure>pre){grid-template-columns:minmax(0,1fr)}img{max-width:100%}\
    .numbers{border-collapse:collapse;width:100%;font-size:.8rem}.numbers caption{text-align:left;font-weight:600}\
    .numbers th{font-weight:400;text-align:left;padding:1px 6px 1px 0}.numbers td:last-child{text-align:right;white-space:nowrap}\
    .numbers td:nth-child(2){width:40%;padding:0 6px}.numbers i{display:block;height:.7em;background:#8a8f98}\
    @media print{article{break-inside:avoid}figure pre{white-space:pre-wrap;overflow-wrap:anywhere}}\
    @media(max-width:760px){article{grid-template-columns:minmax(0,1fr)}body{padding:8px}figure{overflow-x:auto}figure pre{overflow:visible;max-width:none}}\
    @media screen and (prefers-color-scheme:dark){body{background:#10161c;color:#e4e9ee}.said{color:#b3bfca}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_without_the_published_picture_are_named() {
        assert_eq!(without(&[]), None);
        let words = without(&["g3", "g13a"]).unwrap();
        assert!(words.starts_with("Nothing that was published is drawn beside: G3, G13A."));
        let page = html("", &["g3"]);
        assert!(page.contains("is drawn beside: G3."));
        assert!(page.contains("<main><h1>") && page.contains("</main></html>"));
    }

    #[test]
    fn what_was_published_as_numbers_stands_beside_ours_and_the_rest_is_named() {
        let none: Vec<&str> = CHARTS
            .iter()
            .filter(|chart| numbers::picture(&chart.tables()).is_none())
            .map(|chart| chart.name)
            .collect();
        assert_eq!(none, ["g2", "g11", "g12", "g15"]);
        let g1 = CHARTS.iter().find(|chart| chart.name == "g1").unwrap();
        let shown = numbers::picture(&g1.tables()).unwrap();
        assert!(
            shown.contains("70.31 TiB") && shown.contains("4500 MiB/s"),
            "{shown}"
        );
        let g21b = CHARTS.iter().find(|chart| chart.name == "g21b").unwrap();
        let shown = numbers::picture(&g21b.tables()).unwrap();
        assert!(
            shown.contains("78521.23 IOPS") && shown.contains("306.72 MiB/s"),
            "{shown}"
        );
        // A chart of two runs has both published tables.
        let g10 = CHARTS.iter().find(|chart| chart.name == "g10").unwrap();
        assert_eq!(g10.tables(), ["anf-2025-4k-cached", "anf-2025-4k"]);
    }

    /// A caption speaks of lines and marks where a published table is drawn, and nowhere else.
    #[test]
    fn captions_name_what_is_drawn() {
        for chart in CHARTS {
            let levels = chart.drawn().map(numbers::levels).unwrap_or_default();
            let note = chart.note(&levels);
            assert_eq!(
                note.contains("level lines"),
                !levels.is_empty() && note.contains("without numbers"),
                "{}: {note}",
                chart.name
            );
            let has_factor = levels.iter().any(|name| name.contains("(/"));
            assert_eq!(note.contains("(/ N)"), has_factor, "{}: {note}", chart.name);
            assert!(
                !note.contains("grey marks") || chart.drawn().is_some(),
                "{}",
                chart.name
            );
        }
        let of = |name: &str| {
            let chart = CHARTS.iter().find(|chart| chart.name == name).unwrap();
            let levels = chart.drawn().map(numbers::levels).unwrap_or_default();
            chart.note(&levels)
        };
        for name in ["g11", "g12", "g15"] {
            assert!(of(name).ends_with("nothing of it is drawn here."));
        }
        assert!(of("g16").contains("(/ N)") && !of("g17").contains("(/ N)"));
    }

    #[test]
    fn what_is_done_at_once_stays_in_order_and_an_error_is_returned() {
        let squares = at_once(50, |n| Ok(n * n)).unwrap();
        assert_eq!(squares, (0..50).map(|n| n * n).collect::<Vec<_>>());
        let failed = at_once(50, |n| match n {
            7 => bail!("seven"),
            n => Ok(n),
        });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
        assert!(at_once(0, |_| Ok(())).unwrap().is_empty());
    }

    #[test]
    fn a_published_picture_is_found_by_the_name_of_its_chart() {
        let folder = std::env::temp_dir().join(format!("gallery-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("g3.png"), "").unwrap();
        let found = |name| original(Some(&folder), name).unwrap();
        assert!(found("g3").unwrap().contains("alt=\"G3 as published\""));
        assert_eq!(found("g4"), None);
        assert_eq!(original(None, "g3").unwrap(), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
