//! What may be done to a study while it runs.
//!
//! Belongs here: what the caller and the study report to each other between stages. Must never: run a stage.

use crate::fleet::Conductor;
use leadline_engine::prepare::MadeFiles;
use leadline_engine::run::{Interrupt, StoredVolumes};
use leadline_model::failure::Failure;
use leadline_model::finding::Finding;
use leadline_model::plan::Stage;
use std::cell::RefCell;
use std::rc::Rc;

/// What may be done to a running study.
#[derive(Clone, Default)]
pub(crate) struct StudyControl(pub(super) Rc<RefCell<Held>>);

#[derive(Default)]
pub(super) struct Held {
    pub(super) halt: Option<Interrupt>,
    failure: Option<Failure>,
    to_look_at: Vec<Stage>,
    volumes: Option<StoredVolumes>,
    hidden: MadeFiles,
}

impl StudyControl {
    /// Commands have run that may have mounted or made something: these stages are next, and are looked through
    /// before the first of them begins.
    pub(crate) fn look_at(&self, stages: Vec<Stage>) {
        self.0.borrow_mut().to_look_at = stages;
    }

    /// The run goes on with simulated volumes of an earlier one.
    pub(crate) fn go_on_with(&self, volumes: StoredVolumes) {
        self.0.borrow_mut().volumes = Some(volumes);
    }

    /// Files that were made and are not at their paths at the end of the run.
    pub(super) fn keep_hidden(&self, files: MadeFiles) {
        self.0.borrow_mut().hidden = files;
    }

    /// Deletes those of them that are at their paths now; what is left, as findings.
    pub(crate) fn remove_hidden(&self) -> Vec<Finding> {
        let hidden = &mut self.0.borrow_mut().hidden;
        let failed = hidden.remove().into_iter();
        failed.chain(hidden.left()).collect()
    }

    pub(super) fn restore(&self, conductor: &mut Conductor) {
        let volumes = self.0.borrow_mut().volumes.take();
        if let (Some(volumes), Some(session)) = (volumes, conductor.session()) {
            session.restore_volumes(volumes);
        }
    }

    pub(super) fn take_to_look_at(&self) -> Vec<Stage> {
        std::mem::take(&mut self.0.borrow_mut().to_look_at)
    }

    /// Ends the running stage; the next follows.
    pub(crate) fn end_stage(&self) {
        let held = self.0.borrow();
        held.halt.iter().for_each(Interrupt::raise);
    }

    /// The study has failed for this reason; the first reason is kept.
    pub(crate) fn fail(&self, why: Failure) {
        self.0.borrow_mut().failure.get_or_insert(why);
    }

    /// Why it has failed.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.0.borrow().failure.clone()
    }
}
