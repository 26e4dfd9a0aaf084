//! Clients that others wrote.

use std::process::Command;

use pfh_serve::Limits;
use pfh_testing::{Need, skipped};

use crate::client::*;

/// Runs a program; if it is missing, reports that and returns `None`.
fn run(program: &str, arguments: &[String]) -> Option<(bool, String)> {
    match Command::new(program).args(arguments).output() {
        Ok(ended) => {
            let text = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
            Some((ended.status.success(), text.into_owned()))
        }
        Err(error) => {
            skipped(Need::Peers, format_args!("{program}: {error}"));
            None
        }
    }
}

#[test]
fn python_finds_the_same() {
    let server = server(Limits { requests_per_second: 0, ..Limits::default() });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve/client.py");
    let nsrlsvr = server.nsrlsvr().unwrap();
    let arguments = [
        script.to_owned(),
        format!("http://{}", server.http()),
        nsrlsvr.ip().to_string(),
        nsrlsvr.port().to_string(),
        GOOD.to_string(),
    ];
    if let Some((is_success, text)) = run("python3", &arguments) {
        assert!(is_success && text == "agreed\n", "{text}");
    }
    assert!(server.stop());
}

#[test]
fn curl_is_answered() {
    let server = server(Limits::default());
    let http = server.http();
    let md5 = digest("md5", &good(1));
    let curl = |more: &[&str]| {
        let options =
            ["--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code} %{num_connects}\n"];
        run("curl", &options.iter().chain(more).map(|&word| word.to_owned()).collect::<Vec<_>>())
    };
    let one = format!("http://{http}/lookup/md5/{md5}");
    // Two requests on one connection.
    if let Some((is_success, text)) = curl(&[&one, &one]) {
        let lines: Vec<&str> = text.lines().collect();
        assert!(is_success && lines[0].contains("good.pfhk") && lines[1] == "200 1", "{text}");
        assert_eq!((lines[2], lines[3]), (lines[0], "200 0"));
    }
    // A body that is announced first, as curl does with long ones.
    let digests = vec![format!("\"{md5}\""); 2000].join(",");
    let (data, all) = (format!("{{\"digests\":[{digests}]}}"), format!("http://{http}/v1/lookup"));
    if let Some((is_success, text)) = curl(&["--header", "Expect: 100-continue", "--data", &data, &all]) {
        let (json, status) = text.trim_end().rsplit_once('\n').unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(is_success && json["answers"].as_array().unwrap().len() == 2000, "{text}");
        assert_eq!(status, "200 1");
    }
    if let Some((is_success, text)) = curl(&["--head", &one]) {
        assert!(is_success && text.starts_with("HTTP/1.1 200 OK"), "{text}");
    }
    assert!(server.stop());
}
