//! Questions to a server over HTTP.

use crate::{Error, Result};
use std::time::Duration;

/// A larger answer is refused, bytes.
const BYTES_MAX: u64 = 16 << 20;

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP's status: 200 where all is well.
    pub status: u16,
    /// What it says.
    pub body: Vec<u8>,
}

/// Asks for a URL with these parameters, and waits for so long at the most. No proxy is used, and none is asked for: what is
/// watched is near.
///
/// # Errors
/// When there is no such server, when it does not answer in time, or with more than 16 MiB.
pub fn get(url: &str, parameters: &[(&str, &str)], timeout_ms: u64) -> Result<Answer> {
    let failed = |error: ureq::Error| Error::Program {
        program: url.into(),
        why: error.to_string(),
    };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_millis(timeout_ms)))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .build()
        .into();
    let question = agent.get(url).query_pairs(parameters.iter().copied());
    let mut answer = question.call().map_err(failed)?;
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(BYTES_MAX);
    Ok(Answer {
        status,
        body: body.read_to_vec().map_err(failed)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    fn serving(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            let length = client.read(&mut asked).unwrap();
            client.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&asked[..length]).into_owned()
        });
        (url, server)
    }

    #[test]
    fn parameters_arrive_as_they_are_and_a_refusal_is_an_answer() {
        let (url, server) = serving(
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\nconnection: close\r\n\r\nwhat",
        );
        let answer = get(&url, &[("query", "a{b=\"c d\"}[5m]")], 5_000).unwrap();
        assert_eq!((answer.status, &answer.body[..]), (400, &b"what"[..]));
        let asked = server.join().unwrap();
        assert!(
            asked.starts_with("GET /api?query=a%7Bb%3D%22c%20d%22%7D%5B5m%5D HTTP/1.1"),
            "{asked}"
        );
    }

    #[test]
    fn nobody_there_and_no_answer_are_errors_with_the_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let silent = get(&url, &[], 100).unwrap_err().to_string();
        assert!(silent.contains(&url) && silent.contains("time"), "{silent}");
        drop(listener);
        let gone = get(&url, &[], 1_000).unwrap_err().to_string();
        assert!(gone.contains("refused"), "{gone}");
    }
}
