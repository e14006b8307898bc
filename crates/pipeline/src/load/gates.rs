//! The gates before a device is written: consent, every kind of use the kernel shows, signatures, and an exclusive open.
use super::{Consent, LoadError};
use host::Host;
use host::files::{Access, DataFile};
use std::path::Path;
pub fn claim(_host: &Host, path: &Path, consent: &Consent) -> Result<DataFile, LoadError> {
    if !consent.destroy_data {
        return Err(LoadError::NoConsent { target: super::error::shown(path) });
    }
    Err(LoadError::InUse { target: String::new(), uses: vec![], advice: String::new() })
}
