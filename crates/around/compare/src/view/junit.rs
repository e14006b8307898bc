//! Bounds as JUnit XML, as Jenkins and GitLab read it: one suite, one case a bound and number; a case fails when its bound
//! fails, and what could not be judged is an error. Sources: the schema of Jenkins' xUnit plugin (`junit-10.xsd`), which
//! wants `name`, `tests`, `failures` and `errors` of a suite and `name`, `classname` of a case; GitLab's documentation of
//! unit test reports.

use crate::bound::is_failed;
use maud::{Markup, html};
use model::comparison::{BoundResult, Comparison, Crossed};
use model::units;
use view::markup::{XML_DECLARATION, finished};

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
    let (tests, seconds) = (found.bounds.len(), units::decimals(seconds, 3));
    let base = &found.subjects[found.base].name;
    let document = html! {
        (XML_DECLARATION)
        testsuites name="iodyno compare" tests=(tests) failures=(failures) errors=(errors) time=(seconds) {
            "\n"
            testsuite name="iodyno compare" tests=(tests) failures=(failures) errors=(errors) time=(seconds) skipped="0" {
                "\n"
                @for one in &found.bounds { (finished(case(one, base, strict))) "\n" }
            }
            "\n"
        }
        "\n"
    };
    document.into_string()
}

/// A bound on one line.
fn case(one: &BoundResult, base: &str, strict: bool) -> Markup {
    let part = if one.part.is_empty() {
        String::new()
    } else {
        format!(" in {}", one.part)
    };
    let name = format!(
        "{}: {}{part} against {base}, {}",
        one.bound, one.subject, one.measure
    );
    let said = &one.sentence;
    html! {
        testcase name=(name) classname={ "iodyno.compare." (one.measure) } time="0" {
            @if one.crossed == Crossed::NotJudged {
                error message=(said) type="not-judged" { (said) }
            } @else if is_failed(one, strict) {
                failure message=(said) type="bound" { (said) }
            } @else {
                system-out { (said) }
            }
        }
    }
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
            "<testsuite name=\"iodyno compare\" tests=\"3\" failures=\"1\" errors=\"1\" time=\"0.012\" skipped=\"0\">"
        );
        let head = "<testcase name=\"iops&lt;-5%: &lt;b&gt;&quot;&amp;\u{fffd} against 7, read.iops\" \
                    classname=\"iodyno.compare.read.iops\" time=\"0\">";
        let crossed = lines[3].strip_prefix(head).unwrap();
        assert!(
            crossed.starts_with("<failure message=\"crossed: read IOPS −"),
            "{crossed}"
        );
        assert!(
            lines[4].contains("><system-out>kept: read p99 "),
            "{}",
            lines[4]
        );
        assert!(
            lines[5].contains("><error message=\"not judged: "),
            "{}",
            lines[5]
        );
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.ends_with("</testcase>"))
                .count(),
            3
        );
        assert!(text.ends_with("</testsuite>\n</testsuites>\n"));
    }
}
