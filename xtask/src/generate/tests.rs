//! The whole command on small trees: what it writes, what it refuses, what it reports.

use super::*;
use std::sync::atomic::{AtomicU32, Ordering};

const PERSIST: &str = "\
//! # A udev rule
//!
//! ## What it does
//! Writes a rule, e.g. for sda. The next boot reads it.
//!
//! ## How it is undone
//! The file is removed.
//!
//! ## Example
//! ```text
//! ## Sources
//! ```
//!
//! ## Sources
//! - udev(7)

use super::Persist;

/// Persists.
pub static PERSIST: Persist = Persist { grid: \"no\", id: \"udev\" };
";

/// A workspace in the temporary folder, removed at the end of the test.
struct Workspace(PathBuf);

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("xtask-gen-{}-{number}", std::process::id()));
        let workspace = Self(root);
        files
            .iter()
            .for_each(|(path, text)| write(&workspace.0.join(path), text).unwrap());
        workspace
    }

    fn run(&self, check: bool) -> Result<String, Failure> {
        run(
            &self.0,
            &Options {
                check,
                binary: None,
            },
        )
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    fn found(&self, check: bool) -> Vec<String> {
        match self.run(check) {
            Err(Failure::Found(problems, _)) => problems.iter().map(Problem::to_string).collect(),
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILE: &str = "crates/stages/apply/src/persist/udev.rs";

fn complaint(text: &str) -> String {
    let found = Workspace::new(&[(FILE, text)]).found(false);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
        .strip_prefix(FILE)
        .expect("the item file is named")
        .to_string()
}

#[test]
fn an_item_becomes_a_registry_a_page_and_a_line_of_the_index() {
    let workspace = Workspace::new(&[(FILE, PERSIST)]);
    workspace.run(false).unwrap();
    let page = workspace.read("docs/catalogue/persist/udev.md");
    assert!(
        page.starts_with("# A udev rule\n\n| id | kind | source |\n"),
        "{page}"
    );
    assert!(
        page.contains("[crates/stages/apply/src/persist/udev.rs](../../../crates/"),
        "{page}"
    );
    assert!(page.ends_with("## Sources\n- udev(7)\n"), "{page}");
    let index = workspace.read("docs/catalogue/README.md");
    assert!(
        index.contains("- [`udev`](persist/udev.md) A udev rule. Writes a rule, e.g. for sda.\n"),
        "{index}"
    );
    assert!(
        workspace
            .read("crates/stages/apply/src/persist/mod.rs")
            .contains("pub mod udev;\n")
    );
    workspace.run(true).unwrap();
}

#[test]
fn check_reports_and_changes_nothing() {
    let workspace = Workspace::new(&[
        (FILE, PERSIST),
        ("docs/catalogue/persist/gone.md", "# Gone\n"),
    ]);
    let found = workspace.found(true);
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(
        found
            .contains(&"docs/catalogue/persist/gone.md:1: describes something that is gone".into())
    );
    assert!(!workspace.0.join("docs/catalogue/README.md").exists());
    workspace.run(false).unwrap();
    assert!(!workspace.0.join("docs/catalogue/persist/gone.md").exists());
    write(
        &workspace.0.join(FILE),
        &PERSIST.replace("is removed", "is deleted"),
    )
    .unwrap();
    assert_eq!(
        workspace.found(true),
        ["docs/catalogue/persist/udev.md:11: differs from its source"]
    );
}

#[test]
fn files_without_a_catalogue_folder_need_only_the_index_and_the_kinds() {
    let workspace = Workspace::new(&[]);
    assert_eq!(
        workspace.run(false).unwrap(),
        "gen: 2 of 2 generated files changed"
    );
}

#[test]
fn a_file_begins_with_its_title() {
    assert!(
        complaint(&PERSIST.replace("# A udev", "A udev"))
            .starts_with(":1: the file does not begin with")
    );
}

#[test]
fn headings_are_present_in_order_and_filled() {
    let missing = complaint(&PERSIST.replace("## How it is undone", "## How to undo it"));
    assert!(
        missing.starts_with(":15: `## How it is undone` is missing; the headings are, in"),
        "{missing}"
    );
    let swapped = PERSIST
        .replace("## What it does", "## A")
        .replace("## How it", "## What it does");
    let swapped = complaint(
        &swapped
            .replace("## What it does is undone", "## What it does")
            .replace("## A", "## How it is undone"),
    );
    assert_eq!(
        swapped,
        ":3: `## How it is undone` stands where `## What it does` belongs; reorder"
    );
    let doubled =
        complaint(&PERSIST.replace("//! - udev(7)", "//! - udev(7)\n//! ## Sources\n//! - man"));
    assert_eq!(
        doubled,
        ":16: `## Sources` stands where the end of the block belongs; reorder"
    );
    let empty = complaint(&PERSIST.replace("//! The file is removed.\n", ""));
    assert_eq!(empty, ":6: `## How it is undone` is empty; write it");
}

#[test]
fn a_block_names_its_language() {
    let bare = complaint(&PERSIST.replace("```text", "```"));
    assert!(
        bare.starts_with(":10: this block names no language"),
        "{bare}"
    );
}

#[test]
fn the_static_is_there_and_carries_the_file_name() {
    let missing = complaint(&PERSIST.replace("pub static PERSIST", "// pub static PERSIST"));
    assert!(
        missing.starts_with(":1: `pub static PERSIST: Persist` is missing"),
        "{missing}"
    );
    let other = complaint(&PERSIST.replace("id: \"udev\"", "id: \"udevd\""));
    assert_eq!(
        other,
        ":20: the id is \"udevd\", the file is udev.rs; make them equal"
    );
    let computed = complaint(&PERSIST.replace("id: \"udev\"", "id: ID"));
    assert_eq!(
        computed,
        ":20: PERSIST has no `id: \"udev\"`; give it as a literal"
    );
}

#[test]
fn a_file_name_can_be_a_module() {
    let text = PERSIST.replace("\"udev\"", "\"loop\"");
    let found = Workspace::new(&[("crates/stages/apply/src/persist/loop.rs", &text)]).found(false);
    assert!(found[0].contains("`loop` is a word of Rust"), "{found:?}");
}

/// A program with one verb, which otherwise prints what it is asked.
fn ask(arguments: &[&str]) -> Result<String, Failure> {
    Ok(match arguments {
        ["manual", "--list"] => "check\tSay why.\n".into(),
        words => format!("{}\n", words.join(" ")),
    })
}

/// What the program writes in a workspace with this page of the guide.
fn with_program(workspace: &Workspace) -> Result<String, Failure> {
    let mut plan = plan(&workspace.0)?;
    add_program_files(&workspace.0, &ask, &mut plan)?;
    finish(&workspace.0, plan, false)
}

const GUIDE: (&str, &str) = (
    "docs/guide/check.md",
    "# Why is it slow: a check\n\n<!-- commands: check -->\n",
);

#[test]
fn the_programs_own_files_are_kept_too() {
    let workspace = Workspace::new(&[GUIDE]);
    with_program(&workspace).unwrap();
    let zsh = workspace.read("docs/completions/iodyno.zsh");
    assert_eq!(zsh, "completions zsh\n");
    assert_eq!(workspace.read("docs/man/iodyno.1"), "manual\n");
    assert_eq!(workspace.read("docs/man/iodyno-check.1"), "manual check\n");
    assert_eq!(
        workspace.read("docs/commands/check.md"),
        "# iodyno check\n\nSay why. How to use it: [Why is it slow](../guide/check.md).\n\n\
         ```text\n$ iodyno check --help\ncheck --help\n```\n"
    );
    let table = workspace.read("docs/commands/README.md");
    let row = "| [`iodyno check`](check.md) | Say why | [Why is it slow](../guide/check.md) |";
    assert!(table.contains(row), "{table}");
}

#[test]
fn a_page_of_a_verb_that_is_gone_goes_too() {
    let workspace = Workspace::new(&[GUIDE, ("docs/man/iodyno-gone.1", "")]);
    with_program(&workspace).unwrap();
    assert!(!workspace.0.join("docs/man/iodyno-gone.1").exists());
}

#[test]
fn a_verb_that_no_page_explains_is_found() {
    let workspace = Workspace::new(&[(GUIDE.0, "# Why\n")]);
    let Err(Failure::Found(problems, _)) = with_program(&workspace) else {
        panic!("a verb without a page was taken");
    };
    let found = problems[0].to_string();
    assert!(found.contains("no page explains `iodyno check`"), "{found}");
}
