//! Passwords and tokens in mount options and on command lines: never shown, never captured.

/// What a key that guards something ends in.
const KEYS: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key"];

/// Whole keys that guard something where they are mount options or arguments; `key` alone would cut keys of udev.
const WHOLE_KEYS: &[&str] = &["pass", "pw", "pwd", "keydata", "auth_key", "private_key"];

/// The text with the value of every `password=…` and its like replaced by `…`. Lines keep their number.
pub(super) fn cut(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        result.push_str(before);
        let separator = &before[at..];
        let head = before[..at].trim_end_matches([' ', '\t']);
        let key = &head[head.rfind(is_edge).map_or(0, |edge| edge + 1)..];
        rest = after;
        let is_authority = separator == ":" && after.starts_with("//");
        if is_authority {
            rest = cut_authority(&mut result, after);
        } else if is_guarded(key) && separator == "=" {
            let value = after.trim_start_matches(['"', '\'', ' ']);
            result.push_str(&after[..after.len() - value.len()]);
            let end = value.find(is_edge).unwrap_or(value.len());
            if end > 0 {
                result.push('…');
            }
            rest = &value[end..];
        }
    }
    result.push_str(rest);
    result
}

/// `//user:password@host` → `//…@host`.
fn cut_authority<'a>(result: &mut String, after: &'a str) -> &'a str {
    let end = after[2..].find(|c: char| c == '/' || is_edge(c)).map_or(after.len(), |end| end + 2);
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
    c.is_ascii_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '&' | '?' | '{' | '}' | '(' | ')')
}

fn is_guarded(key: &str) -> bool {
    let key = key.trim_start_matches('-').to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    WHOLE_KEYS.contains(&last) || KEYS.iter().any(|guarded| last.ends_with(guarded))
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
        assert_eq!(cut("quiet agent.token=abc root=UUID=1-2"), "quiet agent.token=… root=UUID=1-2");
        assert_eq!(cut("Environment=\"API_TOKEN=x y\" A=b"), "Environment=\"API_TOKEN=… y\" A=b");
        assert_eq!(cut("repo=https://me:pw@host/x"), "repo=https://…@host/x");
        assert_eq!(cut("a=b\npassword = \"x\"\nc=d"), "a=b\npassword = \"…\"\nc=d");
        assert_eq!(
            cut("KERNEL==\"sd*\", ATTR{queue/scheduler}=\"none\""),
            "KERNEL==\"sd*\", ATTR{queue/scheduler}=\"none\""
        );
        assert_eq!(cut("nas:/export on 253:0"), "nas:/export on 253:0");
    }
}
