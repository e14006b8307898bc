//! Commands that iodyno prints, pasted: whatever somebody called a directory, each shell gets its name and nothing else.

use crate::check::write;
use crate::support::{Dir, Iodyno, code, text};
use model::text::{shell_line, shell_words};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What dash and bash are on this machine; busybox, zsh and ksh read the same forms.
const SHELLS: [&str; 2] = ["dash", "bash"];

/// Names that would run something, make a file or become an option, where one quote were read otherwise than it was written.
const NAMES: [&str; 12] = [
    "a\u{200b}' --beside=:>PWNED;:>PWNED;:#",
    "a\u{200b}'&:>PWNED&#",
    "tab\t$(:>PWNED)`:>PWNED`${IFS}'\"\\'",
    "{device}'{target};:>PWNED",
    "-\u{ad}--destroy-data",
    "two\nlines;:>PWNED\n#",
    "a line end at the end;:>PWNED\n\n",
    "right\u{202e}to left' ;:>PWNED;'",
    "my data, old, and it with it # no words",
    "$'\\':>PWNED\\''\u{feff}",
    "100 %s%n!:>PWNED\u{3164}",
    "=ls ~root *?[a-z] {a,b} \u{e9}\u{65e5}\u{672c}",
];

/// A directory of programs that do nothing but keep the words they got, and a directory to run them in.
struct Pasted(Dir);

impl Pasted {
    fn new() -> Pasted {
        let dir = Dir::new("pasted");
        let keeps = "#!/bin/sh\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >>\"$KEPT\"\n";
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        std::fs::create_dir(dir.path().join("here")).unwrap();
        for program in ["iodyno", "sudo", "words"] {
            let file = dir.path().join("bin").join(program);
            std::fs::write(&file, keeps).unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Pasted(dir)
    }

    /// The words of each program that the lines called; a file that one of them made is a failure.
    fn words(&self, shell: &str, lines: &str) -> Vec<Vec<String>> {
        let (kept, here) = (self.0.path().join("kept"), self.0.path().join("here"));
        let script = self.0.path().join("script");
        let _ = std::fs::remove_file(&kept);
        std::fs::write(&script, lines).unwrap();
        let mut command = Command::new(shell_path(shell));
        command.arg(&script).current_dir(&here);
        command
            .env("PATH", self.0.path().join("bin"))
            .env("KEPT", &kept);
        let output = command.output().unwrap();
        let made: Vec<_> = std::fs::read_dir(&here).unwrap().flatten().collect();
        assert!(made.is_empty(), "{shell} made {made:?} of\n{lines}");
        let said = text(&output.stderr);
        let kept = std::fs::read(&kept).unwrap_or_default();
        let kept = String::from_utf8(kept).unwrap_or_else(|error| panic!("{error}: {said}"));
        let mut kept = kept.split_terminator('\0').map(String::from);
        let mut calls = Vec::new();
        while let Some(count) = kept.next() {
            calls.push(
                kept.by_ref()
                    .take(count.parse::<usize>().unwrap() + 1)
                    .collect(),
            );
        }
        calls
    }
}

fn shell_path(shell: &str) -> PathBuf {
    Path::new("/bin").join(shell)
}

/// Every text of a document that is a command of iodyno's.
fn commands(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::String(text) if text.starts_with("iodyno ") || text.starts_with("sudo ") => {
            found.push(text.clone());
        }
        Value::Array(all) => all.iter().for_each(|one| commands(one, found)),
        Value::Object(all) => all.values().for_each(|one| commands(one, found)),
        _ => {}
    }
}

/// Each command that holds the name calls one program, and gives it the name as one word.
fn assert_pasted(pasted: &Pasted, lines: &[String], name: &str) {
    assert!(!lines.is_empty(), "no command for {name:?}");
    for (shell, line) in SHELLS
        .iter()
        .flat_map(|shell| lines.iter().map(move |line| (shell, line)))
    {
        let calls = pasted.words(shell, line);
        let [words] = calls.as_slice() else {
            panic!("{shell} made {calls:?} of {line}");
        };
        let own = shell_words(model::shell_line::command_and_words(line).0);
        assert_eq!(&own, words, "{shell}: {line}");
        assert!(
            words.iter().any(|word| word == name),
            "{shell}: {words:?} of {line}"
        );
    }
}

