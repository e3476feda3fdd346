//! Table: parameters of hosts.

use super::kind::*;
use super::{WHY_JAVA, key};

keywords! { super::Object::Hd,
    HD: Name = key("hd", "Starts a host definition.").also(&["host"]).whole()
        .case("hd=h7 system=10.0.0.7 shell=ssh", "host h7 at 10.0.0.7");
    SYSTEM: Text = key("system", "Name or address; the label if omitted.")
        .case("system=10.0.0.7", "host h1 at 10.0.0.7");
    MASTER: Text = key("master", "Address the host connects back to.")
        .idle("a host does not connect back: it communicates over its launcher");
    VDBENCH: Text = key("vdbench", "Directory of Vdbench on the host.")
        .idle("leadline copies itself to the host");
    SHELL: Shell = key("shell", "What starts the slave: always OpenSSH here.").or("rsh")
        .case("system=10.0.0.7 shell=ssh", "- note[shell-is-ssh]");
    USER: Text = key("user", "User on the host; from OpenSSH's configuration if omitted.")
        .case("system=10.0.0.7 user=joe", "host h1 at 10.0.0.7 as joe by Ssh");
    JVMS: Count = key("jvms", "JVMs for each host.").or("1").idle(WHY_JAVA);
    CLIENTS: Count = key("clients", "Creates N pseudo hosts, `label_cl0` and so on.")
        .case("clients=2", "host h1_cl1 at h1");
    MOUNT: Text = key("mount",
        "Mount command, run on that host before the first run. If its last word is a directory, \
         it is created; if something is already mounted there, the command is skipped.")
        .case("system=localhost mount=/bin/m", "mounts: [/bin/m]");
    COUNT: Series = key("count", "Creates N numbered hosts.").case("hd=h count=(1,2)", "host h2 at h2");
}
