//! Which files, and how they are made.

use super::{INT, Spec, Value, ValueKind, flag, noted, number, other, sets, small, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use model::job::Fallocate;

const SERVICE: &[&str] = &[
    "random",
    "zipf",
    "pareto",
    "normal",
    "gauss",
    "roundrobin",
    "sequential",
];

pub(super) static GROUP: &[Spec] = &[
    sets("filename", "", ValueKind::Text, |draft, value| {
        draft.job().files.names = split_names(text(value));
        Ok(())
    }),
    sets("directory", "", ValueKind::Text, |draft, value| {
        draft.job().files.directory = Some(text(value).into());
        Ok(())
    }),
    other(
        "filename_format",
        ValueKind::Text,
        "$jobname.$jobnum.$filenum",
        "names of its own for the files",
    ),
    noted(
        "unique_filename",
        "",
        ValueKind::Bool,
        "it is about fio's network mode only",
    ),
    other(
        "lockfile",
        ValueKind::Word(&["none", "exclusive", "readwrite"]),
        "none",
        "locks around the I/O of a file",
    ),
    other(
        "opendir",
        ValueKind::Text,
        "",
        "all files of a directory tree",
    ),
    sets("nrfiles", "nr_files", INT, |draft, value| {
        draft.job().files.nrfiles = small(value).max(1);
        Ok(())
    }),
    sets("openfiles", "", INT, |draft, value| {
        draft.openfiles = number(value);
        Ok(())
    }),
    sets(
        "file_service_type",
        "",
        ValueKind::Word(SERVICE),
        |draft, value| {
            let is_default = matches!(text(value), "roundrobin" | "roundrobin:1");
            draft.file_service = (!is_default).then(|| draft.position());
            Ok(())
        },
    ),
    sets("filesize", "", ValueKind::Span(1), |draft, value| {
        if let Value::Numbers(numbers) = value
            && let [Some(low), Some(high)] = numbers[..]
            && low != high
        {
            draft.cannot("files of random sizes; the engine `files` makes trees of them");
        }
        draft.job().files.filesize = number(value);
        Ok(())
    }),
    sets(
        "fallocate",
        "",
        ValueKind::Word(&["none", "native", "posix", "keep", "truncate", "0", "1"]),
        fallocate,
    ),
    sets(
        "fadvise_hint",
        "",
        ValueKind::Word(&["0", "1", "random", "sequential"]),
        |draft, value| {
            if text(value) != "0" {
                draft.note(
                    "fadvise_hint: iodyno gives the kernel no advice, as fio with fadvise_hint=0",
                );
            }
            Ok(())
        },
    ),
    sets("overwrite", "", ValueKind::Bool, |draft, value| {
        draft.overwrite = flag(value);
        Ok(())
    }),
    noted(
        "create_serialize",
        "",
        ValueKind::Bool,
        "iodyno makes one file after the other before the load",
    ),
    noted(
        "create_fsync",
        "",
        ValueKind::Bool,
        "iodyno writes files out before the load",
    ),
    other(
        "create_on_open",
        ValueKind::Bool,
        "0",
        "files that are made when they are opened",
    ),
    other(
        "create_only",
        ValueKind::Bool,
        "0",
        "making files without loading them",
    ),
    other(
        "allow_file_create",
        ValueKind::Bool,
        "1",
        "a refusal to make files",
    ),
    other(
        "allow_mounted_write",
        ValueKind::Bool,
        "0",
        "writing to a device that is mounted, which iodyno refuses always",
    ),
    noted(
        "unlink",
        "",
        ValueKind::Bool,
        "files that iodyno made are removed at the end always, others never",
    ),
    other(
        "unlink_each_loop",
        ValueKind::Bool,
        "0",
        "files that are made anew for each pass",
    ),
    other(
        "pre_read",
        ValueKind::Bool,
        "0",
        "reading the files into the cache first",
    ),
];

fn fallocate(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    draft.fallocate = match text(value).split([':', ',']).next() {
        Some("none" | "0") => Fallocate::None,
        Some("truncate") => Fallocate::Truncate,
        _ => Fallocate::Reserved,
    };
    Ok(())
}

/// File names are separated by colons; a backslash makes a colon part of a name.
fn split_names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, names.last_mut()) {
            ('\\', Some(name)) if letters.peek() == Some(&':') => name.extend(letters.next()),
            (':', _) => names.push(String::new()),
            (letter, Some(name)) => name.push(letter),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_bare_colons() {
        assert_eq!(split_names("/dev/sda:/dev/sdb"), ["/dev/sda", "/dev/sdb"]);
        assert_eq!(
            split_names(r"/dev/disk/by-path/pci-0\:1f"),
            ["/dev/disk/by-path/pci-0:1f"]
        );
    }
}
