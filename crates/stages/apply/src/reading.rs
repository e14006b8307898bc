//! What the text of a setting means: two texts that mean the same are the same value.

/// How a setting's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The whole text is the value.
    Whole,
    /// Of a choice (`none [mq-deadline] bfq`) the chosen word.
    Chosen,
    /// A list of CPUs: `0,1` and `0-1` are the same.
    CpuList,
}

impl Reading {
    /// The value that a text means, in the form in which values are compared and shown.
    pub fn value(self, text: &str) -> String {
        let text = text.trim();
        match self {
            Reading::Whole => text.to_string(),
            Reading::Chosen => {
                let chosen = text
                    .split_once('[')
                    .and_then(|(_, rest)| rest.split_once(']'));
                chosen.map_or(text, |(word, _)| word).to_string()
            }
            Reading::CpuList => cpus(text).map_or_else(|| text.to_string(), |cpus| list(&cpus)),
        }
    }
}

/// The most CPUs that a list may name: what is longer is no list of this kernel's.
const CPUS_MAX: usize = 8192;

/// The CPUs of a list, in order; none for what is no list.
pub fn cpus(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        if to < from || (to - from) as usize >= CPUS_MAX || cpus.len() >= CPUS_MAX {
            return None;
        }
        cpus.extend(from..=to);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// CPUs as the kernel prints them; they are in order.
pub fn list(cpus: &[u32]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in cpus.chunk_by(|one, next| one + 1 == *next) {
        parts.push(match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => continue,
        });
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_word_is_the_value() {
        let chosen = |text| Reading::Chosen.value(text);
        assert_eq!(chosen("none [mq-deadline] kyber bfq "), "mq-deadline");
        assert_eq!(chosen("none"), "none");
        assert_eq!(Reading::Whole.value("256\n"), "256");
    }

    #[test]
    fn lists_of_the_same_cpus_are_the_same() {
        let value = |text| Reading::CpuList.value(text);
        assert_eq!(value("0,1,2,5"), "0-2,5");
        assert_eq!(value("5,0-2"), "0-2,5");
        assert_eq!(value("3"), "3");
        for text in ["", "x", "3-1", "0-99999999", "1,,2"] {
            assert_eq!(value(text), text, "what is no list is left as it is");
        }
    }
}
