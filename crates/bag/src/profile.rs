//! BagIt Profiles 1.4: what an institution demands of its bags.

use std::fmt;
use std::io;

use serde_json::{Map, Value};

use crate::declaration::Version;
use crate::finding::{Finding, Report, Rule};
use crate::info::{Info, Oxum};
use crate::manifest::ManifestName;
use crate::path::PAYLOAD;

/// The label by which a bag names its profile.
pub(crate) const IDENTIFIER: &str = "BagIt-Profile-Identifier";

/// The reason why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(String);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProfileError {}

/// The demand on a label of bag-info.txt.
#[derive(Clone, Debug, Default)]
struct Demand {
    label: String,
    is_required: bool,
    is_single: bool,
    values: Vec<String>,
}

/// A profile.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    identifier: Option<String>,
    info: Vec<Demand>,
    manifests_required: Vec<String>,
    manifests_allowed: Option<Vec<String>>,
    tag_manifests_required: Vec<String>,
    tag_manifests_allowed: Option<Vec<String>>,
    tag_files_required: Vec<String>,
    tag_files_allowed: Option<Vec<String>>,
    payload_files_required: Vec<String>,
    payload_files_allowed: Option<Vec<String>>,
    allow_fetch: Option<bool>,
    fetch_required: bool,
    data_empty: bool,
    serialization: Option<String>,
    versions: Vec<String>,
}

/// Keys that say nothing about the contents of a bag.
const OTHERS: [&str; 2] = ["Accept-Serialization", "BagIt-Profile-Version"];

fn texts(value: &Value, key: &str) -> Result<Vec<String>, ProfileError> {
    let wrong = || ProfileError(format!("`{key}` is no list of texts"));
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn flag(value: &Value, key: &str) -> Result<bool, ProfileError> {
    // (Profiles of version 1.1 write `"true"`.)
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(ProfileError(format!("`{key}` is neither true nor false"))),
    }
}

fn object<'v>(value: &'v Value, key: &str) -> Result<&'v Map<String, Value>, ProfileError> {
    value.as_object().ok_or_else(|| ProfileError(format!("`{key}` is no object")))
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// [`ProfileError`] if it is no profile: then nothing is known of what it demands.
    pub fn parse(json: &[u8]) -> Result<Profile, ProfileError> {
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let value: Value =
            serde_json::from_slice(json).map_err(|error| ProfileError(format!("the profile is no JSON: {error}")))?;
        let all = value.as_object().ok_or_else(|| ProfileError("the profile is no JSON object".to_owned()))?;
        if !all.contains_key("BagIt-Profile-Info") {
            return Err(ProfileError("this is no BagIt profile: it has no `BagIt-Profile-Info`".to_owned()));
        }
        let mut profile = Profile::default();
        for (key, value) in all {
            match key.as_str() {
                "BagIt-Profile-Info" => {
                    let identifier = object(value, key)?.get(IDENTIFIER).and_then(Value::as_str);
                    profile.identifier = identifier.map(str::to_owned);
                }
                "Bag-Info" => {
                    for (label, value) in object(value, key)? {
                        profile.info.push(Demand::of(label, object(value, label)?)?);
                    }
                }
                "Manifests-Required" => profile.manifests_required = texts(value, key)?,
                "Manifests-Allowed" => profile.manifests_allowed = Some(texts(value, key)?),
                "Tag-Manifests-Required" => profile.tag_manifests_required = texts(value, key)?,
                "Tag-Manifests-Allowed" => profile.tag_manifests_allowed = Some(texts(value, key)?),
                "Tag-Files-Required" => profile.tag_files_required = texts(value, key)?,
                "Tag-Files-Allowed" => profile.tag_files_allowed = Some(texts(value, key)?),
                "Payload-Files-Required" => profile.payload_files_required = texts(value, key)?,
                "Payload-Files-Allowed" => profile.payload_files_allowed = Some(texts(value, key)?),
                "Allow-Fetch.txt" => profile.allow_fetch = Some(flag(value, key)?),
                "Fetch.txt-Required" => profile.fetch_required = flag(value, key)?,
                "Data-Empty" => profile.data_empty = flag(value, key)?,
                "Serialization" => profile.serialization = value.as_str().map(str::to_owned),
                "Accept-BagIt-Version" => profile.versions = texts(value, key)?,
                key if OTHERS.contains(&key) => {}
                key => return Err(ProfileError(format!("`{key}` is no part of a profile that pfh knows"))),
            }
        }
        Ok(profile)
    }
}

