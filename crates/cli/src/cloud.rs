//! What this machine says of itself: os-release, and the metadata service of its cloud.
//!
//! Belongs here: plain HTTP to one address, within seconds, and facts of what it says. Must never: ask any other address,
//! or send what is known of the machine.

use leadline_engine::clock::monotonic;
use leadline_engine::os::this_host;
use leadline_limits::{Book, Cloud, Here, aws, azure, gcp, interfaces, os_name};
use leadline_model::facts::{Fact, FactKey};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Where each of the three clouds answers its own machines only.
pub(crate) const SERVICE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)), 80);

/// How long a connection, and each read, may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long all answers together may take: what comes byte by byte ends too.
const PATIENCE_IN_ALL: Duration = Duration::from_secs(5);
/// Most that is read of an answer.
const MOST_BYTES: usize = 256 << 10;

/// Asks the files of this machine, and the service at an address.
pub(crate) fn found(service: SocketAddr) -> Here {
    let system = system();
    let (cloud, why) = match cloud(service) {
        Ok(Some(cloud)) => (Some(cloud), String::new()),
        Ok(None) => (
            None,
            "what answers is not the metadata service of Azure, Google or Amazon".to_owned(),
        ),
        Err(why) => (None, why),
    };
    Here { system, cloud, why }
}

/// The name of this host's system; `None` where no os-release says it.
fn system() -> Option<String> {
    let files = ["/etc/os-release", "/usr/lib/os-release"];
    let texts = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter_map(|text| os_name(&text)).next()
}

/// What the firmware of this host says where it is a machine of one of the three clouds: no other service is asked.
const FIRMWARE: [(&str, &str); 4] = [
    // Hyper-V elsewhere has the maker's name too, but not this number.
    ("chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77"),
    ("product_name", "Google Compute Engine"),
    ("sys_vendor", "Amazon EC2"),
    ("bios_vendor", "Amazon EC2"),
];

/// The system of this host, and facts of the cloud that it is a machine of; elsewhere nothing is asked.
pub(crate) fn facts() -> Vec<Fact> {
    let system = system().map(|name| Fact::new(FactKey::SYSTEM, "", name));
    let answer = match is_in_a_cloud(this_host::firmware) {
        true => cloud(SERVICE).ok().flatten(),
        false => None,
    };
    let cloud = answer.map_or_else(Vec::new, |cloud| of(&cloud));
    system.into_iter().chain(cloud).collect()
}

/// Whether firmware that says this is that of a cloud's machine.
fn is_in_a_cloud(says: impl Fn(&str) -> String) -> bool {
    FIRMWARE.iter().any(|(name, text)| says(name) == *text)
}

/// What is known of a machine, as facts.
fn of(cloud: &Cloud) -> Vec<Fact> {
    let disks: Vec<&str> = cloud
        .disks
        .iter()
        .chain(&cloud.other_disks)
        .map(String::as_str)
        .collect();
    let known = [
        (FactKey::CLOUD, cloud.provider.to_owned()),
        (FactKey::MACHINE_SIZE, cloud.size.clone()),
        (FactKey::REGION, cloud.region.clone()),
        (FactKey::ZONE, cloud.zone.clone()),
        (FactKey::CLOUD_DISKS, disks.join(", ")),
        (FactKey::CLOUD_NETWORK, cloud.network.clone()),
    ];
    let known = known.into_iter().filter(|(_, text)| !text.is_empty());
    let known = known.map(|(key, text)| Fact::new(key, "", text));
    let cache = Book::built_in().host_cache(&cloud.size);
    let cache = cache.map(|bytes| Fact::new(FactKey::HOST_CACHE, "", bytes));
    known.chain(cache).collect()
}

/// What the cloud's service says; `None` where none of the three is there, an error where nothing answers.
fn cloud(address: SocketAddr) -> Result<Option<Cloud>, String> {
    let service = Service::at(address);
    let instance = service.get(
        "/metadata/instance?api-version=2021-02-01",
        "Metadata: true",
    )?;
    if let Some(cloud) = instance.and_then(|text| azure(&text, &Book::built_in())) {
        return Ok(Some(cloud));
    }
    match google(&service)? {
        Some(cloud) => Ok(Some(cloud)),
        None => amazon(&service),
    }
}

fn google(service: &Service) -> Result<Option<Cloud>, String> {
    let get = |path: &str| {
        let path = format!("/computeMetadata/v1/instance/{path}");
        service.get(&path, "Metadata-Flavor: Google")
    };
    let Some(kind) = get("machine-type")? else {
        return Ok(None);
    };
    let zone = get("zone")?.unwrap_or_default();
    let disks = get("disks/?recursive=true")?.unwrap_or_default();
    let Some(cloud) = gcp(&kind, &zone, &disks) else {
        return Ok(None);
    };
    let count = lines(get("network-interfaces/")?);
    let mtu = get("network-interfaces/0/mtu")?.unwrap_or_default();
    Ok(Some(Cloud {
        network: interfaces(count, &mtu),
        ..cloud
    }))
}

