//! Numbers of devices: `8:16`.

use std::fmt;

/// Major and minor number of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Devno {
    /// Of the driver; 0 where a file system without a block device has a number of its own.
    pub major: u32,
    /// Of the device.
    pub minor: u32,
}

impl Devno {
    /// Reads `8:16`, with or without the line's end.
    pub fn parse(text: &str) -> Option<Devno> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Devno {
            major: number(major)?,
            minor: number(minor)?,
        })
    }

    /// As the kernel keeps it (`dev_t` of include/linux/kdev_t.h), and as its events show it.
    pub fn in_kernel(self) -> u32 {
        self.major << 20 | self.minor
    }

    /// As the kernel gives it to programs (`huge_encode_dev` of include/linux/kdev_t.h): the minor in two parts around
    /// the major.
    pub fn encoded(self) -> u64 {
        let (major, minor) = (u64::from(self.major), u64::from(self.minor));
        minor & 0xFF | major << 8 | (minor & !0xFF) << 12
    }
}

/// Digits only: `parse` alone takes `+8`.
fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

impl fmt::Display for Devno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_and_encoded() {
        let devno = Devno::parse("259:70000\n").unwrap();
        assert_eq!((devno.major, devno.minor), (259, 70000));
        assert_eq!(Devno::parse("8:16").unwrap().in_kernel(), 8 << 20 | 16);
        assert_eq!(Devno::parse("8:16").unwrap().encoded(), 0x810);
        assert_eq!(Devno::parse("253:300").unwrap().encoded(), 0x0010_FD2C);
        for damaged in ["", "8", "8:", ":1", "8:x", "+8:1", "8:1:2", "4294967296:0"] {
            assert_eq!(Devno::parse(damaged), None, "{damaged}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(major in any::<u32>(), minor in any::<u32>()) {
            let devno = Devno { major, minor };
            prop_assert_eq!(Devno::parse(&devno.to_string()), Some(devno));
        }

        #[test]
        fn any_text_is_a_number_or_none(text in any::<String>()) {
            if let Some(devno) = Devno::parse(&text) {
                prop_assert_eq!(Devno::parse(&devno.to_string()), Some(devno));
            }
        }
    }
}
