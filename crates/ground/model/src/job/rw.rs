//! Direction and order of the I/O, fio's `rw`.

use serde::{Deserialize, Serialize};

/// Direction and order of the I/O, named as fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rw {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Random reads.
    Randread,
    /// Random writes.
    Randwrite,
    /// Sequential mix.
    Rw,
    /// Random mix.
    Randrw,
    /// Sequential trims (discards).
    Trim,
    /// Random trims.
    Randtrim,
}

impl Rw {
    /// All of them, in fio's order.
    pub const ALL: [Rw; 8] = [
        Rw::Read,
        Rw::Write,
        Rw::Randread,
        Rw::Randwrite,
        Rw::Rw,
        Rw::Randrw,
        Rw::Trim,
        Rw::Randtrim,
    ];

    /// fio's word.
    pub fn word(self) -> &'static str {
        match self {
            Rw::Read => "read",
            Rw::Write => "write",
            Rw::Randread => "randread",
            Rw::Randwrite => "randwrite",
            Rw::Rw => "rw",
            Rw::Randrw => "randrw",
            Rw::Trim => "trim",
            Rw::Randtrim => "randtrim",
        }
    }

    /// From fio's word; `readwrite` is `rw`.
    pub fn from_word(word: &str) -> Option<Rw> {
        if word == "readwrite" {
            return Some(Rw::Rw);
        }
        Rw::ALL.into_iter().find(|rw| rw.word() == word)
    }

    /// Whether offsets are random.
    pub fn is_random(self) -> bool {
        matches!(
            self,
            Rw::Randread | Rw::Randwrite | Rw::Randrw | Rw::Randtrim
        )
    }

    /// Whether any of the I/O writes data.
    pub fn writes(self) -> bool {
        matches!(self, Rw::Write | Rw::Randwrite | Rw::Rw | Rw::Randrw)
    }

    /// Whether any of the I/O reads.
    pub fn reads(self) -> bool {
        matches!(self, Rw::Read | Rw::Randread | Rw::Rw | Rw::Randrw)
    }

    /// Whether the I/O discards.
    pub fn trims(self) -> bool {
        matches!(self, Rw::Trim | Rw::Randtrim)
    }

    /// Whether the content of the target is lost.
    pub fn changes(self) -> bool {
        self.writes() || self.trims()
    }

    /// For people: `random read`.
    pub fn phrase(self) -> &'static str {
        match self {
            Rw::Read => "sequential read",
            Rw::Write => "sequential write",
            Rw::Randread => "random read",
            Rw::Randwrite => "random write",
            Rw::Rw => "sequential read/write mix",
            Rw::Randrw => "random read/write mix",
            Rw::Trim => "sequential trim",
            Rw::Randtrim => "random trim",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_fios() {
        for rw in Rw::ALL {
            assert_eq!(Rw::from_word(rw.word()), Some(rw));
            assert_eq!(
                serde_json::to_string(&rw).unwrap(),
                format!("\"{}\"", rw.word())
            );
        }
        assert_eq!(Rw::from_word("readwrite"), Some(Rw::Rw));
        assert_eq!(Rw::from_word("sideways"), None);
    }
}