fn amazon(service: &Service) -> Result<Option<Cloud>, String> {
    /// More disks are not asked for.
    const MOST_DISKS: usize = 64;
    let lifetime = "X-aws-ec2-metadata-token-ttl-seconds: 60";
    let Some(token) = service.ask("PUT", "/latest/api/token", lifetime)? else {
        return Ok(None);
    };
    let token = format!("X-aws-ec2-metadata-token: {}", plain(&token));
    let get = |path: &str| service.get(&format!("/latest/meta-data/{path}"), &token);
    let Some(kind) = get("instance-type")? else {
        return Ok(None);
    };
    let zone = get("placement/availability-zone")?.unwrap_or_default();
    let mut disks = Vec::new();
    let names = get("block-device-mapping/")?.unwrap_or_default();
    // `ami` and `root` are names of one disk.
    let names = names.lines().map(plain).filter(|name| name != "ami");
    for name in names.take(MOST_DISKS) {
        let device = get(&format!("block-device-mapping/{name}"))?;
        disks.extend(device.map(|device| (name, device)));
    }
    let Some(cloud) = aws(&kind, &zone, &disks) else {
        return Ok(None);
    };
    let count = lines(get("network/interfaces/macs/")?);
    Ok(Some(Cloud {
        network: interfaces(count, ""),
        ..cloud
    }))
}

fn lines(text: Option<String>) -> usize {
    text.map_or(0, |text| text.lines().count())
}

/// A token as one line of a header.
fn plain(token: &str) -> String {
    token
        .chars()
        .filter(char::is_ascii_graphic)
        .take(1024)
        .collect()
}

/// The service at an address, and when all of its answers must be there.
struct Service {
    address: SocketAddr,
    /// Of the monotonic clock, in nanoseconds.
    until: u64,
}

impl Service {
    fn at(address: SocketAddr) -> Self {
        let patience = u64::try_from(PATIENCE_IN_ALL.as_nanos()).unwrap_or(u64::MAX);
        let until = monotonic().saturating_add(patience);
        Self { address, until }
    }

    fn get(&self, path: &str, header: &str) -> Result<Option<String>, String> {
        self.ask("GET", path, header)
    }

