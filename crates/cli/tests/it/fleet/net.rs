//! Hosts in network namespaces, with a bridge between them.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs a tool; `Err` says what came of it.
pub(crate) fn tool(line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", words[0]))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{line}: {}", said.trim()))
}

/// Whether the machine has a program, also where only root looks.
pub(crate) fn has(program: &str) -> Result<String, String> {
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        .iter()
        .map(|directory| format!("{directory}/{program}"))
        .find(|path| Path::new(path).exists())
        .ok_or_else(|| format!("there is no {program}"))
}

/// A network of hosts of our own; gone when dropped.
pub(crate) struct Net {
    /// A few letters that are this network's alone.
    tag: String,
    /// The third number of its addresses.
    number: u32,
    hosts: u32,
    children: Vec<Child>,
}

impl Net {
    /// A bridge and this number of hosts; `Err` says what this machine lacks.
    pub(crate) fn new(hosts: u32, number: u32) -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("network namespaces need root".to_owned());
        }
        has("ip")?;
        let tag = format!("ll{}x{number}", std::process::id() % 100_000);
        let mut net = Self {
            tag,
            number,
            hosts: 0,
            children: Vec::new(),
        };
        let bridge = net.bridge();
        tool(&format!("ip link add {bridge} type bridge"))?;
        tool(&format!("ip addr add 10.77.{number}.1/24 dev {bridge}"))?;
        tool(&format!("ip link set {bridge} up"))?;
        for host in 1..=hosts {
            net.hosts = host;
            let (ns, veth) = (net.namespace(host), net.veth(host));
            tool(&format!("ip netns add {ns}"))?;
            tool(&format!(
                "ip link add {veth} type veth peer name eth0 netns {ns}"
            ))?;
            tool(&format!("ip link set {veth} master {bridge}"))?;
            tool(&format!("ip link set {veth} up"))?;
            let address = net.address(host);
            tool(&format!(
                "ip netns exec {ns} ip addr add {address}/24 dev eth0"
            ))?;
            tool(&format!("ip netns exec {ns} ip link set eth0 up"))?;
            tool(&format!("ip netns exec {ns} ip link set lo up"))?;
        }
        Ok(net)
    }

    fn bridge(&self) -> String {
        format!("{}b", self.tag)
    }

    fn veth(&self, host: u32) -> String {
        format!("{}v{host}", self.tag)
    }

    pub(crate) fn namespace(&self, host: u32) -> String {
        format!("{}n{host}", self.tag)
    }

    pub(crate) fn address(&self, host: u32) -> String {
        format!("10.77.{}.{}", self.number, 10 + host)
    }

    /// The controller's own address in it.
    pub(crate) fn own_address(&self) -> String {
        format!("10.77.{}.1", self.number)
    }

    /// Takes the host's link down.
    pub(crate) fn cut(&self, host: u32) -> Result<(), String> {
        tool(&format!("ip link set {} down", self.veth(host))).map(drop)
    }

    /// Starts something that lives as long as the network.
    pub(crate) fn keep(&mut self, command: &mut Command) -> Result<(), String> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn();
        self.children
            .push(child.map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Ids of the agents in a host's namespace: processes whose last word is that.
    pub(crate) fn agents(&self, host: u32) -> Vec<i32> {
        let all = tool(&format!("ip netns pids {}", self.namespace(host))).unwrap_or_default();
        let pids = all.lines().filter_map(|line| line.trim().parse().ok());
        pids.filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.ends_with(b"\0agent\0")
        })
        .collect()
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        for host in 1..=self.hosts {
            let left = tool(&format!("ip netns pids {}", self.namespace(host)));
            for pid in left.unwrap_or_default().lines() {
                let _ = tool(&format!("kill -9 {pid}"));
            }
            let _ = tool(&format!("ip netns del {}", self.namespace(host)));
            let _ = tool(&format!("ip link del {}", self.veth(host)));
        }
        let _ = tool(&format!("ip link del {}", self.bridge()));
    }
}
