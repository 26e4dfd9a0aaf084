//! The choice among the forms in which the kernels of a module are compiled.

/// Defines the type `Kernels` of a module. Each line is a form for x86-64, best first, with its name and the CPU
/// features that it needs; those for AArch64 may follow. The last one of all, `Portable`, is there by itself.
macro_rules! kernels {
    (
        $(#[$doc:meta])*
        pub struct Kernels {
            $($form:ident = $name:literal, $needs:expr;)+
            $("aarch64": $($arm_form:ident = $arm_name:literal, $arm_needs:expr;)+)?
        }
    ) => {
        $(#[$doc])*
        ///
        /// A value exists only for what this CPU offers.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct Kernels(Form);

        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Form {
            $(#[cfg(target_arch = "x86_64")] $form,)+
            $($(#[cfg(target_arch = "aarch64")] $arm_form,)+)?
            Portable,
        }

        impl Kernels {
            const FORMS: &[(Form, &'static str, &'static [$crate::Feature])] = &[
                $(#[cfg(target_arch = "x86_64")] (Form::$form, $name, $needs),)+
                $($(#[cfg(target_arch = "aarch64")] (Form::$arm_form, $arm_name, $arm_needs),)+)?
                (Form::Portable, "portable", &[]),
            ];

            /// The forms that need no other features, best first.
            fn fitting(features: $crate::Features) -> impl Iterator<Item = Kernels> {
                Kernels::FORMS.iter().filter(move |(_, _, needs)| features.has_all(needs)).map(|&(form, _, _)| Kernels(form))
            }

            /// The best form that needs no other features.
            pub(crate) fn best(features: $crate::Features) -> Kernels {
                Kernels::fitting(features).next().unwrap_or(Kernels(Form::Portable))
            }

            /// All forms that this CPU offers, best first; the last one is `portable`. More than backends choose among,
            /// on some CPUs.
            pub fn offered() -> impl Iterator<Item = Kernels> {
                Kernels::fitting($crate::Features::detected())
            }

            /// The name of the instructions that are used.
            pub fn name(self) -> &'static str {
                Kernels::FORMS.iter().find(|(form, _, _)| *form == self.0).map_or("portable", |(_, name, _)| name)
            }
        }

        /// The name.
        impl std::fmt::Debug for Kernels {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use kernels;

/// The kernels that would be chosen on other CPUs: names only, nothing is called.
#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use crate::backend::Level;
    use crate::cpu::{Feature, Features};
    use crate::{bloom, crc, ctph, fnv1a_many, runs, sdhash_popularity, sdhash_rank, tlsh_triplets};

    /// Of pieces, filters, chunks, ranks, popularity, triplets, runs and checks.
    fn chosen(features: Features, is_intel: bool) -> [&'static str; 8] {
        [
            ctph::Kernels::best(features).name(),
            bloom::Kernels::best(features).name(),
            fnv1a_many::Kernels::choose(features, is_intel).name(),
            sdhash_rank::Kernels::best(features).name(),
            sdhash_popularity::Kernels::best(features).name(),
            tlsh_triplets::Kernels::best(features).name(),
            runs::Kernels::best(features).name(),
            crc::Kernels::best(features).name(),
        ]
    }

    #[test]
    fn the_level_bounds_the_instructions() {
        const PORTABLE: &str = "portable";
        let everything = Features::pretended(Feature::ALL.iter().copied());
        let avx2 = ["avx2", "avx2", PORTABLE, PORTABLE, "avx2", PORTABLE, "avx2", "avx2-vpclmulqdq"];
        for (level, expected) in [
            (
                Level::Avx512,
                ["avx512", "avx512", "avx512-dq", "avx512", "avx512", "avx512", "avx512", "avx512-vpclmulqdq"],
            ),
            (Level::ShaNi, avx2),
            (Level::Avx2, avx2),
            (Level::Ssse3, [PORTABLE, "popcnt", PORTABLE, PORTABLE, PORTABLE, PORTABLE, PORTABLE, "pclmulqdq"]),
            (Level::Portable, [PORTABLE; 8]),
        ] {
            assert_eq!(chosen(level.bound(everything), false), expected, "{level:?}");
        }
        let on_intel = chosen(everything, true);
        assert_eq!(on_intel[2], "avx512-ifma");
    }

    #[test]
    fn without_its_extensions_avx512_is_not_enough() {
        use Feature::*;
        let first = [Ssse3, Sse41, Popcnt, Avx2, Bmi1, Bmi2, Avx512f, Avx512bw, Avx512vl, Avx512dq];
        let first = Level::Avx512.bound(Features::pretended(first));
        let expected = ["avx2", "avx2", "avx512-dq", "portable", "avx2", "portable", "avx512", "portable"];
        assert_eq!(chosen(first, false), expected);
        assert_eq!(chosen(first, true), expected);
        let without_popcnt = Level::Avx2.bound(Features::pretended([Avx2, Bmi1, Bmi2]));
        assert_eq!(
            chosen(without_popcnt, false),
            ["portable", "avx2", "portable", "portable", "portable", "portable", "avx2", "portable"]
        );
    }
}
