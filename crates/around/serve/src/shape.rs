//! The shape of what goes in and out: checked at the door, and told in the OpenAPI document. One description for both.

use serde_json::{Map, Value, json};

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// Anything: a document that is described elsewhere.
    Any,
    /// `true` or `false`.
    Bool,
    /// A whole number in a range.
    Int {
        /// Least.
        min: i64,
        /// Greatest.
        max: i64,
    },
    /// A text of so many characters at the most.
    Text {
        /// Most characters.
        max: usize,
        /// Which.
        of: Letters,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// This or null.
    OrNull(&'static Shape),
    /// A list of these, so many at the most.
    List {
        /// Of what.
        of: &'static Shape,
        /// Most items.
        max: usize,
    },
    /// Members; others are refused.
    Object(&'static [Field]),
    /// Members; there may be others.
    Open(&'static [Field]),
}

/// What a text may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Anything.
    Any,
    /// Anything on one line.
    Line,
    /// Anything on several lines.
    Lines,
    /// Letters, digits and `. _ : + -`, beginning with a letter or digit.
    Name,
    /// A tag, as the store takes it.
    Tag,
    /// Numbers of records: `7,9`.
    Ids,
    /// A size: `4k`.
    Size,
    /// A knob, or one with values: `scheduler=none,bfq`.
    Knob,
}

/// A member of an object, or a parameter.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it means.
    pub says: &'static str,
}

/// A member that must be there.
pub const fn must(name: &'static str, shape: Shape, says: &'static str) -> Field {
    Field {
        name,
        shape,
        required: true,
        says,
    }
}

/// A member that may be left out.
pub const fn may(name: &'static str, shape: Shape, says: &'static str) -> Field {
    Field {
        name,
        shape,
        required: false,
        says,
    }
}

/// A line of text.
pub const fn line(max: usize) -> Shape {
    Shape::Text {
        max,
        of: Letters::Line,
    }
}

/// A name.
pub const fn name(max: usize) -> Shape {
    Shape::Text {
        max,
        of: Letters::Name,
    }
}

/// Number of a record, of a job.
pub const ID: Shape = Shape::Int {
    min: 1,
    max: i64::MAX >> 10,
};
/// A moment, ms since 1970.
pub const UNIX_MS: Shape = Shape::Int {
    min: 0,
    max: 1 << 52,
};

impl Letters {
    /// The same as a regular expression.
    fn pattern(self) -> &'static str {
        match self {
            Letters::Any => "",
            Letters::Line => "^[^\\u0000-\\u001f\\u007f]*$",
            Letters::Lines => "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$",
            Letters::Name => "^[A-Za-z0-9][A-Za-z0-9._:+-]*$",
            // Which letters exactly says the store: not every checker of schemas knows classes of Unicode.
            Letters::Tag => "^[^\\s-][^\\s]*$",
            Letters::Ids => "^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,63}$",
            Letters::Size => "^[1-9][0-9]{0,11}[kmgKMG]?$",
            Letters::Knob => "^[a-z_.]{1,40}(@[a-z0-9]{1,20})?(=[A-Za-z0-9_.,:-]{1,200})?$",
        }
    }

    fn take(self, text: &str) -> bool {
        let all = |text: &str, is_right: fn(char) -> bool| text.chars().all(is_right);
        match self {
            Letters::Any => true,
            Letters::Line => all(text, |c| c >= ' ' && c != '\u{7f}'),
            Letters::Lines => all(text, |c| {
                (c >= ' ' && c != '\u{7f}') || c == '\n' || c == '\t'
            }),
            Letters::Name => {
                text.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && all(text, |c| c.is_ascii_alphanumeric() || "._:+-".contains(c))
            }
            Letters::Tag => {
                !text.is_empty()
                    && !text.starts_with('-')
                    && all(text, |c| c.is_alphanumeric() || "._:/@+=-".contains(c))
            }
            Letters::Ids => {
                text.split(',').count() <= 64 && text.split(',').all(|id| is_count(id, 15))
            }
            Letters::Size => is_count(
                text.strip_suffix(|c| "kmgKMG".contains(c)).unwrap_or(text),
                12,
            ),
            Letters::Knob => {
                let (knob, values) = text.split_once('=').unwrap_or((text, "x"));
                let (knob, subject) = knob.split_once('@').unwrap_or((knob, "x"));
                (1..=40).contains(&knob.len())
                    && all(knob, |c| c.is_ascii_lowercase() || "_.".contains(c))
                    && (1..=20).contains(&subject.len())
                    && all(subject, |c| c.is_ascii_lowercase() || c.is_ascii_digit())
                    && (1..=200).contains(&values.len())
                    && all(values, |c| c.is_ascii_alphanumeric() || "_.,:-".contains(c))
            }
        }
    }
}

