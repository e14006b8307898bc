//! Which skips are failures: `IODYNO_REQUIRE=root,loop,fio`, `all`, or `all,-guest`.

use crate::{NEEDS, NEVER_REQUIRED};

const VARIABLE: &str = "IODYNO_REQUIRE";

/// What `IODYNO_REQUIRE` says, nothing where it is not set.
pub(crate) fn wanted() -> String {
    std::env::var(VARIABLE).unwrap_or_default()
}

/// Says which word of `IODYNO_REQUIRE` names no need.
pub fn check() -> Result<(), String> {
    is_required("root", &wanted()).map(|_| ())
}

/// Whether tests use this name of a need.
pub(crate) fn known(need: &str) -> Result<(), String> {
    let is_known = is_exempt(need) || NEEDS.iter().any(|(name, _)| *name == need);
    is_known
        .then_some(())
        .ok_or_else(|| format!("`{need}` is no need: NEEDS in lab/skip/src/lib.rs lists them"))
}

/// Whether the words insist on this need. A later word stands over an earlier one.
pub(crate) fn is_required(need: &str, words: &str) -> Result<bool, String> {
    let mut required = false;
    for word in words
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        let (name, wants) = word
            .strip_prefix('-')
            .map_or((word, true), |name| (name, false));
        let is_named = NEEDS.iter().any(|(known, _)| *known == name);
        if name != "all" && !is_named {
            return Err(format!(
                "{VARIABLE}: `{name}` is no need that can be required; there are all, {}",
                names()
            ));
        }
        if name == "all" || name == need {
            required = wants;
        }
    }
    Ok(required && !is_exempt(need))
}

fn is_exempt(need: &str) -> bool {
    NEVER_REQUIRED.iter().any(|kind| need.starts_with(kind))
}

fn names() -> String {
    NEEDS
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_required_by_its_name_or_by_all() {
        assert_eq!(is_required("fio", ""), Ok(false));
        assert_eq!(is_required("fio", "root, fio"), Ok(true));
        assert_eq!(is_required("loop", "root,fio"), Ok(false));
        assert_eq!(is_required("loop", "all"), Ok(true));
    }

    #[test]
    fn what_is_taken_out_of_all_may_be_missing() {
        assert_eq!(is_required("guest", "all,-guest"), Ok(false));
        assert_eq!(is_required("fio", "all,-guest"), Ok(true));
    }

    #[test]
    fn what_nobody_can_install_is_never_required() {
        assert_eq!(is_required("kernel:bfq", "all"), Ok(false));
        assert_eq!(is_required("asked:IODYNO_BUDGET_RUNS", "all"), Ok(false));
        assert!(is_required("root", "kernel:bfq").is_err());
    }

    #[test]
    fn a_misspelt_need_is_said_not_ignored() {
        let error = is_required("fio", "foi").unwrap_err();
        assert!(
            error.contains("`foi`") && error.contains("fio-examples"),
            "{error}"
        );
    }
}
