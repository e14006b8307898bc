//! What `make fuzz` reaches of this package: any bytes in place of a journal.

use crate::journal::lines;

/// Reads the bytes as they are, and then each of their lines as the JSON of an entry whose head is right, which no fuzzer
/// would find.
pub fn journal(bytes: &[u8]) {
    let read = lines::read(bytes);
    assert!(read.whole_bytes <= bytes.len() as u64);
    let (mut whole, mut before) = (Vec::new(), 0);
    let mut is_entry = true;
    for json in bytes.split(|byte| *byte == b'\n') {
        before = lines::checksum(before, json);
        whole.extend_from_slice(format!("{:08x} {before:016x} ", json.len()).as_bytes());
        whole.extend_from_slice(json);
        whole.push(b'\n');
        is_entry &= model::json::read_bytes::<lines::JournalEntry>(json).is_ok();
    }
    let read = lines::read(&whole);
    assert_eq!(read.damage.is_none(), is_entry);
    assert_eq!(read.whole_bytes == whole.len() as u64, is_entry);
    for entry in &read.entries {
        let (line, _) = lines::line(entry, 0).unwrap_or_default();
        assert_eq!(
            lines::read(line.as_bytes()).entries,
            std::slice::from_ref(entry)
        );
    }
}