impl Demand {
    fn of(label: &str, demand: &Map<String, Value>) -> Result<Demand, ProfileError> {
        let of = |key: &str| demand.get(key);
        Ok(Demand {
            label: label.to_owned(),
            is_required: of("required").map_or(Ok(false), |value| flag(value, "required"))?,
            is_single: !of("repeatable").map_or(Ok(true), |value| flag(value, "repeatable"))?,
            values: of("values").map_or(Ok(Vec::new()), |value| texts(value, "values"))?,
        })
    }
}

/// Whether a path is of a pattern, in which `*` stands for any bytes, and `?` for one.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // The last `*`, and the byte that it ends before.
    let mut star: Option<(usize, usize)> = None;
    while from < path.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == path[from] => {
                at += 1;
                from += 1;
            }
            _ => match &mut star {
                Some((place, end)) => {
                    *end += 1;
                    (at, from) = (*place + 1, *end);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

/// Holds a bag against a profile.
pub(crate) struct ProfileCheck<'a> {
    profile: &'a Profile,
    tag_files_seen: Vec<bool>,
    payload_files_seen: Vec<bool>,
    /// Files that are not allowed: the first of them, and how many.
    strangers: (Vec<Vec<u8>>, u64),
}

/// Most files that are named because they are not allowed.
const NAMED_MAX: usize = 100;

/// Tag files that the standard defines, which a profile allows by its other demands.
fn is_defined(path: &[u8]) -> bool {
    matches!(path, b"bagit.txt" | b"bag-info.txt" | b"fetch.txt" | b"package-info.txt")
        || ManifestName::parse(path).is_some()
}

impl<'a> ProfileCheck<'a> {
    pub(crate) fn new(profile: &'a Profile) -> ProfileCheck<'a> {
        ProfileCheck {
            profile,
            tag_files_seen: vec![false; profile.tag_files_required.len()],
            payload_files_seen: vec![false; profile.payload_files_required.len()],
            strangers: (Vec::new(), 0),
        }
    }

    /// Takes a file of the bag.
    pub(crate) fn file(&mut self, path: &[u8]) {
        let profile = self.profile;
        let is_payload = path.starts_with(PAYLOAD);
        let (required, seen, allowed) = match is_payload {
            true => (&profile.payload_files_required, &mut self.payload_files_seen, &profile.payload_files_allowed),
            false => (&profile.tag_files_required, &mut self.tag_files_seen, &profile.tag_files_allowed),
        };
        for (pattern, seen) in required.iter().zip(seen) {
            *seen |= fits(pattern.as_bytes(), path);
        }
        let is_allowed = |allowed: &Vec<String>| allowed.iter().any(|pattern| fits(pattern.as_bytes(), path));
        let is_stranger = allowed.as_ref().is_some_and(|allowed| !is_allowed(allowed));
        if is_stranger && (is_payload || !is_defined(path)) {
            self.strangers.1 += 1;
            if self.strangers.0.len() < NAMED_MAX {
                self.strangers.0.push(path.to_vec());
            }
        }
    }

    /// Judges, after the last file.
    pub(crate) fn end(
        self,
        version: Version,
        info: Option<&Info>,
        manifests: &[&ManifestName],
        has_fetch: bool,
        payload: Oxum,
        report: Report<'_>,
    ) -> io::Result<()> {
        let profile = self.profile;
        let mut error = |text: String| report(Finding::error(Rule::Profile, text));
        if !profile.versions.is_empty() && !profile.versions.contains(&version.to_string()) {
            error(format!("the profile accepts BagIt {}, and this is {version}", profile.versions.join(", ")))?;
        }
        if profile.serialization.as_deref() == Some("required") {
            error("the profile demands a bag in one file (zip, tar), and this is a directory".to_owned())?;
        }
        if let Some(identifier) = &profile.identifier {
            let stated = info.and_then(|info| info.value(IDENTIFIER));
            if stated.as_ref() != Some(identifier) {
                error(format!("{IDENTIFIER} is not {identifier}, as the profile demands"))?;
            }
        }
        for demand in &profile.info {
            let values: Vec<String> = info.map_or_else(Vec::new, |info| {
                info.tags.iter().filter(|tag| tag.is(&demand.label)).map(|tag| tag.text()).collect()
            });
            let label = &demand.label;
            if values.is_empty() && demand.is_required {
                error(format!("the profile demands {label}, which bag-info.txt does not have"))?;
            }
            if values.len() > 1 && demand.is_single {
                error(format!("the profile demands that {label} occurs once"))?;
            }
            for value in values.iter().filter(|value| !demand.values.is_empty() && !demand.values.contains(value)) {
                error(format!("the profile does not allow `{value}` as {label}"))?;
            }
        }
        let sides = [
            (false, "manifest", &profile.manifests_required, &profile.manifests_allowed),
            (true, "tag manifest", &profile.tag_manifests_required, &profile.tag_manifests_allowed),
        ];
        for (is_tag, word, required, allowed) in sides {
            let algorithms = || manifests.iter().filter(|name| name.is_tag == is_tag);
            let is = |name: &ManifestName, wanted: &str| {
                name.file.trim_start_matches("tag") == format!("manifest-{}.txt", wanted.to_ascii_lowercase())
            };
            for wanted in required.iter().filter(|wanted| !algorithms().any(|name| is(name, wanted))) {
                error(format!("the profile demands a {word} of {wanted}"))?;
            }
            for name in algorithms() {
                if allowed.as_ref().is_some_and(|allowed| !allowed.iter().any(|wanted| is(name, wanted))) {
                    error(format!("the profile does not allow {}", name.file))?;
                }
            }
        }
        match (has_fetch, profile.allow_fetch, profile.fetch_required) {
            (true, Some(false), _) => error("the profile does not allow fetch.txt".to_owned())?,
            (false, _, true) => error("the profile demands fetch.txt".to_owned())?,
            _ => {}
        }
        if profile.data_empty && (payload.bytes > 0 || payload.files > 1) {
            error("the profile demands a payload without contents".to_owned())?;
        }
        let missing = profile.tag_files_required.iter().zip(&self.tag_files_seen);
        let missing = missing.chain(profile.payload_files_required.iter().zip(&self.payload_files_seen));
        for (pattern, _) in missing.filter(|(_, seen)| !**seen) {
            error(format!("the profile demands a file `{pattern}`"))?;
        }
        let more = self.strangers.1 - self.strangers.0.len() as u64;
        for path in &self.strangers.0 {
            report(Finding::error(Rule::Profile, "the profile does not allow the file").about(path))?;
        }
        if more > 0 {
            report(Finding::error(Rule::Profile, format!("the profile does not allow {more} further files")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("data/*", "data/a/b.txt", true),
            ("data/*.txt", "data/a.tx", false),
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?at", "cat", true),
            ("?at", "at", false),
            ("data/a", "data/a", true),
            ("data/a", "data/ab", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), path.as_bytes()), expected, "{pattern} {path}");
        }
        // No pattern takes more than the product of the lengths.
        assert!(!fits("*a".repeat(500).as_bytes(), "a".repeat(400).as_bytes()));
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for (json, reason) in [
            ("", "no JSON"),
            ("[]", "no JSON object"),
            ("{}", "no BagIt profile"),
            (r#"{"BagIt-Profile-Info":{},"Manifests-Required":"md5"}"#, "no list of texts"),
            (r#"{"BagIt-Profile-Info":{},"Bag-Info":{"A":1}}"#, "no object"),
            (r#"{"BagIt-Profile-Info":{},"Data-Empty":1}"#, "neither true nor false"),
            (r#"{"BagIt-Profile-Info":{},"Manifest-Required":[]}"#, "no part of a profile"),
        ] {
            let error = Profile::parse(json.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }
}
