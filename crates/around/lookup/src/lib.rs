//! The answers of verbs that only read, as documents: what is changed, what can be explained, records side by side, ranked,
//! and over time. The command line prints them and the server sends them; neither starts a process for them.

pub mod catalogue;
pub mod documents;
pub mod drift;
pub mod explain;
mod glossary;
pub mod history;
mod kinds;
pub mod records;
pub mod rivals;
pub mod status;

use compare::words;

/// How comparisons write names and numbers on a page.
pub const WORDING: page::Wording = page::Wording {
    title: words::title,
    value: words::of,
    ratio: words::ratio,
};
