//! The command lines that run against each other.

use super::corpus::Prepared;
use super::digests::List;

/// One command line of a comparison.
pub(super) struct Contender {
    pub(super) label: String,
    /// Program that must be there.
    pub(super) program: &'static str,
    call: Call,
    /// The list that it prints; `None` if it prints no digests.
    pub(super) list: Option<List>,
    /// Its memory option, for the comparison with its peak.
    pub(super) memory_option_bytes: Option<u64>,
}

/// How a program is told what to hash.
enum Call {
    /// It walks by itself: command and options, the corpus comes last.
    Walks(String),
    /// It takes files: `find` and `xargs` feed it. On one thread each, so as many run as there are threads.
    FedInParallel(String),
    /// It takes files and has threads of its own.
    Fed(String),
    /// It names what it reads.
    AsIs(String),
}

impl Contender {
    /// `pfh hash` with options; `list` is what they make it print.
    pub(super) fn pfh(label: &str, options: &str, list: Option<List>) -> Self {
        let call = Call::Walks(format!("pfh hash {options}"));
        Self { label: label.to_owned(), program: "pfh", call, list, memory_option_bytes: None }
    }

    pub(super) fn with_memory_option(mut self, bytes: u64) -> Self {
        self.memory_option_bytes = Some(bytes);
        self
    }

    /// The shell command over a corpus. With `jobs` = 1 no two processes write at a time, so that lines stay whole.
    pub(super) fn command(&self, corpus: &Prepared, jobs: usize) -> String {
        let folder = &corpus.folder;
        match &self.call {
            Call::Walks(command) => format!("{command} {folder}"),
            Call::FedInParallel(command) => {
                // Long argument lists cost least, but each job should get at least 16 of them, so that all end
                // together.
                let files = (corpus.files / (16 * jobs as u64)).clamp(1, 1000);
                format!("find {folder} -type f -print0 | xargs -0 -P {jobs} -n {files} {command}")
            }
            Call::Fed(command) => format!("find {folder} -type f -print0 | xargs -0 {command}"),
            Call::AsIs(command) => command.clone(),
        }
    }

    /// OpenSSL over all files in one process, which has one thread.
    pub(super) fn openssl_on_one_core(algorithm: &str) -> Self {
        let call = Call::Fed(format!("openssl dgst -r -{algorithm}"));
        Self::peer("openssl dgst, one process", "openssl", call, List::Lines)
    }

    /// Reads from the device, bypassing the page cache.
    pub(super) fn dd_direct() -> Self {
        let each = "for file; do dd if=\"$file\" of=/dev/null bs=4M iflag=direct status=none; done";
        let call = Call::Fed(format!("sh -c '{each}' sh"));
        Self { label: "dd iflag=direct".to_owned(), program: "dd", call, list: None, memory_option_bytes: None }
    }

    /// A whole command line of pfh.
    pub(super) fn pfh_as_is(label: &str, command: String, list: Option<List>) -> Self {
        Self { label: label.to_owned(), program: "pfh", call: Call::AsIs(command), list, memory_option_bytes: None }
    }

    /// A whole command line of a peer that compares digests.
    pub(super) fn comparing(label: &str, program: &'static str, command: String) -> Self {
        Self::peer(label, program, Call::AsIs(command), List::Pairs)
    }

    fn walks(program: &'static str, command: String, list: List) -> Self {
        Self::peer(program, program, Call::Walks(command), list)
    }

    fn peer(label: &str, program: &'static str, call: Call, list: List) -> Self {
        Self { label: label.to_owned(), program, call, list: Some(list), memory_option_bytes: None }
    }
}

/// An algorithm and what the peers call it; `None` where a peer does not have it.
#[derive(Clone, Copy)]
pub(super) struct Algorithm {
    /// In `pfh hash -a`.
    pub(super) name: &'static str,
    /// In `hashdeep -c`.
    hashdeep: Option<&'static str>,
    /// Of the md5deep family.
    deep_program: Option<&'static str>,
    coreutils_program: Option<&'static str>,
    rhash_option: Option<&'static str>,
    openssl_option: Option<&'static str>,
}

/// The algorithms that are compared.
pub(super) const ALGORITHMS: [Algorithm; 6] = [
    Algorithm {
        name: "md5",
        hashdeep: Some("md5"),
        deep_program: Some("md5deep"),
        coreutils_program: Some("md5sum"),
        rhash_option: Some("--md5"),
        openssl_option: Some("-md5"),
    },
    Algorithm {
        name: "sha1",
        hashdeep: Some("sha1"),
        deep_program: Some("sha1deep"),
        coreutils_program: Some("sha1sum"),
        rhash_option: Some("--sha1"),
        openssl_option: Some("-sha1"),
    },
    Algorithm {
        name: "sha256",
        hashdeep: Some("sha256"),
        deep_program: Some("sha256deep"),
        coreutils_program: Some("sha256sum"),
        rhash_option: Some("--sha256"),
        openssl_option: Some("-sha256"),
    },
    Algorithm {
        name: "sha512",
        hashdeep: None,
        deep_program: None,
        coreutils_program: Some("sha512sum"),
        rhash_option: Some("--sha512"),
        openssl_option: Some("-sha512"),
    },
    Algorithm {
        name: "sha3-256",
        hashdeep: None,
        deep_program: None,
        coreutils_program: None,
        rhash_option: Some("--sha3-256"),
        openssl_option: Some("-sha3-256"),
    },
    Algorithm {
        name: "blake3",
        hashdeep: None,
        deep_program: None,
        coreutils_program: None,
        rhash_option: None,
        openssl_option: None,
    },
];

