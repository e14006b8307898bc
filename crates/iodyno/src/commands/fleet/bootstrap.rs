//! The first words on a host, before iodyno is there: a script for its shell that says which architecture it is, takes the
//! binary where it has none of this hash, and starts it.
//!
//! The directory is the user's own (mode 700), the name holds the hash, and the content is summed each time before it is
//! executed: what was changed there is sent again, and never run. The script holds no line end and no `!`, so that any login
//! shell takes it for one word; what it is told comes by its standard input.

/// A line of the script begins with this word; whatever else a login shell prints is passed over.
pub const MARK: &str = "@iodyno ";
/// What may stand before the first such line, bytes.
pub const NOISE_MAX: usize = 64 << 10;

/// What the script has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The architecture and the number of the user; now it waits for what to do.
    Host {
        /// As `uname -m` says it.
        architecture: String,
        /// 0 for root.
        user: u32,
    },
    /// The binary is there, as it should be.
    Have,
    /// It waits for the binary.
    Need,
    /// iodyno starts now, and speaks next.
    Ready,
    /// sudo wants a password, or has no rule: the user, and the file that needs one.
    Sudo {
        /// The user's name.
        user: String,
        /// The binary.
        file: String,
    },
    /// So many binaries were removed.
    Forgot(u32),
    /// It cannot go on.
    Failed(String),
}

/// A line of the script.
pub fn said(line: &str) -> Option<Said> {
    let line = line.trim_end().strip_prefix(MARK)?;
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = model::text::clean_to(rest.trim(), 300);
    let pair = || rest.split_once(' ');
    match word {
        "host" => pair().and_then(|(architecture, user)| {
            Some(Said::Host {
                architecture: architecture.into(),
                user: user.parse().ok()?,
            })
        }),
        "have" => Some(Said::Have),
        "need" => Some(Said::Need),
        "ready" => Some(Said::Ready),
        "sudo" => pair().map(|(user, file)| Said::Sudo {
            user: user.into(),
            file: file.into(),
        }),
        "forgot" => rest.parse().ok().map(Said::Forgot),
        "failed" => Some(Said::Failed(rest)),
        _ => None,
    }
}

/// The script, for `sh -c`.
pub fn script() -> String {
    let lines = [
        "umask 077;",
        "say() { printf '\\n@iodyno %s\\n' \"$*\"; };",
        "no() { say failed \"$*\"; exit 0; };",
        "sum() { [ -f \"$1\" ] && sha256sum <\"$1\" 2>/dev/null | cut -d' ' -f1; };",
        "own() { [ -d \"$1\" ] && [ -O \"$1\" ] && if [ -L \"$1\" ]; then false; fi; };",
        "base=${XDG_CACHE_HOME:-};",
        "if [ -z \"$base\" ]; then",
        "if [ -n \"${HOME:-}\" ] && [ -w \"${HOME:-}\" ]; then base=$HOME/.cache;",
        // Others may write there, so the directory is ours from its beginning or not used at all.
        "else base=/var/tmp/iodyno-of-$(id -u); mkdir -m 700 \"$base\" 2>/dev/null;",
        "own \"$base\" && chmod 700 \"$base\" || no \"$base belongs to somebody else\"; fi; fi;",
        "dir=$base/iodyno-fleet;",
        "say host \"$(uname -m)\" \"$(id -u)\";",
        "read -r task hash size sudo || exit 0;",
        "if [ -e \"$dir\" ]; then own \"$dir\" || no \"$dir belongs to somebody else\"; fi;",
        "if [ \"$task\" = forget ]; then n=0;",
        "for f in \"$dir\"/iodyno-* \"$dir\"/new-*; do if [ -f \"$f\" ]; then rm -f \"$f\" && n=$((n+1)); fi; done;",
        "rmdir \"$dir\" 2>/dev/null; say forgot $n; exit 0; fi;",
        "command -v sha256sum >/dev/null || no it has no sha256sum;",
        "e=$(mkdir -p \"$dir\" 2>&1) || no \"$e\";",
        "own \"$dir\" || no \"$dir belongs to somebody else\";",
        "e=$(chmod 700 \"$dir\" 2>&1) || no \"$e\";",
        "f=$dir/iodyno-$hash;",
        "if [ \"$(sum \"$f\")\" = \"$hash\" ]; then say have; else",
        // Hosts may share this directory: each writes a file of its own, and one that is whole is not replaced.
        "say need; t=$dir/new-$(uname -n)-$$;",
        "e=$(head -c \"$size\" 2>&1 >\"$t\");",
        "[ \"$(sum \"$t\")\" = \"$hash\" ] || { rm -f \"$t\";",
        "no \"the binary did not arrive whole in $dir: ${e:-its hash differs}\"; };",
        "chmod 700 \"$t\";",
        "if [ \"$(sum \"$f\")\" = \"$hash\" ]; then rm -f \"$t\"; else mv -f \"$t\" \"$f\" || no \"cannot write $f\"; fi; fi;",
        "if [ \"$sudo\" = 1 ]; then",
        "sudo -n -l -- \"$f\" attend >/dev/null 2>&1 || sudo -n true >/dev/null 2>&1 ||",
        "{ say sudo \"$(id -un)\" \"$f\"; exit 0; };",
        "say ready; exec sudo -n -- \"$f\" attend; fi;",
        "say ready; exec \"$f\" attend",
    ];
    lines.join(" ")
}

