//! What the words on the command line stand for: files, folders, and the files of a trace that belong together.

use host::Host;
use host::files::FileKind;
use imports::importers::blktrace::cpus::trace_of;
use std::path::Path;

/// What is imported as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What it is called.
    pub name: String,
    /// Its files.
    pub files: Vec<String>,
    /// Why there are none.
    pub error: Option<String>,
}

/// The inputs in the order of the words. A folder stands for the files in it, and `sda.blktrace.0` to `.7` are one.
pub fn of(words: &[String], host: &Host) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    for word in words {
        match folder(word, host) {
            None => add(&mut inputs, word.clone()),
            Some(Ok(files)) => files.into_iter().for_each(|file| add(&mut inputs, file)),
            Some(Err(error)) => {
                inputs.push(Input {
                    name: word.clone(),
                    files: Vec::new(),
                    error: Some(error),
                });
            }
        }
    }
    inputs
}

fn add(inputs: &mut Vec<Input>, file: String) {
    let name = trace_of(&file).map(|trace| format!("{trace}.blktrace.*"));
    let of_trace = |input: &&mut Input| {
        let known = input.files.first().and_then(|first| trace_of(first));
        known.is_some() && known == trace_of(&file)
    };
    match inputs.iter_mut().find(of_trace) {
        Some(input) if input.files.contains(&file) => {}
        Some(input) => {
            input.name = name.unwrap_or_default();
            input.files.push(file);
        }
        None => inputs.push(Input {
            name: file.clone(),
            files: vec![file],
            error: None,
        }),
    }
}

/// The files of a folder, without hidden ones; none where the word names no folder.
fn folder(word: &str, host: &Host) -> Option<Result<Vec<String>, String>> {
    if word == "-" || host.kind(word) != Some(FileKind::Directory) {
        return None;
    }
    if host.is_live() && host::foreign::is_on_kernel_file_system(Path::new(word)) {
        let why = "this folder is on a file system of the kernel's; copy what is meant into one of your own";
        return Some(Err(why.into()));
    }
    let names = match host.try_list(word) {
        Ok(names) => names,
        Err(error) => return Some(Err(error.to_string())),
    };
    let path = |name: String| format!("{}/{name}", word.trim_end_matches('/'));
    let names = names
        .into_iter()
        .filter(|name| !name.starts_with('.'))
        .map(path);
    let is_inside = |path: &String| {
        // A link may lead on within the folder, and not out of it.
        host.link(path).is_none()
            || host
                .resolve(path)
                .zip(host.resolve(word))
                .is_some_and(|(to, own)| {
                    to.strip_prefix(own.trim_end_matches('/'))
                        .is_some_and(|rest| rest.starts_with('/'))
                })
    };
    let files: Vec<String> = names
        .filter(|path| host.kind(path) == Some(FileKind::File) && is_inside(path))
        .collect();
    let nothing =
        || Err("there is no file in this folder; folders in it are not looked into".into());
    Some(if files.is_empty() {
        nothing()
    } else {
        Ok(files)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<(String, usize)> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        of(&words, &Host::live())
            .into_iter()
            .map(|input| (input.name, input.files.len()))
            .collect()
    }

    #[test]
    fn files_of_one_trace_are_one_and_others_are_their_own() {
        let found = names(&[
            "a.txt",
            "x/sda.blktrace.0",
            "sda.blktrace.0",
            "-",
            "x/sda.blktrace.1",
            "x/sda.blktrace.1",
        ]);
        let wanted = [
            ("a.txt", 1),
            ("x/sda.blktrace.*", 2),
            ("sda.blktrace.0", 1),
            ("-", 1),
        ];
        assert_eq!(found, wanted.map(|(name, files)| (name.to_string(), files)));
    }

    #[test]
    fn a_folder_stands_for_the_files_in_it() {
        let dir = host::files::temporary_dir("inputs").unwrap();
        let path = |name: &str| dir.path().join(name);
        let own = dir.path().to_str().unwrap().to_string();
        assert_eq!(
            of(std::slice::from_ref(&own), &Host::live())[0].files,
            Vec::<String>::new()
        );
        for name in [
            "b.json",
            "sda.blktrace.1",
            "sda.blktrace.0",
            ".hidden",
            "sdb.blktrace.0",
        ] {
            host::files::write_atomically(&path(name), "x").unwrap();
        }
        host::files::create_dirs(&path("below")).unwrap();
        // A link out of the folder is no file of it; one within is.
        std::os::unix::fs::symlink("/etc/hostname", path("out")).unwrap();
        std::os::unix::fs::symlink("b.json", path("same.json")).unwrap();
        let found = names(&[&format!("{own}/")]);
        let wanted = [
            ("b.json", 1),
            ("same.json", 1),
            ("sda.blktrace.*", 2),
            ("sdb.blktrace.0", 1),
        ];
        assert_eq!(
            found,
            wanted.map(|(name, files)| (format!("{own}/{name}"), files))
        );
        assert!(of(&["/proc".into()], &Host::live())[0].error.is_some());
    }
}
