//! Stage 8: what was found, in words and files for people and programs. Pure: nouns in, text out.

pub mod check;
mod curve_view;
pub mod diff_view;
pub mod exposition;
mod fact_rows;
pub mod field_page;
mod imported;
pub mod layers;
pub mod limit_view;
mod link_rows;
pub mod lint;
pub mod machine_view;
mod matrix_view;
mod meaning;
mod moved;
pub mod other_series;
pub mod owner_view;
mod path_rows;
pub mod path_view;
mod stack_rows;
pub mod studies;
pub mod summary;
pub mod text;
mod trade_off_rows;
mod tree;
pub mod watch_lines;
pub mod words;
