//! Findings in words: what a job would really measure and how it ought to be asked, or what to doubt about a result.

use super::command::{command_lines, is_command};
use super::text::{clean, width, wrap};
use model::finding::{Finding, Level};
use model::shell_line::command_and_words;

/// Width of the longest level with the space around it.
const INDENT: usize = 11;

/// What the rules say about a job that has not run yet; empty without findings. `corrected` are the words of the
/// corrected job's whole command line; without any, each finding says what to do.
pub fn lint_lines(findings: &[Finding], corrected: &[String]) -> Vec<String> {
    let head = match findings.iter().map(|finding| finding.level).max() {
        None => return Vec::new(),
        Some(Level::Wrong) => "This job would not measure what it says.",
        Some(Level::Warning) => "This job measures something else than it seems to.",
        Some(Level::Note) => "Worth knowing about this job:",
    };
    let mut lines = vec![head.to_string()];
    lines.extend(finding_lines(findings, !corrected.is_empty()));
    if !corrected.is_empty() {
        lines.extend(command_lines(
            "Corrected: ",
            &clean(&corrected.join(" ")),
            width(),
            4,
        ));
    }
    lines
}

/// What the rules say about a result; empty without findings.
pub fn doubt_lines(findings: &[Finding]) -> Vec<String> {
    let head = match findings.iter().map(|finding| finding.level).max() {
        None => return Vec::new(),
        Some(Level::Wrong) => "This result is not what the job says.",
        Some(Level::Warning) => "This result needs these remarks beside it:",
        Some(Level::Note) => "Worth knowing about this result:",
    };
    let mut lines = vec![head.to_string()];
    lines.extend(finding_lines(findings, false));
    lines
}

fn finding_lines(findings: &[Finding], is_corrected: bool) -> Vec<String> {
    let first = findings
        .iter()
        .map(|finding| &finding.section)
        .find(|section| !section.is_empty());
    let has_several = findings
        .iter()
        .any(|one| !one.section.is_empty() && Some(&one.section) != first);
    let of = |finding: &Finding| -> Vec<String> {
        let section = match has_several && !finding.section.is_empty() {
            true => format!("[{}] ", finding.section),
            false => String::new(),
        };
        let is_made = is_corrected && !finding.fixes.is_empty();
        let (command, words) = match command_and_words(&finding.advice) {
            _ if is_made => ("", ""),
            (command, words) if is_command(command) => (command, words),
            _ => ("", finding.advice.as_str()),
        };
        let (advice, below) = match command.is_empty() {
            true => (words, ""),
            false => ("", words),
        };
        let place = finding
            .position
            .as_ref()
            .map_or(String::new(), |place| format!(", {place}"));
        let text = format!(
            "{section}{} ({}{place})",
            format!("{} {advice}", finding.claim).trim_end(),
            finding.rule
        );
        let mut lines = hanging(finding.level.word(), &clean(&text));
        lines.extend(pasteable(command, below));
        lines
    };
    findings.iter().flat_map(of).collect()
}

/// A command on lines of its own, to be pasted, and the words about it below.
fn pasteable(command: &str, words: &str) -> Vec<String> {
    if command.is_empty() {
        return Vec::new();
    }
    let start = " ".repeat(INDENT);
    let mut lines = command_lines(&start, &clean(command), width(), INDENT + 4);
    lines.extend(hanging("", &clean(words)));
    lines
}

/// A word in front of a text whose further lines begin below its first.
fn hanging(word: &str, text: &str) -> Vec<String> {
    let lines = wrap(text, width() - INDENT);
    let heads = std::iter::once(word).chain(std::iter::repeat(""));
    lines
        .iter()
        .zip(heads)
        .map(|(line, head)| format!("  {head:<width$}{line}", width = INDENT - 2))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Fix;
    use model::job::Position;

    fn finding(level: Level, section: &str, claim: &str) -> Finding {
        Finding {
            rule: "iodepth_with_sync_engine".into(),
            level,
            section: section.into(),
            claim: claim.into(),
            advice: "Use io_uring.".into(),
            ..Finding::default()
        }
    }

    #[test]
    fn the_first_line_answers_and_the_rest_fits_a_terminal() {
        let wrong = Finding {
            fixes: vec![Fix {
                option: "ioengine".into(),
                value: Some("io_uring".into()),
            }],
            position: Some(Position {
                source: String::new(),
                line: 3,
            }),
            ..finding(
                Level::Wrong,
                "a",
                "iodepth=64 with ioengine=psync: psync has one request in flight, so the real depth is numjobs = 50.",
            )
        };
        let note = finding(Level::Note, "a", "So it is.");
        let words: Vec<String> =
            "iodyno run /srv/some/directory -- -ioengine=io_uring -iodepth=64 -direct=1 -rw=randread -bs=4k"
                .split(' ')
                .map(Into::into)
                .collect();
        let lines = lint_lines(&[wrong, note], &words);
        assert_eq!(
            lines,
            [
                "This job would not measure what it says.",
                "  wrong    iodepth=64 with ioengine=psync: psync has one request in flight, so",
                "           the real depth is numjobs = 50. (iodepth_with_sync_engine, word 3 of",
                "           the command line)",
                "  note     So it is. Use io_uring. (iodepth_with_sync_engine)",
                "Corrected: iodyno run /srv/some/directory -- -ioengine=io_uring -iodepth=64 \\",
                "    -direct=1 -rw=randread -bs=4k",
            ]
        );
    }

    #[test]
    fn a_command_that_cures_has_lines_of_its_own() {
        let looped = Finding {
            advice: "sudo iodyno set dio=1 /dev/loop0 # turns it on; or load the disk below".into(),
            ..finding(Level::Wrong, "", "loop0 is cached.")
        };
        assert_eq!(
            lint_lines(&[looped], &[])[1..],
            [
                "  wrong    loop0 is cached. (iodepth_with_sync_engine)",
                "           sudo iodyno set dio=1 /dev/loop0",
                "           turns it on; or load the disk below",
            ]
        );
    }

    #[test]
    fn sections_are_named_where_there_are_several() {
        let findings = [
            finding(Level::Warning, "a", "One."),
            finding(Level::Warning, "b\x1b[2J", "Two."),
            finding(Level::Note, "", "All."),
        ];
        let lines = doubt_lines(&findings);
        assert_eq!(lines[0], "This result needs these remarks beside it:");
        assert!(
            lines[1].starts_with("  warning  [a] One. Use io_uring."),
            "{lines:?}"
        );
        assert!(lines[2].contains("[b?[2J] Two."), "{lines:?}");
        assert!(lines[3].contains("note     All."), "{lines:?}");
        assert!(lint_lines(&[], &[]).is_empty() && doubt_lines(&[]).is_empty());
    }
}
