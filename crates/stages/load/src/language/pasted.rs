//! Pasted lines: prompts, line numbers, quotes and dashes of web pages, wrappers such as `sudo` and `taskset`.

use super::draft::GivenOptions;
use super::error::{Bad, LanguageError};
use model::job::Position;
use model::text::shell_words;

/// Whose line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    Fio,
    Dd,
    Cp,
}

/// A word and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub number: u32,
}

impl Word {
    pub fn position(&self) -> Position {
        Position {
            source: String::new(),
            line: self.number,
        }
    }
}

/// A line without what a shell or a web page put around it.
#[derive(Clone, Debug)]
pub(super) struct PastedLine {
    pub program: Program,
    /// The words after the program.
    pub words: Vec<Word>,
    /// What wrappers ask for, in fio's words.
    pub given: Vec<GivenOptions>,
    pub notes: Vec<String>,
}

/// Takes a line apart.
pub(super) fn read(words: &[String]) -> Result<PastedLine, LanguageError> {
    let words = match words {
        [one]
            if one.contains(char::is_whitespace)
                && (!one.starts_with(is_dash) || has_more_options(one)) =>
        {
            shell_words(one)
        }
        words => words.to_vec(),
    };
    let mut words: Vec<Word> = join_quoted(words)
        .into_iter()
        .enumerate()
        .map(|(at, text)| Word {
            text: plain_dashes(&text),
            number: at as u32 + 1,
        })
        .collect();
    let mut line = PastedLine {
        program: Program::Fio,
        words: Vec::new(),
        given: Vec::new(),
        notes: Vec::new(),
    };
    drop_prompt(&mut words);
    cut_shell(&mut words, &mut line.notes)?;
    let mut rest = std::collections::VecDeque::from(words);
    while let Some(first) = rest.front().map(|word| word.text.clone()) {
        match base(&first) {
            "sudo" | "time" | "nohup" | "env" | "exec" | "command" | "stdbuf" => {
                plain_wrapper(&mut rest, &first)
            }
            "nice" | "ionice" | "chrt" => {
                plain_wrapper(&mut rest, &first);
                line.notes.push(format!(
                    "{first} is not applied: start iodyno itself with it"
                ));
            }
            "taskset" => taskset(&mut rest, &mut line.given)?,
            "numactl" => numactl(&mut rest, &mut line.given)?,
            "fio" | "dd" | "cp" => {
                line.program = match base(&first) {
                    "dd" => Program::Dd,
                    "cp" => Program::Cp,
                    _ => Program::Fio,
                };
                rest.pop_front();
                break;
            }
            _ => break,
        }
    }
    line.words = rest.into();
    Ok(line)
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// A single word with spaces in it is a whole line only where more options follow: `-name=my job` is one option.
fn has_more_options(word: &str) -> bool {
    word.split_whitespace()
        .skip(1)
        .any(|part| part.starts_with(is_dash))
}

/// Dashes at the beginning as typed on a keyboard.
fn plain_dashes(word: &str) -> String {
    let end = word.find(|c| !is_dash(c)).unwrap_or(word.len());
    word[..end].chars().map(|_| '-').collect::<String>() + &word[end..]
}

/// Quotes of web pages are no quotes to a shell: `-name=“EBS 4K test”` arrives as three words.
fn join_quoted(words: Vec<String>) -> Vec<String> {
    let count = |text: &str| {
        let opened = text.matches(['“', '„', '‟']).count();
        opened.saturating_sub(text.matches('”').count())
    };
    let mut joined: Vec<String> = Vec::new();
    let mut words = words.into_iter();
    while let Some(mut word) = words.next() {
        while count(&word) > 0 {
            let Some(next) = words.next() else { break };
            word = word + " " + &next;
        }
        joined.push(word.replace(['“', '”', '„', '‟'], ""));
    }
    joined
}

/// Everything up to the end of a prompt, a line number with its bar, and a `#` or `$` before the program. A prompt ends
/// before the program: behind it, `#` begins a comment.
fn drop_prompt(words: &mut Vec<Word>) {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let [number, bar, ..] = &words[..]
        && is_number(&number.text)
        && bar.text == "|"
    {
        words.drain(..2);
    }
    let end = words
        .iter()
        .position(|word| word.text.starts_with('-') || word.text.contains('='));
    let head = &words[..end.unwrap_or(words.len())];
    let program = head
        .iter()
        .rposition(|word| matches!(base(&word.text), "fio" | "dd" | "cp"));
    let head = &head[..program.unwrap_or(head.len())];
    let last = head
        .iter()
        .rposition(|word| word.text.ends_with(['#', '$', '%']) || word.text == ">");
    if let Some(last) = last.filter(|last| last + 1 < words.len()) {
        words.drain(..=last);
    }
    if let Some(first) = words.first_mut() {
        let bare = first.text.trim_start_matches(['#', '$']);
        if matches!(
            base(bare),
            "fio" | "dd" | "cp" | "sudo" | "time" | "taskset" | "numactl"
        ) {
            first.text = bare.to_string();
        }
    }
}

/// What a shell would have done with the rest: redirections, pipes, `&`.
fn cut_shell(words: &mut Vec<Word>, notes: &mut Vec<String>) -> Result<(), LanguageError> {
    while words
        .last()
        .is_some_and(|word| matches!(word.text.as_str(), "&" | ";" | "|"))
    {
        words.pop();
    }
    let is_redirection = |text: &str| {
        matches!(text, "|" | "#")
            || [">", "<", "1>", "2>", "&>"]
                .iter()
                .any(|s| text.starts_with(s))
    };
    if let Some(at) = words.iter().position(|word| is_redirection(&word.text)) {
        notes.push(format!(
            "{} and what follows it belongs to a shell and is left out",
            words[at].text
        ));
        words.truncate(at);
    }
    match words
        .iter()
        .find(|word| matches!(word.text.as_str(), "&" | ";" | "&&" | "||"))
    {
        None => Ok(()),
        Some(word) => Err(Bad::form("this separates two commands", "Give one command")
            .at(&word.position(), word.text.clone())),
    }
}

type Rest = std::collections::VecDeque<Word>;

/// A wrapper without meaning for the load, with its options and variables.
fn plain_wrapper(rest: &mut Rest, name: &str) {
    rest.pop_front();
    let with_value: &[&str] = match base(name) {
        "sudo" => &["-u", "-g", "-h", "-p", "-C", "-T"],
        "time" => &["-f", "-o"],
        "nice" | "env" => &["-n", "-u", "-C"],
        "ionice" => &["-c", "-n"],
        "stdbuf" => &["-i", "-o", "-e"],
        _ => &[],
    };
    while let Some(word) = rest.front() {
        let takes_next = with_value.contains(&word.text.as_str());
        let is_variable = word.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
        });
        let is_priority = base(name) == "chrt" && word.text.chars().all(|c| c.is_ascii_digit());
        let is_flag = word.text.starts_with('-') && word.text.len() < 8 && !is_fios(&word.text);
        if !(is_variable || is_priority || is_flag) {
            return;
        }
        rest.pop_front();
        if takes_next {
            rest.pop_front();
        }
    }
}

