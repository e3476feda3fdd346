//! `leadline limits`: a set-up against what providers publish. The language is `leadline_limits`; here it is wired to
//! the options of the verb and to results.

use crate::args::LimitsArgs;
use crate::exit::Exit;
use crate::kept;
use crate::out;
use crate::published::{self, Described};
use crate::subject::{self, Found};
use leadline_limits::{Answer, json, missing, text};
use std::path::Path;

pub(crate) fn run(args: &LimitsArgs) -> Exit {
    let Some(described) = Described::of(args) else {
        return Exit::Usage;
    };
    if described.is_empty() && !args.table && args.run.is_none() && !args.here {
        out::say("error: nothing to look up");
        out::say(
            "  hint: --service anf-premium --quota 10TiB, --vm D8s_v3 --disk 3xP30, or --table",
        );
        return Exit::Usage;
    }
    let compared = match &args.run {
        None => Ok(described.answer(described.setup(), args.table)),
        Some(path) => of_result(&kept::named(path), &described, args.table),
    };
    let mut answer = match compared {
        Ok(answer) => answer,
        Err(why) => {
            out::say(&why);
            return Exit::Usage;
        }
    };
    let mut remarks = described.remarks;
    remarks.append(&mut answer.remarks);
    answer.remarks = remarks;
    answer.here = described.here;
    out::data(&if args.json {
        json(&answer)
    } else {
        text(&answer)
    });
    match missing(&answer) {
        None => Exit::Fine,
        Some((what, hint)) => {
            out::say(&format!("error: {what}\n  hint: {hint}"));
            Exit::Usage
        }
    }
}

/// The answer for the part of a result that comes nearest to a limit; what is said of each part is in its remarks.
fn of_result(path: &Path, described: &Described, table: bool) -> Result<Answer, String> {
    let answer = |setup| described.answer(setup, table);
    let setup = described.setup();
    let nothing = |what: &str| format!("error: {}: {what}", path.display());
    match subject::found(path).map_err(|why| why.words())? {
        Found::Run(run) => {
            let of_run = published::of_run::compared(&run, &setup, &answer);
            let of_run = of_run.ok_or_else(|| nothing("it has no stage with reads or writes"))?;
            Ok(Answer {
                remarks: of_run.lines,
                ..of_run.nearest
            })
        }
        Found::Other(subject) => published::of_result::compared(&subject, &setup, &answer)
            .ok_or_else(|| nothing("it has no row with a rate of reads or writes")),
    }
}
