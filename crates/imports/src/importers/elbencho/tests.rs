//! Tables of several versions.
