//! Certificates, for addresses that others reach.

use crate::server::ServeError;
use host::secret::{self, Readers};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Where certificate and key are.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate and what it is signed with, PEM.
    pub cert: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
}

impl Tls {
    /// Reads both. Gives also what should be known about the key, if anything.
    ///
    /// # Errors
    /// Which of the files is missing or not what it should be; a key that others may read.
    pub fn acceptor(&self) -> Result<(TlsAcceptor, Option<String>), ServeError> {
        let wrong = |path: &Path, why: String| ServeError::Certificate {
            path: path.to_path_buf(),
            why,
        };
        let read = |path: &Path| {
            host::files::read_bytes(path).map_err(|error| wrong(path, error.to_string()))
        };
        let certificates = CertificateDer::pem_slice_iter(&read(&self.cert)?)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong(&self.cert, error.to_string()))?;
        if certificates.is_empty() {
            return Err(wrong(&self.cert, "no certificate is in it".into()));
        }
        let (key, readers) =
            secret::read(&self.key).map_err(|error| wrong(&self.key, error.to_string()))?;
        let note = match readers {
            Readers::Owner => None,
            Readers::Group => Some(format!(
                "The group of {} may read this key too.",
                self.key.display()
            )),
            Readers::Others => return Err(ServeError::OpenKey(self.key.clone())),
        };
        let key = PrivateKeyDer::from_pem_slice(&key)
            .map_err(|error| wrong(&self.key, error.to_string()))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&self.cert, error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(|error| wrong(&self.key, error.to_string()))?;
        Ok((TlsAcceptor::from(Arc::new(config)), note))
    }
}
