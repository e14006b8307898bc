//! A change of a text as a unified diff, which people read and `patch` takes.

/// Lines around what changes.
const CONTEXT: usize = 3;

/// The lines of the diff of a file; none where nothing changes. What changes is one piece: from the first line that
/// differs to the last.
pub fn unified(path: &str, before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if old == new {
        return Vec::new();
    }
    let pairs = || old.iter().zip(&new);
    let head = pairs().take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - head;
    let tails = old.iter().rev().zip(new.iter().rev()).take(most);
    let tail = tails.take_while(|(old, new)| old == new).count();
    let from = head.saturating_sub(CONTEXT);
    let behind = tail.min(CONTEXT);
    let (old_to, new_to) = (old.len() - tail, new.len() - tail);
    let span = |from: usize, to: usize| match to - from {
        0 => format!("{from},0"),
        count => format!("{},{count}", from + 1),
    };
    let mut lines = vec![
        format!("--- {path}"),
        format!("+++ {path}"),
        format!(
            "@@ -{} +{} @@",
            span(from, old_to + behind),
            span(from, new_to + behind)
        ),
    ];
    lines.extend(old[from..head].iter().map(|line| format!(" {line}")));
    lines.extend(old[head..old_to].iter().map(|line| format!("-{line}")));
    lines.extend(new[head..new_to].iter().map(|line| format!("+{line}")));
    lines.extend(
        old[old_to..old_to + behind]
            .iter()
            .map(|line| format!(" {line}")),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let diff = unified("/f", before, &before.replace('5', "x"));
        assert_eq!(
            diff,
            [
                "--- /f",
                "+++ /f",
                "@@ -2,7 +2,7 @@",
                " 2",
                " 3",
                " 4",
                "-5",
                "+x",
                " 6",
                " 7",
                " 8"
            ]
        );
        assert_eq!(unified("/f", "a\n", "a\n"), Vec::<String>::new());
        assert_eq!(unified("/f", "", "a\n")[2..], ["@@ -0,0 +1,1 @@", "+a"]);
        assert_eq!(
            unified("/f", "a\n", "a\na\n")[2..],
            ["@@ -1,1 +1,2 @@", " a", "+a"]
        );
    }
}
