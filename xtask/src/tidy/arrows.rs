//! Which crate of the workspace may depend on which: the star around the model.
//!
//! Pure over the output of `cargo metadata --no-deps`.

use super::Fault;
use anyhow::{Context, Result};
use serde_json::Value;

/// What one crate may depend on.
struct CrateRule {
    /// The crate's package name.
    name: &'static str,
    /// Crates of the workspace it may use, in tests too.
    crates: &'static [&'static str],
    /// Crates from outside it may be built from; `None` leaves that to deny.toml and the reasons in Cargo.toml.
    outside: Option<&'static [&'static str]>,
}

/// What tests share: any crate may use it, in tests only.
const TESTKIT: &str = "leadline-testkit";
const MODEL: &[&str] = &["leadline-model"];
const ENGINE_OUTSIDE: &[&str] = &[
    "io-uring",
    "libc",
    "rand_xoshiro",
    "rustix",
    "serde",
    "signal-hook",
    "thiserror",
];

/// Front ends and reports share forms of text as well.
const MODEL_AND_TEXT: &[&str] = &["leadline-model", "leadline-text"];

/// A front end reads a language and prints in it what was measured. It knows no other front end.
const FRONT_END: &[&str] = &[
    "leadline-model",
    "leadline-text",
    "leadline-dialect",
    "leadline-results",
];

const CRATE_RULES: &[CrateRule] = &[
    CrateRule {
        name: "leadline-text",
        crates: &[],
        outside: Some(&["serde", "serde_json"]),
    },
    CrateRule {
        name: "leadline-model",
        crates: &[],
        outside: Some(&["serde", "serde_json"]),
    },
    CrateRule {
        name: "leadline-dialect",
        crates: MODEL_AND_TEXT,
        outside: None,
    },
    CrateRule {
        name: "leadline-fio",
        crates: FRONT_END,
        outside: None,
    },
    CrateRule {
        name: "leadline-vdbench",
        crates: FRONT_END,
        outside: None,
    },
    CrateRule {
        name: "leadline-diskspd",
        crates: FRONT_END,
        outside: None,
    },
    CrateRule {
        name: "leadline-study",
        crates: &["leadline-model", "leadline-text", "leadline-dialect"],
        outside: None,
    },
    CrateRule {
        name: "leadline-limits",
        crates: &["leadline-model", "leadline-text", "leadline-dialect"],
        outside: None,
    },
    CrateRule {
        name: "leadline-engine",
        crates: MODEL,
        outside: Some(ENGINE_OUTSIDE),
    },
    CrateRule {
        name: "leadline-results",
        crates: MODEL_AND_TEXT,
        outside: None,
    },
    CrateRule {
        name: "leadline-fleet",
        crates: MODEL,
        outside: None,
    },
    CrateRule {
        name: "leadline",
        crates: &[
            "leadline-model",
            "leadline-dialect",
            "leadline-fio",
            "leadline-vdbench",
            "leadline-diskspd",
            "leadline-study",
            "leadline-limits",
            "leadline-engine",
            "leadline-results",
            "leadline-fleet",
            "leadline-text",
        ],
        outside: None,
    },
    CrateRule {
        name: "xtask",
        crates: &[
            "leadline-fio",
            "leadline-vdbench",
            "leadline-diskspd",
            "leadline-study",
            "leadline-limits",
            "leadline-dialect",
            "leadline-model",
            "leadline-text",
        ],
        outside: None,
    },
    CrateRule {
        name: "faultfs",
        crates: &[],
        outside: None,
    },
    CrateRule {
        name: "leadline-fuzzed",
        crates: &[
            "leadline-model",
            "leadline-dialect",
            "leadline-fio",
            "leadline-vdbench",
            "leadline-diskspd",
            "leadline-study",
            "leadline-limits",
            "leadline-engine",
            "leadline-results",
            "leadline-fleet",
        ],
        outside: None,
    },
    CrateRule {
        name: TESTKIT,
        crates: &["leadline-model", "leadline-dialect"],
        outside: Some(&["serde_json", "tempfile"]),
    },
];

/// One crate of the workspace.
#[derive(Debug)]
pub(super) struct Crate {
    name: String,
    manifest: String,
    dependencies: Vec<Dependency>,
}

impl Crate {
    /// The folder of the crate, from the root of the workspace, with a `/` at its end.
    pub(super) fn folder(&self) -> &str {
        self.manifest.trim_end_matches("Cargo.toml")
    }

    /// Names of the crates from outside the workspace that this one uses, for whatever purpose.
    pub(super) fn outside(&self) -> impl Iterator<Item = &str> {
        self.dependencies
            .iter()
            .filter(|used| !used.local)
            .map(|used| used.name.as_str())
    }
}

