//! `leadline agent`: the far end of a run over many hosts, on standard input and output. Started by a
//! controller, not by people.

use crate::args::Agent;
use crate::exit::Exit;
use crate::fleet::{LocalEngine, TOOLS, own_build};
use crate::{copies, out, session};
use leadline_engine::clock;
use leadline_engine::os::this_host;
use leadline_fleet::Patience;
use leadline_fleet::agent::{self, End, EngineApi, Identity, Switches, When};
use leadline_fleet::message::{Ending, HostFailure, Orders};
use leadline_model::event::Event;
use leadline_model::place::Place;
use leadline_model::plan::Stage;
use leadline_model::units::Nanos;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(crate) fn run(args: &Agent) -> Exit {
    let build = match own_build() {
        Ok(build) => build,
        Err(error) => {
            out::say(&format!(
                "error: cannot read leadline's own program file: {error}"
            ));
            return Exit::Environment;
        }
    };
    if args.build {
        out::data(&format!("{}\n", build.hash));
        return Exit::Fine;
    }
    look_after_copies(build.path);
    let identity = Identity {
        build: build.hash,
        hostname: this_host::hostname(),
        last_resort,
    };
    match (args.sim, &args.fifos) {
        (Some(count), Some(directory)) => many(&identity, count, directory),
        _ => one(&identity),
    }
}

/// Copies of the program that a host keeps are removed when they were not used for long. Beside the agent's work,
/// and again each hour: who runs for weeks uses his copy all that time.
fn look_after_copies(own: PathBuf) {
    let look = move || {
        loop {
            let _ = copies::look_after(&own, (TOOLS.wall_ms)());
            std::thread::sleep(Duration::from_secs(3600));
        }
    };
    // Without a thread they stay, which does no harm.
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    drop(thread.spawn(look));
}

fn one(identity: &Identity) -> Exit {
    let mut hands = LocalEngine::new(session::interrupt());
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let patience = Patience::default();
    match agent::serve(identity, input, output, &mut hands, TOOLS, patience) {
        End::Dismissed => Exit::Fine,
        End::Orphaned => Exit::Environment,
    }
}

/// The controller is gone and the stage does not end (I/O that hangs in the kernel): the process does.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "there is nothing to return to, and a hanging thread cannot return"
)]
fn last_resort() {
    std::process::exit(3);
}

/// Many simulated hosts in one process, each with a pair of named pipes `N.in` and `N.out`: for measuring
/// what a controller can bear.
fn many(identity: &Identity, count: u32, directory: &Path) -> Exit {
    let interrupt = session::interrupt();
    let hosts = (0..count).map(|number| {
        let (identity, interrupt) = (identity.clone(), interrupt.clone());
        let pipe = |end: &str| directory.join(format!("{number}.{end}"));
        let (input, output) = (pipe("in"), pipe("out"));
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        thread.spawn(move || {
            let Ok(input) = File::open(input) else { return };
            let Ok(output) = File::options().write(true).open(output) else {
                return;
            };
            drop(interrupt);
            let engine = LocalEngine::new(leadline_engine::run::Interrupt::default());
            let patience = Patience::default();
            agent::serve(
                &identity,
                input,
                output,
                &mut Paced(engine),
                TOOLS,
                patience,
            );
        })
    });
    let hosts: Vec<_> = hosts.collect();
    for host in hosts.into_iter().flatten() {
        if host.join().is_err() {
            return Exit::Environment;
        }
    }
    Exit::Fine
}

/// Simulated stages that take as long as they say: each event waits for its time.
struct Paced(LocalEngine);

impl EngineApi for Paced {
    fn switches(&self) -> Switches {
        self.0.switches()
    }

    fn begin(&mut self, orders: Orders) {
        self.0.begin(orders);
    }

    fn look(
        &mut self,
        number: u32,
        stage: Stage,
        last: bool,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), HostFailure> {
        self.0.look(number, stage, last, sink)
    }

    fn place(&mut self, target: &str) -> Place {
        self.0.place(target)
    }

    fn stage(
        &mut self,
        number: u32,
        stage: Stage,
        when: &mut When<'_>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Ending, HostFailure> {
        let start = std::cell::Cell::new(0);
        let stop = self.0.switches().stop;
        let mut noted = || {
            let at = when()?;
            start.set(at);
            Some(at)
        };
        self.0.stage(number, stage, &mut noted, &mut |event| {
            let due = match &event {
                Event::Interval(sample) => Nanos(sample.start.0 + sample.length.0),
                Event::WorkerEnded(totals) => totals.window_end,
                _ => Nanos::ZERO,
            };
            while !stop.load(Ordering::Relaxed) {
                let left = (start.get() + due.0).saturating_sub(clock::monotonic());
                if left == 0 {
                    break;
                }
                std::thread::sleep(Duration::from_nanos(left.min(200_000_000)));
            }
            sink(event);
        })
    }

    fn remove_made(&mut self, sink: &mut dyn FnMut(Event)) {
        self.0.remove_made(sink);
    }
}
