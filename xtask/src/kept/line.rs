//! One line of a kept file.

use skip::Outcome;

/// How a part or a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A part whose command ended with 0, or a test that asserts and passed.
    Passed,
    /// Any other code, or a test that failed.
    Failed,
    /// What a test that measures noted.
    Measured(Outcome),
}

impl End {
    /// Whether this is what one hopes for.
    pub fn is_good(self) -> bool {
        matches!(self, End::Passed | End::Measured(Outcome::Won))
    }

    /// A test's word, or a part's exit code.
    fn parse(word: &str) -> Option<End> {
        match word {
            "ok" | "0" => Some(End::Passed),
            "FAILED" => Some(End::Failed),
            word => Outcome::parse(word)
                .map(End::Measured)
                .or_else(|| word.parse::<u8>().ok().map(|_| End::Failed)),
        }
    }
}

/// What one run of a part or a test came to.
#[derive(Debug)]
pub struct Line<'a> {
    /// `part`, `live` or `lab`.
    pub kind: &'a str,
    /// A part's name, or a test's path.
    pub name: &'a str,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub seconds: f64,
    /// What a test that measures found, empty otherwise.
    pub figures: &'a str,
}

impl<'a> Line<'a> {
    /// A line of `kind,date,commit,name,outcome,seconds` and maybe the figures.
    pub fn parse(line: &'a str) -> Option<Line<'a>> {
        let mut fields = line.splitn(7, ',');
        let mut next = || fields.next();
        let (kind, _date, _commit, name) = (next()?, next()?, next()?, next()?);
        let (end, seconds) = (End::parse(next()?)?, next()?.parse().ok()?);
        Some(Line {
            kind,
            name,
            end,
            seconds,
            figures: next().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_parts_and_of_tests() {
        let end = |word: &str| {
            let text = format!("live,2026-01-01T00:00:00Z,abc,live::tune::a,{word},1.5,a 1, b 2");
            Line::parse(&text).map(|line| (line.end, line.figures.to_string()))
        };
        let with_figures = |end| Some((end, "a 1, b 2".to_string()));
        assert_eq!(end("0"), with_figures(End::Passed));
        assert_eq!(end("101"), with_figures(End::Failed));
        assert_eq!(end("won"), with_figures(End::Measured(Outcome::Won)));
        assert_eq!(end("perhaps"), None);
        assert!(Line::parse("part,x,y,z,0").is_none());
    }
}
