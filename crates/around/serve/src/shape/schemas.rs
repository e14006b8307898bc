//! JSON schemas of what comes and goes.

use super::{Letters, List, Shape, Text, Whole};
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Where OpenAPI has the schemas that others refer to.
const COMPONENTS: &str = "/components/schemas";

impl Shape {
    /// The schema; types that it refers to become definitions of the generator.
    pub fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        (self.make)(generator)
    }
}

/// The schema of a type.
pub fn of_type<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Makes schemas of answers, which refer to named ones.
pub fn of_answers() -> SchemaGenerator {
    settings(Contract::Serialize).into_generator()
}

/// Makes schemas of requests, each whole.
pub fn of_requests() -> SchemaGenerator {
    let mut settings = settings(Contract::Deserialize);
    settings.inline_subschemas = true;
    settings.into_generator()
}

/// OpenAPI 3.1 has the dialect of 2020-12.
fn settings(contract: Contract) -> SchemaSettings {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.definitions_path = COMPONENTS.into();
    settings.contract = contract;
    settings
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Whole<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("WholeFrom{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": MIN, "maximum": MAX})
    }
}

impl<L: Letters, const MAX: usize> JsonSchema for Text<L, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("TextTo{MAX}Of{}", L::PATTERN).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "maxLength": MAX, "pattern": L::PATTERN})
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for List<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ListTo{MAX}Of{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({"type": "array", "items": items, "maxItems": MAX})
    }
}
