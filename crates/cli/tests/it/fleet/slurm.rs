//! A Slurm of three nodes.

use super::net::{Net, has, tool};
use super::processes::{ios, job, sampled, words};
use crate::support::{LEADLINE, Place, Running, now, or_skip, sleep_ms};
use leadline_model::event::{HostNews, HostState};
use leadline_results::run::Run;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Its ports and its network are there once.
static ONE: Mutex<()> = Mutex::new(());

/// A controller of Slurm and three nodes.
struct Slurm {
    /// Its processes are in it.
    _net: Net,
    config: String,
    _only: MutexGuard<'static, ()>,
}

impl Slurm {
    fn start(place: &Place) -> Result<Self, String> {
        let programs = [
            "munged",
            "slurmctld",
            "slurmd",
            "srun",
            "nsenter",
            "hostname",
        ]
        .map(has);
        let [munged, slurmctld, slurmd, ..] = programs;
        let (munged, slurmctld, slurmd) = (munged?, slurmctld?, slurmd?);
        has("srun")?;
        let only = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut net = Net::new(3, 73)?;
        let path = |name: &str| place.join(name).display().to_string();
        std::fs::write(path("munge.key"), [7; 1024]).map_err(|e| e.to_string())?;
        tool(&format!("chmod 600 {}", path("munge.key")))?;
        let socket = path("munge.socket");
        net.keep(Command::new(munged).args([
            "--foreground",
            "--force",
            &format!("--key-file={}", path("munge.key")),
            &format!("--socket={socket}"),
            &format!("--pid-file={}", path("munge.pid")),
            &format!("--log-file={}", path("munge.log")),
            &format!("--seed-file={}", path("munge.seed")),
        ]))?;
        let config = path("slurm.conf");
        let node = |n| format!("NodeName=host{n} NodeAddr={} CPUs=4\n", net.address(n));
        let nodes: String = (1..=3).map(node).collect();
        let own = tool("hostname")?;
        let text = format!(
            "ClusterName=test\nSlurmctldHost={own}({})\nSlurmUser=root\nAuthType=auth/munge\n\
             AuthInfo=socket={socket}\nCryptoType=crypto/munge\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\nReturnToService=2\n\
             SwitchType=switch/none\nMpiDefault=none\n\
             StateSaveLocation={}\nSlurmdSpoolDir={}-%n\nSlurmctldPidFile={}\nSlurmdPidFile={}-%n\n\
             SlurmctldLogFile={}\nSlurmdLogFile={}-%n\nSlurmctldPort=16817\nSlurmdPort=16818\n\
             {nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            net.own_address(),
            path("state"),
            path("spool"),
            path("ctld.pid"),
            path("d.pid"),
            path("ctld.log"),
            path("d.log"),
        );
        std::fs::write(&config, text).map_err(|e| e.to_string())?;
        sleep_ms(500);
        net.keep(Command::new("setsid").args([&slurmctld, "-D", "-c", "-f", &config]))?;
        for host in 1..=3 {
            let script = format!("hostname host{host}; exec {slurmd} -D -N host{host} -f {config}");
            let space = format!("--net=/run/netns/{}", net.namespace(host));
            net.keep(
                Command::new("setsid")
                    .args(["nsenter", &space, "unshare", "--uts", "sh", "-c", &script]),
            )?;
        }
        let slurm = Self {
            _net: net,
            config,
            _only: only,
        };
        slurm.wait()?;
        Ok(slurm)
    }

    fn wait(&self) -> Result<(), String> {
        let limit = now() + Duration::from_secs(60);
        loop {
            let mut srun = Command::new("srun");
            srun.env("SLURM_CONF", &self.config);
            let output = srun
                .args(["-N3", "-n3", "--immediate=2", "hostname"])
                .output();
            let output = output.map_err(|e| e.to_string())?;
            if output.status.success() {
                return Ok(());
            }
            if now() > limit {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
            sleep_ms(300);
        }
    }
}

/// Each host is the node it was to be.
fn each_on_its_node(run: &Run) {
    let own = |news: &HostNews| match &news.what {
        HostState::Connected { hostname, .. } => Some((news.host, hostname.clone())),
        _ => None,
    };
    let mut nodes: Vec<_> = run.hosts.iter().filter_map(own).collect();
    nodes.sort();
    let wanted = [0, 1, 2].map(|host| (host, format!("host{}", host + 1)));
    assert_eq!(nodes, wanted);
}

#[test]
fn three_nodes_of_slurm_run_a_plan() {
    let place = Place::new();
    let Some(slurm) = or_skip("fleet::slurm", Slurm::start(&place)) else {
        return;
    };
    let hosts = "--hosts=slurm:host1,slurm:host2,slurm:host3";
    let job = job(hosts, place.path(), "2");
    let mut command = place.fio(&words(&job));
    // The nodes share this machine's home: the copy of the program is not to stay there.
    command.env("XDG_CACHE_HOME", place.join("cache"));
    let done = Running::start(command.env("SLURM_CONF", &slurm.config)).finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    let run = place.kept();
    let each = ios(&run, 3);
    assert!(each.iter().all(|&n| (100..=4100).contains(&n)), "{each:?}");
    assert_eq!(each, sampled(&run, 3));
    each_on_its_node(&run);
}

/// Inside an allocation srun knows it from its environment, and the steps of all hosts run at the same time.
#[test]
fn a_plan_runs_inside_an_allocation_of_slurm() {
    let place = Place::new();
    let name = "fleet::slurm_allocation";
    let tools = has("salloc").and_then(|_| has("sbatch"));
    let Some(_) = or_skip(name, tools) else {
        return;
    };
    let Some(slurm) = or_skip(name, Slurm::start(&place)) else {
        return;
    };
    let job = job(
        "--hosts=slurm:host1,slurm:host2,slurm:host3",
        place.path(),
        "2",
    );
    // What users ask for beside the nodes must not become what a step asks for.
    let asked = [
        "-N3",
        "--exclusive",
        "--ntasks-per-node=2",
        "--cpus-per-task=2",
    ];
    let mut salloc = Command::new("salloc");
    salloc.args(asked).arg(LEADLINE);
    let mut sbatch = Command::new("sbatch");
    let output = format!("--output={}", place.join("batch.out").display());
    let script = place.join("batch");
    super::copies::script(&script, "#!/bin/sh\nexec \"$@\"\n");
    sbatch
        .args(asked)
        .args(["--wait", &output])
        .arg(&script)
        .arg(LEADLINE);
    // As a step of its own that has all of a node's processors: theirs cannot be waited for.
    let mut step = Command::new("salloc");
    step.args(asked).args(["srun", "--nodes=1", "--ntasks=1"]);
    step.args(["--nodelist=host1", "--cpus-per-task=4"])
        .arg(LEADLINE);
    for runner in [salloc, sbatch, step] {
        let mut command = place.fio_by(runner, &words(&job));
        command.env("XDG_CACHE_HOME", place.join("cache"));
        let done = Running::start(command.env("SLURM_CONF", &slurm.config)).finish();
        let log = std::fs::read_to_string(place.join("batch.out")).unwrap_or_default();
        assert_eq!(done.code, Some(0), "{done:?} {log}");
        let run = place.kept();
        let each = ios(&run, 3);
        assert!(each.iter().all(|&n| (100..=4100).contains(&n)), "{each:?}");
        assert_eq!(each, sampled(&run, 3));
        each_on_its_node(&run);
    }
}
