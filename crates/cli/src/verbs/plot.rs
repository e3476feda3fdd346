//! `leadline plot`: any figure over any axis, of one run or several, as a picture.

use super::report::kept_as;
use crate::args::Plot as Args;
use crate::exit::Exit;
use crate::kept;
use crate::out;
use crate::picture;
use crate::result_file::{Inputs, Replace, ResultFile};
use leadline_dialect::diagnostic::nearest;
use leadline_results::render::plot::{
    self, NoPlot, PlotAxis, PlotFigure, PlotX, Request, draw, figure, published,
};
use leadline_results::store;
use leadline_results::study::several;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Args) -> Exit {
    let request = match request(args) {
        Ok(request) => request,
        Err(errors) => {
            errors.iter().for_each(|line| out::say(line));
            return Exit::Usage;
        }
    };
    let paths: Vec<PathBuf> = args.runs.iter().map(|path| kept::named(path)).collect();
    let mut runs = Vec::new();
    for path in &paths {
        match store::open(path) {
            Ok(run) => runs.push(run),
            Err(error) => {
                out::say(&format!("error: {error}"));
                return Exit::Usage;
            }
        }
    }
    let each = paths.iter().zip(&runs).enumerate();
    let known: Vec<_> = each
        .map(|(n, (path, run))| (args.label.get(n).cloned(), kept_as(path), run))
        .collect();
    let named: Vec<_> = several::named(&known)
        .into_iter()
        .map(|one| (one.name, one.run))
        .collect();
    match plot::pick(&named, &request) {
        Ok(picked) => {
            for note in &picked.notes {
                out::say(&format!("note: {note}"));
            }
            write(args, &paths, &draw::svg(&picked))
        }
        Err(error) => {
            out::say(&format!("error: {error}"));
            if let Some(hint) = hint(&error) {
                out::say(&format!("  hint: {hint}"));
            }
            Exit::Usage
        }
    }
}

fn hint(error: &NoPlot) -> Option<&'static str> {
    match error {
        NoPlot::TooMany { .. } => {
            Some("--only AXIS=VALUE leaves only the points with that value: --only block=4k")
        }
        NoPlot::Nothing { .. } => {
            Some("put one of these along --x, or name one of their values with --only")
        }
        NoPlot::NoSuchPair { .. } | NoPlot::Published(_) => None,
    }
}

/// What is asked for; all that is wrong with it, in lines for the user.
fn request(args: &Args) -> Result<Request, Vec<String>> {
    let mut errors = Vec::new();
    let mut unknown = |option: &str, word: &str, known: Vec<&str>, also: &str| {
        errors.push(format!(
            "error: {option} {word}: expected {}{also}",
            known.join(", ")
        ));
        if let Some(near) = nearest(word, known) {
            errors.push(format!("  hint: did you mean {near}?"));
        }
    };
    let axes = || PlotAxis::all().map(PlotAxis::name);
    let latencies = ", or another percentile such as p99.95";
    let x = PlotX::named(&args.x);
    if x.is_none() {
        let known = axes().chain(["time", "percentile"]).chain(figure::NAMES);
        unknown("--x", &args.x, known.collect(), latencies);
    }
    let mut y = Vec::new();
    for word in args.y.split(',').map(str::trim) {
        match PlotFigure::named(word) {
            Some(figure) => y.push(figure),
            None => unknown("--y", word, figure::NAMES.to_vec(), latencies),
        }
    }
    let by = args.by.as_deref().and_then(|word| {
        let axis = PlotAxis::named(word);
        if axis.is_none() {
            unknown("--by", word, axes().collect(), "");
        }
        axis
    });
    let mut only = Vec::new();
    for pair in &args.only {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match PlotAxis::named(name) {
            Some(axis) if !value.is_empty() => only.push((axis, value.to_owned())),
            Some(_) => unknown("--only", pair, vec!["AXIS=VALUE"], ""),
            None => unknown("--only", name, axes().collect(), ", each with =VALUE"),
        }
    }
    if let Some(name) = args.published.as_deref()
        && !published::names().any(|known| known == name)
    {
        unknown("--published", name, published::names().collect(), "");
    }
    if args.label.len() > args.runs.len() {
        let (labels, runs) = (args.label.len(), args.runs.len());
        let s = if runs == 1 { "" } else { "s" };
        errors.push(format!("error: {labels} labels for {runs} run{s}"));
    }
    let ends = |path: &&Path| !ends_in(path, "svg") && !ends_in(path, "png");
    if let Some(path) = args.output.as_deref().filter(ends) {
        errors.push(format!(
            "error: {}: a picture is written as .svg or .png",
            path.display()
        ));
    }
    match x {
        Some(x) if errors.is_empty() => Ok(Request {
            x,
            y,
            by,
            only,
            published: args.published.clone(),
        }),
        _ => Err(errors),
    }
}

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn write(args: &Args, runs: &[PathBuf], picture: &str) -> Exit {
    let Some(path) = &args.output else {
        out::data(picture);
        return Exit::Fine;
    };
    let of_pixels = ends_in(path, "png");
    let bytes = match of_pixels {
        true => picture::png(picture),
        false => Ok(picture.as_bytes().to_vec()),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(why) => {
            out::say(&format!("error: {}: {why}", path.display()));
            out::say("  hint: write it as .svg, which needs no font, or install fonts-dejavu-core");
            return Exit::Environment;
        }
    };
    let replace = match of_pixels {
        true => Replace::OwnReports,
        false => Replace::Begins(draw::BEGIN),
    };
    let inputs = Inputs::of(runs.iter().cloned());
    let file = ResultFile::open(path, replace.or_any(args.force), &inputs);
    let written = file.and_then(|mut file| {
        file.write_bytes(&bytes)?;
        file.finish()
    });
    match written {
        Ok(()) => {
            out::say(&format!("written: {}", path.display()));
            Exit::Fine
        }
        Err(why) => {
            out::say(&format!("error: {why}"));
            out::say(
                "  hint: name another file with --output; --force replaces one that is not an input",
            );
            Exit::Environment
        }
    }
}
