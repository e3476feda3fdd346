//! What this machine says of itself: os-release, and the metadata service of its cloud.
//!
//! Belongs here: plain HTTP to one address, within seconds. Must never: ask any other address, or send what is known of
//! the machine.

use leadline_limits::{Asked, Book, Cloud, Here, aws, azure, gcp, os_name, parse};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Where each of the three clouds answers its own machines, and nobody else.
pub(super) const SERVICE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)), 80);

/// How long a connection, and each read, may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most that is read of an answer, and of how many reads it is put together.
const MOST_BYTES: usize = 256 << 10;
const MOST_READS: usize = 256;

/// Asks the files of this machine, and the service at an address.
pub(super) fn found(service: SocketAddr) -> Here {
    let files = ["/etc/os-release", "/usr/lib/os-release"];
    let texts = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    let system = texts.filter_map(|text| os_name(&text)).next();
    let (cloud, why) = match cloud(service) {
        Ok(Some(cloud)) => (Some(cloud), String::new()),
        Ok(None) => (
            None,
            "what answers is no service of Azure, Google or Amazon".to_owned(),
        ),
        Err(why) => (None, why),
    };
    Here { system, cloud, why }
}

/// Adds what was found to the options that were not set, and says what it is.
pub(super) fn take(
    found: &Here,
    asked: &mut Vec<Asked>,
    file: Option<(&str, &str)>,
) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(system) = &found.system {
        said.push(format!("system: {system}"));
    }
    let Some(cloud) = &found.cloud else {
        said.push(format!("no metadata service of a cloud: {}", found.why));
        return said;
    };
    let or_unknown = |text: &str| {
        if text.is_empty() {
            "unknown".to_owned()
        } else {
            text.to_owned()
        }
    };
    said.push(format!(
        "machine: {} of {}, in {}",
        or_unknown(&cloud.size),
        cloud.provider,
        or_unknown(&cloud.region)
    ));
    let has = |asked: &[Asked], option: &str| asked.iter().any(|(name, _)| *name == option);
    if !has(asked, "vm") && !cloud.size.is_empty() {
        let option = ("vm", cloud.size.clone());
        match parse(std::slice::from_ref(&option), file).is_right() {
            true => asked.push(option),
            false => said.push(format!("no row is about the machine {}", cloud.size)),
        }
    }
    if !cloud.disks.is_empty() {
        said.push(format!("disks: {}", cloud.disks.join(", ")));
        if !has(asked, "disk") {
            asked.extend(cloud.disks.iter().map(|disk| ("disk", disk.clone())));
        }
    }
    for other in &cloud.other_disks {
        said.push(format!("disk without a row: {other}"));
    }
    said
}

/// What the cloud's service says; `None` where none of the three is there, an error where nothing answers.
fn cloud(service: SocketAddr) -> Result<Option<Cloud>, String> {
    let get = |path: &str, header: &str| ask(service, "GET", path, header);
    let instance = get(
        "/metadata/instance?api-version=2021-02-01",
        "Metadata: true",
    )?;
    if let Some(cloud) = instance.and_then(|text| azure(&text, &Book::built_in())) {
        return Ok(Some(cloud));
    }
    let google = |path: &str| {
        get(
            &format!("/computeMetadata/v1/instance/{path}"),
            "Metadata-Flavor: Google",
        )
    };
    if let Some(kind) = google("machine-type")? {
        return Ok(Some(gcp(&kind, &google("zone")?.unwrap_or_default())));
    }
    let lifetime = "X-aws-ec2-metadata-token-ttl-seconds: 60";
    let Some(token) = ask(service, "PUT", "/latest/api/token", lifetime)? else {
        return Ok(None);
    };
    let token = format!("X-aws-ec2-metadata-token: {}", plain(&token));
    let amazon = |path: &str| get(&format!("/latest/meta-data/{path}"), &token);
    let Some(kind) = amazon("instance-type")? else {
        return Ok(None);
    };
    Ok(Some(aws(
        &kind,
        &amazon("placement/region")?.unwrap_or_default(),
    )))
}

/// A token as one line of a header.
fn plain(token: &str) -> String {
    token
        .chars()
        .filter(char::is_ascii_graphic)
        .take(1024)
        .collect()
}

/// The body of an answer; `None` where it is not 200, an error where nothing answers.
fn ask(
    service: SocketAddr,
    method: &str,
    path: &str,
    header: &str,
) -> Result<Option<String>, String> {
    let failed = |error: std::io::Error| format!("{service}: {error}");
    let mut stream = TcpStream::connect_timeout(&service, PATIENCE).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
    // Version 1.0: the answer ends with the connection, and is not cut into pieces.
    let host = service.ip();
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{header}\r\nContent-Length: 0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = Vec::new();
    let mut part = [0_u8; 4096];
    for _ in 0..MOST_READS {
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

    #[test]
    fn azure_says_size_region_and_disks_which_become_options() {
        let found = found(service(|first, rest| {
            let asked =
                first.starts_with("GET /metadata/instance?") && rest.contains("Metadata: true");
            asked.then_some(AZURE)
        }));
        let mut asked = Vec::new();
        let said = take(&found, &mut asked, None);
        assert!(
            said.contains(&"machine: D8ds_v4 of azure, in westeurope".to_owned()),
            "{said:?}"
        );
        assert!(
            said.contains(&"disk without a row: StandardSSD_LRS 8 GiB, cache none".to_owned()),
            "{said:?}"
        );
        assert_eq!(
            asked,
            [("vm", "D8ds_v4".to_owned()), ("disk", "P30:ro".to_owned())]
        );
        let mut own = vec![("vm", "D2s_v3".to_owned()), ("disk", "P10".to_owned())];
        take(&found, &mut own, None);
        assert_eq!(own.len(), 2, "what the user says stays");
    }

    #[test]
    fn google_says_machine_and_zone() {
        let found = found(service(|first, rest| {
            if !rest.contains("Metadata-Flavor: Google") {
                return None;
            }
            match first.split(' ').nth(1)?.rsplit('/').next()? {
                "machine-type" => Some("projects/1/machineTypes/n2-standard-32"),
                "zone" => Some("projects/1/zones/europe-west3-a"),
                _ => None,
            }
        }));
        let mut asked = Vec::new();
        let said = take(&found, &mut asked, None);
        assert!(
            said.contains(&"machine: n2-standard-32 of gcp, in europe-west3-a".to_owned()),
            "{said:?}"
        );
        assert_eq!(asked, [("vm", "n2-standard-32".to_owned())]);
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
            "/latest/meta-data/placement/region" if rest.contains("token: secret==") => {
                Some("eu-central-1")
            }
            _ => None,
        }));
        let mut asked = Vec::new();
        let said = take(&found, &mut asked, None);
        assert!(
            said.contains(&"machine: m5.large of aws, in eu-central-1".to_owned()),
            "{said:?}"
        );
        assert!(
            said.contains(&"no row is about the machine m5.large".to_owned()),
            "{said:?}"
        );
        assert!(asked.is_empty());
    }

    #[test]
    fn without_a_service_it_is_said_and_nothing_is_wrong() {
        let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap();
        let mut asked = Vec::new();
        let said = take(&found(closed), &mut asked, None).join("\n");
        assert!(
            said.contains("no metadata service of a cloud: 127.0.0.1:"),
            "{said}"
        );
        let other = found(service(|_, _| None));
        let said = take(&other, &mut asked, None).join("\n");
        assert!(
            said.contains("no service of Azure, Google or Amazon"),
            "{said}"
        );
        assert!(asked.is_empty());
    }
}
