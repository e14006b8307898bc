//! On another machine, by the user's own OpenSSH: its configuration, agent, keys and jump hosts.
//!
//! iodyno handles no password and asks nothing: `BatchMode` makes ssh fail where it would ask. What reaches ssh as the host
//! begins with no `-`, and stands behind `--`.

use super::{CommandLine, PlaceError};
use model::text::shell_word;
use std::path::PathBuf;

/// Options that hold whatever the user's configuration says: no questions, no terminal, nothing forwarded, and a link that
/// is dead ends the connection within 20 s.
const OPTIONS: [&str; 11] = [
    "BatchMode=yes",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "RequestTTY=no",
    "EscapeChar=none",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    // A connection of others is used where one is; ours ends with us, and is nobody's to share.
    "ControlMaster=no",
];

/// A machine that ssh reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshPlace {
    host: String,
    user: Option<String>,
    port: Option<u16>,
    config: Option<PathBuf>,
    connect_s: u32,
}

impl SshPlace {
    /// A host by name, address or alias of the user's configuration; with another user and port than ssh would take.
    ///
    /// # Errors
    /// When ssh could take the host or the user for an option.
    pub fn new(host: &str, user: Option<&str>, port: Option<u16>) -> Result<SshPlace, PlaceError> {
        let is_option = |word: &str| word.is_empty() || word.starts_with('-');
        if is_option(host) || user.is_some_and(is_option) {
            let whole = user.map_or_else(|| host.into(), |user| format!("{user}@{host}"));
            return Err(PlaceError(format!(
                "`{}` is no host: ssh would take it for an option",
                model::text::clean_to(&whole, 80)
            )));
        }
        Ok(SshPlace {
            host: host.into(),
            user: user.map(Into::into),
            port,
            config: None,
            connect_s: 10,
        })
    }

    /// The same with another configuration than the user's (`ssh -F`).
    pub fn with_config(self, config: Option<PathBuf>) -> SshPlace {
        SshPlace { config, ..self }
    }

    /// The same, connecting for so long at most, s.
    pub fn within_s(self, connect_s: u32) -> SshPlace {
        SshPlace { connect_s, ..self }
    }
}

/// ssh hands one line to the user's shell over there, so every word is quoted for a shell.
pub fn command_line(place: &SshPlace, executable: &str, words: &[String]) -> CommandLine {
    let mut all = vec!["-T".to_string()];
    if let Some(config) = &place.config {
        all.extend(["-F".into(), config.to_string_lossy().into_owned()]);
    }
    let connect = format!("ConnectTimeout={}", place.connect_s.max(1));
    for option in OPTIONS.into_iter().chain([connect.as_str()]) {
        all.extend(["-o".into(), option.into()]);
    }
    if let Some(port) = place.port {
        all.extend(["-p".into(), port.to_string()]);
    }
    if let Some(user) = &place.user {
        all.extend(["-l".into(), user.clone()]);
    }
    all.extend(["--".into(), place.host.clone()]);
    all.push(super::shell_text(executable, words));
    CommandLine {
        program: "ssh".into(),
        words: all,
    }
}

/// How a person runs a command there: `ssh -p 2222 root@db1`, and the command behind it.
pub fn phrase(place: &SshPlace) -> String {
    let config = place.config.as_ref().map(|config| {
        let config = config.to_string_lossy();
        format!("-F {} ", shell_word(&config))
    });
    let port = place.port.map(|port| format!("-p {port} "));
    let user = place.user.as_ref().map(|user| format!("{user}@"));
    let whole = format!("{}{}", user.unwrap_or_default(), place.host);
    let options = config.unwrap_or_default() + &port.unwrap_or_default();
    format!("ssh {options}{}", shell_word(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_arrive_as_words_and_the_host_is_no_option() {
        let place = SshPlace::new("db1", Some("root"), Some(2222)).unwrap();
        let line = command_line(&place, "sh", &["-c".into(), "echo $1; x='a b'".into()]);
        let at = line.words.iter().position(|word| word == "--").unwrap();
        assert_eq!(line.program, "ssh");
        assert_eq!(line.words[at + 1], "db1");
        assert_eq!(line.words[at + 2], r"sh -c 'echo $1; x='\''a b'\'''");
        assert_eq!(line.words.len(), at + 3, "one line for the shell");
        assert!(line.words.windows(2).any(|pair| pair == ["-p", "2222"]));
        assert!(line.words.windows(2).any(|pair| pair == ["-l", "root"]));
        assert!(line.words.contains(&"BatchMode=yes".into()));
        assert!(line.words.contains(&"ConnectTimeout=10".into()));
        assert_eq!(phrase(&place), "ssh -p 2222 root@db1");
    }

    #[test]
    fn what_begins_like_an_option_is_refused() {
        for (host, user) in [("-oProxyCommand=x", None), ("h", Some("-l")), ("", None)] {
            let refused = SshPlace::new(host, user, None).unwrap_err().to_string();
            assert!(refused.contains("is no host"), "{refused}");
        }
    }

    #[test]
    fn another_configuration_comes_before_the_options() {
        let place = SshPlace::new("a", None, None).unwrap();
        let place = place.with_config(Some("/tmp/c".into())).within_s(3);
        let words = command_line(&place, "true", &[]).words;
        assert_eq!(words[1..3], ["-F", "/tmp/c"]);
        assert!(words.contains(&"ConnectTimeout=3".into()));
    }
}
