//! A captured machine that a command looks at in place of this one.

use crate::context::Context;
use std::path::Path;

/// The target of a command line that names none.
const UNNAMED: &str = ".";
/// Where a capture says below which target it was made; it stands near its beginning.
const TARGET: &str = "# target: ";
const HEAD_LINES: usize = 20;

/// Below which target a capture was made, where it says.
pub fn own_target(text: &str) -> Option<&str> {
    let mut head = text.lines().take(HEAD_LINES);
    let own = head.find_map(|line| line.strip_prefix(TARGET))?.trim();
    (!own.is_empty()).then_some(own)
}

/// The target to look below: the one that was named, else the capture's own, which is then told. The directory that iodyno
/// runs in is none of the captured machine's.
pub fn target(file: &Path, named: &str, context: &Context) -> String {
    let text = host::files::read_text(file).unwrap_or_default();
    match own_target(&text).filter(|_| named == UNNAMED) {
        Some(own) => {
            let file = model::text::shown(file);
            context.out.note(format!(
                "looking below {}, for which {file} was made; name a target to look below another",
                model::text::clean(own)
            ));
            own.to_string()
        }
        None => named.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_says_its_target_near_its_beginning() {
        let of = |text: &str| own_target(text).map(str::to_string);
        assert_eq!(
            of("iodyno-host 1\n# x\n# target: /dev/sdb \npath: /a\n"),
            Some("/dev/sdb".into())
        );
        assert_eq!(of("iodyno-host 1\n# target: \n"), None);
        assert_eq!(of(""), None);
        let far = format!("{}# target: /a\n", "path: /x\ndirectory\n".repeat(20));
        assert_eq!(of(&far), None, "text of the machine");
    }
}
