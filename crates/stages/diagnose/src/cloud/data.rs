//! The dated file of types and instances, and what makes it valid.

use super::error::CloudError;
use super::formula::CloudFormulaLine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

const SCHEMA: &str = "iodyno.cloud-data/1";
const BUILTIN: &str = include_str!("../../data/cloud.json");

/// Types of disks and limits of instances, as of a date.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// `iodyno.cloud-data/1`.
    pub schema: String,
    /// When it was put together: `2026-11-21`.
    pub date: String,
    /// Where the limits of instances come from, by provider.
    #[serde(default)]
    pub instance_sources: BTreeMap<String, String>,
    /// The types, by provider.
    pub types: Vec<DiskType>,
    /// Types whose provider publishes no formula.
    #[serde(default)]
    pub without_formula: Vec<PlainType>,
    /// Instances that limit all of their disks together.
    #[serde(default)]
    pub instances: Vec<Instance>,
}

/// A type of disk.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskType {
    /// `aws`, `azure`, `gcp`, `alibaba`, or a name of the user's.
    pub provider: String,
    /// As the provider calls it, in small letters.
    pub kind: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The name that it shares with other types of its provider, as `cloud_essd` stands for every level of ESSD.
    pub family: Option<String>,
    /// For people.
    pub title: String,
    /// Smallest and largest, GiB.
    pub size_gib: [f64; 2],
    /// What its bandwidth counts in: `MB` (10⁶) or `MiB` (2²⁰).
    pub unit: Unit,
    /// IOPS that it has when nothing is provisioned.
    #[serde(default)]
    pub iops: CloudFormulaLine,
    /// Bandwidth that it has when nothing is provisioned.
    #[serde(default)]
    pub mbps: CloudFormulaLine,
    /// IOPS that can be provisioned.
    pub iops_set: Option<DataRange>,
    /// Bandwidth that can be provisioned.
    pub mbps_set: Option<DataRange>,
    /// What it may do for a while.
    pub burst: Option<Burst>,
    /// Fixed sizes in place of formulas; a size between two is the larger one.
    #[serde(default)]
    pub tiers: Vec<Tier>,
    /// I/Os larger than this count as several, bytes.
    pub io_unit_bytes: Option<u64>,
    /// Latency of a small I/O, from and to, us.
    pub latency_us: Option<[f64; 2]>,
    /// What else is worth knowing, sentences.
    #[serde(default)]
    pub limits: Vec<String>,
    /// Where the figures come from.
    pub source: String,
    /// When they were there.
    pub date: String,
    /// Whether all of them were read there.
    pub verified: YesNo,
    /// What was not.
    pub unverified: Option<String>,
}

/// A type that its provider describes in words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlainType {
    /// Whose.
    pub provider: String,
    /// As the provider calls it, in small letters.
    pub kind: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What the provider says of it.
    pub says: String,
    /// Where.
    pub source: String,
}

/// Millions of bytes of one sort or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Unit {
    /// 1,000,000 bytes.
    #[serde(rename = "MB")]
    Decimal,
    /// 1,048,576 bytes.
    #[serde(rename = "MiB")]
    Binary,
}

impl Unit {
    /// How many bytes it is.
    pub fn bytes(self) -> f64 {
        match self {
            Unit::Decimal => 1e6,
            Unit::Binary => 1_048_576.0,
        }
    }

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Decimal => "MB/s",
            Unit::Binary => "MiB/s",
        }
    }
}

/// `yes` or `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// From the least to the most that can be provisioned.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataRange {
    /// The least.
    pub at_least: CloudFormulaLine,
    /// The most.
    pub at_most: CloudFormulaLine,
}

/// More than the base for a while.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// IOPS meanwhile.
    pub iops: Option<CloudFormulaLine>,
    /// Bandwidth meanwhile.
    pub mbps: Option<CloudFormulaLine>,
    /// I/Os that a full bucket holds.
    pub ios: Option<f64>,
    /// Bytes that a full bucket holds for each GiB of the disk.
    pub bytes_per_gib: Option<f64>,
}

/// A fixed size.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// `P30`.
    pub name: String,
    /// Its size, GiB.
    pub gib: f64,
    /// IOPS.
    pub iops: f64,
    /// Bandwidth, in the type's unit.
    pub mbps: f64,
    /// IOPS while credits last.
    pub burst_iops: Option<f64>,
    /// Bandwidth while credits last.
    pub burst_mbps: Option<f64>,
    /// How long full credits last, s.
    pub burst_s: Option<f64>,
}

