//! `leadline report` and `leadline show`: from a run file alone, years later as well.

use crate::args::{Report as Args, Shape};
use crate::exit::Exit;
use crate::kept;
use crate::knobs::{self, Language};
use crate::out;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use crate::subject::{self, NoSubject};
use leadline_engine::os::host::make_folders;
use leadline_results::render::{self, text};
use leadline_results::run::Run;
use leadline_results::store;
use leadline_results::study::response::ResponseCurve;
use leadline_results::study::several;
use leadline_results::trust;
use std::path::{Path, PathBuf};

/// What a report is written as.
#[derive(Clone, Copy)]
enum ReportForm {
    Page,
    Text,
    Json,
    Series,
    Parts,
    Totals,
    Hdr,
    Other(Shape),
}

impl ReportForm {
    /// What was asked for: one of them at most.
    fn of(args: &Args) -> Self {
        let switches = [
            (args.text, Self::Text),
            (args.json, Self::Json),
            (args.csv, Self::Series),
            (args.csv_parts, Self::Parts),
            (args.csv_totals, Self::Totals),
            (args.hdr, Self::Hdr),
        ];
        let given = switches.into_iter().find(|(is_given, _)| *is_given);
        let shape = || args.shape.map_or(Self::Page, Self::Other);
        given.map_or_else(shape, |(_, form)| form)
    }

    /// Whether it is for programs, not for people.
    const fn is_data(self) -> bool {
        match self {
            Self::Page | Self::Text => false,
            Self::Json | Self::Series | Self::Parts | Self::Totals | Self::Hdr | Self::Other(_) => {
                true
            }
        }
    }

    /// Whether it needs every interval, also those that the run file joins.
    const fn is_of_intervals(self) -> bool {
        matches!(self, Self::Series | Self::Hdr)
    }
}

pub(crate) fn run(args: &Args) -> Exit {
    let runs = args.runs.iter().map(|path| kept::named(path)).collect();
    let args = &Args {
        runs,
        ..args.clone()
    };
    let [path] = args.runs.as_slice() else {
        return several(args);
    };
    let form = ReportForm::of(args);
    let run = match opened(path, form.is_of_intervals()) {
        Ok(run) => run,
        Err(error) => return unreadable(&error),
    };
    if let ReportForm::Other(Shape::Vdbench) = form {
        return vdbench(args, path, &run).or_grade(args.fail_on_grade, &run);
    }
    let target = match &args.output {
        None if matches!(form, ReportForm::Page) => Some(result_file::beside(path, "html")),
        other => other.clone(),
    };
    match render_as(form, path, &run) {
        Ok(text) => write(args, target, &text).or_grade(args.fail_on_grade, &run),
        Err(error) => {
            out::say(&format!("error: {error}"));
            Exit::Environment
        }
    }
}

/// Several runs on one page.
fn several(args: &Args) -> Exit {
    if ReportForm::of(args).is_data() {
        out::say(
            "error: several runs can only be shown together in HTML, or their curves with --text",
        );
        out::say("hint: name a single run for JSON, CSV, histograms or the output of another tool");
        return Exit::Usage;
    }
    if args.label.len() > args.runs.len() {
        let (labels, runs) = (args.label.len(), args.runs.len());
        out::say(&format!("error: {labels} labels for {runs} runs"));
        return Exit::Usage;
    }
    let mut runs = Vec::new();
    for path in &args.runs {
        match opened(path, false) {
            Ok(run) => runs.push(run),
            Err(error) => return unreadable(&error),
        }
    }
    let each = args.runs.iter().zip(&runs).enumerate();
    let known: Vec<_> = each
        .map(|(n, (path, run))| (args.label.get(n).cloned(), kept_as(path), run))
        .collect();
    let named = several::named(&known);
    let graded = |exit: Exit| {
        let each = runs.iter();
        each.fold(exit, |exit, run| exit.or_grade(args.fail_on_grade, run))
    };
    if args.text {
        if named.iter().all(|n| n.curves.is_empty()) {
            out::say(
                "error: none of these runs has a curve, which needs the same workload at two or more \
                 rates or depths",
            );
            out::say(
                "hint: `leadline compare A B` shows what changed; without --text the page does",
            );
            return Exit::Usage;
        }
        let lines = named.iter().flat_map(|n| {
            let line = |c| format!("{}\n", ResponseCurve::sentence_as(c, &n.label(c)));
            n.curves.iter().map(line)
        });
        return graded(write(args, args.output.clone(), &lines.collect::<String>()));
    }
    let page_file = args.output.clone().unwrap_or_else(free_page);
    graded(write(
        args,
        Some(page_file),
        &render::html::several_page(&named),
    ))
}

/// A name made of where a run is kept: its file, or the directory of an output directory's run.leadline.
pub(crate) fn kept_as(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let stem = match path.extension() {
        Some(extension) if extension == store::EXTENSION => path.file_stem(),
        _ => path.file_name(),
    };
    let stem = stem.unwrap_or_default();
    let directory = path.parent().and_then(Path::file_name);
    let name = directory.filter(|_| stem == "run").unwrap_or(stem);
    name.to_string_lossy().into_owned()
}

/// The first page that is not there yet: nothing is written over that was not named.
fn free_page() -> PathBuf {
    let numbered = (2..1000).map(|n| PathBuf::from(format!("curves-{n}.html")));
    let mut all = std::iter::once(PathBuf::from("curves.html")).chain(numbered);
    let free = all.find(|p| !p.exists());
    free.unwrap_or_else(|| PathBuf::from("curves-1000.html"))
}

