//! Documents out of JSON.
//!
//! Serde compiles the whole reader of a record once more for each kind of input, and for each crate that reads one of that kind
//! first. Here is the one kind, a text, and the place where the reader of a record is compiled for all crates.

use crate::record::Record;
use serde::de::{DeserializeOwned, Error};
use serde_json::{Result, Value};

/// Reads a document.
///
/// # Errors
/// What is wrong with it, with line and column.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
}

/// Reads a document out of bytes, whatever they are.
///
/// # Errors
/// See [`read`]; bytes that are no UTF-8.
pub fn read_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(error) => Err(serde_json::Error::custom(error)),
    }
}

/// Reads a part of a document that was read as a value, to see first what it is.
///
/// # Errors
/// What is wrong with it. Nobody has the text of the part before them, so no line is named.
pub fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    read(&value.to_string()).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let why = error.to_string();
        serde_json::Error::custom(why.strip_suffix(&place).unwrap_or(&why))
    })
}

/// Reads a record.
///
/// # Errors
/// See [`read`].
// A function without parameters of types, so that what it needs is compiled here, where every other crate finds it.
pub fn read_record(text: &str) -> Result<Record> {
    read(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LoadResult;
    use serde_json::json;

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let error = read_bytes::<Value>(b"{\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid utf-8 sequence of 1 bytes from index 7"
        );
    }

    #[test]
    fn a_part_is_read_to_the_bit() {
        let numbers = json!([0.1, 1e-300, u64::MAX, i64::MIN, 2.0]);
        let read = read_value::<(f64, f64, u64, i64, f64)>(&numbers).unwrap();
        assert_eq!(read, (0.1, 1e-300, u64::MAX, i64::MIN, 2.0));
    }

    #[test]
    fn a_fault_in_a_part_names_no_line_of_a_text_that_nobody_has() {
        let error = read_value::<LoadResult>(&json!({"elapsed_ms": "x"})).unwrap_err();
        let why = error.to_string();
        assert!(
            !why.contains(" at line ") && why.contains("string"),
            "{why}"
        );
        let error = read::<LoadResult>("{\n\"elapsed_ms\": \"x\"}").unwrap_err();
        assert!(error.to_string().contains(" at line 2 "), "{error}");
    }
}
