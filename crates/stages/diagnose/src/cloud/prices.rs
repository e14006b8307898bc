//! Prices, which only the user can give: they differ by region, contract and day.

use super::error::CloudError;
use super::offer::Offer;
use serde::Deserialize;

const SCHEMA: &str = "iodyno.cloud-prices/1";

/// A file of prices by month.
///
/// ```json
/// {"schema": "iodyno.cloud-prices/1", "currency": "USD", "prices": [
///   {"provider": "aws", "kind": "gp3", "gib": 0.08, "iops": 0.005, "iops_free": 3000, "mbps": 0.04, "mbps_free": 125},
///   {"provider": "azure", "kind": "P30", "fixed": 122.88}]}
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    schema: String,
    /// `USD`.
    pub currency: String,
    prices: Vec<Price>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    provider: String,
    /// The type, or one tier of it.
    kind: String,
    /// Whatever the size.
    #[serde(default)]
    fixed: f64,
    /// For each GiB.
    #[serde(default)]
    gib: f64,
    /// For each I/O a second beyond the free ones.
    #[serde(default)]
    iops: f64,
    #[serde(default)]
    iops_free: f64,
    /// For each MB/s or MiB/s beyond the free ones.
    #[serde(default)]
    mbps: f64,
    #[serde(default)]
    mbps_free: f64,
}

impl Prices {
    /// Of a file's text.
    ///
    /// # Errors
    /// Text that is not of this schema, and prices below 0.
    pub fn parse(text: &str) -> Result<Prices, CloudError> {
        let wrong = |why: String| CloudError::File {
            what: "the file of prices",
            why,
        };
        let prices: Prices =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if prices.schema != SCHEMA {
            return Err(wrong(format!(
                "its schema is `{}`, not `{SCHEMA}`",
                prices.schema
            )));
        }
        let below = prices.prices.iter().find(|one| {
            [one.fixed, one.gib, one.iops, one.mbps]
                .iter()
                .any(|price| *price < 0.0)
        });
        match below {
            Some(price) => Err(wrong(format!(
                "{}:{} has a price below 0",
                price.provider, price.kind
            ))),
            None => Ok(prices),
        }
    }

    /// What an offer costs a month; none where the file has no price for it.
    pub fn of(&self, offer: &Offer<'_>) -> Option<f64> {
        let is_it = |one: &&Price| {
            one.provider == offer.kind.provider
                && (one.kind.eq_ignore_ascii_case(offer.name())
                    || one.kind.eq_ignore_ascii_case(&offer.kind.kind))
        };
        let price = self.prices.iter().find(is_it)?;
        let size = offer.tier.map_or(offer.size_gib, |tier| tier.gib);
        let mbps = offer.promise.bytes_per_s.unwrap_or(0.0) / offer.kind.unit.bytes();
        let beyond = |value: f64, free: f64| (value - free).max(0.0);
        let rates = price.iops * beyond(offer.promise.iops.unwrap_or(0.0), price.iops_free)
            + price.mbps * beyond(mbps, price.mbps_free);
        Some(price.fixed + price.gib * size + rates)
    }
}