/// A number without a sign or leading zeros, of so many digits at the most.
fn is_count(text: &str, digits: usize) -> bool {
    (1..=digits).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.starts_with('0')
}

impl Shape {
    /// As a JSON schema.
    pub fn schema(&self) -> Value {
        match self {
            Shape::Any => json!({}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Int { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Shape::Text {
                max,
                of: Letters::Any,
            } => json!({"type": "string", "maxLength": max}),
            Shape::Text { max, of } => {
                json!({"type": "string", "maxLength": max, "pattern": of.pattern()})
            }
            Shape::OneOf(words) => json!({"type": "string", "enum": words}),
            Shape::OrNull(inner) => json!({"anyOf": [inner.schema(), {"type": "null"}]}),
            Shape::List { of, max } => {
                json!({"type": "array", "items": of.schema(), "maxItems": max})
            }
            Shape::Object(fields) => object(fields, false),
            Shape::Open(fields) => object(fields, true),
        }
    }

    /// The schema of an object with these members and no others.
    pub fn schema_of(fields: &[Field]) -> Value {
        object(fields, false)
    }

    /// Whether a value is of this shape.
    ///
    /// # Errors
    /// What is wrong, beginning with `at`.
    pub fn check(&self, at: &str, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Shape::Any, _) | (Shape::Bool, Value::Bool(_)) => Ok(()),
            (Shape::OrNull(_), Value::Null) => Ok(()),
            (Shape::OrNull(inner), _) => inner.check(at, value),
            (Shape::Int { min, max }, Value::Number(number)) => match whole(number) {
                Some(number) if (*min..=*max).contains(&number) => Ok(()),
                _ => Err(format!("{at} is a whole number from {min} to {max}")),
            },
            (Shape::Text { max, of }, Value::String(text)) => {
                if text.chars().count() > *max {
                    return Err(format!("{at} has {max} characters at the most"));
                }
                of.take(text)
                    .then_some(())
                    .ok_or_else(|| format!("{at} must match {}", of.pattern()))
            }
            (Shape::OneOf(words), Value::String(text)) => match words.contains(&text.as_str()) {
                true => Ok(()),
                false => Err(format!("{at} is one of {}", words.join(", "))),
            },
            (Shape::List { of, max }, Value::Array(items)) => {
                if items.len() > *max {
                    return Err(format!("{at} has {max} items at the most"));
                }
                items
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, item)| of.check(&format!("{at}[{index}]"), item))
            }
            (Shape::Object(fields), Value::Object(members)) => {
                if let Some(other) = members
                    .keys()
                    .find(|name| !fields.iter().any(|field| field.name == **name))
                {
                    return Err(format!(
                        "{at} has no member `{other}`; it has {}",
                        names(fields)
                    ));
                }
                check_members(at, fields, members)
            }
            (Shape::Open(fields), Value::Object(members)) => check_members(at, fields, members),
            _ => Err(format!("{at} is {}", self.noun())),
        }
    }

    /// A parameter's text as a value of this shape.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(&self, at: &str, text: &str) -> Result<Value, String> {
        let value = match self {
            Shape::Int { .. } => text
                .parse::<i64>()
                .map(Value::from)
                .map_err(|_| format!("{at} is a whole number"))?,
            Shape::Bool => match text {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(format!("{at} is true or false")),
            },
            _ => Value::from(text),
        };
        self.check(at, &value).map(|()| value)
    }

    fn noun(&self) -> &'static str {
        match self {
            Shape::Any => "anything",
            Shape::Bool => "true or false",
            Shape::Int { .. } => "a whole number",
            Shape::Text { .. } | Shape::OneOf(_) => "a text",
            Shape::OrNull(inner) => inner.noun(),
            Shape::List { .. } => "a list",
            Shape::Object(_) | Shape::Open(_) => "an object",
        }
    }
}

/// JSON has one kind of number: 1.0 is as whole as 1.
fn whole(number: &serde_json::Number) -> Option<i64> {
    let exact = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
    number.as_i64().or_else(|| number.as_f64().and_then(exact))
}

