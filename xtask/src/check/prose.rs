//! No committed file names places that exist on one machine only, and texts are plain English.

use std::env;
use std::fs;

use anyhow::Result;

use super::words;
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

/// A forbidden string and what it would give away.
struct Pattern {
    text: Vec<u8>,
    reason: &'static str,
    /// An absolute path: only counts where a path can begin, so that `a/tmp/b` is not taken for `/tmp/b`.
    is_path: bool,
}

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    let patterns = patterns();
    let files = workspace.files()?;
    let mut findings = Findings::default();
    for path in &files {
        let contents = fs::read(workspace.root.join(path))?;
        for (index, line) in contents.split(|&byte| byte == b'\n').enumerate() {
            for pattern in patterns.iter().filter(|pattern| occurs(pattern, line)) {
                let text = String::from_utf8_lossy(&pattern.text);
                findings.add(format!("{}:{}: `{text}`: {}", path.display(), index + 1, pattern.reason));
            }
        }
    }
    let worded = words::check(workspace, &files, &mut findings)?;
    findings.into_result(format!("{} files, words of {worded}", files.len()))
}

/// Put together from pieces, so that this file does not contain what it looks for.
fn patterns() -> Vec<Pattern> {
    let folder = |name: &str| format!("/{name}/");
    let mut patterns = vec![
        Pattern::new(format!("..{}", folder("shared").trim_end_matches('/')), "outside the project", false),
        Pattern::new(folder("work"), "a folder of one machine", true),
        Pattern::new(folder("root"), "somebody's home folder", true),
        Pattern::new(["arti", "factory"].concat(), "a private registry", false),
    ];
    if let Some(home) = env::var("HOME").ok().filter(|home| home.len() > 1) {
        patterns.push(Pattern::new(format!("{}/", home.trim_end_matches('/')), "somebody's home folder", true));
    }
    patterns.extend(private_hosts().into_iter().map(|host| Pattern::new(host, "a private registry", false)));
    patterns
}

/// Hosts that this machine is told to fetch packages from, where they are not the public ones.
fn private_hosts() -> Vec<String> {
    const PUBLIC: [&str; 7] =
        ["crates.io", "rust-lang.org", "github.com", "pypi.org", "pythonhosted.org", "golang.org", "npmjs.org"];
    let is_setting = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["index", "registry", "registries", "proxy", "mirror"].iter().any(|word| name.contains(word))
    };
    let values = env::vars().filter(|(name, _)| is_setting(name)).map(|(_, value)| value);
    values.filter_map(|value| host(&value)).filter(|host| PUBLIC.iter().all(|public| !host.ends_with(public))).collect()
}

/// The host of a URL: `https://user@host:port/path`.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    // A bare `localhost` says nothing about anybody and stands in many honest texts.
    (host.contains('.') && !host.starts_with("127.")).then(|| host.to_owned())
}

impl Pattern {
    fn new(text: String, reason: &'static str, is_path: bool) -> Self {
        Self { text: text.into_bytes(), reason, is_path }
    }
}

fn occurs(pattern: &Pattern, line: &[u8]) -> bool {
    let starts = line.windows(pattern.text.len()).enumerate().filter(|(_, window)| *window == pattern.text);
    starts.map(|(start, _)| start).any(|start| {
        let before = start.checked_sub(1).map(|index| line[index]);
        !pattern.is_path || !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"._-~}>*".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_only_where_it_begins() {
        let pattern = Pattern::new("/srv/".to_owned(), "", true);
        assert!(occurs(&pattern, b"see /srv/data"));
        assert!(occurs(&pattern, b"a/srv/data and \"/srv/x\""));
        assert!(!occurs(&pattern, b"a/srv/data"));
    }

    #[test]
    fn the_host_of_an_address() {
        assert_eq!(host("https://user:secret@mirror.example:8443/simple").as_deref(), Some("mirror.example"));
        assert_eq!(host("sparse+https://index.example/x").as_deref(), Some("index.example"));
        assert_eq!(host("direct"), None);
        assert_eq!(host("http://localhost:3128"), None);
    }
}
