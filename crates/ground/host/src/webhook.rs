//! A document that is posted to a server of somebody else's, by curl: it has the machine's certificates and proxies.
//!
//! The URL is a secret where a token is a part of it, as those of chat rooms are: it goes through a pipe, and stands in no list of
//! processes and in no message.

use crate::{Error, Piped, Privileges, Result};
use std::io::{Read, Write};

/// How long a server may take, s.
const PATIENCE_S: u32 = 20;

/// Posts a JSON document.
///
/// # Errors
/// When there is no curl, the URL is none of http or https, nobody answers in time, or the answer is a refusal.
pub fn post(url: &str, document: &str) -> Result<()> {
    let failed = |why: String| Error::Program {
        program: "curl".into(),
        why,
    };
    let arguments = ["--disable", "--config", "-"].map(String::from);
    let mut curl = Piped::start_talking("curl", &arguments, Privileges::Own)?;
    let mut said = curl.stderr();
    if let Some(mut stdin) = curl.stdin() {
        // One that ended already says why.
        let _ = stdin.write_all(config(url, document).as_bytes());
    }
    let mut why = String::new();
    if let Some(said) = &mut said {
        let _ = said.take(4096).read_to_string(&mut why);
    }
    match curl.wait()? {
        Some(0) => Ok(()),
        _ => Err(failed(
            model::text::clean(why.trim()).replace(url, "the URL"),
        )),
    }
}

/// What curl reads: an option a line, values in quotes.
fn config(url: &str, document: &str) -> String {
    format!(
        "silent\nshow-error\nfail\noutput = \"/dev/null\"\nmax-time = {PATIENCE_S}\nproto = \"=http,https\"\n\
         header = \"Content-Type: application/json\"\ndata-raw = {}\nurl = {}\n",
        quoted(document),
        quoted(url)
    )
}

/// In quotes, as curl's manual has it: a backslash stands before what would end or change them.
fn quoted(value: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_url_nor_document_becomes_an_option() {
        let config = config(
            "http://a/\"\noutput = \"/etc/passwd",
            "{\"a\":\"\\u0000\nurl\"}",
        );
        assert_eq!(config.lines().count(), 9, "{config}");
        let options = config.lines().filter(|line| line.starts_with("output"));
        assert_eq!(options.count(), 1, "{config}");
        assert!(
            config.contains(r#"data-raw = "{\"a\":\"\\u0000\nurl\"}""#),
            "{config}"
        );
    }
}
