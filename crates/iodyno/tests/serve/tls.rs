//! Addresses that others reach: only with a certificate, and then really encrypted, checked by a client of its own.

use crate::support::{Dir, Iodyno, code, signal, text, until};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

#[test]
fn others_are_not_served_without_a_certificate() {
    let iodyno = Iodyno::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let output = iodyno.run(&["serve", "--listen", address]);
        assert_eq!(code(&output), 4, "{address}: {}", text(&output.stderr));
        let said = text(&output.stderr);
        assert!(
            said.contains("--tls-cert") && said.contains("ssh -L"),
            "{said}"
        );
    }
}

#[test]
fn a_broken_certificate_is_named() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("tls-bad"));
    let file = dir.path().join("cert.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let file = file.to_str().unwrap();
    let output = iodyno.run(&[
        "serve",
        "--listen",
        "0.0.0.0:0",
        "--tls-cert",
        file,
        "--tls-key",
        file,
    ]);
    assert_ne!(code(&output), 0);
    assert!(
        text(&output.stderr).contains(file),
        "{}",
        text(&output.stderr)
    );
}

/// An address of this machine that others could reach; the loopback address where it has none.
fn own_address() -> IpAddr {
    // Nothing is sent: the kernel only chooses where it would be sent from.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let chosen = socket
        .connect("192.0.2.1:9")
        .and_then(|()| socket.local_addr());
    chosen.map_or(IpAddr::from([127, 0, 0, 1]), |address| address.ip())
}

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        if self.0.try_wait().unwrap().is_none() {
            signal(self.0.id(), "INT");
            let _ = self.0.wait();
        }
    }
}

/// Makes a certificate for an address; says why not.
fn certificate(dir: &Dir, address: IpAddr) -> Option<(String, String)> {
    let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
    let (cert, key) = (
        cert.to_str().unwrap().to_string(),
        key.to_str().unwrap().to_string(),
    );
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=iodyno test",
        ])
        .args([
            "-addext",
            &format!("subjectAltName=IP:{address}"),
            "-keyout",
            &key,
            "-out",
            &cert,
        ])
        .output();
    match made {
        Ok(made) if made.status.success() => Some((cert, key)),
        Ok(made) => {
            let why = format!("openssl makes no certificate: {}", text(&made.stderr));
            skip::missing("openssl", why);
            None
        }
        Err(_) => {
            skip::missing("openssl", "openssl is not installed");
            None
        }
    }
}

/// Asks while strangers begin handshakes and do not go on.
fn withstands_handshakes(base: &str, ask: &dyn Fn() -> Output) {
    let address = base.strip_prefix("https://").unwrap();
    // The head of a record that says it holds a ClientHello, and no more.
    let begin = || {
        let mut stream = TcpStream::connect(address)?;
        stream
            .write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            .map(|()| stream)
    };
    let stalled: Vec<_> = (0..300).map(|_| begin()).collect();
    for _ in 0..5 {
        let answer = ask();
        assert!(answer.status.success(), "{}", text(&answer.stderr));
    }
    drop(stalled);
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("tls-key"));
    let Some((cert, key)) = certificate(&dir, IpAddr::from([127, 0, 0, 1])) else {
        return;
    };
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        &cert,
        "--tls-key",
        &key,
    ];
    for mode in [0o666, 0o644, 0o660] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let child = iodyno
            .command(&serve)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut served = Served(child);
        until("a refusal", || served.0.try_wait().unwrap().is_some());
        let mut said = String::new();
        served
            .0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert_eq!(served.0.wait().unwrap().code(), Some(4), "{mode:o}: {said}");
        assert!(said.contains(&format!("chmod 600 {key}")), "{said}");
    }
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut child = iodyno
        .command(&serve)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    drop(Served(child));
    assert!(
        said.contains("may read this key too"),
        "a group of its own may read it, which is said: {said}"
    );
}

