//! The page that people look at: figures as SVG, and the report made of them. Pure functions of a record.
//!
//! Every figure serves one of three questions: is it slow, where, and did the change help. Each has a claim, a caption, a
//! description and a table made of the same data, so that nothing is only in the picture.

mod comparison;
mod figure;
pub mod figures;
mod frame;
mod readings;
mod reduce;
mod report;
mod series;
mod svg;
#[cfg(test)]
mod tests;

pub use comparison::{Wording, comparison, comparison_csv, comparison_figures};
pub use figure::{Figure, FigureTable};
pub use figures::compared::figures as compared_figures;
pub use figures::figures;
pub use figures::history::{Dot, HistoryPlan, Turn, history};
pub use figures::path::figure as path_figure;
pub use figures::ranking::{RankRow, RankingPlan, ranking};
pub use readings::Readings;
pub use report::csv::series_csv;
pub use report::markdown::markdown;
pub use report::{About, report};
pub use svg::Picture;
pub use view::scale::Quantity;

/// The style sheet of figures and report: colours as variables for light and dark, classes for every mark. A page of
/// another origin that shows [`Figure::svg`] includes it as it is.
pub const STYLE: &str = include_str!("../assets/page.css");

/// The script of the report, a module: it only upgrades what is complete without it. The pages of the server use its first
/// half, the file of the figures, as well.
pub const SCRIPT: &str = concat!(
    include_str!("../assets/figures.js"),
    include_str!("../assets/page.js")
);
