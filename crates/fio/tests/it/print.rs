//! The plan as a fio job file, read by the real fio.

use leadline_fio::print::fio_job;
use leadline_results::fixture::device::{Device, survey_run};
use leadline_results::study::{Scope, SurveyOptions, SurveyTarget};
use std::process::Command;

#[test]
fn fio_accepts_the_survey_as_a_job_file() {
    if Command::new("fio").arg("--version").output().is_err() {
        leadline_testkit::skip(
            "fio_accepts_the_survey_as_a_job_file",
            "no fio is installed (apt-get install fio)",
        );
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let place = SurveyTarget::Directory(dir.path().display().to_string());
    let mut options = SurveyOptions::new(place, Scope::Quick);
    options.jobs = 2;
    let run = survey_run(&Device::default(), options);
    let job = dir.path().join("job.fio");
    let text = fio_job(&run.plan.expect("a plan"));
    assert!(text.contains("filename_format=leadline-survey.$jobnum.$filenum"));
    std::fs::write(&job, &text).unwrap();
    let output = Command::new("fio")
        .args(["--parse-only", "--warnings-fatal"])
        .arg(&job)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
    assert!(!said.contains("bad option"), "{said}");
}
