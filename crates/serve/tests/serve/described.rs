//! The description of the interface: complete, and true of what the server does.

use std::collections::BTreeSet;

use pfh_serve::{Limits, OPENAPI, routes};
use serde_json::{Value, json};

use crate::client::*;

fn document() -> Value {
    serde_json::from_str(OPENAPI).unwrap()
}

/// Returns a part of the document, after its references.
fn resolved<'a>(document: &'a Value, part: &'a Value) -> &'a Value {
    match part["$ref"].as_str() {
        Some(reference) => {
            let found = document.pointer(reference.strip_prefix('#').unwrap());
            resolved(document, found.unwrap_or_else(|| panic!("{reference} is not there")))
        }
        None => part,
    }
}

/// Says where a value differs from a schema, which may use those keywords of JSON Schema that the document uses.
fn differences(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let schema = resolved(document, schema);
    let mut found = Vec::new();
    for (keyword, expected) in schema.as_object().unwrap() {
        let is_type = |name: &Value| match name.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_u64() || value.is_i64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("type {other}"),
        };
        let holds = match &keyword[..] {
            "type" => expected.as_array().map_or_else(|| is_type(expected), |types| types.iter().any(is_type)),
            "enum" => expected.as_array().unwrap().contains(value),
            "required" => expected.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "pattern" => {
                let pattern = expected.as_str().unwrap();
                let digits: usize =
                    pattern.strip_prefix("^[0-9A-F]{").unwrap().strip_suffix("}$").unwrap().parse().unwrap();
                let text = value.as_str().unwrap_or_default();
                text.len() == digits && text.bytes().all(|byte| b"0123456789ABCDEF".contains(&byte))
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(differences(document, expected, item, &format!("{place}/{number}")));
                }
                true
            }
            "properties" => {
                for (key, schema) in expected.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        found.extend(differences(document, schema, value, &format!("{place}/{key}")));
                    }
                }
                true
            }
            "additionalProperties" => {
                let own = schema["properties"].as_object();
                for (key, value) in value.as_object().into_iter().flatten() {
                    if own.is_some_and(|own| own.contains_key(key)) {
                        continue;
                    }
                    if expected == false {
                        found.push(format!("{place}/{key} is not described"));
                    } else {
                        found.extend(differences(document, expected, value, &format!("{place}/{key}")));
                    }
                }
                true
            }
            "description" => true,
            other => panic!("keyword {other}"),
        };
        if !holds {
            found.push(format!("{place}: {keyword} {expected} does not hold of {value}"));
        }
    }
    found
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let mut described = BTreeSet::new();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            described.insert((method.clone(), path.clone()));
            assert!(names.insert(operation["operationId"].as_str().unwrap()), "{path}: the name is there twice");
            assert!(!operation["summary"].as_str().unwrap().is_empty());
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let parameters: Vec<String> = parameters
                .iter()
                .map(|parameter| format!("{{{}}}", resolved(&document, parameter)["name"].as_str().unwrap()))
                .collect();
            let in_path: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
            assert_eq!(parameters, in_path, "{path}");
            assert_eq!(operation.get("requestBody").is_some(), method == "post", "{path}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                let response = resolved(&document, response);
                assert!(status.parse::<u16>().is_ok() && response["description"].is_string(), "{path} {status}");
                assert_eq!(response["content"].as_object().unwrap().len(), 1, "{path} {status}");
            }
        }
    }
    let routes: BTreeSet<(String, String)> =
        routes().map(|(method, path)| (method.to_owned(), path.to_owned())).collect();
    assert_eq!(described, routes);
    // Every part is used, and every reference leads somewhere.
    for (kind, parts) in document["components"].as_object().unwrap() {
        for name in parts.as_object().unwrap().keys() {
            assert!(OPENAPI.contains(&format!("\"#/components/{kind}/{name}\"")), "{kind}/{name} is not used");
        }
    }
    for reference in OPENAPI.split("\"$ref\": \"#").skip(1) {
        let reference = &reference[..reference.find('"').unwrap()];
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
}

#[test]
fn answers_are_as_described() {
    let document = document();
    let limits = Limits { body_bytes: 20_000, timeout: std::time::Duration::from_secs(1), ..Limits::default() };
    let server = server(limits);
    let http = server.http();
    let known = |algorithm: &str| digest(algorithm, &good(2)).to_string();
    let (md5, bad) = (known("md5"), digest("md5", BAD).to_string());
    let mut seen: BTreeSet<(String, u16)> = BTreeSet::new();
    let mut check = |method: &str, route: &str, answer: Answer| {
        let response = &document["paths"][route][method]["responses"][answer.status.to_string()];
        assert!(!response.is_null(), "{route}: status {} is not described: {answer:?}", answer.status);
        let response = resolved(&document, response);
        let (kind, content) = response["content"].as_object().unwrap().iter().next().unwrap();
        assert!(answer.head.contains(&format!("content-type: {kind}")), "{route}: {}", answer.head);
        let value = if kind == "application/json" { answer.json() } else { answer.body.clone().into() };
        assert_eq!(differences(&document, &content["schema"], &value, route), Vec::<String>::new(), "{value}");
        seen.insert((route.to_owned(), answer.status));
    };
    for route in ["/info", "/v1/sets", "/openapi.json", "/metrics", "/health"] {
        check("get", route, get(http, route));
    }
    for algorithm in ["md5", "sha1", "sha256"] {
        let route = format!("/lookup/{algorithm}/{{digest}}");
        for digits in [known(algorithm), digest(algorithm, b"").to_string(), "x".to_owned()] {
            check("get", &route, get(http, &route.replace("{digest}", &digits)));
        }
        check("get", &route, get(http, &route.replace("{digest}", &digest(algorithm, BAD).to_string())));
    }
    let long = " ".repeat(20_001);
    let all = json!({ "hashes": [md5, bad, "x", 1, known("sha1")], "digests": [md5, bad, "x", 1, known("sha1"), "ab".repeat(16)] });
    for route in ["/bulk/md5", "/bulk/sha1", "/bulk/sha256", "/v1/lookup"] {
        for body in [&all.to_string()[..], "{}", "[", &long] {
            check("post", route, post(http, route, body));
        }
        let request = format!("POST {route} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{{");
        check("post", route, Answer::of(&exchange(http, request.as_bytes())));
    }
    for (method, route) in routes() {
        let head =
            format!("{} {} HTTP/1.1\r\nConnection: close\r\n", method.to_uppercase(), route.replace("{digest}", "00"));
        for host in ["", "Host: elsewhere\r\n"] {
            check(method, route, Answer::of(&exchange(http, format!("{head}{host}\r\n").as_bytes())));
        }
    }
    // All that is described was seen, but for what other tests show: a rate, and a set that is lost.
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for status in operation["responses"].as_object().unwrap().keys().map(|status| status.parse().unwrap()) {
                assert!([429, 503].contains(&status) || seen.contains(&(path.clone(), status)), "{path} {status}");
            }
        }
    }
    assert!(server.stop());
}

#[test]
fn refusals_are_as_described() {
    let document = document();
    let message = &document["components"]["schemas"]["Message"];
    let server = server(Limits { requests_per_second: 1, ..Limits::default() });
    let mut refused = 0;
    for (method, path) in routes().chain(routes()) {
        let path = path.replace("{digest}", "00");
        let answer = if method == "get" { get(server.http(), &path) } else { post(server.http(), &path, "{}") };
        if answer.status == 429 {
            assert_eq!(differences(&document, message, &answer.json(), &path), Vec::<String>::new());
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
    assert!(server.stop());
}
