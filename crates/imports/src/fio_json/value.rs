//! Reading values that may be missing, of another type, or no number at all.

use serde_json::{Map, Value};

/// Larger counts can only be damage; sums of many stay below the limit of 64 bits.
const MOST: u64 = 1 << 50;

/// No quantity that a tool prints is larger, whatever its unit.
pub const NUMBER_MAX: f64 = 1e30;

/// An object below a key.
pub fn map<'a>(from: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
    from.get(key)?.as_object()
}

/// A finite number.
pub fn number(from: &Map<String, Value>, key: &str) -> Option<f64> {
    as_number(from.get(key)?)
}

/// A whole number that is not negative.
pub fn count(from: &Map<String, Value>, key: &str) -> Option<u64> {
    as_count(from.get(key)?)
}

/// A text.
pub fn text(from: &Map<String, Value>, key: &str) -> Option<String> {
    as_text(from.get(key)?)
}

/// A finite number, also one in quotes.
pub fn as_number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    // Larger numbers are damage, and would overflow in other units.
    (number.abs() < NUMBER_MAX).then_some(number)
}

/// A whole number that is not negative; one that is too large is cut.
pub fn as_count(value: &Value) -> Option<u64> {
    let whole = value.as_u64().or_else(|| as_number(value).filter(|n| *n >= 0.0).map(|n| n as u64));
    whole.map(|count| count.min(MOST))
}

/// A text, or the text of a number.
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
