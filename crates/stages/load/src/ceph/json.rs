//! What Ceph's programs answer as JSON. It is a stranger's text: numbers come as numbers or as text, and any member can be
//! missing.

use serde_json::Value;

/// A document; the error says what the text begins with.
pub fn document(text: &str) -> Result<Value, String> {
    // Some programs print a line of their own before it: `hints = 1`.
    let begin = text.find(['{', '[']).unwrap_or(0);
    serde_json::from_str(&text[begin..]).map_err(|error| {
        let begin = model::text::clean_to(text.trim(), 80);
        format!("its answer is not the JSON that was asked for ({error}); it begins with `{begin}`")
    })
}

/// A number below names.
pub fn number(value: &Value, names: &[&str]) -> Option<f64> {
    let found = names
        .iter()
        .try_fold(value, |value, name| value.get(name))?;
    let number = found
        .as_f64()
        .or_else(|| found.as_str()?.trim().parse().ok());
    number.filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// A text below names, fit for a terminal.
pub fn text(value: &Value, names: &[&str]) -> Option<String> {
    let found = names
        .iter()
        .try_fold(value, |value, name| value.get(name))?;
    found.as_str().map(|text| model::text::clean_to(text, 200))
}

/// The members of an array below a name; none where it is no array.
pub fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_numbers_and_as_text() {
        let read =
            document("hints = 1\n{\"a\":{\"b\":\"12.5\",\"c\":3,\"d\":\"x\",\"e\":-1}}\n").unwrap();
        assert_eq!(number(&read, &["a", "b"]), Some(12.5));
        assert_eq!(number(&read, &["a", "c"]), Some(3.0));
        for absent in [&["a", "d"][..], &["a", "e"], &["b"], &["a", "b", "c"]] {
            assert_eq!(number(&read, absent), None, "{absent:?}");
        }
        assert!(items(&read, "a").is_empty());
        let error = document("no cluster\u{1b}[2J").unwrap_err();
        assert!(error.contains("`no cluster?[2J`"), "{error}");
    }
}
