//! Bounds as JUnit XML, as Jenkins and GitLab read it: one suite, one case a bound and number; a case fails when its bound
//! fails, and what could not be judged is an error. Sources: the schema of Jenkins' xUnit plugin (`junit-10.xsd`), which
//! wants `name`, `tests`, `failures` and `errors` of a suite and `name`, `classname` of a case; GitLab's documentation of
//! unit test reports.

use crate::bound::is_failed;
use model::comparison::{BoundResult, Comparison, Crossed};
use model::units;

/// The document. `seconds` is how long comparing took.
pub fn text(found: &Comparison, strict: bool, seconds: f64) -> String {
    let failures = found
        .bounds
        .iter()
        .filter(|one| is_failed(one, strict))
        .count();
    let errors = found
        .bounds
        .iter()
        .filter(|one| one.crossed == Crossed::NotJudged)
        .count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds}\"",
        found.bounds.len(),
        seconds = units::decimals(seconds, 3)
    );
    let mut lines = vec![
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_string(),
        format!("<testsuites name=\"iodyno compare\" {counts}>"),
        format!("  <testsuite name=\"iodyno compare\" {counts} skipped=\"0\">"),
    ];
    let base = &found.subjects[found.base].name;
    lines.extend(found.bounds.iter().flat_map(|one| case(one, base, strict)));
    lines.extend([
        "  </testsuite>".to_string(),
        "</testsuites>".into(),
        String::new(),
    ]);
    lines.join("\n")
}

fn case(one: &BoundResult, base: &str, strict: bool) -> Vec<String> {
    let part = if one.part.is_empty() {
        String::new()
    } else {
        format!(" in {}", one.part)
    };
    let name = escaped(&format!(
        "{}: {}{part} against {base}, {}",
        one.bound, one.subject, one.measure
    ));
    let class = escaped(&format!("iodyno.compare.{}", one.measure));
    let head = format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\"");
    let said = escaped(&one.sentence);
    let body = if one.crossed == Crossed::NotJudged {
        format!("<error message=\"{said}\" type=\"not-judged\">{said}</error>")
    } else if is_failed(one, strict) {
        format!("<failure message=\"{said}\" type=\"bound\">{said}</failure>")
    } else {
        format!("<system-out>{said}</system-out>")
    };
    vec![
        format!("{head}>"),
        format!("      {body}"),
        "    </testcase>".into(),
    ]
}

/// Text inside an attribute or an element. XML 1.0 has no way to write most control characters, so they become `?`.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if model::text::is_unsafe(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Named, records};
    use crate::fixture::run;

    #[test]
    fn a_build_server_reads_what_failed() {
        let (a, b) = (run(10_000.0, 0.01, 30), run(9_000.0, 0.01, 30));
        let given = [
            Named {
                name: "7",
                id: Some(7),
                record: &a,
            },
            Named {
                name: "<b>\"&\u{1b}",
                id: None,
                record: &b,
            },
        ];
        let bounds = ["iops<-5%", "p99>1s", "write.p99>+5%"].map(|text| text.parse().unwrap());
        let text = text(&records(&given, 0, &[], &bounds, false), false, 0.0124);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        assert_eq!(
            lines[2],
            "  <testsuite name=\"iodyno compare\" tests=\"3\" failures=\"1\" errors=\"1\" time=\"0.012\" skipped=\"0\">"
        );
        assert_eq!(
            lines[3],
            "    <testcase name=\"iops&lt;-5%: &lt;b&gt;&quot;&amp;? against 7, read.iops\" classname=\"iodyno.compare.read.iops\" time=\"0\">"
        );
        assert!(
            lines[4].starts_with("      <failure message=\"crossed: read IOPS −"),
            "{}",
            lines[4]
        );
        assert!(
            lines[7].starts_with("      <system-out>kept: read p99 "),
            "{}",
            lines[7]
        );
        assert!(
            lines[10].starts_with("      <error message=\"not judged: "),
            "{}",
            lines[10]
        );
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.contains("</testcase>"))
                .count(),
            3
        );
    }
}