impl Algorithm {
    /// Everybody but pfh who offers this algorithm.
    pub(super) fn peers(&self, threads: usize) -> Vec<Contender> {
        let mut peers = Vec::new();
        if let Some(name) = self.hashdeep {
            peers.push(hashdeep(name, threads));
        }
        if let Some(program) = self.deep_program {
            peers.push(Contender::walks(program, format!("{program} -r -l -j {threads}"), List::Lines));
        }
        if let Some(program) = self.coreutils_program {
            peers.push(coreutils(program));
        }
        if let Some(option) = self.rhash_option {
            let call = Call::FedInParallel(format!("rhash --simple {option}"));
            peers.push(Contender::peer("rhash", "rhash", call, List::Lines));
        }
        if let Some(option) = self.openssl_option {
            let call = Call::FedInParallel(format!("openssl dgst -r {option}"));
            peers.push(Contender::peer("openssl dgst", "openssl", call, List::Lines));
        }
        if self.name == "blake3" {
            let own_threads = Call::Fed("b3sum".to_owned());
            peers.push(Contender::peer("b3sum, its own threads", "b3sum", own_threads, List::Lines));
            let one_thread = Call::FedInParallel("b3sum --num-threads 1".to_owned());
            peers.push(Contender::peer("b3sum, in parallel", "b3sum", one_thread, List::Lines));
        }
        peers.push(blazehash(self.name));
        peers
    }
}

/// A family of similarity digests and the program that it comes from.
pub(super) struct Family {
    /// In `pfh hash -a`.
    pub(super) name: &'static str,
    program: &'static str,
    /// Its command for digests, on one thread.
    command: &'static str,
    /// It takes files, and its status says nothing; otherwise it walks.
    is_fed: bool,
}

/// The families that are compared.
pub(super) const FAMILIES: [Family; 4] = [
    Family { name: "ssdeep", program: "ssdeep", command: "ssdeep -s -l -r", is_fed: false },
    Family { name: "sdhash", program: "sdhash", command: "sdhash -p 1 -r", is_fed: false },
    Family { name: "mrsh-v2", program: "mrsh-v2", command: "mrsh-v2 -p", is_fed: true },
    Family { name: "tlsh", program: "tlsh", command: "tlsh -r", is_fed: false },
];

impl Family {
    /// pfh and the original, on one and the same core.
    pub(super) fn contenders(&self) -> Vec<Contender> {
        const ON_ONE_CORE: &str = "taskset -c 0";
        let pfh = Call::Walks(format!("{ON_ONE_CORE} pfh hash -a {} -t 1", self.name));
        let command = format!("{ON_ONE_CORE} {}", self.command);
        // mrsh-v2 names files of a folder without the folder, and ends with status 1 when all went well.
        let original =
            if self.is_fed { Call::Fed(format!("sh -c '{command} \"$@\"; true' sh")) } else { Call::Walks(command) };
        vec![
            Contender::peer("pfh", "pfh", pfh, List::Similarity),
            Contender::peer(self.program, self.program, original, List::Similarity),
        ]
    }
}

/// hashdeep with some of its algorithms, comma-separated.
pub(super) fn hashdeep(algorithms: &str, threads: usize) -> Contender {
    Contender::walks("hashdeep", format!("hashdeep -c {algorithms} -r -l -j {threads}"), List::Hashdeep)
}

/// blazehash with some of its algorithms, comma-separated. It takes as many threads as there are cores.
pub(super) fn blazehash(algorithms: &str) -> Contender {
    Contender::walks("blazehash", format!("blazehash -r -c {algorithms}"), List::Hashdeep)
}

/// A program of GNU coreutils.
pub(super) fn coreutils(program: &'static str) -> Contender {
    Contender::peer(program, program, Call::FedInParallel(program.to_owned()), List::Lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(files: u64) -> Prepared {
        Prepared { folder: "real".to_owned(), files, bytes: 0 }
    }

    #[test]
    fn command_lines() {
        let pfh = Contender::pfh("pfh", "-a md5 -t 2", Some(List::Lines));
        assert_eq!(pfh.command(&corpus(9), 2), "pfh hash -a md5 -t 2 real");
        let md5sum = coreutils("md5sum");
        assert_eq!(md5sum.command(&corpus(4), 2), "find real -type f -print0 | xargs -0 -P 2 -n 1 md5sum");
        assert_eq!(md5sum.command(&corpus(9600), 2), "find real -type f -print0 | xargs -0 -P 2 -n 300 md5sum");
        assert_eq!(hashdeep("md5,sha256", 2).command(&corpus(9), 1), "hashdeep -c md5,sha256 -r -l -j 2 real");
    }

    #[test]
    fn peers_of_an_algorithm() {
        let labels = |name: &str| -> Vec<String> {
            let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).expect("listed");
            algorithm.peers(2).into_iter().map(|peer| peer.label).collect()
        };
        assert_eq!(labels("md5"), ["hashdeep", "md5deep", "md5sum", "rhash", "openssl dgst", "blazehash"]);
        assert_eq!(labels("sha3-256"), ["rhash", "openssl dgst", "blazehash"]);
        assert_eq!(labels("blake3"), ["b3sum, its own threads", "b3sum, in parallel", "blazehash"]);
    }
}
