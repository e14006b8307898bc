//! Anywhere that a command reaches: `ip netns exec {host} {command}`, `podman exec -i {host} {command}`,
//! `kubectl exec -i {host} -- {command}`.
//!
//! The template is words, split as a shell splits them, and no shell runs it. `{command}` as a word of its own becomes the
//! words of the command; inside a longer word it becomes one line, quoted for a shell, as `sh -c 'cd /srv && {command}'`
//! needs it.

use super::{CommandLine, PlaceError};
use model::text::{clean_to, shell_word, shell_words};

const HOST: &str = "{host}";
const COMMAND: &str = "{command}";

/// A way to run a command on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplatePlace {
    words: Vec<String>,
    host: String,
}

impl TemplatePlace {
    /// The template for a host.
    ///
    /// # Errors
    /// When the template says not where the command goes, or begins with the host, or the host begins with `-`.
    pub fn new(template: &str, host: &str) -> Result<TemplatePlace, PlaceError> {
        let words = shell_words(template);
        let shown = clean_to(template, 120);
        if !words.iter().any(|word| word.contains(COMMAND)) {
            return Err(PlaceError(format!(
                "`{shown}` does not say where the command goes: put {COMMAND} there, as in \
                 'ip netns exec {HOST} {COMMAND}'"
            )));
        }
        if words[0].contains(HOST) || words[0].contains(COMMAND) {
            return Err(PlaceError(format!(
                "`{shown}` has to begin with a program, such as `podman exec -i {HOST} {COMMAND}`"
            )));
        }
        if words.iter().any(|word| is_quoted_within(word)) {
            return Err(PlaceError(format!(
                "`{shown}` has {COMMAND} in quotes of a second shell, which would read the command's own quotes as its. \
                 Put it there as a word of its own"
            )));
        }
        if host.is_empty() || host.starts_with('-') {
            return Err(PlaceError(format!(
                "`{}` is no host: {} would take it for an option",
                clean_to(host, 80),
                words[0]
            )));
        }
        let host = host.to_string();
        Ok(TemplatePlace { words, host })
    }

    /// Whether a template tells one host from another.
    pub fn names_the_host(template: &str) -> bool {
        template.contains(HOST)
    }
}

/// Whether the command would stand in quotes inside a word.
fn is_quoted_within(word: &str) -> bool {
    let quotes = ['"', '\'', '`'];
    word.split(COMMAND)
        .zip(word.split(COMMAND).skip(1))
        .any(|(before, behind)| before.ends_with(quotes) || behind.starts_with(quotes))
}

pub fn command_line(place: &TemplatePlace, executable: &str, words: &[String]) -> CommandLine {
    let mut all = Vec::new();
    for word in &place.words {
        if word == COMMAND {
            all.push(executable.to_string());
            all.extend(words.iter().cloned());
            continue;
        }
        // The host first: a command may hold the letters `{host}`, a host holds no braces. In a line for a shell it is a word.
        let host = match word.contains(COMMAND) {
            true => shell_word(&place.host),
            false => place.host.as_str().into(),
        };
        let word = word.replace(HOST, &host);
        all.push(word.replace(COMMAND, &super::shell_text(executable, words)));
    }
    CommandLine {
        program: all.remove(0),
        words: all,
    }
}

/// How a person runs `true` there.
pub fn trial(place: &TemplatePlace) -> String {
    let line = command_line(place, "true", &[]);
    super::shell_text(&line.program, &line.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(template: &str, words: &[&str]) -> Vec<String> {
        let place = TemplatePlace::new(template, "h1").unwrap();
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let line = command_line(&place, "sh", &words);
        [vec![line.program], line.words].concat()
    }

    #[test]
    fn a_command_of_its_own_stays_words_and_one_in_a_word_becomes_a_line() {
        assert_eq!(
            line("ip netns exec {host} {command}", &["-c", "a b"]),
            ["ip", "netns", "exec", "h1", "sh", "-c", "a b"]
        );
        assert_eq!(
            line(
                "podman exec -i pod-{host} sh -c 'cd / && {command}'",
                &["-c", "a b"]
            ),
            [
                "podman",
                "exec",
                "-i",
                "pod-h1",
                "sh",
                "-c",
                "cd / && sh -c 'a b'"
            ]
        );
        assert_eq!(
            line("run {host} {command}", &["{host}"]),
            ["run", "h1", "sh", "{host}"],
            "what the command holds is nobody's place"
        );
    }

    #[test]
    fn a_template_needs_a_program_and_a_place_for_the_command() {
        let why = |template: &str, host: &str| {
            let refused = TemplatePlace::new(template, host).unwrap_err();
            refused.to_string()
        };
        assert!(why("ip netns exec {host}", "h").contains("{command}"));
        assert!(why("{command}", "h").contains("begin with a program"));
        assert!(why("", "h").contains("{command}"));
        assert!(why("ip netns exec {host} {command}", "-h").contains("option"));
        let place = TemplatePlace::new("kubectl exec -i {host} -- {command}", "p").unwrap();
        assert_eq!(trial(&place), "kubectl exec -i p -- true");
        assert!(why("sh -c 'ssh jump \"{command}\"'", "h").contains("quotes"));
        assert_eq!(
            line("sh -c 'enter {host} {command}'", &["-c", "x"])[2],
            "enter h1 sh -c x"
        );
    }
}
