//! `unsafe` lives in few places, and each use says why it is sound.

use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::{find_word, leading_name, line_of};
use crate::tree::Tree;

/// The door to the machine, the eBPF loader, the rings that the kernel shares with us, and the bare loop they are
/// measured against.
const ALLOWED: &[&str] = &[
    "crates/ground/host/",
    "crates/ground/probe/",
    "crates/stages/load/src/engines/",
    "bench/engine/src/floor.rs",
];

/// How far above the keyword the comment may end: attributes and the start of a statement come between.
const REACH: usize = 3;

/// Uses of `unsafe` elsewhere, and uses without a reason.
pub fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .flat_map(|(path, source)| problems(path, source))
        .collect()
}

fn problems(path: &str, source: &RustSource) -> Vec<Problem> {
    let is_allowed = ALLOWED.iter().any(|folder| path.starts_with(folder));
    let uses = find_word(&source.code, "unsafe").map(|at| (at, line_of(&source.text, at)));
    let what = |at: usize, line: usize| {
        if !is_allowed {
            Some(
                "`unsafe` is for host, probe and load/engines; ask one of them for a safe function",
            )
        } else if needs_reason(&source.code[at..]) && !has_reason(source, line) {
            Some("no `// SAFETY:` comment directly above; say why this is sound")
        } else {
            None
        }
    };
    uses.filter_map(|(at, line)| Some(Problem::new(path, line, what(at, line)?)))
        .collect()
}

/// False for what only mentions unsafety: a function pointer's type, an attribute.
fn needs_reason(code: &str) -> bool {
    let rest = code["unsafe".len()..].trim_start();
    let rest = match rest.strip_prefix("extern") {
        Some(behind) => behind.trim_start(),
        None => rest,
    };
    match rest.strip_prefix("fn") {
        Some(behind) => !leading_name(behind.trim_start()).is_empty(),
        None => !rest.starts_with('('),
    }
}

/// Walks up from the keyword. Lines that are only comment cost no reach, so a reason may be as long as it needs to be.
fn has_reason(source: &RustSource, line: usize) -> bool {
    let comments: Vec<&str> = source.comments.lines().take(line).collect();
    let code: Vec<&str> = source.code.lines().take(line).collect();
    let mut passed = 0;
    for index in (0..line).rev() {
        if comments[index].contains("SAFETY:") || comments[index].contains("# Safety") {
            return true;
        }
        let is_comment = code[index].trim().is_empty() && !comments[index].trim().is_empty();
        passed += usize::from(!is_comment);
        if passed > REACH {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn in_host(text: &str) -> Vec<String> {
        printed(super::check, &[("crates/ground/host/src/a.rs", text)])
    }

    #[test]
    fn unsafe_has_its_places() {
        let text = "// SAFETY: none.\nunsafe { f() }";
        let found = printed(super::check, &[("crates/stages/load/src/mod.rs", text)]);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains(":2: `unsafe` is for host, probe and load/engines"),
            "{found:?}"
        );
        assert!(
            printed(
                super::check,
                &[("crates/stages/load/src/engines/native/ring.rs", text)]
            )
            .is_empty()
        );
    }

    #[test]
    fn every_use_has_a_reason() {
        for text in [
            "unsafe { f() }",
            "unsafe impl Send for A {}",
            "unsafe fn f() {}",
            "unsafe extern \"C\" { fn f(); }",
        ] {
            let found = in_host(text);
            assert_eq!(
                found,
                [
                    "crates/ground/host/src/a.rs:1: no `// SAFETY:` comment directly above; say why this is sound"
                ]
            );
            assert!(
                in_host(&format!("// SAFETY: it is.\n{text}")).is_empty(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_reason_is_near() {
        assert!(
            in_host("// SAFETY: one\n// two\n// three\n// four\nlet x =\n    unsafe { f() };")
                .is_empty()
        );
        assert!(in_host("/// # Safety\n/// One.\n#[inline]\npub unsafe fn f() {}").is_empty());
        assert_eq!(
            in_host("// SAFETY: far\na();\nb();\nc();\nunsafe { f() };").len(),
            1
        );
    }

    #[test]
    fn mentions_need_no_reason() {
        assert!(
            in_host(
                "type F = unsafe extern \"C\" fn(u8);\n#[unsafe(no_mangle)]\n// unsafe\nuse unsafe_code;"
            )
            .is_empty()
        );
    }
}
