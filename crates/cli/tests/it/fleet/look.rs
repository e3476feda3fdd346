//! The look at all hosts before anything is made on any: what lies otherwise on one host, and what one refuses.

use crate::support::{Done, LEADLINE, Place, finish, or_skip};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// Hosts called `mounted*` have a file system of their own at a folder; others do not.
struct Hosts {
    place: Place,
}

impl Hosts {
    /// `Err` says what this machine lacks.
    fn new() -> Result<Self, String> {
        let unshared = Command::new("unshare").args(["--mount", "true"]).status();
        if !unshared.is_ok_and(|status| status.success()) {
            return Err("a mount namespace of one's own needs root, and unshare".to_owned());
        }
        let hosts = Self {
            place: Place::new(),
        };
        let at = hosts.volume();
        std::fs::create_dir_all(&at).unwrap();
        std::fs::create_dir_all(hosts.side()).unwrap();
        // In place of OpenSSH and as a launcher; what is left on the file system at the end is returned.
        let script = format!(
            "#!/bin/sh\n\
             case \"$1\" in\n\
             -*) while [ \"$1\" != -- ]; do shift; done; host=$2; set -- sh -c \"$3\" ;;\n\
             *) host=$1; shift ;;\n\
             esac\n\
             case \"$host\" in\n\
             bound*) exec unshare --mount sh -c 'mount -t tmpfs tmpfs {2} && mkdir {2}/a && \
             mount --bind {2}/a {0} || exit 9; \"$@\"; ls -A {0} >> {1}' sh \"$@\" ;;\n\
             mounted*) exec unshare --mount sh -c 'mount -t tmpfs -o size=64m tmpfs {0} || exit 9; \
             \"$@\"; ls -A {0} >> {1}' sh \"$@\" ;;\n\
             esac\n\
             exec \"$@\"\n",
            at.display(),
            hosts.left().display(),
            hosts.side().display()
        );
        let far = hosts.place.join("far");
        std::fs::write(&far, script).unwrap();
        std::fs::set_permissions(&far, std::fs::Permissions::from_mode(0o755)).unwrap();
        Ok(hosts)
    }

    fn volume(&self) -> PathBuf {
        self.place.join("mnt/vdb3")
    }

    /// Where hosts called `bound*` have the file system of which they mount a folder at the volume.
    fn side(&self) -> PathBuf {
        self.place.join("mnt/side")
    }

    /// What lay on the mounted file systems when their agents had ended.
    fn left(&self) -> PathBuf {
        self.place.join("left")
    }

    fn run(&self, words: &[String]) -> Done {
        let _ = std::fs::remove_file(self.left());
        let far = self.place.join("far");
        let launcher = far.display();
        let hosts = format!("a mounted1 launcher=\"{launcher} {{host}}\"\nb bare launcher=local\n");
        std::fs::write(self.place.join("hosts"), hosts).unwrap();
        let directory = std::path::Path::new(LEADLINE).parent().unwrap().display();
        let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = self.place.leadline(words);
        finish(command.env("PATH", path).env("LEADLINE_SSH", far))
    }

