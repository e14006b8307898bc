//! What the text of a setting means: two texts that mean the same are the same value.

use kernel::choice;
use kernel::cpulist::CpuList;
use model::units::parse_bytes;

/// How a setting's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueReading {
    /// The whole text is the value.
    Whole,
    /// Of a choice (`none [mq-deadline] bfq`) the chosen word.
    Chosen,
    /// A list of CPUs: `0,1` and `0-1` are the same.
    CpuList,
    /// A number of bytes, or a word: `1m` and `1048576` are the same.
    Bytes,
}

impl ValueReading {
    /// The value that a text means, in the form in which values are compared and shown.
    pub fn value(self, text: &str) -> String {
        let text = text.trim();
        match self {
            ValueReading::Whole => text.to_string(),
            ValueReading::Chosen => choice::value(text).to_string(),
            ValueReading::CpuList => {
                CpuList::parse(text).map_or_else(|| text.to_string(), |list| list.to_string())
            }
            ValueReading::Bytes => {
                let is_size = text.ends_with(|end: char| end.is_ascii_alphabetic());
                let bytes = parse_bytes(text).ok().filter(|_| is_size);
                bytes.map_or_else(|| text.to_string(), |bytes| bytes.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_word_is_the_value() {
        let chosen = |text| ValueReading::Chosen.value(text);
        assert_eq!(chosen("none [mq-deadline] kyber bfq "), "mq-deadline");
        assert_eq!(chosen("none"), "none");
        assert_eq!(ValueReading::Whole.value("256\n"), "256");
    }

    #[test]
    fn a_size_is_its_bytes() {
        let value = |text| ValueReading::Bytes.value(text);
        assert_eq!(value("10m"), "10485760");
        assert_eq!(value("10485760"), "10485760");
        for text in ["max", "18446744073709551614", "1.5", "x m", ""] {
            assert_eq!(value(text), text, "what is no size is left as it is");
        }
    }

    #[test]
    fn lists_of_the_same_cpus_are_the_same() {
        let value = |text| ValueReading::CpuList.value(text);
        assert_eq!(value("0,1,2,5"), "0-2,5");
        assert_eq!(value("5,0-2"), "0-2,5");
        assert_eq!(value("3"), "3");
        for text in ["", "x", "3-1", "0-99999999", "1,,2"] {
            assert_eq!(value(text), text, "what is no list is left as it is");
        }
    }
}
