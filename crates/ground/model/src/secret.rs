//! Passwords and tokens in mount options and on command lines: never shown, never captured, never kept in a record.

mod shell_command;

use crate::job::Job;
pub use shell_command::shell_command;

/// What a key that guards something ends in.
const KEYS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "_pass",
    "secret_key",
    "access_key",
    "s3_key",
    "keyid",
    "customer_key",
];

/// Whole keys that guard something where they are mount options or arguments; `key` alone would cut keys of udev.
const WHOLE_KEYS: &[&str] = &[
    "pass",
    "pw",
    "pwd",
    "keydata",
    "auth_key",
    "private_key",
    "username",
    "http_user",
    "chap",
];

/// What stands for a value that is left out.
const MASK: char = '…';

/// The text with the value of every `password=…` and its like replaced by `…`. Lines keep their number.
pub fn cut(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        result.push_str(before);
        let separator = &before[at..];
        let head = before[..at].trim_end_matches([' ', '\t']);
        let edge = head
            .rfind(is_edge)
            .map(|edge| (&head[edge..edge + 1], edge + 1));
        let (opens, key) = edge.map_or(("", head), |(opens, start)| (opens, &head[start..]));
        rest = after;
        let is_authority = separator == ":" && after.starts_with("//");
        if is_authority {
            rest = cut_authority(&mut result, after);
        } else if is_guarded(key) && separator == "=" {
            rest = cut_value(&mut result, after, opens);
        }
    }
    result.push_str(rest);
    result
}

/// A value goes on to the quotation mark that ends it, whether it began with one or the key did (`"TOKEN=x y"`); without
/// one to a blank or comma.
fn cut_value<'a>(result: &mut String, after: &'a str, opens: &str) -> &'a str {
    let value = after.trim_start_matches(' ');
    let own = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = own.map_or(value, |_| &value[1..]);
    result.push_str(&after[..after.len() - value.len()]);
    let quote = own.or(opens.chars().next().filter(|c| matches!(c, '"' | '\'')));
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '\0' | '"' | '\'');
    let end = match quote {
        Some(quote) => value.find([quote, '\n']),
        None => value.find(ends),
    };
    let end = end.unwrap_or(value.len());
    if end > 0 {
        result.push(MASK);
    }
    &value[end..]
}

/// `//user:password@host` → `//…@host`.
fn cut_authority<'a>(result: &mut String, after: &'a str) -> &'a str {
    let end = after[2..]
        .find(|c: char| c == '/' || is_edge(c))
        .map_or(after.len(), |end| end + 2);
    match after[..end].rfind('@') {
        Some(at) => {
            result.push_str("//…");
            &after[at..]
        }
        None => {
            result.push_str(&after[..end]);
            &after[end..]
        }
    }
}

fn is_edge(c: char) -> bool {
    c.is_ascii_whitespace()
        || matches!(
            c,
            ',' | ';' | '"' | '\'' | '&' | '?' | '{' | '}' | '(' | ')' | '\0'
        )
}

/// Whether what a key of this name has as its value is kept from others.
fn is_guarded(key: &str) -> bool {
    let key = key.trim_start_matches('-').to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    WHOLE_KEYS.contains(&last) || KEYS.iter().any(|guarded| last.ends_with(guarded))
}

/// The words of a command without the secrets in them, also where the value is a word of its own (`--password x`).
pub fn command(words: &[String]) -> Vec<String> {
    let mut is_value = false;
    let one = |word: &String| {
        let was_value = std::mem::replace(&mut is_value, word.starts_with('-') && is_guarded(word));
        if was_value && !word.starts_with('-') {
            MASK.to_string()
        } else {
            whole_value(word)
        }
    };
    words.iter().map(one).collect()
}

/// A word is one option: whatever follows its `=` is the value, blanks and commas too. A value of several words is a command.
fn whole_value(word: &str) -> String {
    match word.split_once('=') {
        Some((key, value)) if is_guarded(key) && !value.is_empty() => format!("{key}={MASK}"),
        Some((key, value)) if key.starts_with("--") && value.contains(' ') => {
            format!("{key}={}", shell_command(value))
        }
        _ if word.contains(' ') => shell_command(word),
        _ => cut(word),
    }
}

/// Takes the secrets out of the options that a job hands to its engine, and out of the command beside it.
pub fn cut_job(job: &mut Job) {
    if let Some(beside) = &mut job.beside {
        *beside = shell_command(beside);
    }
    let options = job
        .engine_options
        .iter_mut()
        .map(|(name, value)| (name.as_str(), value));
    let handed_on = job
        .handed_on
        .iter_mut()
        .map(|(name, value)| (name.as_str(), value));
    for (name, value) in options.chain(handed_on) {
        *value = if is_guarded(name) && !value.is_empty() {
            MASK.to_string()
        } else {
            shell_command(value)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_cut_and_the_rest_stays() {
        assert_eq!(
            cut("//nas/x /mnt cifs user=a,password=s3c,ro 0 0"),
            "//nas/x /mnt cifs user=a,password=…,ro 0 0"
        );
        assert_eq!(
            cut("quiet agent.token=abc root=UUID=1-2"),
            "quiet agent.token=… root=UUID=1-2"
        );
        assert_eq!(
            cut("Environment=\"API_TOKEN=x y\" A=b"),
            "Environment=\"API_TOKEN=…\" A=b"
        );
        assert_eq!(cut("repo=https://me:pw@host/x"), "repo=https://…@host/x");
        assert_eq!(
            cut("a=b\npassword = \"x\"\nc=d"),
            "a=b\npassword = \"…\"\nc=d"
        );
        assert_eq!(cut("password=\"two words\" c=d"), "password=\"…\" c=d");
        assert_eq!(cut("password=a;b&c d=e"), "password=… d=e");
        assert_eq!(
            cut("KERNEL==\"sd*\", ATTR{queue/scheduler}=\"none\""),
            "KERNEL==\"sd*\", ATTR{queue/scheduler}=\"none\""
        );
        assert_eq!(cut("nas:/export on 253:0"), "nas:/export on 253:0");
    }

    #[test]
    fn a_command_is_kept_without_its_secrets() {
        let words = |line: &str| line.split(' ').map(str::to_string).collect::<Vec<_>>();
        let line = "iodyno run s3 -- -ioengine=http -http_s3_key=abc -http_s3_keyid=AK -bs=4k --password x -rw=read";
        let kept = "iodyno run s3 -- -ioengine=http -http_s3_key=… -http_s3_keyid=… -bs=4k --password … -rw=read";
        assert_eq!(command(&words(line)), words(kept));
        assert_eq!(command(&["--token=a b,c".into()]), ["--token=…"]);
        assert_eq!(
            command(&["-host=https://me:pw@h/x".into()]),
            ["-host=https://…@h/x"]
        );
        assert_eq!(
            command(&words("--token --rw=read x")),
            words("--token --rw=read x")
        );
    }

    #[test]
    fn a_job_is_kept_without_its_secrets() {
        let mut job = Job::default();
        job.engine_options
            .insert("http_s3_key".into(), "abc".into());
        job.engine_options
            .insert("http_host".into(), "s3.example".into());
        job.handed_on.push(("http_pass".into(), "x y".into()));
        cut_job(&mut job);
        assert_eq!(
            (
                job.engine_options["http_s3_key"].as_str(),
                job.handed_on[0].1.as_str()
            ),
            ("…", "…")
        );
        assert_eq!(job.engine_options["http_host"], "s3.example");
    }
}
