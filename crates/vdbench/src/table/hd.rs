//! Table: parameters of hosts.

use super::kind::*;
use super::{WHY_JAVA, key};

keywords! { super::Object::Hd,
    HD: Name = key("hd", "Begins a host.").also(&["host"]).whole()
        .case("hd=h7 system=10.0.0.7 shell=ssh", "host h7 at 10.0.0.7");
    SYSTEM: Text = key("system", "Name or address; the label when left out.")
        .case("system=10.0.0.7", "host h1 at 10.0.0.7");
    MASTER: Text = key("master", "Address the host connects back to.")
        .idle("a host connects to nobody: it speaks over its launcher");
    VDBENCH: Text = key("vdbench", "Where Vdbench is on the host.")
        .idle("leadline brings itself to the host");
    SHELL: Shell = key("shell", "What starts the far end: always OpenSSH here.").or("rsh")
        .case("system=10.0.0.7 shell=ssh", "- note[shell-is-ssh]");
    USER: Text = key("user", "User on the host; as OpenSSH is configured when left out.")
        .case("system=10.0.0.7 user=joe", "host h1 at 10.0.0.7 as joe by Ssh");
    JVMS: Count = key("jvms", "Java machines for each host.").or("1").idle(WHY_JAVA);
    CLIENTS: Count = key("clients", "Makes N pseudo hosts, `label_cl0` and on.")
        .case("clients=2", "host h1_cl1 at h1");
    MOUNT: Text = key("mount",
        "Command that mounts before the first run, on that host; where its last word is a directory it is \
         made, and where something is mounted there already nothing is done.")
        .case("system=localhost mount=/bin/m", "mounts: [/bin/m]");
    COUNT: Series = key("count", "Makes N numbered hosts.").case("hd=h count=(1,2)", "host h2 at h2");
}
