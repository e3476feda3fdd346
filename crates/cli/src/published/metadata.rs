//! What this machine says of itself becomes options of a set-up.
//!
//! Belongs here: which option each answer is. Must never: ask.

use leadline_limits::{Asked, Here, parse};

/// Adds what was found to the options that were not set, and says what it is.
pub(super) fn take(found: &Here, asked: &mut Vec<Asked>, files: &[(&str, &str)]) -> Vec<String> {
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
    let zone = match cloud.zone.as_str() {
        "" => String::new(),
        zone => format!(", zone {zone}"),
    };
    said.push(format!(
        "machine: {} of {}, in {}{zone}",
        or_unknown(&cloud.size),
        cloud.provider,
        or_unknown(&cloud.region)
    ));
    let has = |asked: &[Asked], option: &str| asked.iter().any(|(name, _)| *name == option);
    if !has(asked, "vm") && !cloud.size.is_empty() {
        let option = ("vm", cloud.size.clone());
        match parse(std::slice::from_ref(&option), files).is_right() {
            true => asked.push(option),
            false => said.push(format!("there is no row for the machine {}", cloud.size)),
        }
    }
    let is_given = has(asked, "disk");
    if !cloud.disks.is_empty() {
        said.push(format!("disks: {}", cloud.disks.join(", ")));
        if !is_given {
            asked.extend(cloud.disks.iter().map(|disk| ("disk", disk.clone())));
        }
    }
    let is_set = |disk: &&String| {
        ["PremiumV2", "Ultra"]
            .iter()
            .any(|kind| disk.starts_with(kind))
    };
    if let Some(disk) = cloud.disks.iter().find(is_set).filter(|_| !is_given) {
        said.push(format!(
            "the IOPS and MB/s provisioned for {disk} are not known here, so those of a new disk are used; give --disk \
             with the actual ones"
        ));
    }
    if !cloud.network.is_empty() {
        said.push(format!("network: {}", cloud.network));
    }
    for other in &cloud.other_disks {
        said.push(format!("disk without a row: {other}"));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_limits::Cloud;

    fn of(cloud: Option<Cloud>) -> Here {
        Here {
            system: Some("Debian".to_owned()),
            why: if cloud.is_some() {
                String::new()
            } else {
                "nothing answers".to_owned()
            },
            cloud,
        }
    }

    fn azure() -> Cloud {
        Cloud {
            provider: "azure",
            size: "D8ds_v4".to_owned(),
            region: "westeurope".to_owned(),
            zone: "2".to_owned(),
            disks: vec!["P30:ro".to_owned()],
            other_disks: vec!["StandardSSD_LRS 8 GiB, cache none".to_owned()],
            network: "1 interface".to_owned(),
        }
    }

    /// Disks whose rates are set are options too: of what was set only the size is known.
    #[test]
    fn each_kind_of_disk_is_an_option_that_is_read() {
        let sizes = [
            ("PremiumV2_LRS", 512),
            ("UltraSSD_LRS", 1024),
            ("Premium_LRS", 600),
        ];
        let disk = |(kind, gib): (&str, u32)| {
            format!(
                r#"{{"caching": "None", "diskSizeGB": "{gib}", "managedDisk": {{"storageAccountType": "{kind}"}}}}"#
            )
        };
        let disks = sizes.map(disk).join(",");
        let text = format!(
            r#"{{"compute": {{"vmSize": "Standard_D8s_v3", "storageProfile": {{"dataDisks": [{disks}]}}}}}}"#
        );
        let cloud = leadline_limits::azure(&text, &leadline_limits::Book::built_in());
        let mut asked = Vec::new();
        let said = take(&of(cloud), &mut asked, &[]);
        assert_eq!(asked.len(), 4, "{said:?}");
        assert!(parse(&asked, &[]).is_right(), "{asked:?}");
        assert!(
            said.iter().all(|line| !line.contains("without a row")),
            "{said:?}"
        );
    }

    #[test]
    fn what_a_machine_says_becomes_options_unless_the_user_gave_them() {
        let found = of(Some(azure()));
        let mut asked = Vec::new();
        let said = take(&found, &mut asked, &[]);
        assert_eq!(
            said,
            [
                "system: Debian",
                "machine: D8ds_v4 of azure, in westeurope, zone 2",
                "disks: P30:ro",
                "network: 1 interface",
                "disk without a row: StandardSSD_LRS 8 GiB, cache none"
            ]
        );
        assert_eq!(
            asked,
            [("vm", "D8ds_v4".to_owned()), ("disk", "P30:ro".to_owned())]
        );
        let mut own = vec![("vm", "D2s_v3".to_owned()), ("disk", "P10".to_owned())];
        take(&found, &mut own, &[]);
        assert_eq!(own.len(), 2, "what the user says stays");
    }

    #[test]
    fn a_machine_without_a_row_and_no_cloud_are_said() {
        let unknown = Cloud {
            provider: "aws",
            size: "m5.large".to_owned(),
            ..Cloud::default()
        };
        let mut asked = Vec::new();
        let said = take(&of(Some(unknown)), &mut asked, &[]);
        assert!(
            said.contains(&"machine: m5.large of aws, in unknown".to_owned())
                && said.contains(&"there is no row for the machine m5.large".to_owned()),
            "{said:?}"
        );
        let said = take(&of(None), &mut asked, &[]);
        assert!(
            said.contains(&"no metadata service of a cloud: nothing answers".to_owned()),
            "{said:?}"
        );
        assert!(asked.is_empty());
    }
}
