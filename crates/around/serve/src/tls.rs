//! Certificates, for addresses that others reach.

use crate::server::ServeError;
use crate::wire::Pem;
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

/// Which of the two is not what it should be, and why.
pub enum WrongPem {
    /// The certificate.
    Cert(String),
    /// The key.
    Key(String),
}

impl Tls {
    /// Reads both. Gives also what should be known about the key, if anything.
    ///
    /// # Errors
    /// Which of the files is missing or not what it should be; a key that others may read.
    pub fn read(&self) -> Result<(Pem, Option<String>), ServeError> {
        let wrong = |path: &Path, why: String| ServeError::Certificate {
            path: path.to_path_buf(),
            why,
        };
        // What is in neither file is between the lines that a parser looks for.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let cert = host::files::read_bytes(&self.cert)
            .map(text)
            .map_err(|error| wrong(&self.cert, error.to_string()))?;
        certificates(&cert).map_err(|why| wrong(&self.cert, why))?;
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
        let key = text(key);
        let pem = Pem { cert, key };
        match acceptor(&pem) {
            Ok(_) => Ok((pem, note)),
            Err(WrongPem::Cert(why)) => Err(wrong(&self.cert, why)),
            Err(WrongPem::Key(why)) => Err(wrong(&self.key, why)),
        }
    }
}

/// The certificates of a text, of which there is one at least; else why not.
fn certificates(text: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_slice_iter(text.as_bytes())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    match certificates.is_empty() {
        true => Err("no certificate is in it".into()),
        false => Ok(certificates),
    }
}

/// What encrypts with a certificate and its key.
///
/// # Errors
/// Which of them is wrong.
pub fn acceptor(pem: &Pem) -> Result<TlsAcceptor, WrongPem> {
    let certificates = certificates(&pem.cert).map_err(WrongPem::Cert)?;
    let key = PrivateKeyDer::from_pem_slice(pem.key.as_bytes())
        .map_err(|error| WrongPem::Key(error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| WrongPem::Cert(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| WrongPem::Key(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
