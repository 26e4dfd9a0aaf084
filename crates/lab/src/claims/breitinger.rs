//! B1 to B8: trees of documents, stand-alone programs against SMT and MTP.

use pfh_statistics::{Estimate, ratio_of_medians};

use super::rules::{about, equal, more};
use super::view::View;
use super::{Claim, Finding, Statement};
use crate::published::tree_seconds;

const fn claim(id: &'static str, text: &'static str) -> Claim {
    Claim { id, study: "Breitinger 2013", text, experiment: "tree" }
}

static B1: Claim = claim(
    "B1",
    "On a slow device MTP with one prefetcher and one worker saves about 40 % of stand-alone ssdeep's time; SMT saves 17.5 %",
);
static B2: Claim =
    claim("B2", "With MTP every algorithm but sdhash takes the same time at two threads: the device is the limit");
static B3: Claim = claim("B3", "A second prefetcher costs about 15 % on one hard disk");
static B4: Claim = claim("B4", "The size of the memory table (128 to 512 MB) does not matter");
static B5: Claim = claim("B5", "With the corpus cached, SMT beats MTP at two and four threads");
static B6: Claim = claim("B6", "Relative cost to SHA-1: MD5 0.58, mrsh-v2 2.24, ssdeep 2.78, sdhash 9.78");
static B7: Claim = claim("B7", "MTP beats GNU parallel, which beats ppss");
static B8: Claim = claim(
    "B8",
    "All-against-all with ssdeep takes 57 % of stand-alone's time; sdhash falls from over 69 minutes to 187 s",
);

pub(super) const CLAIMS: &[&Claim] = &[&B1, &B2, &B3, &B4, &B5, &B6, &B7, &B8];

/// "The same time", "does not matter".
const EQUAL: f64 = 1.05;

/// One side of a comparison: program, algorithm, and the dimensions that tell it from others.
#[derive(Clone, Copy)]
struct Program<'a>(&'a str, &'a str, &'a [(&'a str, &'a str)]);

const DOCUMENTS: (&str, &str) = ("corpus", "documents");
const COLD: (&str, &str) = ("cache", "cold");
const CACHED: (&str, &str) = ("cache", "cached");
const SMT: (&str, &str) = ("mode", "smt");
const MTP: (&str, &str) = ("mode", "mtp");
const SMALL_TABLE: (&str, &str) = ("memory", "20M");
const TABLE: (&str, &str) = ("memory", "256M");

/// The program of ours that prints digests of an algorithm.
fn ours(algorithm: &str) -> &'static str {
    if matches!(algorithm, "md5" | "sha1") { "pfh" } else { "pfh-family" }
}

fn ratio(view: &View<'_>, a: Program<'_>, b: Program<'_>) -> Option<Estimate> {
    let [a, b] = [a, b].map(|Program(program, algorithm, dimensions)| view.program(program, algorithm, dimensions));
    ratio_of_medians(a?.times_ns(), b?.times_ns())
}

fn cpu_ratio(view: &View<'_>, a: Program<'_>, b: Program<'_>) -> Option<Estimate> {
    let [a, b] = [a, b].map(|Program(program, algorithm, dimensions)| view.program(program, algorithm, dimensions));
    ratio_of_medians(&a?.cpu_ns, &b?.cpu_ns)
}

/// The ratio of two published times.
fn published(a: (&str, &str, &str, Option<u32>), b: (&str, &str, &str, Option<u32>)) -> Option<f64> {
    Some(tree_seconds(a.0, a.1, a.2, a.3)? / tree_seconds(b.0, b.1, b.2, b.3)?)
}

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    let mut findings = vec![
        slow_device(view),
        same_time(view),
        second_prefetcher(view),
        table_size(view),
        from_memory(view),
        relative_cost(
            view,
            "pfh, one thread",
            "By processor time, over one file in memory. pfh computes SHA-1 of a single file by SHA instructions under \
             either profile.",
            ours,
        ),
    ];
    let stand_alone = |algorithm: &str| match algorithm {
        "md5" => "md5sum",
        "sha1" => "sha1sum",
        "ssdeep" => "ssdeep",
        "sdhash" => "sdhash",
        _ => "mrsh-v2",
    };
    let note = "By processor time, over one file in memory.";
    findings.push(relative_cost(view, "stand-alone programs", note, stand_alone));
    findings.extend([tools(view), all_against_all(view)]);
    findings
}

fn slow_device(view: &View<'_>) -> Finding {
    let original = Program("ssdeep", "ssdeep", &[DOCUMENTS, COLD]);
    let statements = [("MTP", MTP), ("SMT", SMT)].map(|(name, mode)| {
        let threads = [DOCUMENTS, COLD, mode, ("threads", "2"), SMALL_TABLE];
        let measured = ratio(view, original, Program("pfh-family", "ssdeep", &threads));
        let stated = published(("III", "ssdeep", "original", None), ("III", "ssdeep", name, None));
        about(format!("stand-alone ssdeep / {name}"), measured, stated.unwrap_or(1.0), stated)
    });
    Finding::new(&B1, view, "pfh, ssdeep", statements.into())
        .note("Stated the other way round: stand-alone takes 1.60 times MTP's time, and 1.21 times SMT's.")
}

fn same_time(view: &View<'_>) -> Finding {
    let dimensions = [DOCUMENTS, COLD, MTP, ("threads", "2"), SMALL_TABLE];
    let of = |algorithm| Program(ours(algorithm), algorithm, &dimensions);
    let names = [("sha1", "SHA-1"), ("mrsh-v2", "mrsh-v2"), ("ssdeep", "ssdeep"), ("sdhash", "sdhash")];
    let statements = names.map(|(algorithm, name)| {
        let measured = ratio(view, of(algorithm), of("md5"));
        let stated = published(("IV", name, "MTP", None), ("IV", "MD5", "MTP", None));
        let subject = format!("{name} / MD5");
        if algorithm == "sdhash" { more(subject, measured, stated) } else { equal(subject, measured, EQUAL, stated) }
    });
    Finding::new(&B2, view, "pfh, MTP at two threads", statements.into())
}

