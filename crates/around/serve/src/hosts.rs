//! Under which names we answer. A page of somebody else's whose name was made to point here (DNS rebinding) is not one.

use std::net::IpAddr;

/// The names, besides addresses that we listen on.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// `localhost` on loopback connections, and what else the user allows.
    pub fn new(allowed: &[String]) -> Hosts {
        let names = allowed
            .iter()
            .map(|name| name.trim_end_matches('.').to_ascii_lowercase());
        Hosts {
            names: names.filter(|name| !name.is_empty()).collect(),
        }
    }

    /// Whether a `Host` names us, on any port: a forwarded connection comes by another one. An address is right where it
    /// is the one that the connection came in on, or a loopback address and so did the connection.
    pub fn allows(&self, authority: &str, local: IpAddr) -> bool {
        let Some((host, _)) = split(authority) else {
            return false;
        };
        let local = local.to_canonical();
        if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            return address == local || (address.is_loopback() && local.is_loopback());
        }
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        (host == "localhost" && local.is_loopback()) || self.names.contains(&host)
    }
}

/// This machine's name.
pub fn own_name(host: &host::Host) -> Option<String> {
    Some(host.text("/proc/sys/kernel/hostname")?.trim().to_string())
}

/// Host and port of an authority such as `localhost:7979` or `[::1]`. None for anything that is not one.
pub fn split(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (inside, after) = rest.split_once(']')?;
            inside.parse::<std::net::Ipv6Addr>().ok()?;
            (&authority[..inside.len() + 2], after)
        }
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if host.is_empty() || !(host.starts_with('[') || host.chars().all(is_name)) {
        return None;
    }
    match port.strip_prefix(':') {
        None if port.is_empty() => Some((host, None)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((host, Some(digits.parse().ok()?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn names_of_this_machine_pass_on_any_port() {
        let hosts = Hosts::new(&["db7.example".into()]);
        for authority in [
            "localhost:7979",
            "LOCALHOST",
            "127.0.0.1:1",
            "[::1]:7979",
            "127.0.0.53:80",
            "db7.example:443",
            "DB7.example.",
        ] {
            assert!(hosts.allows(authority, LOOPBACK), "{authority}");
        }
    }

    #[test]
    fn names_that_only_point_here_do_not() {
        let hosts = Hosts::new(&[]);
        for authority in [
            "evil.example:7979",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.5:7979",
            "[::2]:7979",
            "0.0.0.0:7979",
            "2130706433",
            "",
            ":7979",
            "localhost:",
            "localhost:99999",
            "localhost:7979:1",
            "localhost@evil.example",
            "[::1",
            "[::1]evil",
            "local\u{212a}host",
        ] {
            assert!(!hosts.allows(authority, LOOPBACK), "{authority}");
        }
    }

    #[test]
    fn an_address_must_be_the_one_of_the_connection() {
        let hosts = Hosts::new(&[]);
        let local: IpAddr = "192.0.2.7".parse().unwrap();
        assert!(hosts.allows("192.0.2.7:7979", local));
        assert!(hosts.allows("192.0.2.7", "::ffff:192.0.2.7".parse().unwrap()));
        assert!(!hosts.allows("192.0.2.8:7979", local) && !hosts.allows("localhost:7979", local));
        assert!(!hosts.allows("127.0.0.1:7979", local));
    }
}
