//! A browser of the smallest kind: one request a connection, and what came back.

use crate::support::{Iodyno, PATIENCE, signal, until};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// The document of an answer that worked.
    pub fn fine(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }
}

/// A server at work, told to end when it is dropped.
pub struct Server {
    pub child: Child,
    pub host: String,
    pub token: String,
    said: Receiver<Value>,
}

/// Somebody who is in, or not.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    pub host: String,
    pub cookie: String,
    pub csrf: String,
}

impl Server {
    pub fn start(iodyno: &Iodyno, more: &[&str]) -> Server {
        let arguments = [&["--json", "serve", "--listen", "127.0.0.1:0"], more].concat();
        let mut command = iodyno.command(&arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str::<Value>(&line).unwrap());
            }
        });
        let first = said
            .recv_timeout(PATIENCE)
            .expect("it says where it listens");
        let url = first["url"].as_str().unwrap().to_string();
        let host = url
            .strip_prefix("http://")
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .to_string();
        Server {
            child,
            host,
            token: first["token"].as_str().unwrap().into(),
            said,
        }
    }

    /// The next address that it prints.
    pub fn next_token(&self) -> String {
        let document = self
            .said
            .recv_timeout(PATIENCE)
            .expect("it prints a new address");
        document["token"].as_str().unwrap().to_string()
    }

    /// Nobody.
    pub fn stranger(&self) -> Visitor {
        Visitor {
            host: self.host.clone(),
            ..Visitor::default()
        }
    }

    /// Takes the token.
    pub fn log_in(&self) -> Visitor {
        let answer = self.stranger().post(
            "/api/v1/login",
            &format!("{{\"token\": \"{}\"}}", self.token),
        );
        let csrf = answer.fine()["csrf"].as_str().unwrap().to_string();
        let cookie = answer.header("set-cookie").unwrap();
        assert!(
            cookie.contains("; HttpOnly; SameSite=Strict; Path=/") && !cookie.contains("Secure"),
            "{cookie}"
        );
        let cookie = cookie.split(';').next().unwrap().to_string();
        Visitor {
            host: self.host.clone(),
            cookie,
            csrf,
        }
    }

    /// Ends it as Ctrl-C does, and gives its exit code.
    pub fn end(&mut self) -> Option<i32> {
        signal(self.child.id(), "INT");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            self.end();
        }
    }
}

impl Visitor {
    /// What a page of ours sends with a request.
    pub fn headers(&self, method: &str) -> Vec<(String, String)> {
        let mut headers = vec![("Host".to_string(), self.host.clone())];
        let mut add = |name: &str, value: &str| headers.push((name.to_string(), value.to_string()));
        if !self.cookie.is_empty() {
            add("Cookie", &self.cookie);
        }
        if method != "GET" {
            add("Origin", &format!("http://{}", self.host));
            add("Content-Type", "application/json");
        }
        if method != "GET" && !self.csrf.is_empty() {
            add("X-CSRF-Token", &self.csrf);
        }
        headers
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &self.headers("GET"), b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &self.headers("POST"), body.as_bytes())
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &self.headers("DELETE"), b"")
    }

    /// With exactly these headers.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Answer {
        let mut stream = self.open(method, path, headers, body.len());
        // Who is refused by the headers alone may be hung up on while it still sends.
        let _ = stream.write_all(body);
        read(stream)
    }

    /// A connection on which a request stands.
    pub fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        length: usize,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers
            .iter()
            .for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        if method != "GET" {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        head.push_str("\r\n");
        let _ = stream.write_all(head.as_bytes());
        stream
    }

    /// The key of a target by its path.
    pub fn key(&self, path: &str) -> String {
        let document = self.get("/api/v1/targets").fine();
        let targets = document["targets"].as_array().unwrap();
        let target = targets.iter().find(|target| target["path"] == path);
        target.unwrap_or_else(|| panic!("{path} in {targets:?}"))["key"]
            .as_str()
            .unwrap()
            .to_string()
    }

    /// Starts a job, and gives its number.
    pub fn start(&self, body: &Value) -> i64 {
        self.post("/api/v1/jobs", &body.to_string()).fine()["id"]
            .as_i64()
            .unwrap()
    }

    pub fn job(&self, id: i64) -> Value {
        self.get(&format!("/api/v1/jobs/{id}")).fine()
    }

    /// Waits for a job's end.
    pub fn ended(&self, id: i64) -> Value {
        let mut job = self.job(id);
        until("the end of the job", || {
            job = self.job(id);
            !job["ended_unix_ms"].is_null()
        });
        job
    }
}

/// A status line, headers, and a body that ends with the connection or in pieces.
fn read(stream: TcpStream) -> Answer {
    let mut source = BufReader::new(stream);
    let (status, headers) = head(&mut source);
    let mut answer = Answer {
        status,
        headers,
        body: Vec::new(),
    };
    if answer.header("transfer-encoding") == Some("chunked") {
        while let Some(piece) = piece(&mut source) {
            answer.body.extend(piece);
        }
    } else {
        let _ = source.read_to_end(&mut answer.body);
    }
    answer
}

/// Reads status and headers.
pub fn head(source: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    source.read_line(&mut line).unwrap();
    let status = line
        .split(' ')
        .nth(1)
        .unwrap_or_else(|| panic!("no status: {line:?}"))
        .parse()
        .unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        source.read_line(&mut line).unwrap();
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_string(), value.to_string())),
            None => return (status, headers),
        }
    }
}

/// The next piece of a chunked body; none at its end.
pub fn piece(source: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    source.read_line(&mut line).ok()?;
    let length = usize::from_str_radix(line.trim_end(), 16).ok()?;
    let mut piece = vec![0; length + 2];
    source.read_exact(&mut piece).ok()?;
    piece.truncate(length);
    (length > 0).then_some(piece)
}

/// The stream of events.
pub struct Events {
    source: BufReader<TcpStream>,
    text: String,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: Option<String>,
    pub name: String,
    pub data: Value,
}

impl Events {
    pub fn open(visitor: &Visitor, path: &str, last_id: Option<&str>) -> Events {
        let mut headers = visitor.headers("GET");
        headers.extend(last_id.map(|id| ("Last-Event-ID".to_string(), id.to_string())));
        let mut source = BufReader::new(visitor.open("GET", path, &headers, 0));
        let (status, headers) = head(&mut source);
        assert_eq!(status, 200, "{headers:?}");
        Events {
            source,
            text: String::new(),
        }
    }

    /// The next event that has a name.
    pub fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = event(block);
                self.text = rest.to_string();
                if event.is_some() {
                    return event;
                }
            }
            self.text
                .push_str(&String::from_utf8(piece(&mut self.source)?).unwrap());
        }
    }

    /// The next event of this name.
    pub fn named(&mut self, name: &str) -> Event {
        loop {
            let event = self
                .next()
                .unwrap_or_else(|| panic!("the stream ended before {name}"));
            assert_ne!(event.name, "unwatched", "{event:?}");
            if event.name == name {
                return event;
            }
        }
    }
}

fn event(block: &str) -> Option<Event> {
    let field = |name: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let data: Vec<&str> = block
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    let data = serde_json::from_str(&data.join("\n")).ok()?;
    Some(Event {
        id: field("id").map(str::to_string),
        name: field("event")?.to_string(),
        data,
    })
}