    /// The body of an answer; `None` where it is not 200, an error where nothing answers in time.
    fn ask(&self, method: &str, path: &str, header: &str) -> Result<Option<String>, String> {
        let address = self.address;
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("{address}: no answer in time"),
            _ => format!("{address}: {error}"),
        };
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        // Version 1.0: the answer ends with the connection, and is not cut into pieces.
        let host = address.ip();
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{header}\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).map_err(failed)?;
        let mut answer = Vec::new();
        let mut part = [0_u8; 4096];
        loop {
            if monotonic() > self.until {
                return Err(format!("{address}: it answers too slowly"));
            }
            let read = stream.read(&mut part).map_err(failed)?;
            answer.extend_from_slice(&part[..read]);
            if read == 0 || answer.len() > MOST_BYTES {
                break;
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        let Some((head, body)) = answer.split_once("\r\n\r\n") else {
            return Ok(None);
        };
        let mut first = head.lines().next().unwrap_or("").split_whitespace();
        let is_http = first
            .next()
            .is_some_and(|version| version.starts_with("HTTP/"));
        let fine = is_http && first.next() == Some("200");
        Ok(fine.then(|| body.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A service on this machine that answers each request by a function of its first line and the rest.
    fn service(answer: fn(&str, &str) -> Option<&'static str>) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                let mut part = [0_u8; 1024];
                while !request.ends_with(b"\r\n\r\n") {
                    let read = stream.read(&mut part).unwrap();
                    request.extend_from_slice(&part[..read]);
                }
                let request = String::from_utf8(request).unwrap();
                let (first, rest) = request.split_once("\r\n").unwrap();
                let whole = match answer(first, rest) {
                    Some(body) => format!(
                        "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len()
                    ),
                    None => "HTTP/1.0 404 Not Found\r\n\r\nno".to_owned(),
                };
                stream.write_all(whole.as_bytes()).unwrap();
            }
        });
        address
    }

    const AZURE: &str = r#"{"compute": {"vmSize": "Standard_D8ds_v4", "location": "westeurope", "storageProfile":
        {"dataDisks": [{"caching": "ReadOnly", "diskSizeGB": "1024", "managedDisk": {"storageAccountType": "Premium_LRS"}},
        {"caching": "None", "diskSizeGB": "8", "managedDisk": {"storageAccountType": "StandardSSD_LRS"}}]}}}"#;

    fn texts(found: &Here) -> Vec<String> {
        let facts = found.cloud.as_ref().map(of).unwrap_or_default();
        facts
            .iter()
            .map(|fact| format!("{}={}", fact.name, fact.value))
            .collect()
    }

    #[test]
    fn azure_says_size_region_and_disks_with_their_cache() {
        let found = found(service(|first, rest| {
            let asked =
                first.starts_with("GET /metadata/instance?") && rest.contains("Metadata: true");
            asked.then_some(AZURE)
        }));
        assert_eq!(
            texts(&found),
            [
                "provider=azure",
                "machine size=D8ds_v4",
                "region=westeurope",
                "disks=P30:ro, StandardSSD_LRS 8 GiB, cache none",
                "host cache=200 GiB"
            ]
        );
    }

    #[test]
    fn only_a_machine_of_a_cloud_asks_for_its_facts() {
        let of = |known: &'static [(&str, &str)]| {
            is_in_a_cloud(|name| {
                let mut known = known.iter();
                let found = known.find(|(key, _)| *key == name);
                found.map_or(String::new(), |(_, text)| (*text).to_owned())
            })
        };
        assert!(!of(&[("sys_vendor", "Microsoft Corporation")]), "Hyper-V");
        assert!(!of(&[("sys_vendor", "QEMU")]) && !of(&[]));
        assert!(of(&[("sys_vendor", "Amazon EC2")]));
        assert!(of(&[("product_name", "Google Compute Engine")]));
    }

    #[test]
    fn google_says_machine_and_zone() {
        let found = found(service(|first, rest| {
            if !rest.contains("Metadata-Flavor: Google") {
                return None;
            }
            match first.split(' ').nth(1)?.rsplit('/').next()? {
                "" => Some("0/\n1/\n"),
                "?recursive=true" => Some(
                    r#"[{"deviceName": "data", "interface": "NVME", "type": "PERSISTENT-SSD"}]"#,
                ),
                "mtu" => Some("1460"),
                "machine-type" => Some("projects/1/machineTypes/n2-standard-32"),
                "zone" => Some("projects/1/zones/europe-west3-a"),
                _ => None,
            }
        }));
        let said = [
            "provider=gcp",
            "machine size=n2-standard-32",
            "region=europe-west3",
            "zone=europe-west3-a",
            "disks=PERSISTENT-SSD data NVME",
            "network=2 interfaces, MTU 1460",
        ];
        assert_eq!(texts(&found), said);
    }

    #[test]
    fn amazon_wants_a_token_first() {
        let found = found(service(|first, rest| match first.split(' ').nth(1)? {
            "/latest/api/token" if first.starts_with("PUT ") => {
                rest.contains("token-ttl-seconds: 60").then_some("secret==")
            }
            "/latest/meta-data/instance-type" if rest.contains("token: secret==") => {
                Some("m5.large")
            }
            "/latest/meta-data/network/interfaces/macs/" => Some("02:29:96:8f:6a:2d/\n"),
            "/latest/meta-data/placement/availability-zone" if rest.contains("token: secret==") => {
                Some("eu-central-1b")
            }
            "/latest/meta-data/block-device-mapping/" => Some("ami\nroot\nebs1"),
            "/latest/meta-data/block-device-mapping/root" => Some("/dev/xvda"),
            "/latest/meta-data/block-device-mapping/ebs1" => Some("/dev/sdf"),
            _ => None,
        }));
        let said = [
            "provider=aws",
            "machine size=m5.large",
            "region=eu-central-1",
            "zone=eu-central-1b",
            "disks=root /dev/xvda, ebs1 /dev/sdf",
            "network=1 interface",
        ];
        assert_eq!(texts(&found), said);
    }

    /// A page that answers everything with 200 is no cloud, and one that answers byte by byte does not hold a run up.
    #[test]
    fn what_answers_anything_is_no_cloud_and_what_drips_is_left() {
        let page = found(service(|_, _| Some("<html>hello</html>")));
        assert!(
            page.cloud.is_none() && page.why.contains("not the metadata service of Azure"),
            "{}",
            page.why
        );
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        let drip = found(address);
        assert!(drip.why.ends_with("it answers too slowly"), "{}", drip.why);
    }

    #[test]
    fn without_a_service_it_is_said_and_nothing_is_wrong() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let closed = listener.local_addr().unwrap();
        drop(listener);
        let none = found(closed);
        assert!(
            none.cloud.is_none() && none.why.starts_with("127.0.0.1:"),
            "{}",
            none.why
        );
        let other = found(service(|_, _| None));
        assert!(
            other
                .why
                .contains("not the metadata service of Azure, Google or Amazon"),
            "{}",
            other.why
        );
    }
}
