//! judge tests follow
