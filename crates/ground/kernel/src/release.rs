//! The kernel's release: `6.1.0-18-amd64`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of a kernel, by which behaviour is told: 6.1. What follows (stable numbers, the distribution's) says which
/// fixes it has, not which features. Documents have it as two numbers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Release(pub u32, pub u32);

impl Release {
    /// Of the text of /proc/sys/kernel/osrelease: the first two numbers.
    pub fn parse(text: &str) -> Option<Release> {
        let mut numbers = text.trim().split(|letter: char| !letter.is_ascii_digit());
        Some(Release(
            numbers.next()?.parse().ok()?,
            numbers.next()?.parse().ok()?,
        ))
    }

    /// Whether it is this version or a later one.
    pub fn at_least(self, major: u32, minor: u32) -> bool {
        self >= Release(major, minor)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn releases_as_distributions_have_them() {
        let cases = [
            ("6.1.0-18-amd64\n", Some(Release(6, 1))),
            ("3.10.0-693.17.1.el7.x86_64", Some(Release(3, 10))),
            ("6.18.0", Some(Release(6, 18))),
            ("6.12-rc3", Some(Release(6, 12))),
            ("5.15.167.4-microsoft-standard-WSL2", Some(Release(5, 15))),
            ("unknown", None),
            ("6", None),
            ("", None),
            ("99999999999.1", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(Release::parse(text), wanted, "{text}");
        }
    }

    #[test]
    fn minor_numbers_are_compared_as_numbers() {
        let release = Release(5, 9);
        assert!(release.at_least(5, 9) && release.at_least(4, 20) && !release.at_least(5, 10));
        assert!(Release(5, 10) > release && Release(6, 0) > Release(5, 19));
    }

    #[test]
    fn documents_have_two_numbers() {
        assert_eq!(serde_json::to_string(&Release(6, 1)).unwrap(), "[6,1]");
        assert_eq!(
            serde_json::from_str::<Release>("[6,1]").unwrap(),
            Release(6, 1)
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(major in any::<u32>(), minor in any::<u32>(), rest in "([-.+ ][ -~]{0,20})?") {
            let release = Release(major, minor);
            prop_assert_eq!(Release::parse(&format!("{release}{rest}")), Some(release));
        }

        #[test]
        fn any_text_is_a_release_or_none(text in any::<String>()) {
            let _ = Release::parse(&text);
        }
    }
}
