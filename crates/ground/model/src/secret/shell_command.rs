//! A shell command without its secrets: by names of options and variables, and by what well-known clients call theirs.

use super::{MASK, cut, is_guarded};
use crate::shell_line::{pieces, unquoted};
use crate::text::shell_word;

/// An option of a program, by which a secret is given.
struct Client {
    /// How the program's name begins.
    programs: &'static [&'static str],
    option: &'static str,
    takes: Takes,
}

/// Where the secret stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// In the next word.
    Next,
    /// In the same word, behind the option.
    Glued,
    /// In the next word, behind the user and a colon.
    AfterUser,
    /// In the next word, behind the user and `%`.
    AfterUserPercent,
}

/// The manuals of mysql(1), sshpass(1), redis-cli(1), mongosh, curl(1), smbclient(1), ldapsearch(1).
const CLIENTS: &[Client] = &[
    Client {
        programs: &["mysql", "mariadb", "sysbench"],
        option: "-p",
        takes: Takes::Glued,
    },
    Client {
        programs: &["sshpass"],
        option: "-p",
        takes: Takes::Glued,
    },
    Client {
        programs: &["sshpass", "mongo"],
        option: "-p",
        takes: Takes::Next,
    },
    Client {
        programs: &["redis-", "valkey-", "keydb-", "memtier"],
        option: "-a",
        takes: Takes::Next,
    },
    Client {
        programs: &["curl"],
        option: "-u",
        takes: Takes::AfterUser,
    },
    Client {
        programs: &["curl"],
        option: "-U",
        takes: Takes::AfterUser,
    },
    Client {
        programs: &["curl"],
        option: "--user",
        takes: Takes::AfterUser,
    },
    Client {
        programs: &["curl"],
        option: "--proxy-user",
        takes: Takes::AfterUser,
    },
    Client {
        programs: &["curl"],
        option: "--oauth2-bearer",
        takes: Takes::Next,
    },
    Client {
        programs: &["smbclient"],
        option: "-U",
        takes: Takes::AfterUserPercent,
    },
    Client {
        programs: &["ldap"],
        option: "-w",
        takes: Takes::Next,
    },
];

/// Headers of HTTP that guard something, beside those whose names end as other keys do.
const HEADERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
];

/// Commands within quotes within quotes: no deeper.
const DEEPEST: u32 = 4;

/// The text of a command for a shell with every secret in it as `…`.
pub fn shell_command(command: &str) -> String {
    without_secrets(command, DEEPEST)
}

fn without_secrets(command: &str, depth: u32) -> String {
    let mut shown = String::with_capacity(command.len());
    let mut rest = command;
    let mut state = State::default();
    for piece in pieces(command) {
        let at = piece.as_ptr() as usize - rest.as_ptr() as usize;
        shown.push_str(&rest[..at]);
        shown.push_str(&state.piece(piece, depth));
        rest = &rest[at + piece.len()..];
    }
    shown + rest
}

/// Where in a simple command a piece stands.
#[derive(Default)]
struct State {
    /// Its plain words so far: one of them is the program, behind others that run it (`sudo -u db mysql`).
    programs: Vec<String>,
    /// What the piece before wants of this one.
    wanted: Option<Takes>,
}

impl State {
    fn piece(&mut self, piece: &str, depth: u32) -> String {
        let (core, end) = without_end(piece);
        let word = unquoted(core).unwrap_or_default();
        let shown = match self.wanted.take() {
            Some(takes) => secret(&word, takes).unwrap_or_else(|| core.into()),
            None => self.word(core, &word, depth),
        };
        if !end.is_empty() {
            *self = State::default();
        }
        format!("{shown}{end}")
    }

    fn word(&mut self, core: &str, word: &str, depth: u32) -> String {
        if let Some(shown) = self.option(word) {
            return shown;
        }
        let name = word.rsplit('/').next().unwrap_or_default();
        self.programs
            .push(name.trim_start_matches(['(', '{']).into());
        if let Some(header) = header(word) {
            return shell_word(&header).into_owned();
        }
        // A command for another shell, or a list of variables.
        let has_inner = depth > 0 && word.contains(char::is_whitespace);
        match has_inner.then(|| without_secrets(word, depth - 1)) {
            Some(inner) if inner != word => shell_word(&inner).into_owned(),
            _ => cut(core),
        }
    }

