//! What a request gives, member by member.

use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde_json::{Error, Value};
use std::collections::BTreeMap;

/// The members by their names.
pub type Members = BTreeMap<String, Member>;

/// A member, as it came.
#[derive(Debug)]
pub enum Member {
    /// A text of a path or a query. It is a number, or true or false, where its type wants one.
    Text(String),
    /// A part of a body.
    Json(Value),
}

impl Member {
    fn json(self) -> Value {
        match self {
            Member::Text(text) => Value::String(text),
            Member::Json(value) => value,
        }
    }
}

/// What makes a value of its type of all members.
pub fn reader<'de>(members: Members) -> impl Deserializer<'de, Error = Error> {
    MapDeserializer::new(members.into_iter())
}

impl IntoDeserializer<'_, Error> for Member {
    type Deserializer = Member;

    fn into_deserializer(self) -> Member {
        self
    }
}

impl<'de> Deserializer<'de> for Member {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.json().deserialize_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self {
            Member::Text(text) if let Ok(is_true) = text.parse() => visitor.visit_bool(is_true),
            _ => self.json().deserialize_bool(visitor),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self {
            Member::Text(text) if let Ok(number) = text.parse() => visitor.visit_i64(number),
            _ => self.json().deserialize_i64(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Member::Json(Value::Null) => visitor.visit_none(),
            given => visitor.visit_some(given),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.json().deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct identifier ignored_any
    }
}
