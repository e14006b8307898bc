//! Where a host is, as it is written: `db1`, `root@db1:2222`, `[fd00::1]:22`.

use model::text::clean_to;

/// Where a host is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostAddress {
    /// Name, address, or alias of the user's configuration.
    pub host: String,
    /// As whom; none for whom the configuration says.
    pub user: Option<String>,
    /// Port; none for the one that the configuration says.
    pub port: Option<u16>,
}

impl HostAddress {
    /// As it is written.
    pub fn text(&self) -> String {
        let user = self.user.as_ref().map(|user| format!("{user}@"));
        let user = user.unwrap_or_default();
        match self.port {
            None => format!("{user}{}", self.host),
            Some(port) if self.host.contains(':') => format!("{user}[{}]:{port}", self.host),
            Some(port) => format!("{user}{}:{port}", self.host),
        }
    }
}

/// Reads one.
pub fn parse(text: &str) -> Result<HostAddress, String> {
    let shown = clean_to(text, 80);
    let (user, rest) = match text.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, text),
    };
    let (host, port) = split(rest).ok_or(format!("`{shown}` is no host: HOST or HOST:PORT"))?;
    if let Some(user) = user {
        word(user, "@\\").map_err(|why| format!("`{shown}`: the user {why}"))?;
    }
    word(host, ":%/").map_err(|why| format!("`{shown}`: the host {why}"))?;
    let port = match port {
        None => None,
        Some(port) => Some(self::port(port).map_err(|why| format!("`{shown}`: {why}"))?),
    };
    Ok(HostAddress {
        host: host.into(),
        user: user.map(Into::into),
        port,
    })
}

/// A port by its number.
pub fn port(text: &str) -> Result<u16, String> {
    let number = text.parse::<u16>().ok().filter(|port| *port > 0);
    number.ok_or(format!("`{}` is no port, 1 to 65535", clean_to(text, 20)))
}

/// Host and port; an address with several colons has a port only behind brackets.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(inner) = text.strip_prefix('[') {
        let (host, behind) = inner.split_once(']')?;
        return match behind {
            "" => Some((host, None)),
            behind => Some((host, Some(behind.strip_prefix(':')?))),
        };
    }
    match text.matches(':').count() {
        1 => text.split_once(':').map(|(host, port)| (host, Some(port))),
        _ => Some((text, None)),
    }
}

/// Whether a name can be handed to other programs: nothing that a shell, a terminal or a list of options takes for more.
pub fn word(text: &str, also: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("is empty".into());
    }
    if text.starts_with('-') {
        return Err("begins with `-`, which programs take for an option".into());
    }
    if text.len() > 255 {
        return Err("is longer than 255 bytes".into());
    }
    let is_fine = |c: char| c.is_alphanumeric() || "._-+".contains(c) || also.contains(c);
    match text.chars().find(|c| !is_fine(*c)) {
        None => Ok(()),
        Some(c) => Err(format!("has `{}` in it", clean_to(&c.to_string(), 4))),
    }
}