fn second_prefetcher(view: &View<'_>) -> Finding {
    let of = |prefetchers: &str| {
        let dimensions = [DOCUMENTS, COLD, MTP, ("threads", "8"), SMALL_TABLE, ("prefetchers", prefetchers)];
        view.program("pfh", "md5", &dimensions)
    };
    let measured = of("2").zip(of("1")).and_then(|(two, one)| ratio_of_medians(two.times_ns(), one.times_ns()));
    let stated = published(("IX", "MD5", "MTP p=2", None), ("IX", "MD5", "MTP p=1", None));
    let statement = about("two prefetchers / one, MD5", measured, stated.unwrap_or(1.0), stated);
    Finding::new(&B3, view, "pfh, MTP", vec![statement])
}

fn table_size(view: &View<'_>) -> Finding {
    let mut statements: Vec<Statement> = Vec::new();
    for (name, mode) in [("SMT", SMT), ("MTP", MTP)] {
        let of = |memory: &str| {
            let dimensions = [DOCUMENTS, COLD, mode, ("threads", "4"), ("memory", memory)];
            view.program("pfh-family", "mrsh-v2", &dimensions)
        };
        for memory in ["128M", "512M"] {
            let both = of(memory).zip(of("256M"));
            let measured = both.and_then(|(a, b)| ratio_of_medians(a.times_ns(), b.times_ns()));
            statements.push(equal(format!("{memory} / 256M, {name}"), measured, EQUAL, Some(1.0)));
        }
    }
    Finding::new(&B4, view, "pfh, mrsh-v2 at four threads", statements)
}

fn from_memory(view: &View<'_>) -> Finding {
    let mut statements = Vec::new();
    for (algorithm, name) in [("mrsh-v2", "mrsh-v2"), ("sdhash", "sdhash")] {
        for (threads, number) in [("2", 2), ("4", 4)] {
            let of =
                |mode| view.program("pfh-family", algorithm, &[DOCUMENTS, CACHED, mode, ("threads", threads), TABLE]);
            let both = of(MTP).zip(of(SMT));
            let measured = both.and_then(|(mtp, smt)| ratio_of_medians(mtp.times_ns(), smt.times_ns()));
            let stated = published(("VII", name, "MTP", Some(number)), ("VII", name, "SMT", Some(number)));
            statements.push(more(format!("MTP / SMT, {name}, {threads} threads"), measured, stated));
        }
    }
    Finding::new(&B5, view, "pfh", statements)
}

fn relative_cost(
    view: &View<'_>,
    subject: &str,
    note: &'static str,
    program: impl Fn(&str) -> &'static str,
) -> Finding {
    let dimensions = [("corpus", "single"), CACHED];
    let of = |algorithm| Program(program(algorithm), algorithm, &dimensions);
    let row = |name| ("I", name, "stand-alone", None);
    let mut statements = vec![about(
        "SHA-1 / MD5",
        cpu_ratio(view, of("sha1"), of("md5")),
        2.33 / 1.35,
        published(row("SHA-1"), row("MD5")),
    )];
    for (algorithm, name, times) in
        [("mrsh-v2", "mrsh-v2", 2.24), ("ssdeep", "ssdeep", 2.78), ("sdhash", "sdhash", 9.78)]
    {
        let measured = cpu_ratio(view, of(algorithm), of("sha1"));
        statements.push(about(format!("{name} / SHA-1"), measured, times, published(row(name), row("SHA-1"))));
    }
    Finding::new(&B6, view, subject, statements).note(note)
}

fn tools(view: &View<'_>) -> Finding {
    let dimensions = [DOCUMENTS, COLD, ("threads", "8")];
    let mtp = [DOCUMENTS, COLD, ("threads", "8"), MTP];
    let parallel = Program("parallel", "ssdeep", &dimensions);
    let row = |variant| ("XII", "ssdeep", variant, None);
    let statements = vec![
        more(
            "GNU parallel / MTP",
            ratio(view, parallel, Program("pfh-family", "ssdeep", &mtp)),
            published(row("parallel"), row("MTP")),
        ),
        more(
            "ppss / GNU parallel",
            ratio(view, Program("ppss-like", "ssdeep", &dimensions), parallel),
            published(row("ppss"), row("parallel")),
        ),
    ];
    Finding::new(&B7, view, "ssdeep, eight at once", statements)
        .note("A wrapper stands for ppss: it starts a shell for each file, takes a lock and keeps a log, as ppss does.")
}

fn all_against_all(view: &View<'_>) -> Finding {
    let dimensions = [DOCUMENTS, COLD];
    let statements = [("ssdeep", 1.0 / 0.57, "ssdeep-pairs"), ("sdhash", 4140.0 / 187.0, "sdhash-pairs")].map(
        |(algorithm, times, original)| {
            let measured =
                ratio(view, Program(original, algorithm, &dimensions), Program("pfh-pairs", algorithm, &dimensions));
            let stated = published(("V", algorithm, "original", None), ("V", algorithm, "MTP", None));
            about(format!("stand-alone {algorithm} / pfh compare"), measured, times, stated)
        },
    );
    Finding::new(&B8, view, "digests and their comparison, eight threads", statements.into())
        .note("Both times include making the digests. The study stopped sdhash after 69 minutes.")
}