/// `sudo -bs=4k`: the program's name was lost, and the options are fio's already.
fn is_fios(word: &str) -> bool {
    let name = word
        .trim_start_matches('-')
        .split('=')
        .next()
        .unwrap_or_default();
    name.len() > 1 && super::options::find(name).is_some()
}

fn given(name: &str, value: &str, word: &Word) -> GivenOptions {
    GivenOptions {
        name: name.into(),
        value: Some(value.into()),
        position: word.position(),
    }
}

fn missing(word: &Word) -> LanguageError {
    Bad::form("its value is missing", "Write the whole command")
        .at(&word.position(), word.text.clone())
}

/// `taskset -c 0-3`, or `taskset 0xf`.
fn taskset(rest: &mut Rest, options: &mut Vec<GivenOptions>) -> Result<(), LanguageError> {
    let Some(mut word) = rest.pop_front() else {
        return Ok(());
    };
    let mut is_list = false;
    loop {
        word = rest.pop_front().ok_or_else(|| missing(&word))?;
        match word.text.strip_prefix('-') {
            Some(flags) => is_list |= flags.contains('c'),
            None => break,
        }
    }
    let list = match is_list {
        true => word.text.clone(),
        false => mask_to_list(&word.text).ok_or_else(|| {
            Bad::form("this is no mask of CPUs", "Write taskset -c 0-3")
                .at(&word.position(), word.text.clone())
        })?,
    };
    options.push(given("cpus_allowed", &list, &word));
    Ok(())
}

fn mask_to_list(mask: &str) -> Option<String> {
    let bits = u128::from_str_radix(mask.trim_start_matches("0x"), 16).ok()?;
    let cpus: Vec<String> = (0..128)
        .filter(|cpu| bits >> cpu & 1 == 1)
        .map(|cpu: u32| cpu.to_string())
        .collect();
    (!cpus.is_empty()).then(|| cpus.join(","))
}