#[derive(Debug)]
struct Dependency {
    name: String,
    /// It has a path: it is of the workspace.
    local: bool,
    /// It is needed for tests only.
    dev: bool,
}

/// Reads what `cargo metadata --no-deps --format-version=1` printed.
pub(super) fn read(metadata: &str) -> Result<Vec<Crate>> {
    let value: Value = serde_json::from_str(metadata).context("cargo metadata is not JSON")?;
    let root = text(&value, "workspace_root");
    let packages = value["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    Ok(packages
        .iter()
        .map(|package| Crate {
            name: text(package, "name"),
            manifest: text(package, "manifest_path")
                .trim_start_matches(&root)
                .trim_start_matches('/')
                .to_owned(),
            dependencies: package["dependencies"]
                .as_array()
                .map_or_else(Vec::new, |all| {
                    all.iter()
                        .map(|used| Dependency {
                            name: text(used, "name"),
                            local: used["path"].is_string(),
                            dev: used["kind"] == "dev",
                        })
                        .collect()
                }),
        })
        .collect())
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Checks every arrow against the table; a crate the table does not know is a fault too.
pub(super) fn check(crates: &[Crate], faults: &mut Vec<Fault>) {
    for one in crates {
        let Some(law) = CRATE_RULES.iter().find(|law| law.name == one.name) else {
            let message = format!("`{}` is not in tidy's table of arrows", one.name);
            faults.push(Fault::new(&one.manifest, 0, message));
            continue;
        };
        for used in &one.dependencies {
            let allowed = if used.local {
                law.crates.contains(&used.name.as_str())
                    || (used.dev && (used.name == TESTKIT || used.name == one.name))
            } else {
                used.dev
                    || law
                        .outside
                        .is_none_or(|names| names.contains(&used.name.as_str()))
            };
            if !allowed {
                let message = format!("`{}` may not depend on `{}`", one.name, used.name);
                faults.push(Fault::new(&one.manifest, 0, message));
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Metadata of one crate with the given dependencies: name, local, kind.
    pub(in super::super) fn metadata(name: &str, uses: &[(&str, bool, &str)]) -> Vec<Crate> {
        let dependencies: Vec<Value> = uses
            .iter()
            .map(|(name, local, kind)| {
                let path = if *local {
                    Value::from("/x/crates/y")
                } else {
                    Value::Null
                };
                let kind = if kind.is_empty() {
                    Value::Null
                } else {
                    Value::from(*kind)
                };
                serde_json::json!({ "name": name, "path": path, "kind": kind })
            })
            .collect();
        let value = serde_json::json!({
            "workspace_root": "/x",
            "packages": [{
                "name": name, "manifest_path": "/x/crates/z/Cargo.toml", "dependencies": dependencies,
            }],
        });
        read(&value.to_string()).unwrap()
    }

    fn faults(name: &str, uses: &[(&str, bool, &str)]) -> Vec<String> {
        let mut faults = Vec::new();
        check(&metadata(name, uses), &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_star_is_allowed() {
        assert!(faults("leadline-results", &[("leadline-model", true, "")]).is_empty());
        assert!(faults("leadline", &[("leadline-engine", true, "")]).is_empty());
        assert!(
            faults(
                "leadline-model",
                &[("serde", false, ""), ("proptest", false, "dev")]
            )
            .is_empty()
        );
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        assert!(faults("leadline-engine", &[("leadline-testkit", true, "dev")]).is_empty());
        assert_eq!(
            faults("leadline-engine", &[("leadline-testkit", true, "")]),
            ["crates/z/Cargo.toml: `leadline-engine` may not depend on `leadline-testkit`"]
        );
    }

    #[test]
    fn tests_of_a_crate_may_ask_for_its_own_features() {
        let of = |kind| faults("leadline-results", &[("leadline-results", true, kind)]);
        assert!(of("dev").is_empty());
        assert_eq!(of("").len(), 1);
    }

    #[test]
    fn siblings_may_not_see_each_other_even_in_tests() {
        let message =
            ["crates/z/Cargo.toml: `leadline-dialect` may not depend on `leadline-engine`"];
        assert_eq!(
            faults("leadline-dialect", &[("leadline-engine", true, "")]),
            message
        );
        assert_eq!(
            faults("leadline-dialect", &[("leadline-engine", true, "dev")]),
            message
        );
        assert_eq!(
            faults("leadline-model", &[("leadline-dialect", true, "")]).len(),
            1
        );
    }

    #[test]
    fn the_engine_stays_small_and_new_crates_are_named() {
        assert_eq!(faults("leadline-engine", &[("anyhow", false, "")]).len(), 1);
        assert_eq!(faults("leadline-model", &[("libc", false, "")]).len(), 1);
        assert_eq!(faults("leadline-extra", &[]).len(), 1);
    }
}