fn names(fields: &[Field]) -> String {
    fields
        .iter()
        .map(|field| field.name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn check_members(at: &str, fields: &[Field], members: &Map<String, Value>) -> Result<(), String> {
    for field in fields {
        match members.get(field.name) {
            Some(value) => field.shape.check(&format!("{at}.{}", field.name), value)?,
            None if field.required => return Err(format!("{at}.{} is missing", field.name)),
            None => {}
        }
    }
    Ok(())
}

fn object(fields: &[Field], is_open: bool) -> Value {
    let property = |field: &Field| {
        let mut schema = field.shape.schema();
        if let (Some(schema), false) = (schema.as_object_mut(), field.says.is_empty()) {
            schema.insert("description".into(), field.says.into());
        }
        (field.name.to_string(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if !is_open {
        schema["additionalProperties"] = false.into();
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape::Object(&[
        must("id", ID, "which"),
        may(
            "tags",
            Shape::List {
                of: &name(8),
                max: 2,
            },
            "",
        ),
        may("note", Shape::OrNull(&line(5)), ""),
    ]);

    #[test]
    fn what_fits_passes_and_what_does_not_is_named() {
        let check = |value: Value| SHAPE.check("body", &value);
        assert_eq!(
            check(json!({"id": 1, "tags": ["a", "b-2"], "note": null})),
            Ok(())
        );
        assert_eq!(check(json!({"id": 1.0})), Ok(()));
        for (value, why) in [
            (json!({}), "body.id is missing"),
            (json!({"id": 0}), "body.id is a whole number from 1"),
            (json!({"id": 1.5}), "body.id is a whole number"),
            (json!({"id": "1"}), "body.id is a whole number"),
            (json!({"id": 1, "tags": ["-x"]}), "body.tags[0] must match"),
            (
                json!({"id": 1, "tags": ["a", "b", "c"]}),
                "body.tags has 2 items",
            ),
            (json!({"id": 1, "note": "ab\n"}), "body.note must match"),
            (
                json!({"id": 1, "note": "too long"}),
                "body.note has 5 characters",
            ),
            (
                json!({"id": 1, "path": "/etc"}),
                "body has no member `path`",
            ),
            (json!([1]), "body is an object"),
        ] {
            let found = check(value.clone()).unwrap_err();
            assert!(found.starts_with(why), "{value}: {found}");
        }
    }

    #[test]
    fn letters_are_those_of_the_pattern() {
        let right = [
            (Letters::Ids, "7,19"),
            (Letters::Size, "4k"),
            (Letters::Size, "1048576"),
            (Letters::Knob, "scheduler"),
            (Letters::Knob, "nr_requests=64,256"),
            (Letters::Knob, "vm.dirty_background_bytes=67108864"),
            (Letters::Knob, "smp_affinity_list@24=0:1,3"),
            (Letters::Lines, "one\ntwo"),
            (Letters::Line, ""),
        ];
        assert!(right.iter().all(|(letters, text)| letters.take(text)));
        let wrong = [
            (Letters::Ids, "7,"),
            (Letters::Ids, "0"),
            (Letters::Ids, "--help"),
            (Letters::Size, "4kb"),
            (Letters::Size, "k"),
            (Letters::Knob, "--aa"),
            (Letters::Knob, "scheduler="),
            (Letters::Knob, "smp_affinity_list@"),
            (Letters::Knob, "smp_affinity_list@../24"),
            (Letters::Knob, "a=b=c"),
            (Letters::Line, "a\u{0}"),
            (Letters::Name, "../x"),
        ];
        for (letters, text) in wrong {
            assert!(!letters.take(text), "{text}");
        }
    }

    #[test]
    fn parameters_are_read_by_their_shape() {
        assert_eq!(ID.parse("limit", "20"), Ok(json!(20)));
        assert_eq!(Shape::Bool.parse("persist", "true"), Ok(json!(true)));
        assert!(ID.parse("limit", "20x").is_err() && Shape::Bool.parse("persist", "1").is_err());
    }

    #[test]
    fn the_schema_says_the_same() {
        let schema = SHAPE.schema();
        assert_eq!(schema["required"], json!(["id"]));
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["tags"]["items"]["maxLength"], json!(8));
        assert_eq!(schema["properties"]["id"]["description"], json!("which"));
    }
}