/// `leadline show`: a run in full; of another tool's result what it has of figures.
pub(crate) fn show(path: &Path) -> Exit {
    let error = match opened(&kept::named(path), false) {
        Ok(run) => {
            out::data(&tables(&run));
            return Exit::Fine;
        }
        Err(error) => error,
    };
    match (subject::read(path), &error) {
        (Ok(found), _) => {
            out::data(&text::subject(&found));
            Exit::Fine
        }
        (Err(NoSubject::Text(wrong, sources)), _) => {
            super::say_diagnostics(&wrong, &sources);
            Exit::Usage
        }
        // Of a file that is another program's, what was looked for.
        (Err(NoSubject::Said(why)), store::StoreError::NotARun { .. }) => {
            out::say(&why);
            Exit::Usage
        }
        _ => unreadable(&error),
    }
}

/// The run in a file, with every interval when it is wanted `whole`. One without an end was never checked, since that
/// is done at the end: it is now.
fn opened(path: &Path, whole: bool) -> Result<Run, store::StoreError> {
    let mut run = if whole {
        store::open_whole(path)?
    } else {
        store::open(path)?
    };
    if run.outcome.is_none() {
        let language = run.plan.as_ref().map(Language::of);
        let language = language.unwrap_or_default();
        let found = trust::findings(&run);
        let said = found.iter().map(|f| knobs::in_words(f, language));
        run.findings.extend(said);
    }
    Ok(run)
}

/// Tables of a run for the terminal on standard output.
pub(crate) fn tables(run: &Run) -> String {
    render::text::run(run, &out::out_style())
}

fn render_as(
    form: ReportForm,
    path: &Path,
    run: &Run,
) -> Result<String, Box<dyn std::error::Error>> {
    let options = |bins| leadline_fio::report::Options {
        bins,
        run_file: Some(path.display().to_string()),
        zone: crate::time::zone(),
    };
    Ok(match form {
        ReportForm::Other(Shape::Fio) => {
            let header = run
                .plan
                .as_ref()
                .map(leadline_fio::report::header)
                .unwrap_or_default();
            header + &leadline_fio::report::text(run, &options(false))
        }
        ReportForm::Other(Shape::FioJson) => leadline_fio::report::json(run, &options(false)),
        ReportForm::Other(Shape::FioJsonPlus) => leadline_fio::report::json(run, &options(true)),
        ReportForm::Other(Shape::Diskspd) => leadline_diskspd::report::text(run),
        ReportForm::Other(Shape::DiskspdXml) => leadline_diskspd::report::xml(run),
        ReportForm::Json => render::json::json(run)?,
        ReportForm::Series => render::csv::series(run)?,
        ReportForm::Parts => render::csv::parts(run)?,
        ReportForm::Totals => render::csv::totals(run)?,
        ReportForm::Hdr => render::hdr::log(run)?,
        ReportForm::Text => tables(run),
        // Vdbench's is a directory: written by `vdbench`.
        ReportForm::Page | ReportForm::Other(Shape::Vdbench) => {
            render::html::page(run, leadline_fio::print::recipe)
        }
    })
}

/// Vdbench's output is a directory of files. It is made, and what is in it is not written over.
fn vdbench(args: &Args, path: &Path, run: &Run) -> Exit {
    let directory = args.output.clone();
    let directory = directory.unwrap_or_else(|| result_file::beside(path, "output"));
    let options = leadline_vdbench::report::Options {
        directory: directory.display().to_string(),
        zone: crate::time::zone(),
    };
    if let Err(error) = fill(&directory, &leadline_vdbench::report::files(run, options)) {
        out::say(&format!("error: {}: {error}", directory.display()));
        out::say("hint: name a new or an empty directory with --output");
        return Exit::Environment;
    }
    out::say(&format!("written: {}", directory.display()));
    Exit::Fine
}

fn fill(directory: &Path, files: &[(String, String)]) -> std::io::Result<()> {
    make_folders(directory)?;
    for (name, text) in files {
        let path = directory.join(name);
        let mut file = std::fs::File::create_new(&path)?;
        let written = std::io::Write::write_all(&mut file, text.as_bytes());
        written.and_then(|()| file.sync_all()).inspect_err(|_| {
            let _ = std::fs::remove_file(&path);
        })?;
    }
    Ok(())
}

fn write(args: &Args, target: Option<PathBuf>, text: &str) -> Exit {
    let Some(path) = target else {
        out::data(text);
        return Exit::Fine;
    };
    let first_line = text.split_inclusive('\n').next().unwrap_or_default();
    let replace = match ReportForm::of(args) {
        _ if args.force => Replace::Any,
        ReportForm::Series | ReportForm::Parts | ReportForm::Totals | ReportForm::Hdr => {
            Replace::Begins(first_line)
        }
        ReportForm::Page | ReportForm::Text | ReportForm::Json | ReportForm::Other(_) => {
            Replace::OwnReports
        }
    };
    let mut inputs = args.runs.clone();
    // What a writer has not folded in yet.
    inputs.extend(args.runs.iter().map(|run| {
        let mut log = run.clone().into_os_string();
        log.push("-wal");
        log.into()
    }));
    let file = match ResultFile::open(&path, replace, &Inputs::of(inputs)) {
        Ok(file) => file,
        Err(why) => {
            out::say(&format!("error: {why}"));
            out::say(
                "  hint: name another file with --output; --force replaces one that is not an \
                 input",
            );
            return Exit::Environment;
        }
    };
    match file.write_whole(text) {
        Ok(()) => {
            out::say(&format!("written: {}", path.display()));
            Exit::Fine
        }
        Err(why) => {
            out::say(&format!("error: {why}"));
            Exit::Environment
        }
    }
}

fn unreadable(error: &store::StoreError) -> Exit {
    out::say(&format!("error: {error}"));
    Exit::Usage
}
