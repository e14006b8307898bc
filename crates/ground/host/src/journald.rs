//! systemd's journal, in its own protocol: fields by name, so that whoever reads needs to take no line apart.
//!
//! Source: systemd.io/JOURNAL_NATIVE_PROTOCOL. One datagram an entry; a value with a line end in it has its length before it.

use crate::{Error, Result};
use std::os::unix::net::UnixDatagram;
use std::path::Path;

/// Where the journal listens.
const SOCKET: &str = "/run/systemd/journal/socket";

/// Writes an entry. Names are capitals, digits and underscores, and begin with a letter.
///
/// # Errors
/// When nobody listens there, or the entry is larger than a datagram can be.
pub fn write(fields: &[(&str, &str)]) -> Result<()> {
    write_to(Path::new(SOCKET), fields)
}

fn write_to(socket: &Path, fields: &[(&str, &str)]) -> Result<()> {
    let failed = |error: std::io::Error| Error::io("write to", socket, error);
    let own = UnixDatagram::unbound().map_err(failed)?;
    own.send_to(&entry(fields), socket).map_err(failed)?;
    Ok(())
}

fn entry(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut entry = Vec::new();
    for (name, value) in fields {
        entry.extend(name.as_bytes());
        match value.contains('\n') {
            false => entry.push(b'='),
            true => {
                entry.push(b'\n');
                entry.extend((value.len() as u64).to_le_bytes());
            }
        }
        entry.extend(value.as_bytes());
        entry.push(b'\n');
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_datagram_and_a_value_adds_no_field() {
        let dir = crate::files::temporary_dir("journald").unwrap();
        let socket = dir.path().join("socket");
        let journal = UnixDatagram::bind(&socket).unwrap();
        write_to(
            &socket,
            &[("MESSAGE", "quiet"), ("TARGET", "/a\nPRIORITY=0")],
        )
        .unwrap();
        let mut read = [0; 200];
        let length = journal.recv(&mut read).unwrap();
        let expected = b"MESSAGE=quiet\nTARGET\n\x0d\0\0\0\0\0\0\0/a\nPRIORITY=0\n";
        assert_eq!(&read[..length], expected);
        assert!(write_to(&dir.path().join("none"), &[("MESSAGE", "x")]).is_err());
    }
}
