//! What a machine says of itself: documents of clouds' metadata services, and os-release.
//!
//! Belongs here: the text of such a document to facts. Must never appear here: how it is asked for.

use crate::book::Book;
use serde_json::Value;

/// What is known of a machine in a cloud.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cloud {
    /// `azure`, `gcp` or `aws`.
    pub provider: &'static str,
    /// Its size, as its provider writes it; empty where it is not said.
    pub size: String,
    /// Its region; empty where it is not said.
    pub region: String,
    /// Its zone in the region; empty where it is not said.
    pub zone: String,
    /// Its disks as `--disk` has them: `P30:ro`; those whose kind no row has are left out.
    pub disks: Vec<String>,
    /// What is known of disks whose kind no row has.
    pub other_disks: Vec<String>,
    /// Its network interfaces in words; empty where it is not said.
    pub network: String,
}

/// Network interfaces in words: `1 interface, MTU 1460`; empty where there are none.
#[must_use]
pub fn interfaces(count: usize, mtu: &str) -> String {
    let mtu = mtu.trim();
    let mtu = match mtu.parse::<u32>() {
        Ok(mtu) => format!(", MTU {mtu}"),
        Err(_) => String::new(),
    };
    match count {
        0 => String::new(),
        1 => format!("1 interface{mtu}"),
        n => format!("{n} interfaces{mtu}"),
    }
}

/// What is known of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The name of its system.
    pub system: Option<String>,
    /// What its cloud says; `None` where no service answers as one.
    pub cloud: Option<Cloud>,
    /// Why not; empty where one does.
    pub why: String,
}

/// Azure's document of an instance: `/metadata/instance`; `None` where it is not one.
#[must_use]
pub fn azure(document: &str, book: &Book) -> Option<Cloud> {
    let document: Value = serde_json::from_str(document).ok()?;
    let compute = document.get("compute")?;
    let text = |of: &Value, key: &str| {
        let text = of.get(key).and_then(Value::as_str);
        text.unwrap_or("")
            .chars()
            .filter(|c| !c.is_control())
            .collect::<String>()
    };
    let size = text(compute, "vmSize");
    let mut cloud = Cloud {
        provider: "azure",
        size: size.strip_prefix("Standard_").unwrap_or(&size).to_owned(),
        region: text(compute, "location"),
        zone: text(compute, "zone"),
        network: interfaces(
            document
                .pointer("/network/interface")
                .and_then(Value::as_array)
                .map_or(0, Vec::len),
            "",
        ),
        ..Cloud::default()
    };
    let disks = compute
        .pointer("/storageProfile/dataDisks")
        .and_then(Value::as_array);
    for disk in disks.into_iter().flatten() {
        let kind = disk
            .get("managedDisk")
            .map_or(String::new(), |disk| text(disk, "storageAccountType"));
        let gib: Option<f64> = text(disk, "diskSizeGB").parse().ok();
        let cache = match text(disk, "caching").as_str() {
            "ReadOnly" => "ro",
            "ReadWrite" => "rw",
            _ => "none",
        };
        match gib.and_then(|gib| of_size(book, &kind, gib)) {
            Some(name) => cloud.disks.push(format!("{name}:{cache}")),
            None => {
                let size = gib.map_or("of unknown size".to_owned(), |gib| format!("{gib} GiB"));
                cloud
                    .other_disks
                    .push(format!("{kind} {size}, cache {cache}"));
            }
        }
    }
    Some(cloud)
}

/// A disk of this many GiB as `--disk` has it: of fixed sizes the smallest premium one that is as large; of those whose
/// rates can be set only the size is known here. `None` where no row is of its kind.
fn of_size(book: &Book, kind: &str, gib: f64) -> Option<String> {
    match kind.split('_').next() {
        Some("Premium") => {}
        Some("PremiumV2") => return set_size("PremiumV2", gib, 1.0),
        Some("UltraSSD") => return set_size("Ultra", gib, 4.0),
        _ => return None,
    }
    let mut sizes: Vec<(f64, &str)> = book
        .of("disk")
        .filter(|row| row.text("provider") == "azure")
        .filter_map(|row| Some((row.number("gib")?, row.text("name"))))
        .filter(|(size, _)| *size >= gib)
        .collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    sizes.first().map(|(_, name)| (*name).to_owned())
}

/// A disk of a size that is set, where there are such: whole GiB, up to 64 TiB.
fn set_size(name: &str, gib: f64, least: f64) -> Option<String> {
    let is_size = (least..=65_536.0).contains(&gib) && gib.fract() <= 0.0;
    is_size.then(|| format!("{name}:{gib}GiB"))
}

/// Google's answers: `projects/1/machineTypes/n2-standard-32`, `projects/1/zones/europe-west3-a`, and the list of disks,
/// which has no sizes. `None` where the first is of no machine.
#[must_use]
pub fn gcp(machine_type: &str, zone: &str, disks: &str) -> Option<Cloud> {
    if !machine_type.contains("machineTypes/") {
        return None;
    }
    let zone = last(zone);
    let region = zone
        .rsplit_once('-')
        .map_or(zone.as_str(), |(region, _)| region);
    let list: Value = serde_json::from_str(disks).unwrap_or_default();
    let words = |disk: &Value| {
        let of = |key: &str| disk.get(key).and_then(Value::as_str).map(last);
        let each = ["type", "deviceName", "interface"]
            .into_iter()
            .filter_map(of);
        each.collect::<Vec<_>>().join(" ")
    };
    let disks = list.as_array().into_iter().flatten().map(words);
    Some(Cloud {
        provider: "gcp",
        size: last(machine_type),
        region: region.to_owned(),
        other_disks: disks.filter(|disk| !disk.is_empty()).collect(),
        zone,
        ..Cloud::default()
    })
}

