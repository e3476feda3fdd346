//! Running the command with fewer rights. Must never: change the rights of anything but the command.

use super::LEADLINE;
use leadline_testkit::machine::{need_root, tool};
use std::process::Command;

/// leadline as a user without rights.
pub(crate) fn unprivileged() -> Result<Command, String> {
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    need_root("giving up rights")?;
    tool(&[&["setpriv"], &words[..], &["true"]].concat())?;
    // The command lies wherever cargo puts it, which may be closed to others.
    tool(&[&["setpriv"], &words[..], &[LEADLINE, "--version"]].concat())?;
    let mut command = Command::new("setpriv");
    command.args(words).arg(LEADLINE);
    Ok(command)
}

/// leadline under a filter that answers one system call with an error, as containers do. The filter
/// is the process's own: nothing else on the machine is affected.
pub(crate) fn filtered(call: u32, error: i32) -> Result<Command, String> {
    let prctl = match std::env::consts::ARCH {
        "x86_64" => 157,
        "aarch64" => 167,
        other => return Err(format!("the number of prctl on {other} is not known here")),
    };
    // Load the number of the call; is it the one: answer with the error; let all others pass.
    let script = format!(
        r#"my $f = pack("SCCL" x 4, 0x20,0,0,0, 0x15,0,1,{call}, 0x06,0,0,{answer}, 0x06,0,0,0x7fff0000);
           my $p = pack("Sx6P", 4, $f);
           syscall({prctl}, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
           syscall({prctl}, 22, 2, $p) == 0 or die "filter: $!";
           exec @ARGV or die "exec: $!";"#,
        answer = 0x0005_0000 | error
    );
    tool(&["perl", "-e", &script, "true"])?;
    let mut command = Command::new("perl");
    command.args(["-e", &script, LEADLINE]);
    Ok(command)
}