/// On a machine with something wrong that no command mends, the next one names nothing but that.
fn assert_only_explains(next: &Value) {
    let next = next.as_str().unwrap();
    assert!(next.starts_with("iodyno explain "), "{next}");
}

#[test]
fn a_directory_of_any_name_is_one_word_of_every_command_about_it() {
    let (iodyno, dir, pasted) = (Iodyno::new(), Dir::new("named"), Pasted::new());
    for name in NAMES {
        let target = dir.path().join(name);
        std::fs::create_dir(&target).unwrap();
        let target = target.to_str().unwrap();
        let (document, output) = iodyno.json(&["check", target, "--no-load", "--observe", "10ms"]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let mut lines = Vec::new();
        commands(&document, &mut lines);
        lines.retain(|line| line.contains("named-"));
        if lines.is_empty() {
            assert_only_explains(&document["next"]);
            continue;
        }
        assert_pasted(&pasted, &lines, target);
    }
}

#[test]
fn the_lines_of_a_check_can_be_pasted_as_they_stand() {
    let (iodyno, dir, pasted) = (Iodyno::new(), Dir::new("named"), Pasted::new());
    // Only a line end at the end of a name is nothing that a line on a screen can carry.
    for name in &NAMES[..4] {
        let target = dir.path().join(name);
        std::fs::create_dir(&target).unwrap();
        let target = target.to_str().unwrap();
        let output = iodyno.run(&["check", target, "--no-load", "--observe", "10ms"]);
        let said = text(&output.stdout);
        let next = said
            .split("\nNext: ")
            .nth(1)
            .unwrap_or_else(|| panic!("{said}"));
        let next = next.split("\n  record ").next().unwrap();
        if !next.contains("named-") {
            assert_only_explains(&next.into());
            continue;
        }
        assert_pasted(&pasted, &[next.to_string()], target);
    }
}

#[test]
fn a_document_of_a_stranger_names_a_target_and_no_command() {
    let (iodyno, dir, pasted) = (Iodyno::new(), Dir::new("replay"), Pasted::new());
    let target = dir.path().to_str().unwrap();
    let (mut document, _) = iodyno.json(&["check", target, "--no-load", "--observe", "10ms"]);
    let long = "x'$(:>PWNED)\u{200b}".repeat(256);
    let options = ["/srv; :>PWNED #", "-x --prove", long.as_str()];
    for name in NAMES.into_iter().chain(options) {
        document["path"]["target"] = name.into();
        let file = write(&dir, "stranger.json", &document);
        let (judged, output) = iodyno.json(&["check", "--replay", file.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let next = judged["next"].as_str().unwrap().to_string();
        if next.starts_with("iodyno explain ") {
            continue;
        }
        let expected = model::text::as_target(name);
        assert_pasted(&pasted, &[next], &expected);
    }
}

/// The quoting itself, over many words at once.
#[test]
fn every_shell_reads_a_quoted_word_as_it_was() {
    let pasted = Pasted::new();
    let letters: Vec<char> = (1..=0xff_u32)
        .chain([0x200b, 0x202e, 0x2028, 0xfeff, 0x3164, 0xe0041, 0x1f600])
        .filter_map(char::from_u32)
        .collect();
    // Every letter between letters, first, last and doubled; then all at once, and 4 KiB.
    let each = letters.iter().flat_map(|c| {
        [
            format!("a{c}b"),
            format!("{c}b"),
            format!("a{c}"),
            format!("{c}{c}"),
        ]
    });
    let all: String = letters.iter().collect();
    let long: String = letters.iter().rev().cycle().take(4096).collect();
    let words: Vec<String> = each.chain([all, long, String::new()]).collect();
    let words: Vec<String> = words.into_iter().chain(NAMES.map(String::from)).collect();
    let lines: Vec<String> = words
        .chunks(100)
        .map(|words| format!("words {}", shell_line(words)))
        .collect();
    for shell in SHELLS {
        let calls = pasted.words(shell, &lines.join("\n"));
        let read: Vec<&String> = calls.iter().flat_map(|call| &call[1..]).collect();
        assert_eq!(read.len(), words.len(), "{shell}");
        for (read, word) in read.into_iter().zip(&words) {
            assert_eq!(read, word, "{shell}");
        }
    }
}
