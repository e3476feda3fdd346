//! `leadline confirm`: a survey is taken up for the one experiment that would decide. Which that is, and its points, is for
//! `leadline_results::study` to say; here the survey's settings are read back and the new run is wired to the old one.

use super::Refusal;
use super::measure::{self, Places, Points};
use crate::args::{Cli, Confirm, Measure, Verb};
use crate::exit::Exit;
use crate::fleet::{Coming, HostsRequest};
use crate::kept;
use crate::live::Live;
use crate::out;
use crate::result_file::Inputs;
use crate::session::{self, Listeners};
use crate::simulated::are_simulated;
use clap::Parser;
use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::{Amount, Dialect, Plan, Target, Workload};
use leadline_model::units::Nanos;
use leadline_results::run::Run;
use leadline_results::store;
use leadline_results::study::limit::Deciding;
use leadline_results::study::studies::StageCount;
use leadline_results::study::{Confirmation, PointResult, SurveyOptions, Verdict};
use std::path::Path;

pub(crate) fn run(args: &Confirm) -> Exit {
    match taken_up(args) {
        Ok(exit) => exit,
        Err((text, exit)) => {
            out::say(&text);
            exit
        }
    }
}

fn taken_up(args: &Confirm) -> Result<Exit, Refusal> {
    let path = kept::named(&args.run);
    let run =
        store::open(&path).map_err(|error| (format!("error: {error}"), Exit::from(&error)))?;
    let (plan, measure) = survey_of(&run, args).ok_or_else(|| {
        refusal(
            &path,
            "not a survey",
            "name the run file of a `leadline measure`",
        )
    })?;
    is_there(&path, &plan)?;
    let asked = HostsRequest::graded(&measure.on, measure.fail_on_grade)
        .ok_or((String::new(), Exit::Usage))?;
    let options = as_measured(measure::options(&measure)?, &plan);
    let (_, options) =
        measure::outlook(options, None, &asked).ok_or((String::new(), Exit::Usage))?;
    let points = PointResult::all(&run);
    let deciding = deciding(&path, &run, &points, &options)?;
    let confirmation = Confirmation::new(options, deciding, &points)
        .ok_or_else(|| refusal(&path, "there is no depth curve in it", "repeat the survey"))?;
    make(args, (&path, plan, &measure, &asked), &points, confirmation)
}

/// Makes the experiment.
fn make(
    args: &Confirm,
    (path, plan, measure, asked): (&Path, Plan, &Measure, &HostsRequest),
    points: &[PointResult],
    mut confirmation: Confirmation,
) -> Result<Exit, Refusal> {
    let mut stages = confirmation.outlook(points);
    let resolved = asked.targets.resolve(&mut stages);
    resolved.map_err(|wrong| (wrong, Exit::Usage))?;
    let base = args.out.clone().unwrap_or_else(|| {
        let mut base = path.with_extension("").into_os_string();
        base.push("-confirmed");
        base.into()
    });
    let inputs = Inputs::of(measure.target.iter().cloned().chain([path.to_owned()]));
    let places =
        Places::at(&base, args.force, &inputs).map_err(|wrong| (wrong, Exit::Environment))?;
    let live = Live::new(!args.json || out::err_is_terminal()).without_findings();
    let mut listeners = Listeners::new(live.every(Nanos::SECOND));
    listeners.compare_with(&asked.checks);
    if are_simulated(&stages) {
        listeners.note([starts_afresh()]);
    }
    listeners.take_up(path, &places.run_file).map_err(|error| {
        let text = format!("error: {error}\n  hint: {}", measure::PLACE_CURE);
        (text, Exit::Environment)
    })?;
    let plan = Plan {
        destroy: args.destroy.clone(),
        ..plan
    };
    let study = session::Study {
        plan,
        seed: measure.seed.unwrap_or_else(session::fresh_seed),
        count: StageCount::known(stages.len()),
        coming: Coming {
            sure: stages.len(),
            stages,
        },
        accept: asked.accept,
        targets: asked.targets.clone(),
        keep_files: args.keep,
        leave_nothing: true,
        lets_go: false,
        control: session::StudyControl::default(),
    };
    let mut points = Points::default();
    let interrupt = session::interrupt();
    let result = session::run_study(study, interrupt, &mut listeners, &mut |run: &Run| {
        let stage = confirmation.next(points.of(run))?;
        Some((stage, confirmation.remaining()))
    });
    Ok(measure::end(
        args.json,
        asked,
        places,
        &mut listeners,
        result,
    ))
}

