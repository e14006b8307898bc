//! One command to a running QEMU, as JSON over its socket.

use crate::Error;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Runs a command and gives what it returned.
pub fn command(dir: &Path, name: &str, arguments: &Value) -> Result<Value, Error> {
    // The address of a socket is at most 107 bytes long; a checkout may lie deeper.
    let handle = File::open(dir)?;
    let mut stream = UnixStream::connect(format!("/proc/self/fd/{}/qmp.sock", handle.as_raw_fd()))?;
    stream.set_read_timeout(Some(Duration::from_secs(120)))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    // The greeting.
    lines.next().transpose()?;
    let mut answer = Value::Null;
    for request in [
        json!({"execute": "qmp_capabilities"}),
        json!({"execute": name, "arguments": arguments}),
    ] {
        writeln!(stream, "{request}")?;
        answer = next_answer(&mut lines)?;
    }
    match answer.get("return") {
        Some(value) => Ok(value.clone()),
        None => Err(Error::Failed(format!("QEMU refused {name}: {answer}"))),
    }
}

/// The next line that is no event.
fn next_answer(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Result<Value, Error> {
    for line in lines {
        let value: Value =
            serde_json::from_str(&line?).map_err(|error| Error::Failed(error.to_string()))?;
        if value.get("event").is_none() {
            return Ok(value);
        }
    }
    Err(Error::Failed("QEMU closed its command socket".into()))
}
