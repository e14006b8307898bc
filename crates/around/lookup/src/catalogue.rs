//! Everything that can be explained, each with its page.

use crate::kinds::KINDS;
use diagnose::sysctls;
use model::finding::ProofCount;
use observe::sensors;
use report::field_page;
use serde::Serialize;
use std::borrow::Cow;

/// One thing with its page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "CatalogueEntry")
)]
pub struct CatalogueEntry {
    /// `knob`, `persist`, `rule`, `cause`, `sysctl`, `profile`, `live`, `engine`, `preset`, `sensor`, `collector`,
    /// `claimant`, `field` or `series`; `word` for one of the glossary.
    pub kind: &'static str,
    /// Its id.
    pub id: Cow<'static, str>,
    /// Its page, Markdown.
    pub page: Cow<'static, str>,
}

/// Everything that can be explained: `iodyno.catalogue/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Catalogue {
    schema: &'static str,
    /// By kind and id.
    pub entries: Vec<CatalogueEntry>,
    /// How often the suspicions of rules and causes were right, by the records of this machine; those never put to the proof
    /// are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<ProofCount>,
}

/// The catalogue.
pub fn all() -> Catalogue {
    Catalogue {
        schema: "iodyno.catalogue/1",
        entries: entries(),
        proved: Vec::new(),
    }
}

/// Everything, by kind and id.
pub fn entries() -> Vec<CatalogueEntry> {
    let of_kind = |&(kind, pages): &'static (&str, _)| {
        let pages: &'static [(&str, &str)] = pages;
        pages.iter().map(move |&(id, page)| CatalogueEntry {
            kind,
            id: name(kind, id),
            page: page.into(),
        })
    };
    KINDS.iter().flat_map(of_kind).chain(fields()).collect()
}

/// What people call an item: a file's name has neither the dots of a kernel parameter nor the dashes of a profile.
fn name(kind: &str, id: &'static str) -> Cow<'static, str> {
    match kind {
        "sysctl" => {
            let named = sysctls::ALL.iter().find(|setting| setting.id == id);
            named.map_or(id, |setting| setting.name).into()
        }
        "profile" => id.replace('_', "-").into(),
        _ => id.into(),
    }
}

/// What the sensors give: the quantities that people read, then the raw series that are not one of those by name.
fn fields() -> Vec<CatalogueEntry> {
    let mut entries: Vec<CatalogueEntry> = Vec::new();
    for sensor in sensors::ALL {
        for field in sensor.fields {
            let page = field_page::field(field, sensor.id, sensor.reads).into();
            entries.push(CatalogueEntry {
                kind: "field",
                id: field.id().into(),
                page,
            });
        }
    }
    for sensor in sensors::ALL {
        for metric in sensor.metrics {
            let id = metric.id();
            if !entries.iter().any(|entry| entry.id == id) {
                let page = field_page::metric(metric, sensor.id, sensor.reads).into();
                entries.push(CatalogueEntry {
                    kind: "series",
                    id: id.into(),
                    page,
                });
            }
        }
    }
    entries
}

impl CatalogueEntry {
    /// The heading of its page; for fields, whose heading is the id, what it says.
    pub fn title(&self) -> &str {
        let mut lines = self.page.lines();
        match self.kind {
            "field" | "series" => lines.nth(2).unwrap_or_default(),
            _ => lines
                .find_map(|line| line.strip_prefix("# "))
                .unwrap_or_default(),
        }
    }
}
