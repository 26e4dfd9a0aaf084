//! Which release of NSRL a file belongs to.

/// A release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Release {
    /// Such as `2026.03.1`: releases are in the order of these texts.
    pub version: String,
    /// The set, such as `modern_minimal`; empty if unknown.
    pub set: String,
    /// As it is written there; empty if unknown.
    pub date: String,
    /// Empty if unknown.
    pub description: String,
}

impl Release {
    /// Returns which of NSRL's collections it is of, if its set tells: `modern`, `legacy`, `android` or `ios`. A delta
    /// belongs to a database of the same one.
    pub fn collection(&self) -> Option<&'static str> {
        let words = || self.set.split(|one: char| !one.is_ascii_alphanumeric());
        let all = ["modern", "legacy", "android", "ios"];
        all.into_iter().find(|name| words().any(|word| word.eq_ignore_ascii_case(name)))
    }

    /// Returns how many quarters there are from another release to this one, if both tell their months.
    pub fn quarters_after(&self, other: &Release) -> Option<i64> {
        let months = |release: &Release| {
            let mut parts = release.version.split('.').map(|part| part.parse::<i64>().ok());
            Some(12 * parts.next()?? + parts.next()??)
        };
        Some((months(self)? - months(other)?) / 3)
    }

    /// Reads the release from the name of a file, such as `RDS_2026.03.1_modern_minimal_delta.sql`.
    pub fn from_file_name(name: &str) -> Option<Release> {
        let rest = name.get(..4).filter(|start| start.eq_ignore_ascii_case("RDS_")).and_then(|_| name.get(4..))?;
        let version_end = rest.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(rest.len());
        let (version, set) = rest.split_at(version_end);
        let parts: Vec<&str> = version.split('.').collect();
        let is_version = parts.len() == 3 && parts[0].len() == 4 && parts.iter().all(|part| !part.is_empty());
        let set = set.split('.').next().unwrap_or_default();
        let set = set.strip_suffix("_delta").unwrap_or(set).trim_start_matches('_');
        is_version.then(|| Release { version: version.to_owned(), set: set.to_owned(), ..Release::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_counted() {
        let release = |version: &str| Release { version: version.to_owned(), ..Release::default() };
        let after = |one, other| release(one).quarters_after(&release(other));
        assert_eq!(after("2026.06.1", "2026.03.1"), Some(1));
        assert_eq!(after("2027.03.2", "2026.03.1"), Some(4));
        assert_eq!(after("2026.03.1", "2025.12.1"), Some(1));
        assert_eq!(
            (after("2026.03.2", "2026.03.1"), after("", "2026.03.1"), after("x.y.z", "1.2.3")),
            (Some(0), None, None)
        );
    }

    #[test]
    fn names_of_files() {
        let of = |name| Release::from_file_name(name).map(|release| (release.version, release.set));
        let pair = |version: &str, set: &str| Some((version.to_owned(), set.to_owned()));
        assert_eq!(of("RDS_2026.03.1_modern_minimal_delta.sql"), pair("2026.03.1", "modern_minimal"));
        assert_eq!(of("rds_2026.06.1_android.zip"), pair("2026.06.1", "android"));
        for (set, collection) in [
            ("modern_minimal", Some("modern")),
            ("Legacy", Some("legacy")),
            ("rds ios", Some("ios")),
            ("bios", None),
            ("", None),
        ] {
            let release = Release { set: set.to_owned(), ..Release::default() };
            assert_eq!(release.collection(), collection, "{set}");
        }
        for name in ["RDS_2026_modern.db", "delta.sql", "RDS_2026..1_x.db", "RDSé", ""] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
