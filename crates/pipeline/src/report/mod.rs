//! Stage 8: what was found, in words and files for people and programs. Pure: nouns in, text out.

pub mod check;
mod curve_view;
pub mod exposition;
pub mod field_page;
pub mod layers;
pub mod lint;
mod matrix_view;
mod meaning;
mod moved;
mod path_rows;
pub mod path_view;
pub mod studies;
pub mod summary;
pub mod text;
mod tree;
pub mod watch_lines;
pub mod words;
