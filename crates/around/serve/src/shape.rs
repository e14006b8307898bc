//! Shapes of requests and answers: what a value in a request may be, of types that check themselves where serde makes them, and
//! the JSON schemas that say the same.
//!
//! Schemas are made where this package has its feature `schema`, which no program that is shipped has: it carries the description
//! that was made of them (`docs/openapi.json`).

#[cfg(feature = "schema")]
pub mod schemas;

use regex::Regex;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::LazyLock;

/// What has a JSON schema, where schemas are made.
#[cfg(feature = "schema")]
pub trait Described: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> Described for T {}

/// What has a JSON schema, where schemas are made.
#[cfg(not(feature = "schema"))]
pub trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// The JSON schema of a type, where schemas are made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    #[cfg(feature = "schema")]
    make: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

impl Shape {
    /// The one of this type.
    pub const fn of<T: Described>() -> Shape {
        Shape {
            #[cfg(feature = "schema")]
            make: schemas::of_type::<T>,
        }
    }
}

/// A whole number in a range, both ends of it included. JSON has one kind of number: 1.0 is as whole as 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Whole<const MIN: i64, const MAX: i64>(pub i64);

/// Number of a record, of a job.
pub type Id = Whole<1, { i64::MAX >> 10 }>;
/// A moment, ms since 1970.
pub type UnixMs = Whole<0, { 1 << 52 }>;

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(WholeVisitor)
    }
}

struct WholeVisitor<const MIN: i64, const MAX: i64>;

impl<const MIN: i64, const MAX: i64> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match (MIN..=MAX).contains(&number) {
            true => Ok(Whole(number)),
            false => Err(E::custom(format_args!(
                "{number} is not a whole number from {MIN} to {MAX}"
            ))),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        match number.fract() == 0.0 && number.abs() < 9e15 {
            true => self.visit_i64(number as i64),
            false => Err(E::custom(format_args!(
                "{number} is not a whole number from {MIN} to {MAX}"
            ))),
        }
    }
}

/// What a text may be made of.
pub trait Letters {
    /// The same as a regular expression, of those that JavaScript and Rust read alike.
    const PATTERN: &'static str;

    /// It compiled.
    fn regex() -> &'static Regex;
}

macro_rules! letters {
    ($($(#[$says:meta])* $name:ident $pattern:literal)*) => {$(
        $(#[$says])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Letters for $name {
            const PATTERN: &'static str = $pattern;

            fn regex() -> &'static Regex {
                // It is one of those below, which a test compiles.
                static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a pattern"));
                &REGEX
            }
        }
    )*};
}

letters! {
    /// Anything on one line.
    Line r"^[^\u0000-\u001f\u007f]*$"
    /// Anything on several lines.
    Lines r"^[^\u0000-\u0008\u000b-\u001f\u007f]*$"
    /// Letters, digits and `. _ : + -`, beginning with a letter or digit.
    Name r"^[A-Za-z0-9][A-Za-z0-9._:+-]*$"
    /// A tag. Which letters exactly says the store: not every checker of schemas knows classes of Unicode.
    Tag r"^[^\u0000-\u0020-][^\u0000-\u0020]*$"
    /// Numbers of records: `7,9`.
    Ids r"^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,63}$"
    /// A size: `4k`.
    Size r"^[1-9][0-9]{0,11}[kmgKMG]?$"
    /// A knob, or one with values: `scheduler=none,bfq`, `rbps@/system.slice/backup.service=50m`.
    Knob r"^[a-z0-9_.]{1,40}(@/?[A-Za-z0-9_-][A-Za-z0-9_.:\\-]{0,100}(/[A-Za-z0-9_-][A-Za-z0-9_.:\\-]{0,100}){0,12})?(=[A-Za-z0-9_.,:-]{1,200})?$"
    /// A control group: its path, the number of a process, a container's id.
    Group r"^/?[A-Za-z0-9_-][A-Za-z0-9_.:@\\-]{0,100}(/[A-Za-z0-9_-][A-Za-z0-9_.:@\\-]{0,100}){0,12}$"
    /// A bound of a measure: `write.await>20ms`.
    Bound r"^[a-z]{1,10}(\.[a-z]{1,10})? ?[<>] ?[0-9.]{1,20}[A-Za-z/]{0,10}$"
}

/// A text of such letters, of so many characters at the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<L, const MAX: usize>(String, PhantomData<L>);

impl<L, const MAX: usize> Deref for Text<L, MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<L, const MAX: usize> Serialize for Text<L, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de, L: Letters, const MAX: usize> Deserialize<'de> for Text<L, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().count() > MAX {
            return Err(D::Error::custom(format_args!(
                "a text has {MAX} characters at the most"
            )));
        }
        match L::regex().is_match(&text) {
            true => Ok(Text(text, PhantomData)),
            false => Err(D::Error::custom(format_args!(
                "a text must match {}",
                L::PATTERN
            ))),
        }
    }
}

/// A list of so many items at the most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MAX: usize>(pub Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::<T>::deserialize(deserializer)?;
        match items.len() <= MAX {
            true => Ok(List(items)),
            false => Err(D::Error::custom(format_args!(
                "a list has {MAX} items at the most"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_pattern() {
        let right = [
            (Ids::regex(), "7,19"),
            (Size::regex(), "4k"),
            (Size::regex(), "1048576"),
            (Knob::regex(), "scheduler"),
            (Knob::regex(), "nr_requests=64,256"),
            (Knob::regex(), "vm.dirty_background_bytes=67108864"),
            (Knob::regex(), "smp_affinity_list@24=0:1,3"),
            (Bound::regex(), "await>20ms"),
            (Bound::regex(), "write.bw < 100MiB/s"),
            (Lines::regex(), "one\ntwo"),
            (Line::regex(), ""),
            (Tag::regex(), "größe"),
        ];
        for (letters, text) in right {
            assert!(letters.is_match(text), "{text}");
        }
        let wrong = [
            (Ids::regex(), "7,"),
            (Ids::regex(), "0"),
            (Ids::regex(), "--help"),
            (Size::regex(), "4kb"),
            (Size::regex(), "k"),
            (Size::regex(), "4k\n"),
            (Knob::regex(), "--aa"),
            (Bound::regex(), "--aa"),
            (Bound::regex(), "await>"),
            (Bound::regex(), "await>+50%"),
            (Knob::regex(), "scheduler="),
            (Knob::regex(), "smp_affinity_list@"),
            (Knob::regex(), "smp_affinity_list@../24"),
            (Knob::regex(), "a=b=c"),
            (Line::regex(), "a\u{0}"),
            (Name::regex(), "../x"),
            (Tag::regex(), "-x"),
            (Tag::regex(), "a b"),
        ];
        for (letters, text) in wrong {
            assert!(!letters.is_match(text), "{text}");
        }
    }
}
