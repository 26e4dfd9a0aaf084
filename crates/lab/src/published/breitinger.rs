//! Breitinger and Petrov 2013: pfh as it was published, tables I and III to XIII.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::rows;

/// One figure of a table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TreeTime {
    /// Number of the table, Roman.
    pub table: String,
    /// Its title, in short.
    pub experiment: String,
    /// The algorithm.
    pub algorithm: String,
    /// How files were read: `original`, `SMT`, `MTP`, or a tool.
    pub variant: String,
    /// Number of threads, where the table gives it.
    pub threads: Option<u32>,
    /// Size of the memory table in MB, where the table gives it.
    pub memory_mb: Option<u32>,
    /// Seconds.
    pub value: f64,
}

/// All rows.
#[must_use]
pub fn tree_times() -> Vec<TreeTime> {
    rows(include_str!("../../../../lab/published/breitinger2013_tables.csv"))
}

/// The seconds of one row; of several the first.
#[must_use]
pub fn tree_seconds(table: &str, algorithm: &str, variant: &str, threads: Option<u32>) -> Option<f64> {
    let is_meant = |row: &TreeTime| {
        row.table == table
            // The study writes MRSH-v2, and its author's program mrsh-v2.
            && row.algorithm.eq_ignore_ascii_case(algorithm)
            && row.variant == variant
            && threads.is_none_or(|threads| row.threads == Some(threads))
    };
    tree_times().into_iter().find(is_meant).map(|row| row.value)
}

/// The study's time of a cell of the experiment `tree`: of the tables that its trial repeats, the row of the same
/// program, algorithm and options. `None` where it has none. Table I prints times of the processor, and is left out.
#[must_use]
pub fn tree_cell_seconds(
    trial: &str,
    program: &str,
    algorithm: &str,
    dimensions: &BTreeMap<String, String>,
) -> Option<f64> {
    let tables = trial.split(':').next()?;
    let tables: Vec<&str> = tables.split([' ', ',']).filter(|word| word.chars().all(|c| "IVX".contains(c))).collect();
    let algorithm = match algorithm {
        "sha1" => "SHA-1",
        other => other,
    };
    let dimension = |name: &str| dimensions.get(name).map(String::as_str);
    let variants: Vec<String> = match (program, dimension("mode")) {
        ("pfh" | "pfh-family", Some("mtp")) => match dimension("prefetchers") {
            Some(number) => vec![format!("MTP p={number}")],
            None => vec!["MTP".to_owned()],
        },
        ("pfh" | "pfh-family", Some("smt")) => vec!["SMT".to_owned()],
        ("pfh-pairs", None) => vec!["MTP".to_owned()],
        ("ppss-like", _) => vec!["ppss".to_owned()],
        ("parallel", _) => vec!["parallel".to_owned()],
        ("ssdeep" | "sdhash" | "mrsh-v2" | "md5sum" | "sha1sum" | "ssdeep-pairs" | "sdhash-pairs", _) => {
            vec!["original".to_owned(), "stand-alone".to_owned()]
        }
        _ => return None,
    };
    let agrees = |stated: Option<u32>, own: Option<&str>| {
        let own = own.and_then(|text| text.trim_end_matches('M').parse().ok());
        stated.zip(own).is_none_or(|(stated, own): (u32, u32)| stated == own)
    };
    let is_meant = |row: &TreeTime| {
        row.table != "I"
            && tables.contains(&row.table.as_str())
            && row.algorithm.eq_ignore_ascii_case(algorithm)
            && variants.contains(&row.variant)
            && agrees(row.threads, dimension("threads"))
            && agrees(row.memory_mb, dimension("memory"))
    };
    tree_times().into_iter().find(is_meant).map(|row| row.value)
}

/// The study's projection of ssdeep to a workstation, whose bytes begin the title of its rows (table XI).
#[must_use]
pub fn tree_projection_seconds(workstation: &str, variant: &str) -> Option<f64> {
    let is_meant = |row: &TreeTime| row.table == "XI" && row.variant == variant && row.experiment.contains(workstation);
    tree_times().into_iter().find(is_meant).map(|row| row.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_times_of_their_tables() {
        let of = |trial: &str, program: &str, algorithm: &str, dimensions: &[(&str, &str)]| {
            let dimensions = dimensions.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            tree_cell_seconds(trial, program, algorithm, &dimensions)
        };
        let (mtp, smt) = (("mode", "mtp"), ("mode", "smt"));
        let two = [("threads", "2"), ("memory", "20M")];
        let both = "Tables III and IV: stand-alone against two threads, similarity digests";
        assert_eq!(of(both, "ssdeep", "ssdeep", &[]), Some(83.67));
        assert_eq!(of(both, "pfh-family", "ssdeep", &[smt, two[0], two[1]]), Some(69.05));
        assert_eq!(of(both, "pfh-family", "mrsh-v2", &[mtp, two[0], two[1]]), Some(51.79));
        assert_eq!(of(both, "pfh-family", "mrsh-v2", &[("mode", "adaptive"), two[0], two[1]]), None);
        assert_eq!(of("Table IV: x", "sha1sum", "sha1", &[]), Some(52.35));
        assert_eq!(of("Table V: x", "sdhash-pairs", "sdhash", &[("threads", "8")]), Some(4140.0));
        assert_eq!(of("Table V: x", "pfh-pairs", "ssdeep", &[("threads", "8")]), Some(68.34));
        let table = |memory| of("Table VIII: x", "pfh-family", "mrsh-v2", &[smt, ("threads", "4"), ("memory", memory)]);
        assert_eq!(["128M", "256M", "512M", "1024M"].map(table), [Some(66.36), Some(66.39), Some(66.20), None]);
        let prefetchers = |number| of("Table IX: x", "pfh", "md5", &[mtp, ("threads", "8"), ("prefetchers", number)]);
        assert_eq!(["1", "2", "3"].map(prefetchers), [Some(52.05), Some(60.09), None]);
        assert_eq!(of("Table XII: x", "parallel", "ssdeep", &[("threads", "8")]), Some(69.81));
        assert_eq!(of("Table XIII: x", "ssdeep", "ssdeep", &[]), Some(264.0));
        assert_eq!(of("Table XIII: x", "ppss-like", "ssdeep", &[("threads", "8")]), Some(342.0));
        assert_eq!(of("Table XIII: x", "pfh-family", "ssdeep", &[mtp, ("threads", "8")]), None);
        assert_eq!(of("Table I: x", "ssdeep", "ssdeep", &[]), None);
        assert_eq!(tree_projection_seconds("100.92 GB", "SMT"), Some(4423.0));
        assert_eq!(tree_projection_seconds("36.55 GB", "stand-alone"), Some(2170.0));
    }
}