/// What the script is told to do: start a binary of this hash and size, by sudo or not.
pub fn start_line(hash: &str, size: usize, is_sudo: bool) -> String {
    format!("start {hash} {size} {}\n", u8::from(is_sudo))
}

/// What the script is told to remove what was sent.
pub const FORGET_LINE: &str = "forget - 0 0\n";

/// What a rule makes of whoever has it.
pub const RULE_MEANS: &str = "The rule makes that user root there for all purposes, since iodyno runs any verb that it is asked for.";

/// The rule that sudo needs to start a binary of this hash, as a line for `visudo`. The user and the file are what the host
/// says, and whoever pastes the line trusts it: none unless both are what they have to be. sudo looks at the digest itself.
pub fn sudo_rule(user: &str, file: &str, hash: &str) -> Option<String> {
    let is_word = |text: &str, also: &str| {
        let is_fine = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
        !text.is_empty() && text.len() <= 200 && text.chars().all(is_fine)
    };
    let is_ours = file.starts_with('/') && file.ends_with(&format!("/iodyno-fleet/iodyno-{hash}"));
    let is_fine =
        is_word(user, "._-") && !user.starts_with('-') && is_word(file, "/._+-") && is_ours;
    is_fine.then(|| format!("{user} ALL=(root) NOPASSWD: sha256:{hash} {file} attend"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_script_are_told_from_the_noise_of_a_login_shell() {
        assert_eq!(
            said("@iodyno host x86_64 0\n"),
            Some(Said::Host {
                architecture: "x86_64".into(),
                user: 0
            })
        );
        assert_eq!(said("@iodyno need\n"), Some(Said::Need));
        assert_eq!(said("@iodyno forgot 2"), Some(Said::Forgot(2)));
        assert_eq!(
            said("@iodyno failed head: \x1b[2J no space"),
            Some(Said::Failed("head: ?[2J no space".into()))
        );
        for noise in [
            "Welcome to db1",
            "@iodyno",
            "@iodyno host",
            "@iodyno dance",
            "",
        ] {
            assert_eq!(said(noise), None, "{noise}");
        }
    }

    #[test]
    fn the_script_is_one_word_for_every_login_shell() {
        let script = script();
        assert!(!script.contains('\n') && !script.contains('!'), "{script}");
        assert_eq!(start_line("ab", 3, true), "start ab 3 1\n");
    }

    #[test]
    fn a_rule_is_shown_only_for_what_was_sent() {
        let file = "/home/ann/.cache/iodyno-fleet/iodyno-ab";
        assert_eq!(
            sudo_rule("ann", file, "ab").unwrap(),
            format!("ann ALL=(root) NOPASSWD: sha256:ab {file} attend")
        );
        for (user, file) in [
            ("ann", "/bin/sh"),
            ("ann", "/bin/sh, /home/ann/.cache/iodyno-fleet/iodyno-ab"),
            ("ALL", "/x/iodyno-fleet/iodyno-cd"),
            ("%wheel", "/x/iodyno-fleet/iodyno-ab"),
            ("", "/x/iodyno-fleet/iodyno-ab"),
        ] {
            assert_eq!(sudo_rule(user, file, "ab"), None, "{user} {file}");
        }
    }
}
