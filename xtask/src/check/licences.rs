//! Licences, sources and banned crates, as deny.toml says: by cargo-deny where it is installed, else by the same rules
//! over `cargo metadata`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};

use crate::process;
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    if process::find_program("cargo-deny").is_some() {
        process::run(workspace.cargo().args([
            "deny",
            "--all-features",
            "check",
            "--hide-inclusion-graph",
            "licenses",
            "bans",
            "sources",
        ]))?;
        return Ok(Outcome::passed("by cargo-deny"));
    }
    let policy = Policy::parse(&workspace.read("deny.toml")?).context("deny.toml")?;
    let metadata = workspace.metadata(&["--all-features"])?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let findings = policy.judge(packages)?;
    findings
        .into_result(format!("{} crates, by xtask over `cargo metadata` (cargo-deny is not installed)", packages.len()))
}

/// The part of deny.toml that is checked here.
struct Policy {
    licences: Vec<Licensee>,
    banned: BTreeMap<String, String>,
    registries: Vec<String>,
}

impl Policy {
    fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = text.parse()?;
        let list = |section: &str, key: &str| -> Result<&Vec<toml::Value>> {
            let value = table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
            value.with_context(|| format!("[{section}] has no list `{key}`"))
        };
        let text = |value: &toml::Value| value.as_str().map(str::to_owned).context("expected a string");
        let licences = list("licenses", "allow")?.iter().map(|value| {
            let name = text(value)?;
            Licensee::parse(&name).map_err(|error| anyhow!("licence `{name}`: {error}"))
        });
        let banned = list("bans", "deny")?.iter().map(|entry| {
            let name = entry.get("crate").and_then(toml::Value::as_str).context("[bans] deny: `crate` expected")?;
            if name.contains(['@', ':', '=']) {
                bail!("[bans] deny: `{name}`: versions are not supported here, ban the whole crate");
            }
            let reason = entry.get("reason").and_then(toml::Value::as_str).context("[bans] deny: `reason` expected")?;
            Ok((name.to_owned(), reason.to_owned()))
        });
        Ok(Self {
            licences: licences.collect::<Result<_>>()?,
            banned: banned.collect::<Result<_>>()?,
            registries: list("sources", "allow-registry")?.iter().map(text).collect::<Result<_>>()?,
        })
    }

    fn judge(&self, packages: &[Value]) -> Result<Findings> {
        let mut findings = Findings::default();
        for package in packages {
            let name = package["name"].as_str().context("a package without name")?;
            let mut add = |problem: String| findings.add(format!("{name} {}: {problem}", package["version"]));
            match package["license"].as_str() {
                Some(expression) => match self.allows(expression) {
                    Ok(true) => {}
                    Ok(false) => add(format!("licence `{expression}` is not allowed by deny.toml")),
                    Err(error) => add(format!("licence `{expression}`: {error}")),
                },
                None => add("states no licence expression".to_owned()),
            }
            if let Some(reason) = self.banned.get(name) {
                add(format!("banned by deny.toml: {reason}"));
            }
            // No source: a crate of this workspace.
            if let Some(source) = package["source"].as_str() {
                let registry = source.strip_prefix("registry+").or_else(|| source.strip_prefix("sparse+"));
                if !registry.is_some_and(|registry| self.registries.iter().any(|allowed| allowed == registry)) {
                    add(format!("source `{source}` is not allowed by deny.toml"));
                }
            }
        }
        Ok(findings)
    }

    fn allows(&self, expression: &str) -> Result<bool> {
        let parsed = Expression::parse_mode(expression, ParseMode::LAX).map_err(|error| anyhow!("{}", error.reason))?;
        Ok(parsed.evaluate(|required| self.licences.iter().any(|licence| licence.satisfies(required))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const POLICY: &str = r#"
        [licenses]
        allow = ["MIT", "BSD-3-Clause", "Apache-2.0 WITH LLVM-exception"]
        [bans]
        deny = [{ crate = "copied", reason = "GPL" }]
        [sources]
        allow-registry = ["https://registry.example/index"]
    "#;

    #[test]
    fn licence_expressions() {
        let policy = Policy::parse(POLICY).expect("a policy");
        for (expression, allowed) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("(MIT OR Apache-2.0) AND BSD-3-Clause", true),
            ("MIT AND GPL-2.0-or-later", false),
            ("MIT OR GPL-2.0-or-later", true),
        ] {
            assert_eq!(policy.allows(expression).expect("valid"), allowed, "{expression}");
        }
        assert!(policy.allows("My own licence").is_err());
    }

    #[test]
    fn each_rule_is_applied() {
        let policy = Policy::parse(POLICY).expect("a policy");
        let findings = |name: &str, license: Value, source: Value| {
            let package = json!({"name": name, "version": "1.0.0", "license": license, "source": source});
            policy.judge(&[package]).expect("well-formed").lines().len()
        };
        let registry = json!("registry+https://registry.example/index");
        assert_eq!(findings("good", json!("MIT"), registry.clone()), 0);
        assert_eq!(findings("ours", json!("MIT"), Value::Null), 0);
        assert_eq!(findings("copied", json!("MIT"), registry.clone()), 1);
        assert_eq!(findings("silent", Value::Null, registry), 1);
        assert_eq!(findings("elsewhere", json!("MIT"), json!("git+https://git.example/x")), 1);
    }
}
