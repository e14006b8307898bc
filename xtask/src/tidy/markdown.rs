//! Documents have one title and speak of nothing that a reader's machine does not have.

use crate::markdown::prose_lines;
use crate::problem::Problem;
use crate::tree::Tree;

/// Folders of the machine that somebody wrote on.
const MACHINE_PATHS: &[&str] = &["/home/", "/root/"];

/// Missing and second titles, machine paths, ticket numbers.
pub fn check(tree: &Tree) -> Vec<Problem> {
    tree.markdown()
        .flat_map(|(path, text)| title(path, text).into_iter().chain(words(path, text)))
        .collect()
}

fn title(path: &str, text: &str) -> Option<Problem> {
    let lines = prose_lines(text).filter(|(_, line)| line.starts_with("# "));
    let titles: Vec<usize> = lines.map(|(index, _)| index + 1).collect();
    match titles.as_slice() {
        [] => Some(Problem::new(path, 1, "no `# Title`; give the document one")),
        [_] => None,
        [_, second, ..] => Some(Problem::new(
            path,
            *second,
            "a second `# Title`; make it a `##` heading",
        )),
    }
}

/// It quotes the command lines of other people's machines.
const QUOTES_OTHERS: &str = "docs/guide/field-reports.md";

fn words(path: &str, text: &str) -> Vec<Problem> {
    if path == QUOTES_OTHERS {
        return Vec::new();
    }
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(index, line)| Some(Problem::new(path, index + 1, unwanted(line)?)))
        .collect()
}

fn unwanted(line: &str) -> Option<String> {
    if let Some(folder) = MACHINE_PATHS
        .iter()
        .find(|folder| begins_a_path(line, folder))
    {
        return Some(format!(
            "`{folder}` is a path of one machine; name the file from the workspace root"
        ));
    }
    let lower = line.to_ascii_lowercase();
    let mut numbers = lower
        .match_indices("issue #")
        .map(|(at, mark)| &lower[at + mark.len()..]);
    let is_numbered = numbers.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_numbered.then(|| "a ticket's number explains nothing here; say what it is about".into())
}

/// True when the folder stands at the root, not inside a longer path or an address.
fn begins_a_path(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '}' | '/');
    line.match_indices(folder)
        .any(|(at, _)| !line[..at].ends_with(inside))
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(text: &str) -> Vec<String> {
        printed(super::check, &[("a.md", text)])
    }

    #[test]
    fn a_document_has_one_title() {
        assert!(found("# A\n## B\n```sh\n# a comment\n```\n").is_empty());
        assert_eq!(
            found("## B\n"),
            ["a.md:1: no `# Title`; give the document one"]
        );
        assert_eq!(
            found("# A\n\n# B\n"),
            ["a.md:3: a second `# Title`; make it a `##` heading"]
        );
    }

    #[test]
    fn machine_paths_and_ticket_numbers_are_found() {
        assert!(
            found("# A\nsee /home/x")
                .first()
                .is_some_and(|line| line.starts_with("a.md:2: `/home/`"))
        );
        assert!(
            found("# A\n(`/root/.ssh`)")
                .first()
                .is_some_and(|line| line.starts_with("a.md:2: `/root/`"))
        );
        assert!(
            found("# A\nIssue #7")
                .first()
                .is_some_and(|line| line.contains("ticket's number"))
        );
    }

    #[test]
    fn addresses_and_plain_words_are_fine() {
        assert!(
            found("# A\nhttps://example.org/home/x and ./root/y and sysroot/root/z").is_empty()
        );
        assert!(found("# A\nThe issue # is not given.").is_empty());
    }
}
