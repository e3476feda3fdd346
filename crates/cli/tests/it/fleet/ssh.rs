//! Hosts with their own sshd, address, name and home, reached by OpenSSH as a user would.

use super::net::{Net, has, tool};
use super::processes::{at_work, ios, job, sampled, words};
use crate::support::{Done, Place, Running, now, or_skip, sleep_ms};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Command;
use std::time::Duration;

/// Three hosts with sshd.
pub(crate) struct Hosts {
    pub(crate) net: Net,
    /// The command that stands for ssh.
    pub(crate) ssh: String,
}

impl Hosts {
    pub(crate) fn start(place: &Place, number: u32) -> Result<Self, String> {
        let sshd = has("sshd")?;
        let mut net = Net::new(3, number)?;
        let key = |name: &str| {
            let path = place.join(name).display().to_string();
            empty_key(&path).map(|()| path)
        };
        let (host_key, own_key) = (key("host_key")?, key("own_key")?);
        std::fs::create_dir_all("/run/sshd").map_err(|e| e.to_string())?;
        for host in 1..=3 {
            let config = place.join(&format!("sshd_config_{host}"));
            let text = format!(
                "Port 22\nListenAddress {}\nHostKey {host_key}\nAuthorizedKeysFile {own_key}.pub\n\
                 UsePAM no\nStrictModes no\nUseDNS no\nMaxStartups 200:30:400\n\
                 PermitRootLogin yes\nPidFile none\n",
                net.address(host)
            );
            std::fs::write(&config, text).map_err(|e| e.to_string())?;
            let script = format!(
                "hostname host{host}; mount -t tmpfs tmpfs /root; mount -t tmpfs tmpfs /mnt; \
                 exec {sshd} -D -f {} -E {}",
                config.display(),
                place.join(&format!("sshd_{host}.log")).display()
            );
            let mut words = Command::new("ip");
            words.args(["netns", "exec", &net.namespace(host)]);
            words.args(["unshare", "--uts", "--mount", "sh", "-c", &script]);
            net.keep(&mut words)?;
        }
        let ssh = format!(
            "ssh -F /dev/null -i {own_key} -o StrictHostKeyChecking=no \
             -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
        );
        let hosts = Self { net, ssh };
        hosts.wait()?;
        Ok(hosts)
    }

    fn wait(&self) -> Result<(), String> {
        let limit = now() + Duration::from_secs(60);
        for host in 1..=3 {
            let line = format!("{} root@{} hostname", self.ssh, self.net.address(host));
            loop {
                match tool(&line) {
                    Ok(name) if name == format!("host{host}") => break,
                    Ok(other) => return Err(format!("a host calls itself {other}")),
                    Err(why) if now() > limit => return Err(why),
                    Err(_) => sleep_ms(100),
                }
            }
        }
        Ok(())
    }

    /// A file with the hosts, whose /mnt is where they work.
    fn file(&self, place: &Place) -> String {
        let line = |host| {
            let address = self.net.address(host);
            format!("h{host} root@{address} launcher=ssh path=/volume:/mnt\n")
        };
        let path = place.join("hosts");
        std::fs::write(&path, (1..=3).map(line).collect::<String>()).unwrap();
        format!("--hosts={}", path.display())
    }

    fn start_job(&self, place: &Place, seconds: &str) -> Running {
        let job = job(&self.file(place), std::path::Path::new("/volume"), seconds);
        let mut command = place.fio(&words(&job));
        Running::start(command.env("LEADLINE_SSH", &self.ssh))
    }
}

/// A key without a word to open it: an empty argument cannot be split out of a line.
fn empty_key(path: &str) -> Result<(), String> {
    let status = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f", path])
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("ssh-keygen: {other:?}")),
    }
}

fn sound(done: &Done, place: &Place) {
    let run = place.kept();
    let each = ios(&run, 3);
    assert_eq!(each, sampled(&run, 3), "{done:?}");
}

#[test]
fn three_hosts_run_by_ssh_and_get_the_program_when_it_is_missing() {
    let place = Place::new();
    let Some(hosts) = or_skip("fleet::ssh", Hosts::start(&place, 71)) else {
        return;
    };
    let done = hosts.start_job(&place, "2").finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(
        done.stdout.matches("leadline is copied there").count(),
        3,
        "{done:?}"
    );
    sound(&done, &place);
    let each = ios(&place.kept(), 3);
    assert!(each.iter().all(|&n| (1000..=4100).contains(&n)), "{each:?}");
    let named = |host: &str| {
        place
            .kept()
            .facts
            .iter()
            .any(|f| f.value.text() == Some(host))
    };
    assert!(named("host1") && named("host2") && named("host3"));
    // The second time it is there.
    let done = hosts.start_job(&place, "1").finish();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stdout.contains("is copied"), "{done:?}");
    for host in 1..=3 {
        assert_eq!(hosts.net.agents(host), [0; 0]);
    }
}

#[test]
fn a_host_killed_and_one_cut_off_are_named_and_the_rest_finishes() {
    let place = Place::new();
    let Some(hosts) = or_skip("fleet::ssh_faults", Hosts::start(&place, 72)) else {
        return;
    };
    let running = hosts.start_job(&place, "11");
    at_work(&running, &place, 3);
    for pid in hosts.net.agents(2) {
        // It may have ended with another of its group.
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
    hosts.net.cut(3).unwrap();
    let cut = now();
    // The one that is cut off stops by itself.
    while !hosts.net.agents(3).is_empty() {
        assert!(
            cut.elapsed() < Duration::from_secs(30),
            "it goes on without a controller"
        );
        sleep_ms(50);
    }
    let done = running.finish();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("h2 was lost"), "{done:?}");
    assert!(done.stderr.contains("h3 was lost"), "{done:?}");
    sound(&done, &place);
    let each = ios(&place.kept(), 3);
    assert!(each[0] > 15_000, "the first finished: {each:?}");
    assert!(
        each[1] > 100 && each[2] > 100,
        "what the others said stands: {each:?}"
    );
}
