//! A capture that is printed and read again is the same capture, whatever a machine's files say.

use super::*;
use proptest::prelude::*;

/// A path, and sometimes one that no sane person gives to a file.
fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => "(/[a-z0-9._:,-]{1,6}){1,4}",
        1 => any::<String>().prop_map(|name| format!("/{name}")),
    ]
}

/// One thing that the recorder puts into a capture.
#[derive(Clone, Debug)]
enum Put {
    Text(String),
    Refused(i32),
    Link(String),
    Directory,
    Device(u32, u32),
    Bytes(Vec<u8>),
    Space([u64; 4], Option<u64>),
    Size(u64, u64),
    On(u32, u32),
}

impl Put {
    fn at(&self, path: &str, archive: &mut Archive) {
        match self {
            Put::Text(text) => archive.insert(path, Attribute::Value(text.clone())),
            Put::Refused(errno) => archive.insert(path, Attribute::Refused(*errno)),
            Put::Link(to) => archive.insert_link(path, to),
            Put::Directory => archive.insert_directory(path),
            Put::Device(major, minor) => archive.insert_device(path, *major, *minor),
            Put::Bytes(bytes) => archive.insert_bytes(path, bytes),
            Put::Space([free_bytes, total_bytes, free_inodes, total_inodes], block_bytes) => {
                let space = Space {
                    free_bytes: *free_bytes,
                    total_bytes: *total_bytes,
                    free_inodes: *free_inodes,
                    total_inodes: *total_inodes,
                    block_bytes: *block_bytes,
                };
                archive.insert_space(path, space);
            }
            Put::Size(bytes, allocated_bytes) => {
                let size = FileSize {
                    bytes: *bytes,
                    allocated_bytes: *allocated_bytes,
                };
                archive.insert_file_size(path, size);
            }
            Put::On(major, minor) => {
                archive.insert_device_number(path, &format!("{major}:{minor}"))
            }
        }
    }
}

fn put() -> impl Strategy<Value = Put> {
    let text = prop_oneof!["[a-z0-9 \\[\\]\n\r\t:]{0,40}", any::<String>()];
    prop_oneof![
        text.prop_map(Put::Text),
        any::<i32>().prop_map(Put::Refused),
        any::<String>().prop_map(Put::Link),
        Just(Put::Directory),
        any::<(u32, u32)>().prop_map(|(major, minor)| Put::Device(major, minor)),
        any::<Vec<u8>>().prop_map(Put::Bytes),
        any::<([u64; 4], Option<u64>)>().prop_map(|(space, block)| Put::Space(space, block)),
        any::<(u64, u64)>().prop_map(|(bytes, allocated)| Put::Size(bytes, allocated)),
        any::<(u32, u32)>().prop_map(|(major, minor)| Put::On(major, minor)),
    ]
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_it_was(puts in prop::collection::vec((path(), put()), 0..12)) {
        let mut archive = Archive::default();
        for (path, put) in &puts {
            put.at(path, &mut archive);
        }
        let text = archive.print();
        let again = Archive::parse(&text).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert_eq!(again, archive, "{}", text);
    }

    #[test]
    fn any_text_is_a_capture_or_an_error_with_its_line(
        lines in prop::collection::vec(prop_oneof![
            "path: (/[a-z]{1,3}){1,2}",
            "(lines|errno|link|device|bytes|space|file|on): [0-9:a-f ]{0,9}",
            "[^\n]{0,9}",
        ], 0..12)
    ) {
        let text = format!("{HEADER}\n{}", lines.join("\n"));
        match Archive::parse(&text) {
            Ok(archive) => prop_assert_eq!(Archive::parse(&archive.print()), Ok(archive)),
            Err((line, why)) => prop_assert!((1..=text.split('\n').count()).contains(&line), "{}: {}", line, why),
        }
    }
}
