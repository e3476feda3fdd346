//! The command lines that give a process on a host. Pure, but for two variables of the environment.

use crate::build::Build;
use crate::frame;
use leadline_model::plan::{HostSpec, Launcher};
use std::ffi::OsStr;
use std::path::Path;

/// Names the command used for ssh, split as a shell would; `ssh` without it.
const SSH: &str = "LEADLINE_SSH";

/// The words that start an agent on a host.
///
/// # Errors
///
/// A quote in the command of a launcher, or in that of the environment, is not closed.
pub fn words(spec: &HostSpec, build: &Build, host: u32) -> Result<Vec<String>, String> {
    let script = far_script(build, host);
    let address = spec.address();
    let own = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    Ok(match &spec.launcher {
        Launcher::Local => own(&[&build.path.to_string_lossy(), "agent"]),
        Launcher::Ssh => {
            let mut words = std::env::var(SSH).map_or_else(|_| Ok(own(&["ssh"])), |w| split(&w))?;
            words.extend(own(&[
                "-T",
                "-o",
                "BatchMode=yes",
                "-o",
                "ConnectTimeout=8",
            ]));
            words.extend(own(&[
                "-o",
                "ServerAliveInterval=3",
                "-o",
                "ServerAliveCountMax=3",
            ]));
            if let Some(user) = &spec.user {
                words.extend(own(&["-l", user]));
            }
            // The user's shell there may be any; inside the quotes all of them agree.
            words.extend(own(&["--", address, &format!("exec sh -c '{script}'")]));
            words
        }
        Launcher::Slurm => {
            // Unbuffered: else what has no line end waits for one on the node.
            let mut words = own(&["srun", "--quiet", "--unbuffered", "--nodes=1", "--ntasks=1"]);
            words.push(format!("--nodelist={address}"));
            if std::env::var_os("SLURM_JOB_ID").is_some() {
                // Several steps of one allocation at the same time.
                words.push("--overlap".to_owned());
            }
            words.extend(own(&["sh", "-c", &script]));
            words
        }
        Launcher::Template(text) => {
            let mut words = split(text)?;
            let user = spec.user.as_deref().unwrap_or_default();
            for word in &mut words {
                *word = word.replace("{host}", address).replace("{user}", user);
            }
            let is_ssh = |word: &String| Path::new(word).file_name() == Some(OsStr::new("ssh"));
            match words.iter().any(is_ssh) {
                // It joins its words to one, which the user's shell there splits again.
                true => words.push(format!("exec sh -c '{script}'")),
                false => words.extend(own(&["sh", "-c", &script])),
            }
            words
        }
    })
}

/// The words of a command as a shell would split them.
fn split(command: &str) -> Result<Vec<String>, String> {
    shell_words::split(command)
        .map_err(|_| format!("a quote is not closed in its launcher: {command}"))
}

/// What runs at the far end: finds this build on the search path or in a cache of the user's own, else asks
/// for it; then becomes the agent. Free of single quotes, line ends and exclamation marks, so that it can
/// stand within single quotes of any shell.
#[must_use]
pub fn far_script(build: &Build, host: u32) -> String {
    let (hash, size) = (&build.hash, build.size);
    let want = frame::request();
    let want = want.trim_end();
    [
        &format!("h={hash}"),
        "c=\"${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/leadline\"",
        "t=\"${TMPDIR:-/tmp}/leadline-$(id -u)\"",
        "p=$(command -v leadline 2>/dev/null)",
        "if [ -n \"$p\" ] && [ \"$(\"$p\" agent --build 2>/dev/null </dev/null)\" = \"$h\" ]; \
         then exec \"$p\" agent; fi",
        "for d in \"$c\" \"$t\"; do if [ -O \"$d\" ] && [ -x \"$d/$h\" ]; \
         then exec \"$d/$h\" agent; fi; done",
        "umask 077",
        "for d in \"$c\" \"$t\"; do mkdir -p \"$d\" 2>/dev/null",
        "if [ -O \"$d\" ] && [ -w \"$d\" ]; then break; fi; d=",
        "done",
        "if [ -z \"$d\" ]; then echo no place for the program: neither \"$c\" nor \"$t\" can be \
         written >&2; exit 1; fi",
        &format!("echo {want}"),
        &format!("n=\"$d/$h.$$.{host}\""),
        &format!("head -c {size} >\"$n\""),
        &format!(
            "if [ \"$(wc -c <\"$n\")\" -eq {size} ] && chmod 700 \"$n\" && mv -f \"$n\" \"$d/$h\"; \
             then exec \"$d/$h\" agent; fi"
        ),
        "rm -f \"$n\"",
        "echo the program could not be stored in \"$d\" >&2",
        "exit 1",
    ]
    .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build() -> Build {
        Build {
            path: "/usr/bin/leadline".into(),
            hash: "0123".into(),
            size: 9,
            loader: None,
        }
    }

    #[test]
    fn each_launcher_has_its_words() {
        let mut spec = HostSpec::local("h1");
        assert_eq!(
            words(&spec, &build(), 0).unwrap(),
            ["/usr/bin/leadline", "agent"]
        );
        spec.launcher = Launcher::Template("ip netns exec {host}".into());
        let template = words(&spec, &build(), 0).unwrap();
        assert_eq!(template[..6], ["ip", "netns", "exec", "h1", "sh", "-c"]);
        (spec.user, spec.address) = (Some("root".into()), "10.0.0.1".into());
        spec.launcher = Launcher::Template("rsh -l '{user}' x{host}y".into());
        let template = words(&spec, &build(), 0).unwrap();
        assert_eq!(template[..5], ["rsh", "-l", "root", "x10.0.0.1y", "sh"]);
        spec.launcher = Launcher::Template("sudo /usr/bin/ssh -p 2222 root@{host}".into());
        let through_ssh = words(&spec, &build(), 0).unwrap();
        assert_eq!(through_ssh[2..5], ["-p", "2222", "root@10.0.0.1"]);
        assert!(through_ssh.len() == 6 && through_ssh[5].starts_with("exec sh -c '"));
        spec.launcher = Launcher::Ssh;
        let ssh = words(&spec, &build(), 0).unwrap();
        assert!(ssh.contains(&"BatchMode=yes".to_owned()));
        let at = ssh.iter().position(|w| w == "--").unwrap();
        assert_eq!(ssh[at - 2..=at + 1], ["-l", "root", "--", "10.0.0.1"]);
        spec.launcher = Launcher::Slurm;
        let slurm = words(&spec, &build(), 0).unwrap();
        assert!(slurm.contains(&"--nodelist=10.0.0.1".to_owned()));
        spec.launcher = Launcher::Template("rsh 'a b' \"c'd\" {host}\\ x ''".into());
        let template = words(&spec, &build(), 0).unwrap();
        assert_eq!(template[..5], ["rsh", "a b", "c'd", "10.0.0.1 x", ""]);
        spec.launcher = Launcher::Template("rsh '{host}".into());
        let error = words(&spec, &build(), 0).unwrap_err();
        assert!(error.ends_with("rsh '{host}"), "{error}");
    }

    #[test]
    fn the_script_can_stand_in_quotes_and_is_a_script() {
        let script = far_script(&build(), 3);
        assert!(!script.contains(['\'', '\n', '!']), "{script}");
        let status = std::process::Command::new("sh")
            .args(["-n", "-c", &script])
            .status()
            .unwrap();
        assert!(status.success(), "{script}");
    }
}
