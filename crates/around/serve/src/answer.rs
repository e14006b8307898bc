//! What goes back: a document, a page, or why not and what to do.

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::failure::ErrorDocument;
use serde::Serialize;

/// An answer that worked.
#[derive(Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Content type.
    pub kind: &'static str,
    /// The body.
    pub body: Bytes,
    /// More headers.
    pub headers: Vec<(HeaderName, String)>,
}

/// JSON's content type.
pub const JSON: &str = "application/json";

impl Reply {
    /// A document.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn json(document: &impl Serialize) -> Result<Reply, Fault> {
        let body = serde_json::to_vec(document).map_err(|_| Fault::defect())?;
        Ok(Reply::bytes(JSON, body))
    }

    /// Bytes of this type.
    pub fn bytes(kind: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply {
            status: 200,
            kind,
            body: body.into(),
            headers: Vec::new(),
        }
    }

    /// The same with one more header.
    pub fn with(mut self, name: HeaderName, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.append(name, value);
            }
        }
        response
    }
}

/// An answer that did not.
#[derive(Debug)]
pub struct Fault {
    /// HTTP status.
    pub status: u16,
    /// What failed, on what, why, what to do, and the exit code of the verb behind it.
    pub told: Box<ErrorDocument>,
    /// More headers.
    pub headers: Vec<(HeaderName, String)>,
}

impl Fault {
    /// A status with its sentence.
    pub fn new(status: u16, error: impl Into<String>) -> Fault {
        Fault {
            status,
            told: Box::new(ErrorDocument::new(error)),
            headers: Vec::new(),
        }
    }

    /// What was asked for makes no sense.
    pub fn asked(error: impl Into<String>) -> Fault {
        Fault::new(400, error)
    }

    /// A failure of ours, of which nobody outside learns more.
    pub fn defect() -> Fault {
        Fault::new(500, "the server failed")
            .hint("The terminal in which `iodyno serve` runs may say more.")
    }

    /// What was to be looked at cannot be read.
    pub fn unreadable(error: host::Error) -> Fault {
        let is_permission = error.is_permission();
        Fault {
            status: if is_permission { 403 } else { 422 },
            ..error.into()
        }
    }

    /// The same with what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.told.hint = Some(hint.into());
        self
    }

    /// The same with one more header.
    pub fn with(mut self, name: HeaderName, value: impl Into<String>) -> Fault {
        self.headers.push((name, value.into()));
        self
    }
}

impl From<store::StoreError> for Fault {
    fn from(error: store::StoreError) -> Fault {
        let status = match error.kind {
            store::StoreErrorKind::Missing => 404,
            store::StoreErrorKind::Usage => 400,
            store::StoreErrorKind::Rights => 403,
            _ => 500,
        };
        Fault {
            told: Box::new(ErrorDocument::of(&error.message, error.parts)),
            ..Fault::new(status, "")
        }
    }
}

impl From<host::Error> for Fault {
    fn from(error: host::Error) -> Fault {
        let status = if error.is_permission() { 403 } else { 500 };
        Fault {
            told: Box::new(ErrorDocument::of(&error.to_string(), error.parts())),
            ..Fault::new(status, "")
        }
    }
}

impl From<Fault> for Reply {
    fn from(fault: Fault) -> Reply {
        // It is made of strings and a number, which JSON always has room for.
        let body = serde_json::to_vec(&fault.told).unwrap_or_default();
        Reply {
            status: fault.status,
            kind: JSON,
            body: body.into(),
            headers: fault.headers,
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        Reply::from(self).into_response()
    }
}