fn numactl(rest: &mut Rest, options: &mut Vec<GivenOptions>) -> Result<(), LanguageError> {
    rest.pop_front();
    while rest.front().is_some_and(|word| word.text.starts_with('-')) {
        let Some(word) = rest.pop_front() else { break };
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (word.text.as_str(), None),
        };
        if matches!(name, "--localalloc" | "-l") {
            options.push(given("numa_mem_policy", "local", &word));
            continue;
        }
        let value = match value {
            Some(value) => value,
            None => rest.pop_front().ok_or_else(|| missing(&word))?.text,
        };
        match name {
            "--cpunodebind" | "-N" => options.push(given("numa_cpu_nodes", &value, &word)),
            "--physcpubind" | "-C" => options.push(given("cpus_allowed", &value, &word)),
            "--membind" | "-m" => {
                options.push(given("numa_mem_policy", &format!("bind:{value}"), &word))
            }
            "--interleave" | "-i" => options.push(given(
                "numa_mem_policy",
                &format!("interleave:{value}"),
                &word,
            )),
            "--preferred" | "-p" => {
                options.push(given("numa_mem_policy", &format!("prefer:{value}"), &word))
            }
            _ => {
                return Err(Bad::form(
                    "this option of numactl is not understood",
                    "Use --cpunodebind or --physcpubind",
                )
                .at(&word.position(), word.text.clone()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> PastedLine {
        let words: Vec<String> = text.split(' ').map(str::to_string).collect();
        read(&words).unwrap()
    }

    fn texts(line: &PastedLine) -> Vec<&str> {
        line.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn prompts_and_wrappers_are_taken_off() {
        for prompt in [
            "",
            "fio ",
            "# fio ",
            "$ fio ",
            "$fio ",
            "#fio ",
            "sudo fio ",
            "[root@host dir]# fio ",
            "user@host:~$ sudo fio ",
            "(base) gemfield@ThinkPad-X1C:~$ sudo time -p fio ",
            "1 | # /usr/bin/fio ",
            "[root@hygon33 14:02 /nvme] # sudo -u root LANG=C fio ",
        ] {
            let line = line(&format!("{prompt}-bs=4k —rw=read –direct 1"));
            assert_eq!(
                texts(&line),
                ["-bs=4k", "-rw=read", "-direct", "1"],
                "{prompt}"
            );
            assert_eq!(
                (line.program, line.given.len()),
                (Program::Fio, 0),
                "{prompt}"
            );
        }
    }

    #[test]
    fn wrappers_that_place_the_job_become_options() {
        let line =
            line("time taskset -c 0 numactl -N 1 --membind=1 dd if=/dev/zero of=./t bs=1M &");
        assert_eq!(
            (line.program, texts(&line)),
            (Program::Dd, vec!["if=/dev/zero", "of=./t", "bs=1M"])
        );
        let given: Vec<String> = line.given.iter().map(GivenOptions::text).collect();
        assert_eq!(
            given,
            [
                "cpus_allowed=0",
                "numa_cpu_nodes=1",
                "numa_mem_policy=bind:1"
            ]
        );
        assert_eq!(mask_to_list("0x5").as_deref(), Some("0,2"));
    }

    #[test]
    fn one_word_can_be_a_whole_line() {
        let line = read(&["# fio -bs=4k -name=\"EBS 4K\" > out.txt".to_string()]).unwrap();
        assert_eq!(texts(&line), ["-bs=4k", "-name=EBS 4K"]);
        assert!(line.notes[0].contains("belongs to a shell"));
        let line = read(&["-name=EBS 4K".to_string()]).unwrap();
        assert_eq!(texts(&line), ["-name=EBS 4K"]);
    }

    #[test]
    fn typographic_quotes_hold_words_together() {
        assert_eq!(
            texts(&line("fio -name=“EBS 4K test” -bs=4k")),
            ["-name=EBS 4K test", "-bs=4k"]
        );
    }

    #[test]
    fn what_stands_behind_the_command_is_no_prompt() {
        for line_of in [
            "fio a.fio # why",
            "fio a.fio | tee log",
            "$ fio a.fio > log",
            "5 | fio a.fio 2>&1",
        ] {
            assert_eq!(texts(&line(line_of)), ["a.fio"], "{line_of}");
        }
    }

    #[test]
    fn two_commands_are_one_too_many() {
        let words: Vec<String> = "fio -bs=4k && sync"
            .split(' ')
            .map(str::to_string)
            .collect();
        assert_eq!(read(&words).unwrap_err().position.unwrap().line, 3);
    }
}
