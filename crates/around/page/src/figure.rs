//! One figure: a picture with everything that has to stand beside it.

use crate::svg::Picture;
use serde::Serialize;

/// Rows that a figure's table shows at most; the data have the rest.
pub const MOST_ROWS: usize = 60;

/// A figure of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// Name on its page and of its file: `rates`, `latency-map-read`.
    pub id: String,
    /// The sentence that it shows; the plain name of the measure where there is none.
    pub title: String,
    /// What is drawn: source, conditions, number of I/Os, what it cannot tell.
    pub caption: String,
    /// What is to be seen, in words made of the data: the text alternative.
    pub description: String,
    /// The picture, 760 wide; empty where there is none. Needs [`crate::STYLE`] to look right.
    pub svg: Picture,
    /// The same for narrow screens, 340 wide; empty where the wide one does for both.
    pub narrow: Picture,
    /// The same data as a table.
    pub table: FigureTable,
    /// Why there is no picture, where one would be expected.
    pub absent: Option<String>,
    /// The numbers that a script reads under a cursor and sums up over a span; none of a picture that is not over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readings: Option<crate::Readings>,
}

/// The data of a figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureTable {
    /// Headings, with units.
    pub head: Vec<String>,
    /// At most 60 rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
    /// What was left out, and where it is; empty when nothing was.
    pub note: String,
}

impl Figure {
    /// One that says why it is not there.
    pub fn absent(id: &str, title: &str, why: impl Into<String>) -> Figure {
        let why = why.into();
        Figure {
            id: id.into(),
            title: title.into(),
            caption: String::new(),
            description: why.clone(),
            absent: Some(why),
            ..Figure::default()
        }
    }

    /// The picture as a file of its own: with its colours, light or dark as the viewer likes it.
    pub fn standalone_svg(&self) -> Option<String> {
        self.svg.standalone(&self.title, &self.description)
    }
}

impl FigureTable {
    /// With these headings.
    pub fn new(head: &[&str]) -> FigureTable {
        FigureTable {
            head: head.iter().map(|text| (*text).to_string()).collect(),
            ..FigureTable::default()
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Keeps 60 rows at most, evenly spread, and says so.
    pub fn cut(mut self, what: &str) -> FigureTable {
        let all = self.rows.len();
        if all > MOST_ROWS {
            let kept = (0..MOST_ROWS).map(|index| index * (all - 1) / (MOST_ROWS - 1));
            self.rows = kept.map(|index| self.rows[index].clone()).collect();
            self.note = format!("{MOST_ROWS} of {all} {what}, evenly spread; the record has all.");
        }
        self
    }

    /// Keeps the first 60 rows, and says so.
    pub fn first(mut self, what: &str) -> FigureTable {
        let all = self.rows.len();
        if all > MOST_ROWS {
            self.rows.truncate(MOST_ROWS);
            self.note = format!("The first {MOST_ROWS} of {all} {what}; the record has all.");
        }
        self
    }
}