fn refusal(path: &Path, why: &str, cure: &str) -> Refusal {
    let text = format!("error: {}: {why}\n  hint: {cure}", path.display());
    (text, Exit::Usage)
}

/// The plan of a survey, and the arguments it was started with; what may be overwritten is for the user to say again.
fn survey_of(run: &Run, args: &Confirm) -> Option<(Plan, Measure)> {
    let plan = run.plan.as_ref()?;
    let native = plan.source.dialect == Dialect::Native && !plan.stages.is_empty();
    let words = ["leadline"].into_iter();
    let words = words.chain(plan.source.args.iter().map(String::as_str));
    match Cli::try_parse_from(words) {
        Ok(Cli {
            verb: Verb::Measure(measure),
        }) if native => {
            let destroy = args.destroy.clone();
            Some((plan.clone(), Measure { destroy, ..measure }))
        }
        _ => None,
    }
}

/// The first workload of the survey: its fill.
fn fill(plan: &Plan) -> Option<&Workload> {
    plan.stages.first()?.workloads.first()
}

/// Whether the targets are there still; a directory may have been removed at the survey's end, and that it was in not.
fn is_there(path: &Path, plan: &Plan) -> Result<(), Refusal> {
    let gone = |target: &Path| {
        let why = format!("its target is gone: there is no {}", target.display());
        refusal(path, &why, "mount or attach it again, under the same name")
    };
    let Some(fill) = fill(plan).filter(|_| plan.hosts.is_empty()) else {
        return Ok(());
    };
    match &fill.blocks().target {
        Target::Paths(paths) => {
            let missing = paths.iter().map(Path::new).find(|path| !path.exists());
            missing.map_or(Ok(()), |missing| Err(gone(missing)))
        }
        Target::Files(files) => {
            let parent = |path: &Path| match path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
                _ => ".".into(),
            };
            let directories = files.directories.iter().map(Path::new);
            let missing = directories
                .filter(|path| !path.exists())
                .find(|path| !parent(path).exists());
            missing.map_or(Ok(()), |missing| Err(gone(missing)))
        }
        Target::Null { .. } | Target::Simulated(_) => Ok(()),
    }
}

/// The options with what the survey made of them: room and time may have been less then.
fn as_measured(mut options: SurveyOptions, plan: &Plan) -> SurveyOptions {
    if let Some(Amount::Bytes(size)) = fill(plan).and_then(|fill| fill.blocks().region.size) {
        options.size = size;
    }
    let measured = plan
        .stages
        .iter()
        .skip(1)
        .flat_map(|stage| &stage.workloads);
    if let Some(first) = measured.into_iter().next() {
        options.time = first.stop.runtime.unwrap_or(options.time);
        options.warmup = first.stop.warmup;
    }
    options
}

/// What would decide.
fn deciding(
    path: &Path,
    run: &Run,
    points: &[PointResult],
    options: &SurveyOptions,
) -> Result<Deciding, Refusal> {
    let verdict = Verdict::of(points, &run.findings);
    let of = verdict.sentences.iter();
    let known = of.clone().find(|s| s.starts_with("Bottleneck"));
    let is_open = known.is_some_and(|known| known.starts_with("Bottleneck unknown"));
    let refused = |left: &str, cure: &str| {
        let why = known.map_or_else(|| left.to_owned(), |known| format!("{left}. {known}"));
        refusal(path, &why, cure)
    };
    let decides = verdict.limit.as_ref().and_then(|limit| limit.decides);
    let deciding = decides.ok_or_else(|| match is_open {
        true => refused(
            "no experiment from this host would decide",
            "the last sentence says what would decide",
        ),
        false => refused(
            "nothing left to decide",
            "no experiment from this host would add to it",
        ),
    })?;
    if deciding == Deciding::MoreOfMount {
        return Err(refused(
            "only another mount would decide",
            "mount with more connections (nconnect on NFS, multichannel on SMB) and survey again",
        ));
    }
    match deciding == Deciding::LargerSet && !options.has_room_for_more() {
        true => Err(refused(
            "nothing can be decided here",
            "a data set twice as large would decide, but the target has no room for it",
        )),
        false => Ok(deciding),
    }
}

fn starts_afresh() -> Finding {
    Finding {
        code: "device-starts-afresh".to_owned(),
        severity: Severity::Info,
        stage: None,
        workload: None,
        text: "The simulated volume was reset after the survey: full credits, an empty cache, and its clock at \
               zero."
            .to_owned(),
        cure: Cure::none(),
    }
}