/// Limits of an instance, which all of its disks share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Whose.
    pub provider: String,
    /// `m5.large`.
    pub name: String,
    /// IOPS that it holds for ever.
    pub iops: f64,
    /// Bandwidth that it holds for ever, MB/s of 10⁶ bytes.
    pub mbps: f64,
    /// IOPS for a while, half an hour a day or at a time.
    pub burst_iops: Option<f64>,
    /// Bandwidth for a while, MB/s.
    pub burst_mbps: Option<f64>,
}

/// The data that iodyno brings. The file is part of the program and a test reads it, so it is never empty.
pub fn builtin() -> &'static Data {
    static DATA: OnceLock<Data> = OnceLock::new();
    DATA.get_or_init(|| {
        Data::parse(BUILTIN).unwrap_or_else(|_| Data {
            schema: SCHEMA.into(),
            date: String::new(),
            instance_sources: BTreeMap::new(),
            types: Vec::new(),
            without_formula: Vec::new(),
            instances: Vec::new(),
        })
    })
}

impl Data {
    /// Of a file's text.
    ///
    /// # Errors
    /// Text that is not of this schema, and figures that cannot be.
    pub fn parse(text: &str) -> Result<Data, CloudError> {
        let wrong = |why: String| CloudError::File {
            what: "the file of disk types",
            why,
        };
        let data: Data = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if data.schema != SCHEMA {
            return Err(wrong(format!(
                "its schema is `{}`, not `{SCHEMA}`",
                data.schema
            )));
        }
        match data.types.iter().find_map(DiskType::fault) {
            Some(why) => Err(wrong(why)),
            None => Ok(data),
        }
    }

    /// With types and instances of the user's in front, which stand in for those of the same name.
    #[must_use]
    pub fn over(self, below: &Data) -> Data {
        let mut whole = self;
        let is_new = |kind: &&DiskType, whole: &Data| {
            !whole
                .types
                .iter()
                .any(|one| one.provider == kind.provider && one.kind == kind.kind)
        };
        let types: Vec<DiskType> = below
            .types
            .iter()
            .filter(|kind| is_new(kind, &whole))
            .cloned()
            .collect();
        let instances: Vec<Instance> = below
            .instances
            .iter()
            .filter(|one| whole.instance(&one.name).is_none())
            .cloned()
            .collect();
        whole.types.extend(types);
        whole
            .without_formula
            .extend(below.without_formula.iter().cloned());
        whole.instances.extend(instances);
        for (provider, source) in &below.instance_sources {
            whole
                .instance_sources
                .entry(provider.clone())
                .or_insert_with(|| source.clone());
        }
        whole
    }