/// Amazon's answers: `m5.large`, `eu-central-1a`, and the devices of its disks by name, which have neither kind nor size.
/// `None` where the first is of no machine.
#[must_use]
pub fn aws(instance_type: &str, zone: &str, disks: &[(String, String)]) -> Option<Cloud> {
    let size = last(instance_type);
    if !size.contains('.') {
        return None;
    }
    let zone = last(zone);
    let words = |(name, device): &(String, String)| format!("{} {}", last(name), device_of(device));
    Some(Cloud {
        provider: "aws",
        size,
        region: zone
            .trim_end_matches(|c: char| c.is_ascii_lowercase())
            .to_owned(),
        other_disks: disks.iter().map(words).collect(),
        zone,
        ..Cloud::default()
    })
}

/// The name of a device, with its folder.
fn device_of(path: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_./".contains(*c);
    path.trim().chars().filter(plain).take(64).collect()
}

/// What follows the last slash, without what is no part of a name.
fn last(path: &str) -> String {
    let name = path.trim().rsplit('/').next().unwrap_or("");
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    name.chars().filter(plain).take(64).collect()
}

/// The name of the system in os-release: `Ubuntu 24.04 LTS`; `None` where the text has none.
#[must_use]
pub fn os_name(text: &str) -> Option<String> {
    let of = |key: &str| {
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        let value = value.trim().trim_matches(['"', '\'']);
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        Some(value).filter(|value| !value.is_empty())
    };
    of("PRETTY_NAME").or_else(|| of("NAME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_azure_has_its_size_region_and_disks_with_their_cache() {
        let document = r#"{"compute": {"vmSize": "Standard_D8ds_v4", "location": "westeurope", "storageProfile": {
            "dataDisks": [
                {"caching": "None", "diskSizeGB": "1024", "managedDisk": {"storageAccountType": "Premium_LRS"}},
                {"caching": "ReadOnly", "diskSizeGB": "600", "managedDisk": {"storageAccountType": "Premium_LRS"}},
                {"caching": "None", "diskSizeGB": "1024", "managedDisk": {"storageAccountType": "UltraSSD_LRS"}},
                {"caching": "None", "diskSizeGB": "512", "managedDisk": {"storageAccountType": "PremiumV2_LRS"}},
                {"caching": "None", "diskSizeGB": "8", "managedDisk": {"storageAccountType": "StandardSSD_LRS"}}
            ]}}, "network": {"interface": [{"macAddress": "000D3A"}, {"macAddress": "000D3B"}]}}"#;
        let cloud = azure(document, &Book::built_in()).expect("a machine");
        assert_eq!(cloud.network, "2 interfaces");
        assert_eq!(
            (cloud.size.as_str(), cloud.region.as_str()),
            ("D8ds_v4", "westeurope")
        );
        let disks = [
            "P30:none",
            "P30:ro",
            "Ultra:1024GiB:none",
            "PremiumV2:512GiB:none",
        ];
        assert_eq!(cloud.disks, disks);
        assert_eq!(cloud.other_disks, ["StandardSSD_LRS 8 GiB, cache none"]);
        assert_eq!(azure("<html>", &Book::built_in()), None);
        assert_eq!(azure("{}", &Book::built_in()), None);
    }

    #[test]
    fn the_others_say_a_path_or_a_word() {
        let disks = r#"[{"deviceName": "boot", "index": 0, "interface": "SCSI", "mode": "READ_WRITE", "type": "PERSISTENT-BALANCED"},
            {"deviceName": "local-ssd-0", "index": 1, "interface": "NVME", "type": "LOCAL-SSD"}]"#;
        let (machine, zone) = (
            "projects/12/machineTypes/n2-standard-32\n",
            "projects/12/zones/europe-west3-a",
        );
        let cloud = gcp(machine, zone, disks).unwrap();
        assert_eq!(
            [&cloud.size, &cloud.region, &cloud.zone],
            ["n2-standard-32", "europe-west3", "europe-west3-a"]
        );
        let disks = [
            "PERSISTENT-BALANCED boot SCSI",
            "LOCAL-SSD local-ssd-0 NVME",
        ];
        assert_eq!(cloud.other_disks, disks);
        assert!(gcp(machine, zone, "<html>").unwrap().other_disks.is_empty());
        assert_eq!(gcp("<html>hello</html>", zone, ""), None);
        let disks = [("ebs1".to_owned(), "/dev/sdf\n".to_owned())];
        let cloud = aws("m5.large", "eu-central-1b\n", &disks).unwrap();
        assert_eq!(
            [&cloud.size, &cloud.region, &cloud.zone],
            ["m5.large", "eu-central-1", "eu-central-1b"]
        );
        assert_eq!(cloud.other_disks, ["ebs1 /dev/sdf"]);
        assert_eq!(aws("<html>", "", &[]), None);
    }

    #[test]
    fn a_system_has_a_name() {
        let text = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n";
        assert_eq!(
            os_name(text).as_deref(),
            Some("Debian GNU/Linux 13 (trixie)")
        );
        assert_eq!(os_name("NAME=Alpine").as_deref(), Some("Alpine"));
        assert_eq!(os_name("ID=x"), None);
    }
}
