//! A document as it is read: words borrowed from the text, no tree of what there is a million of, and values that may be
//! missing, of another type, or no number at all.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt;

/// Larger counts can only be damage; sums of many stay below the limit of 64 bits.
const MOST: u64 = 1 << 50;

/// No quantity that a tool prints is larger, whatever its unit.
pub const NUMBER_MAX: f64 = 1e30;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// null, true or false: nothing that a tool tells.
    Nothing,
    /// A number.
    Number(Number),
    /// A text.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Value<'a>>),
    /// An object.
    Map(ValueMap<'a>),
    /// The object below `bins`.
    Bins(Bins),
}

/// An object; of keys that it has twice the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueMap<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

/// The bins of json+: there are hundreds of each latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Whether the keys are indices: then the layout's own constants stand among them.
    pub is_by_index: bool,
    /// Key and count, without empty ones.
    pub counts: Vec<(u64, u64)>,
}

/// The object that a text begins with, and how many bytes it takes.
///
/// # Errors
///
/// Why it is none.
pub fn parse(text: &str) -> Result<(ValueMap<'_>, usize), String> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match stream.next() {
        Some(Ok(Value::Map(map))) => Ok((map, stream.byte_offset())),
        Some(Err(error)) => Err(error.to_string()),
        _ => Err("it is no object".into()),
    }
}

impl<'a> ValueMap<'a> {
    /// The value below a key.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.0
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Whether there is one.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }
}

impl<'a> Value<'a> {
    /// An object.
    pub fn as_map(&self) -> Option<&ValueMap<'a>> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The members of a list; none of what is no list.
    pub fn items(&self) -> impl Iterator<Item = &Value<'a>> {
        let items = match self {
            Value::List(items) => items.as_slice(),
            _ => &[],
        };
        items.iter()
    }
}

/// An object below a key.
pub fn map<'m, 'a>(from: &'m ValueMap<'a>, key: &str) -> Option<&'m ValueMap<'a>> {
    from.get(key)?.as_map()
}

/// A finite number.
pub fn number(from: &ValueMap, key: &str) -> Option<f64> {
    as_number(from.get(key)?)
}

/// A whole number that is not negative.
pub fn count(from: &ValueMap, key: &str) -> Option<u64> {
    as_count(from.get(key)?)
}

/// A text.
pub fn text(from: &ValueMap, key: &str) -> Option<String> {
    as_text(from.get(key)?)
}

/// A finite number, also one in quotes.
pub fn as_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Larger numbers are damage, and would overflow in other units.
    (number.abs() < NUMBER_MAX).then_some(number)
}

/// A whole number that is not negative; one that is too large is cut.
pub fn as_count(value: &Value) -> Option<u64> {
    let whole = match value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    };
    let whole = whole.or_else(|| as_number(value).filter(|n| *n >= 0.0).map(|n| n as u64));
    whole.map(|count| count.min(MOST))
}

/// A text, or the text of a number.
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

struct OfValue;

impl<'de> Visitor<'de> for OfValue {
    type Value = Value<'de>;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'de>, E> {
        Ok(Value::Nothing)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'de>, E> {
        Ok(Number::from_f64(number).map_or(Value::Nothing, Value::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut map = Vec::new();
        while let Some(Key(key)) = entries.next_key()? {
            let value = match key.as_ref() {
                "bins" => Value::Bins(entries.next_value()?),
                _ => entries.next_value()?,
            };
            map.push((key, value));
        }
        Ok(Value::Map(ValueMap(map)))
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OfValue)
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match from.deserialize_str(OfValue)? {
            Value::Text(text) => Ok(Key(text)),
            _ => Ok(Key(Cow::Borrowed(""))),
        }
    }
}

struct OfBins;

impl<'de> Visitor<'de> for OfBins {
    type Value = Bins;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("bins")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Bins, A::Error> {
        let mut bins = Bins::default();
        while let Some(Key(key)) = entries.next_key()? {
            let count = as_count(&entries.next_value()?);
            bins.is_by_index |= key == "FIO_IO_U_PLAT_BITS";
            if let (Ok(key), Some(count)) = (key.parse(), count.filter(|count| *count > 0)) {
                bins.counts.push((key, count));
            }
        }
        Ok(bins)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Bins, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Bins::default())
    }

    fn visit_unit<E>(self) -> Result<Bins, E> {
        Ok(Bins::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Bins, E> {
        Ok(Bins::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Bins, E> {
        Ok(Bins::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Bins, E> {
        Ok(Bins::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Bins, E> {
        Ok(Bins::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Bins, E> {
        Ok(Bins::default())
    }
}

impl<'de> Deserialize<'de> for Bins {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OfBins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_whatever_stands_where_they_should_be() {
        let text = "{\"a\": 1, \"b\": \" 2.5 \", \"c\": [true, null], \"d\\u0065\": -3, \"a\": 7, \"e\": {\"f\": 1e400}} x";
        assert!(parse(text).unwrap_err().contains("out of range"));
        let text = text.replace("1e400", "1e31");
        let (map, used) = parse(&text).unwrap();
        assert_eq!(&text[used..], " x");
        assert_eq!(
            (count(&map, "a"), number(&map, "b"), count(&map, "de")),
            (Some(7), Some(2.5), None)
        );
        assert_eq!(
            (super::text(&map, "de"), super::text(&map, "c")),
            (Some("-3".into()), None)
        );
        assert_eq!(map.get("c").unwrap().items().count(), 2);
        assert_eq!(number(super::map(&map, "e").unwrap(), "f"), None);
        assert!(parse("[1]").is_err() && parse("").is_err() && parse("{\"a\"").is_err());
    }

    #[test]
    fn bins_keep_what_is_a_count() {
        let bins = |text: &str| match parse(text).unwrap().0.get("bins") {
            Some(Value::Bins(bins)) => bins.clone(),
            other => panic!("{other:?}"),
        };
        let all = bins(
            "{\"bins\": {\"7\": 3, \"8\": 0, \"x\": 1, \"9\": \"4\", \"10\": -1, \"11\": {\"a\": []}}}",
        );
        assert_eq!(
            all,
            Bins {
                is_by_index: false,
                counts: vec![(7, 3), (9, 4)]
            }
        );
        assert!(bins("{\"bins\": {\"FIO_IO_U_PLAT_BITS\": 6, \"1\": 1}}").is_by_index);
        for none in ["[1, {}]", "null", "true", "1", "-1", "1.5", "\"x\"", "{}"] {
            assert_eq!(
                bins(&format!("{{\"bins\": {none}}}")),
                Bins::default(),
                "{none}"
            );
        }
    }
}
