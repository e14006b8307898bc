//! `fio-3.33`, `fio-2.2.10`, `fio-3.38-45-gabcdef-dirty`.

/// fio's version; a build between two releases counts as the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 3 of 3.33.
    pub major: u32,
    /// 33 of 3.33.
    pub minor: u32,
    /// 10 of 2.2.10.
    pub patch: u32,
}

impl Version {
    /// A version without a third number.
    pub fn new(major: u32, minor: u32) -> Version {
        Version {
            major,
            minor,
            patch: 0,
        }
    }

    /// From what `fio --version` or a document says.
    pub fn parse(text: &str) -> Option<Version> {
        let numbers = text.trim().strip_prefix("fio-").unwrap_or(text.trim());
        let release = numbers.split(['-', ' ', '_']).next()?;
        let mut parts = release.split('.').map(|part| part.parse::<u32>().ok());
        let (major, minor) = (parts.next()??, parts.next()??);
        Some(Version {
            major,
            minor,
            patch: parts.next().flatten().unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_found_in_the_wild() {
        let parse = |text| Version::parse(text).map(|v| (v.major, v.minor, v.patch));
        assert_eq!(parse("fio-3.33\n"), Some((3, 33, 0)));
        assert_eq!(parse("fio-2.2.10"), Some((2, 2, 10)));
        assert_eq!(parse("fio-3.38-45-gabc123-dirty"), Some((3, 38, 0)));
        assert_eq!(parse("fio-2.99"), Some((2, 99, 0)));
        assert_eq!(parse("fio-"), None);
        assert_eq!(parse("flexible I/O tester"), None);
        assert!(Version::new(2, 99) < Version::new(3, 0));
    }
}
