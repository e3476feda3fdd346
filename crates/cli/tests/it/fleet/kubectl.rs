//! The template for `kubectl exec`, with a script in kubectl's place that behaves as it does: the words before
//! `--`, the pod's own file system, an error when there is no such pod, and a process in the pod that outlives
//! a kubectl that is killed. There is no Kubernetes in it.

use super::copies::script;
use super::processes::{at_work, ios, job, sampled, words};
use crate::support::{Place, Running, finish, now, sleep_ms};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// In kubectl's place: pods are the directories below `pods`. What runs in a pod is a process of its own
/// session; its streams stay open whatever becomes of kubectl, and its output is no longer read.
const KUBECTL: &str = r#"#!/bin/sh
if [ "$1 $2 $4" != "exec -i --" ]; then echo "error: unknown words: $*" >&2; exit 1; fi
pod=PODS/$3
if ! [ -d "$pod" ]; then echo "Error from server (NotFound): pods \"$3\" not found" >&2; exit 1; fi
shift 4
exec 3<&0
rm -f "$pod/in" "$pod/out"
mkfifo "$pod/in" "$pod/out"
HOME=$pod XDG_CACHE_HOME=$pod/cache setsid "$@" <"$pod/in" >"$pod/out" &
setsid sleep 60 >"$pod/in" <"$pod/out" & echo $! >"$pod/holder"
cat <&3 >"$pod/in" &
exec cat "$pod/out"
"#;

struct Cluster {
    place: Place,
    path: String,
}

impl Cluster {
    fn new(pods: &[&str]) -> Self {
        let place = Place::new();
        for pod in pods {
            std::fs::create_dir_all(place.join("pods").join(pod).join("data")).unwrap();
        }
        let bin = place.join("bin");
        std::fs::create_dir(&bin).unwrap();
        let pods = place.join("pods").display().to_string();
        script(&bin.join("kubectl"), &KUBECTL.replace("PODS", &pods));
        let old = std::env::var("PATH").unwrap();
        let path = format!("{}:{old}", bin.display());
        Self { place, path }
    }

    /// A job over these pods, each with its own volume.
    fn command(&self, pods: &[&str], seconds: &str) -> Command {
        let pod = |pod: &&str| {
            let volume = self.place.join("pods").join(pod).join("data");
            format!(
                "{pod} {pod} launcher=\"kubectl exec -i {{host}} -- \" path=/volume:{}\n",
                volume.display()
            )
        };
        let hosts: String = pods.iter().map(pod).collect();
        std::fs::write(self.place.join("hosts"), hosts).unwrap();
        let job = job("--hosts=./hosts", "/volume".as_ref(), seconds);
        let mut command = self.place.fio(&words(&job));
        command.env("PATH", &self.path);
        command
    }

    fn data(&self, pod: &str) -> PathBuf {
        let directory = self.place.join("pods").join(pod).join("data");
        directory.join(format!("{pod}.a.0.0"))
    }

    /// Ids of the agents in the pods.
    fn agents(&self) -> Vec<String> {
        let cache = self.place.join("pods").display().to_string();
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
        names
            .filter(|pid| {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line);
                line.starts_with(&cache) && line.ends_with("\0agent\0")
            })
            .collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for pod in std::fs::read_dir(self.place.join("pods"))
            .unwrap()
            .flatten()
        {
            if let Ok(pid) = std::fs::read_to_string(pod.path().join("holder")) {
                let _ = Command::new("kill").arg(pid.trim()).status();
            }
        }
    }
}

#[test]
fn the_template_for_kubectl_exec_runs_a_plan_in_pods_by_a_script_in_kubectls_place() {
    let cluster = Cluster::new(&["web-0", "web-1"]);
    let done = finish(&mut cluster.command(&["web-0", "web-1", "web-9"], "2"));
    assert_eq!(done.code, Some(1), "a host is missing: {done:?}");
    let missing = "web-9 was lost after";
    assert!(done.stderr.contains(missing), "{done:?}");
    let said = "it said: Error from server (NotFound): pods \"web-9\" not found";
    assert!(done.stderr.contains(said), "{done:?}");
    let run = cluster.place.kept();
    let each = ios(&run, 2);
    assert!(each.iter().all(|&n| (1000..=4100).contains(&n)), "{each:?}");
    assert_eq!(each, sampled(&run, 2));
    assert!(cluster.data("web-0").exists() && cluster.data("web-1").exists());
    assert_eq!(cluster.agents(), [""; 0]);
}

#[test]
fn an_agent_in_a_pod_ends_by_itself_when_kubectl_is_killed_and_its_streams_stay_open() {
    let cluster = Cluster::new(&["web-0", "web-1"]);
    let running = Running::start(&mut cluster.command(&["web-0", "web-1"], "60"));
    running.wait_for(&cluster.data("web-1"));
    at_work(&running, &cluster.place, 2);
    assert_eq!(cluster.agents().len(), 2);
    running.signal(Signal::KILL);
    let gone = now();
    while !cluster.agents().is_empty() {
        assert!(gone.elapsed() < Duration::from_secs(30), "they go on");
        sleep_ms(50);
    }
    running.finish();
    for pod in ["web-0", "web-1"] {
        assert!(!cluster.data(pod).exists(), "its file is left in {pod}");
    }
}