    /// A type by its name, an alias, the name of a tier, or `provider:name`.
    ///
    /// # Errors
    /// A name that nobody has, or that several providers have.
    pub fn find(&self, name: &str) -> Result<(&DiskType, Option<&Tier>), CloudError> {
        let (provider, kind) = name
            .split_once(':')
            .map_or(("", name), |(provider, kind)| (provider, kind));
        let is_sought =
            |one: &&DiskType| provider.is_empty() || one.provider.eq_ignore_ascii_case(provider);
        let found: Vec<(&DiskType, Option<&Tier>)> = self
            .types
            .iter()
            .filter(is_sought)
            .filter_map(|one| one.called(kind))
            .collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(self.not_a_type(name, provider, kind)),
            [(first, _), ..] => Err(CloudError::Ambiguous {
                name: kind.into(),
                providers: found
                    .iter()
                    .map(|(one, _)| one.provider.as_str())
                    .collect::<Vec<_>>()
                    .join(" and "),
                example: first.provider.clone(),
            }),
        }
    }

    /// What a name that no type has stands for.
    fn not_a_type(&self, name: &str, provider: &str, kind: &str) -> CloudError {
        let is_of = |one: &str| provider.is_empty() || one.eq_ignore_ascii_case(provider);
        let is_in = |one: &&DiskType| {
            let family = one.family.as_deref();
            is_of(&one.provider) && family.is_some_and(|family| is_same_name(family, kind))
        };
        let family: Vec<&DiskType> = self.types.iter().filter(is_in).collect();
        if let Some(first) = family.first() {
            let of = |one: &&DiskType| {
                let [least, most] = one.size_gib;
                format!("{}:{} ({least} to {most} GiB)", one.provider, one.kind)
            };
            return CloudError::Family {
                name: name.into(),
                types: family.iter().map(of).collect::<Vec<_>>().join(", "),
                example: format!("{}:{}", first.provider, first.kind),
            };
        }
        let is_plain = |one: &&PlainType| {
            let mut names = one.aliases.iter().chain([&one.kind]);
            is_of(&one.provider) && names.any(|one| is_same_name(one, kind))
        };
        match self.without_formula.iter().find(is_plain) {
            Some(plain) => CloudError::NoFormula {
                name: format!("{}:{}", plain.provider, plain.kind),
                says: plain.says.clone(),
                source_page: plain.source.clone(),
            },
            None => CloudError::NoSuchType {
                name: name.into(),
                hint: self.hint(provider, kind),
            },
        }
    }

    fn hint(&self, provider: &str, kind: &str) -> String {
        let kind = kind.to_lowercase();
        let is_like = |one: &&DiskType| {
            one.provider == provider
                || (kind.len() > 1 && (one.kind.contains(&kind) || kind.contains(&one.kind)))
        };
        let near: Vec<String> = self
            .types
            .iter()
            .filter(is_like)
            .map(|one| format!("{}:{}", one.provider, one.kind))
            .collect();
        match near.is_empty() {
            true => format!(" in the data of {}; there are {}", self.date, self.names()),
            false => format!("; there are {}", near.join(", ")),
        }
    }

    /// Every type by its provider: `aws: gp2, gp3; azure: premium-v2`.
    fn names(&self) -> String {
        let mut providers: Vec<&str> = self.types.iter().map(|one| one.provider.as_str()).collect();
        providers.sort_unstable();
        providers.dedup();
        let of = |provider: &&str| {
            let kinds = self.types.iter().filter(|one| one.provider == *provider);
            let kinds: Vec<&str> = kinds.map(|one| one.kind.as_str()).collect();
            format!("{provider}: {}", kinds.join(", "))
        };
        providers.iter().map(of).collect::<Vec<_>>().join("; ")
    }

    /// An instance by its name.
    pub fn instance(&self, name: &str) -> Option<&Instance> {
        self.instances
            .iter()
            .find(|one| one.name.eq_ignore_ascii_case(name))
    }
}

/// Providers write `cloud_essd`, and their users `cloud-essd`.
fn is_same_name(one: &str, other: &str) -> bool {
    one.replace('_', "-")
        .eq_ignore_ascii_case(&other.replace('_', "-"))
}

impl DiskType {
    /// Whether it goes by this name, and by which tier.
    fn called(&self, name: &str) -> Option<(&DiskType, Option<&Tier>)> {
        let is = |one: &str| is_same_name(one, name);
        if is(&self.kind) || self.aliases.iter().any(|one| is(one)) {
            return Some((self, None));
        }
        self.tiers
            .iter()
            .find(|tier| is(&tier.name))
            .map(|tier| (self, Some(tier)))
    }

    /// What its IOPS follow from; none where they are one figure.
    pub fn iops_formula(&self) -> Option<String> {
        (!self.iops.is_constant()).then(|| self.iops.words())
    }

    /// What its bandwidth follows from, with its unit.
    pub fn bandwidth_formula(&self) -> Option<String> {
        let words = || format!("{} {}", self.mbps.words(), self.unit.word());
        (!self.mbps.is_constant()).then(words)
    }

    /// The smallest tier that has this size.
    pub fn tier_of(&self, size_gib: f64) -> Option<&Tier> {
        self.tiers.iter().find(|tier| tier.gib >= size_gib)
    }

    /// What is wrong with it.
    fn fault(&self) -> Option<String> {
        let name = format!("{}:{}", self.provider, self.kind);
        let [least, most] = self.size_gib;
        let is_rising = self.tiers.windows(2).all(|two| two[0].gib < two[1].gib);
        if self.provider.is_empty() || self.kind.is_empty() || name.matches(':').count() != 1 {
            Some(format!("`{name}` is no name for a type"))
        } else if !(least > 0.0 && most >= least) {
            Some(format!("{name}: sizes from {least} to {most} GiB"))
        } else if !is_rising || self.tiers.last().is_some_and(|last| last.gib < most) {
            Some(format!("{name}: its tiers must rise and reach {most} GiB"))
        } else {
            None
        }
    }
}
