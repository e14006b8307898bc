//! Reading a data set of small files: the walk that draws a sample, the readers, and what is made to read the same elsewhere.
//!
//! The tree itself is only read. What is made lies elsewhere: a tree of our own with files of the same sizes and depths
//! ([`ScratchCopy`]), and one large file without a name ([`PackedFile`]).

mod copy;
mod packed;
mod reader;
mod survey;
mod together;

pub use copy::{ScratchCopy, tar_bytes};
pub use packed::PackedFile;
pub use reader::{Dropped, ReadingPlace};
pub use survey::{SampleFile, Survey, SurveyPlan, survey};

/// Bytes that are read or written at once.
const CHUNK: usize = 1 << 20;
/// Bytes that even the smallest file or directory takes on most file systems.
const BLOCK_BYTES: u64 = 4096;

#[cfg(test)]
mod tests;
