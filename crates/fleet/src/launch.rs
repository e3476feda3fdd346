//! Starting agents on hosts with what the user already has: ssh, Slurm, a command of the user's own, or a
//! process here. All at once, each in its own thread.
//!
//! Belongs here: command lines, the script that finds or takes the program at the far end, and the way
//! from a started process to a line. Must never: ask for a password, listen, or leave a process running when
//! the line is cut.

mod words;

pub use words::{far_script, words};

use crate::build::Build;
use crate::frame::{self, Opening, PROTOCOL};
use crate::link::{self, Arrival, Inbox, Incoming, Link};
use crate::message::ToAgent;
use leadline_model::plan::HostSpec;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes of the far end's complaints that are kept.
const COMPLAINT: usize = 4 << 10;

/// Starts an agent on each host; a line to each comes back at once, and what becomes of it comes to the
/// inbox. `apart` keeps signals of the terminal from a program that is to be started: Ctrl-C is for the controller,
/// which then says to all hosts what to do.
pub fn start(
    hosts: &[HostSpec],
    build: &Arc<Build>,
    inbox: &SyncSender<Incoming>,
    now: fn() -> u64,
    apart: fn(&mut Command) -> &mut Command,
) -> Vec<Link> {
    let mut links = Vec::new();
    for (host, spec) in (0..).zip(hosts) {
        let process = Arc::new(Process::default());
        let own = Arc::clone(&process);
        let (link, messages) = Link::new(Arc::new(move || own.kill()));
        links.push(link);
        let start = Start {
            spec: spec.clone(),
            build: Arc::clone(build),
            process,
            apart,
            inbox: Inbox {
                host,
                to: inbox.clone(),
                now,
            },
        };
        let refused = thread(move || start.live(messages));
        if let Err(error) = refused {
            let why = format!("cannot start a thread for it: {error}");
            let at = now();
            // The inbox is shared and may be full: whoever connects it empties it later.
            let gone = Incoming {
                host,
                at,
                what: Arrival::Gone(why),
            };
            let _ = inbox.try_send(gone);
        }
    }
    links
}

fn thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    // Thousands of hosts have thousands of threads: small ones.
    let thread = std::thread::Builder::new().stack_size(128 << 10);
    thread.spawn(work).map(drop)
}

/// A process that can be ended from another thread.
#[derive(Default)]
struct Process {
    child: Mutex<Option<Child>>,
    complaint: Mutex<Vec<u8>>,
    /// Nothing more will be complained of.
    silent: AtomicBool,
}

impl Process {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self) {
        if let Some(child) = self.lock().as_mut() {
            // One that has ended already is what is wanted.
            let _ = child.kill();
        }
    }

    /// Waits a little for its end, then ends it; how it ended, in words.
    fn end(&self) -> String {
        for _ in 0..40 {
            let status = self.lock().as_mut().map(Child::try_wait);
            match status {
                Some(Ok(Some(status))) if status.success() => return String::new(),
                Some(Ok(Some(status))) => return format!(" ({status})"),
                Some(Ok(None)) => std::thread::sleep(Duration::from_millis(25)),
                _ => return String::new(),
            }
        }
        if let Some(mut child) = self.lock().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        String::new()
    }

    /// The last lines it complained in, when it has ended.
    fn complaint(&self) -> String {
        // A process that others still share its streams with may never come to that.
        for _ in 0..20 {
            if self.silent.load(Ordering::SeqCst) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let bytes = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        lines[lines.len().saturating_sub(3)..].join("; ")
    }
}

/// The start of one agent.
struct Start {
    spec: HostSpec,
    build: Arc<Build>,
    process: Arc<Process>,
    apart: fn(&mut Command) -> &mut Command,
    inbox: Inbox,
}

impl Start {
    /// From the first call to the end of the line.
    fn live(self, messages: Receiver<ToAgent>) {
        let why = self.connect(messages).unwrap_or_else(|why| why);
        let status = self.process.end();
        let complaint = self.process.complaint();
        let said = if complaint.is_empty() {
            complaint
        } else {
            format!("; it said: {complaint}")
        };
        self.inbox
            .send(Arrival::Gone(format!("{why}{status}{said}")));
    }

    fn connect(&self, messages: Receiver<ToAgent>) -> Result<String, String> {
        let (mut input, mut output) = self.spawn()?;
        let mut copied = false;
        loop {
            match frame::read_opening(&mut output).map_err(|e| e.to_string())? {
                Opening::Want if copied => return Err("it asks for the program twice".to_owned()),
                Opening::Want => {
                    self.copy(&mut input)?;
                    copied = true;
                }
                Opening::Agent { protocol, .. } if protocol != PROTOCOL => {
                    return Err(format!(
                        "its agent has protocol version {protocol}, this leadline has {PROTOCOL}"
                    ));
                }
                Opening::Agent { build, .. } if build != self.build.hash => {
                    return Err(format!(
                        "its agent is a different build of leadline ({build}, this one is {})",
                        self.build.hash
                    ));
                }
                Opening::Agent { .. } => break,
            }
        }
        let now = self.inbox.now;
        thread(move || link::talk(&mut input, &messages, now)).map_err(|e| e.to_string())?;
        Ok(link::listen(&mut output, &self.inbox))
    }

    fn spawn(&self) -> Result<(ChildStdin, ChildStdout), String> {
        let words = words(&self.spec, &self.build, self.inbox.host)?;
        let Some((program, args)) = words.split_first() else {
            return Err("its launcher is empty".to_owned());
        };
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = (self.apart)(&mut command)
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        *self.process.lock() = Some(child);
        let (Some(input), Some(output), Some(mut complaints)) = streams else {
            return Err("it was started without stdin and stdout".to_owned());
        };
        let process = Arc::clone(&self.process);
        let keep = move || {
            keep_the_last(&mut complaints, &process.complaint);
            process.silent.store(true, Ordering::SeqCst);
        };
        thread(keep).map_err(|e| e.to_string())?;
        Ok((input, output))
    }

    /// Sends the program to a host that asked for it.
    fn copy(&self, to: &mut ChildStdin) -> Result<(), String> {
        let (build, label) = (&self.build, &self.spec.label);
        let need = build.loader.as_ref().map_or_else(String::new, |loader| {
            format!(
                "; it is linked dynamically and starts only where {loader} is (cargo xtask dist makes \
                 a static one)"
            )
        });
        let mebibytes = build.size.div_ceil(1 << 20);
        self.inbox.send(Arrival::Word(format!(
            "{label}: leadline is copied there ({mebibytes} MiB, kept as {}){need}",
            build.hash
        )));
        let mut file = File::open(&build.path).map_err(|e| e.to_string())?;
        let mut chunk = vec![0; 1 << 16];
        let mut sent = 0;
        while sent < build.size {
            let most = usize::try_from(build.size - sent).unwrap_or(usize::MAX);
            let most = most.min(chunk.len());
            let read = file.read(&mut chunk[..most]).map_err(|e| e.to_string())?;
            if read == 0 {
                return Err(format!(
                    "{} shrank while it was copied",
                    build.path.display()
                ));
            }
            to.write_all(&chunk[..read])
                .map_err(|e| format!("copying the program to the host: {e}"))?;
            sent += read as u64;
            self.inbox.send(Arrival::Progress);
        }
        to.flush().map_err(|e| e.to_string())
    }
}

/// Keeps the last of what a stream says.
fn keep_the_last(from: &mut dyn Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 1024];
    while let Ok(read) = from.read(&mut chunk) {
        if read == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..read]);
        let over = kept.len().saturating_sub(COMPLAINT);
        kept.drain(..over);
    }
}
