//! All of the language.