    /// Nothing was made on any host.
    fn is_untouched(&self, done: &Done) {
        let bare = std::fs::read_dir(self.volume()).unwrap().count();
        assert_eq!(bare, 0, "on the host without the mount: {done:?}");
        let left = std::fs::read_to_string(self.left()).unwrap_or_default();
        assert_eq!(left, "", "on the host with the mount: {done:?}");
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_volume_that_one_host_has_not_mounted_is_refused_before_the_first_byte() {
    let Some(hosts) = or_skip("fleet::look_unmounted", Hosts::new()) else {
        return;
    };
    let at = hosts.volume().display().to_string();
    // As a script writes it for a fleet: each host has files of its own in folders of one name.
    let file = format!(
        "hd=default,shell=ssh\nhd=a,system=mounted1\nhd=b,system=bare\nhd=c,system=mounted2\nsd=default,size=4m\n\
         sd=sd-1,host=a,lun={at}/file-1\nsd=sd-2,host=b,lun={at}/file-2\nsd=sd-3,host=c,lun={at}/file-3\n\
         wd=FillWrite,sd=sd*,rdpct=0,seekpct=eof,xfersize=64k\n\
         rd=Fill,wd=FillWrite,sd=sd*,iorate=max,interval=1,forthreads=1,elapsed=2\n"
    );
    std::fs::write(hosts.place.join("seed"), file).unwrap();
    let fio = format!(
        "fio --hosts=hosts --name=x --directory={at} --size=1m --rw=write --bs=4k --ioengine=psync"
    );
    let measure = format!(
        "measure --hosts hosts --quick --size=4m --time=300ms --engine=psync --out=out {at}"
    );
    for (line, code) in [
        ("vdbench -f seed", 157),
        (fio.as_str(), 1),
        (&format!("diskspd --hosts hosts -c1M -d1 -w100 {at}/f"), 1),
        (&measure, 4),
    ] {
        for (line, code) in [(line.to_owned(), code), (format!("plan {line}"), 4)] {
            let done = hosts.run(&words(&line));
            assert_eq!(done.code, Some(code), "{line}: {done:?}");
            let said = format!("{at} is ");
            assert!(done.stderr.contains(&said), "{line}: {done:?}");
            let mounted = format!("tmpfs mounted at {at} on a");
            assert!(done.stderr.contains(&mounted), "{line}: {done:?}");
            assert!(done.stderr.contains(" on b, and "), "{line}: {done:?}");
            let cure = "(--accept-unlike-hosts)";
            assert_eq!(done.stderr.matches(cure).count(), 1, "{line}: {done:?}");
            hosts.is_untouched(&done);
        }
    }
    for line in ["vdbench -f seed", fio.as_str()] {
        let done = hosts.run(&words(&format!("{line} --accept-unlike-hosts")));
        assert_eq!(done.code, Some(0), "{line}: {done:?}");
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(
            said.contains("the same path is not on the same storage"),
            "{line}: {done:?}"
        );
    }
    assert!(hosts.volume().join("file-2").exists());
}

#[test]
fn a_folder_of_the_root_disk_in_place_of_a_volume_is_refused_before_the_first_byte() {
    let Some(hosts) = or_skip("fleet::look_bound", Hosts::new()) else {
        return;
    };
    let at = hosts.volume().display().to_string();
    let far = hosts.place.join("far");
    let lines = ["a mounted1", "b mounted2", "c bound"];
    let lines = lines.map(|line| format!("{line} launcher=\"{} {{host}}\"\n", far.display()));
    std::fs::write(hosts.place.join("three"), lines.concat()).unwrap();
    let line = format!(
        "fio --hosts=three --name=x --directory={at} --size=1m --rw=write --bs=4k --ioengine=psync"
    );
    let done = hosts.run(&words(&line));
    assert_eq!(done.code, Some(1), "{done:?}");
    let said =
        format!("{at} is a directory of tmpfs mounted at {at} on c, and tmpfs mounted at {at}");
    assert!(done.stderr.contains(&said), "{done:?}");
    hosts.is_untouched(&done);
}

#[test]
fn what_one_host_refuses_starts_on_none_unless_lost_hosts_are_accepted() {
    let Some(hosts) = or_skip("fleet::look_refused", Hosts::new()) else {
        return;
    };
    let at = hosts.volume().display().to_string();
    // Both jobs together ask for more than the small file system has; the first would fit.
    let fio = format!(
        "fio --hosts=hosts --accept-unlike-hosts --directory={at} --ioengine=psync --rw=write --bs=4k \
         --name=one --size=1m --stonewall --name=two --size=80m --stonewall"
    );
    let refused = "a: two: 81 MiB more would be written to the file system of";
    for (line, code) in [(fio.clone(), 1), (format!("plan {fio}"), 3)] {
        let done = hosts.run(&words(&line));
        assert_eq!(done.code, Some(code), "{line}: {done:?}");
        assert!(done.stderr.contains(refused), "{line}: {done:?}");
        assert!(
            done.stderr.contains("nothing was started on any host"),
            "{done:?}"
        );
        assert!(done.stderr.contains("--accept-lost-hosts"), "{done:?}");
        hosts.is_untouched(&done);
    }
    let done = hosts.run(&words(&format!("{fio} --accept-lost-hosts")));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(hosts.volume().join("b.two.0.0").exists(), "{done:?}");
    assert_eq!(
        std::fs::read_to_string(hosts.left()).unwrap(),
        "",
        "{done:?}"
    );
}