    /// The word where it is an option with a secret; what it wants of the next word is kept.
    fn option(&mut self, word: &str) -> Option<String> {
        if word.starts_with("--") && !word.contains('=') && is_guarded(word) {
            self.wanted = Some(Takes::Next);
            return None;
        }
        let is_its = |client: &&Client| {
            let names = client.programs.iter();
            let mut runs = names.flat_map(|name| self.programs.iter().map(move |it| (it, name)));
            runs.any(|(program, name)| program.starts_with(*name))
        };
        let clients: Vec<&Client> = CLIENTS.iter().filter(is_its).collect();
        for Client { option, takes, .. } in clients {
            let is_glued = *takes == Takes::Glued;
            let has_more = word.len() > option.len() && !word.starts_with("--");
            if is_glued && has_more && word.starts_with(option) {
                return Some(format!("{option}{MASK}"));
            }
            if !is_glued && word == *option {
                self.wanted = Some(*takes);
            }
        }
        None
    }
}

/// What a word that holds a secret is shown as; none where it holds none.
fn secret(word: &str, takes: Takes) -> Option<String> {
    let after = |mark: char| {
        word.split_once(mark)
            .map(|(user, _)| format!("{user}{mark}{MASK}"))
    };
    match takes {
        Takes::AfterUser => after(':'),
        Takes::AfterUserPercent => after('%'),
        _ if word.starts_with('-') => None,
        _ => Some(MASK.to_string()),
    }
}

/// A header with its value left out, where that guards something.
fn header(word: &str) -> Option<String> {
    let (name, value) = word.split_once(':')?;
    let own = name.trim().to_ascii_lowercase();
    let is_secret = HEADERS.contains(&own.as_str()) || is_guarded(&own);
    let is_name = own.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (is_name && is_secret && !value.trim().is_empty()).then(|| format!("{name}: {MASK}"))
}

/// A piece, and what ends its simple command at its end: `;`, `|`, `&`, `)`.
fn without_end(piece: &str) -> (&str, &str) {
    let core = piece.trim_end_matches([';', '|', '&', ')']);
    match core.is_empty() {
        true => ("", piece),
        false => piece.split_at(core.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clients_keep_their_secrets() {
        for (command, shown) in [
            (
                "mysql --password S3 -e x; sleep 3",
                "mysql --password … -e x; sleep 3",
            ),
            (
                "curl -u user:S3 http://x; sleep 3",
                "curl -u user:… http://x; sleep 3",
            ),
            ("sshpass -p S3 ssh h", "sshpass -p … ssh h"),
            ("sshpass -pS3 ssh h", "sshpass -p… ssh h"),
            (
                "curl -H 'Authorization: Bearer S3' x",
                "curl -H 'Authorization: …' x",
            ),
            ("redis-cli -a S3 ping", "redis-cli -a … ping"),
            ("mysql -pS3; sleep 3", "mysql -p…; sleep 3"),
            (
                "sudo -u db mysql -u root -p'S 3' t",
                "sudo -u db mysql -u root -p… t",
            ),
            ("PGPASSWORD=S3 psql; sleep 3", "PGPASSWORD=… psql; sleep 3"),
            ("PGPASSWORD=S3 psql", "PGPASSWORD=… psql"),
            (
                "export AWS_SECRET_ACCESS_KEY=S3; sleep 3",
                "export AWS_SECRET_ACCESS_KEY=…; sleep 3",
            ),
            ("wget --http-password S3 x", "wget --http-password … x"),
            ("psql postgresql://me:S3@h/d", "psql postgresql://…@h/d"),
            (
                "while mysql -pS3; do :; done",
                "while mysql -p…; do :; done",
            ),
            (
                "sh -c 'redis-cli -a S3 ping'",
                "sh -c 'redis-cli -a … ping'",
            ),
            ("(mysql -pS3)", "(mysql -p…)"),
            ("smbclient -U me%S3 //h/s", "smbclient -U me%… //h/s"),
            ("mongosh -u me -p S3", "mongosh -u me -p …"),
        ] {
            let cut = shell_command(command);
            assert!(!cut.contains("S3") && !cut.contains("S 3"), "{cut}");
            assert_eq!(cut, shown);
        }
    }

    #[test]
    fn what_guards_nothing_stays_as_it_is() {
        for command in [
            "pgbench -P 1 -c 8 -T 3600 bench",
            "mkdir -p /srv/a; dd if=/dev/zero of=/srv/a/b bs=1M",
            "ssh -p 22 host fio --direct=1 -a x",
            "sysbench fileio --report-interval=1 --time=60 run",
            "curl -s http://x:9090/metrics | grep -u 'a: b'",
            "while :; do dd if=\"$F\" of=/dev/null; done",
            "mysql -p -e 'select 1'",
        ] {
            assert_eq!(shell_command(command), command);
        }
    }

    proptest! {
        #[test]
        fn it_never_fails_and_settles(command in "[a-z '\"$();=:|&-]{0,60}") {
            let once = shell_command(&command);
            prop_assert_eq!(shell_command(&once), once);
        }
    }
}
