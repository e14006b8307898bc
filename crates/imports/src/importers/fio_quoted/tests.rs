//! Tables and sentences.
