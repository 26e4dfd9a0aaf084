//! Which backends there are, against what the system says and what the test machine promises.

use pfh_vector::{Backend, bloom, crc, ctph, fnv1a_many, runs, sdhash_popularity, sdhash_rank, tlsh_triplets};

/// Those in the comma list `PFH_TEST_REQUIRED_BACKENDS` must be offered, so that a test machine cannot silently lose
/// one; and what a backend stands for is among the kernels that the modules' tests compare with the definitions.
#[test]
fn every_backend_stands_for_kernels_that_are_tested() {
    let offered: Vec<Backend> = Backend::offered().collect();
    let required = std::env::var("PFH_TEST_REQUIRED_BACKENDS").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()).chain(["portable"]) {
        assert!(offered.iter().any(|backend| backend.name() == name), "{name} is not offered: {offered:?}");
    }
    for &backend in &offered {
        assert_eq!(Backend::from_name(backend.name()), Ok(backend));
        assert!(bloom::Kernels::offered().any(|kernels| kernels == bloom::Kernels::new(backend)), "{backend}");
        assert!(crc::Kernels::offered().any(|kernels| kernels == crc::Kernels::new(backend)), "{backend}");
        assert!(ctph::Kernels::offered().any(|kernels| kernels == ctph::Kernels::new(backend)), "{backend}");
        assert!(
            fnv1a_many::Kernels::offered().any(|kernels| kernels == fnv1a_many::Kernels::new(backend)),
            "{backend}"
        );
        let popularity = sdhash_popularity::Kernels::new(backend);
        assert!(sdhash_popularity::Kernels::offered().any(|kernels| kernels == popularity), "{backend}");
        let rank = sdhash_rank::Kernels::new(backend);
        assert!(sdhash_rank::Kernels::offered().any(|kernels| kernels == rank), "{backend}");
        assert!(runs::Kernels::offered().any(|kernels| kernels == runs::Kernels::new(backend)), "{backend}");
        let triplets = tlsh_triplets::Kernels::new(backend);
        assert!(tlsh_triplets::Kernels::offered().any(|kernels| kernels == triplets), "{backend}");
    }
}

#[test]
fn a_backend_that_is_not_there_is_an_error_that_names_the_others() {
    let error = Backend::from_name("abacus").expect_err("no such backend").to_string();
    assert!(error.starts_with("there is no backend `abacus`; this CPU offers "), "{error}");
    assert!(error.ends_with("`portable`"), "{error}");
    for entry in Backend::catalogue().filter(|entry| !entry.missing.is_empty()) {
        let error = Backend::from_name(entry.name).expect_err("it lacks features").to_string();
        assert!(error.starts_with(&format!("this CPU does not offer the backend `{}`; ", entry.name)), "{error}");
    }
}

/// A feature that is lost by its name is found here: every other test would pass without its kernels.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn features_are_those_that_the_system_lists() {
    use pfh_vector::{Feature, Features};
    let text = std::fs::read_to_string("/proc/cpuinfo").expect("Linux lists the features");
    let flags = text.lines().find_map(|line| line.strip_prefix("flags")).expect("a line of flags");
    let flags: Vec<&str> = flags.split_whitespace().collect();
    for &feature in Feature::ALL {
        let name = match feature {
            Feature::Sse41 => "sse4_1",
            Feature::Sha => "sha_ni",
            Feature::Avx512vbmi2 => "avx512_vbmi2",
            Feature::Avx512vpopcntdq => "avx512_vpopcntdq",
            other => other.name(),
        };
        assert_eq!(Features::detected().has(feature), flags.contains(&name), "{}", feature.name());
    }
}