#[test]
fn https_is_answered_under_the_certificate_that_was_given() {
    if skip::lacks("curl") {
        return;
    }
    let (iodyno, dir, address) = (Iodyno::new(), Dir::new("tls"), own_address());
    let Some((cert, key)) = certificate(&dir, address) else {
        return;
    };
    let (served, document) = served(&iodyno, &address.to_string(), &cert, &key);
    let base = base_of(&document);
    assert!(
        base.starts_with(&format!("https://{address}:")),
        "{document}"
    );
    let jar = dir.path().join("jar");
    let curl = |more: &[&str]| curl(&jar, more);
    log_in(&curl, &base, &document["token"], &cert);
    let cookies = std::fs::read_to_string(&jar).unwrap();
    // HttpOnly is a prefix there; the fourth field says that it goes over TLS alone.
    let fields: Vec<&str> = cookies.lines().last().unwrap().split('\t').collect();
    assert!(
        fields[0].starts_with("#HttpOnly_") && fields[3] == "TRUE",
        "{cookies}"
    );
    let head = curl(&["--cacert", &cert, "--head", &format!("{base}/")]);
    assert!(
        text(&head.stdout)
            .to_ascii_lowercase()
            .contains("\nstrict-transport-security: max-age=")
    );
    withstands_handshakes(&base, &|| {
        curl(&["--cacert", &cert, &format!("{base}/api/v1/session")])
    });
    let list = curl(&["--cacert", &cert, &format!("{base}/api/v1/records")]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(list["schema"], "iodyno.list/1");
    assert_no_page_without_tls(&base);
    let still = curl(&["--cacert", &cert, &format!("{base}/api/v1/session")]);
    assert!(
        still.status.success() && text(&still.stdout).contains("read_only"),
        "{}",
        text(&still.stdout)
    );
    drop(served);
}

/// A server with this certificate, and what it printed.
fn served(iodyno: &Iodyno, address: &str, cert: &str, key: &str) -> (Served, Value) {
    let listen = format!("{address}:0");
    let arguments = [
        "--json",
        "serve",
        "--listen",
        &listen,
        "--tls-cert",
        cert,
        "--tls-key",
        key,
    ];
    let mut child = iodyno
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (Served(child), serde_json::from_str(&line).unwrap())
}

fn base_of(document: &Value) -> String {
    let url = document["url"].as_str().unwrap();
    let base = url.split_once("/#").map_or(url, |(base, _)| base);
    base.trim_end_matches('/').to_string()
}

fn curl(jar: &Path, more: &[&str]) -> Output {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--max-time", "120"]);
    command.args(["--noproxy", "*", "--cookie-jar"]).arg(jar);
    command.arg("--cookie").arg(jar).args(more);
    command.output().unwrap()
}

/// That a client logs in which knows the certificate, and no other.
fn log_in(curl: &dyn Fn(&[&str]) -> Output, base: &str, token: &Value, cert: &str) {
    let origin = format!("Origin: {base}");
    let token = format!("{{\"token\": {token}}}");
    let login = format!("{base}/api/v1/login");
    let post = [
        "-H",
        &origin,
        "-H",
        "Content-Type: application/json",
        "--data",
        &token,
        &login,
    ];
    let unknown = curl(&post);
    assert_eq!(
        unknown.status.code(),
        Some(60),
        "a client that does not know the certificate turns away"
    );
    let known = curl(&[&["--cacert", cert][..], &post].concat());
    assert!(known.status.success(), "{}", text(&known.stderr));
    let answer: Value = serde_json::from_slice(&known.stdout).unwrap();
    assert!(
        answer["csrf"].as_str().is_some_and(|csrf| csrf.len() == 64),
        "{answer}"
    );
}

/// Who speaks plainly gets no page.
fn assert_no_page_without_tls(base: &str) {
    let mut plain = TcpStream::connect(base.strip_prefix("https://").unwrap()).unwrap();
    plain
        .set_read_timeout(Some(Duration::from_secs(120)))
        .unwrap();
    plain
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(
        !text(&said).contains("HTTP/1.1 200") && !text(&said).contains("<html"),
        "{}",
        text(&said)
    );
}
