//! The command line above an output, where it was pasted too.

use super::clean;
use crate::Text;

/// How many lines above an output its command is looked for; empty lines do not count.
const LINES_ABOVE: usize = 4;
/// How many lines are looked at in all.
const LINES_LOOKED_AT: usize = 40;

/// The words of the nearest line above `line` that calls `program`: `# iostat -x sda 1`, `$ sudo dd if=…`. The second
/// number is the line's.
pub fn above<'a>(text: &Text<'a>, line: usize, program: &str) -> Option<(Vec<&'a str>, usize)> {
    let mut seen = 0;
    let candidates = (line.saturating_sub(LINES_LOOKED_AT)..line).rev();
    for index in candidates {
        let one = text.lines.get(index)?;
        if one.trim().is_empty() {
            continue;
        }
        if let Some(words) = call(one, program) {
            return Some((words, index));
        }
        seen += 1;
        if seen >= LINES_ABOVE {
            return None;
        }
    }
    None
}

/// The words from the program's name on, where a line calls it: it stands first, or after a prompt or `sudo`.
pub fn call<'a>(line: &'a str, program: &str) -> Option<Vec<&'a str>> {
    let line = clean(line);
    if line.len() > 4_000 {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let place = words.iter().position(|word| {
        let word = word.trim_start_matches(['#', '$', '>']);
        word == program
            || word
                .strip_suffix(program)
                .is_some_and(|path| path.ends_with('/'))
    })?;
    let is_prompt = |word: &str| {
        let marks = ['#', '$', '%', '>', ']'];
        word.ends_with(marks)
            || word.contains('@')
            || word.starts_with(['[', '('])
            || word.contains('=')
    };
    let known = [
        "sudo", "time", "nice", "taskset", "-c", "-n", "numactl", "stdbuf", "-oL", "env", "|",
    ];
    let before = &words[..place];
    let is_call = before.iter().all(|word| {
        is_prompt(word)
            || known.contains(word)
            || word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b':')
    }) || before.last().is_some_and(|word| is_prompt(word));
    // What follows a pipe or another command is not its own.
    let own = words[place..]
        .split(|word| ["|", ";", "&&", "||"].contains(word))
        .next()?;
    is_call.then(|| own.to_vec())
}

/// The interval of a call of sysstat's tools and vmstat, seconds: the first word that is a number alone.
pub fn interval_s(words: &[&str]) -> Option<f64> {
    let mut after_option = false;
    for word in words.iter().skip(1) {
        if let Some(option) = word.strip_prefix('-') {
            // Options whose value is a word of its own and may be a number.
            after_option = ["P", "p", "I", "j", "g", "s", "e", "f", "o", "S"].contains(&option);
            continue;
        }
        if !after_option && let Ok(value) = word.trim_end_matches('|').parse::<f64>() {
            return (value > 0.0 && value < 1e6).then_some(value);
        }
        after_option = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_after_prompts_and_nowhere_else() {
        let words = |line: &'static str| call(line, "iostat").map(|words| words.join(" "));
        for line in [
            "iostat -x sda 1",
            "# iostat -x sda 1",
            "#iostat -x sda 1",
            "1 | #iostat -x sda 1 |",
            "[root@db1 ~]# iostat -x sda 1",
            "root@db1:~$ sudo iostat -x sda 1 | tee x",
            "$ /usr/bin/iostat -x sda 1",
        ] {
            assert!(
                words(line).is_some_and(|words| words.ends_with("iostat -x sda 1")),
                "{line}"
            );
        }
        assert_eq!(words("we then looked at iostat -x for a while"), None);
        assert_eq!(words("iostats"), None);
    }

    #[test]
    fn the_interval_is_the_first_bare_number() {
        let of = |line: &str| interval_s(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(of("iostat -d sfdv0n1 3 -x"), Some(3.0));
        assert_eq!(of("iostat -x 1 10"), Some(1.0));
        assert_eq!(of("mpstat -P 0 2"), Some(2.0));
        assert_eq!(of("iostat -x"), None);
    }
}
