//! What goes back: a document, a page, or why not and what to do.

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;

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
    /// What failed, on what, why.
    pub error: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Exit code of the verb behind it.
    pub exit: Option<i32>,
    /// More headers.
    pub headers: Vec<(HeaderName, String)>,
}

impl Fault {
    /// A status with its sentence.
    pub fn new(status: u16, error: impl Into<String>) -> Fault {
        Fault {
            status,
            error: error.into(),
            hint: None,
            exit: None,
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

    /// The same with what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
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
            store::Kind::Missing => 404,
            store::Kind::Usage => 400,
            store::Kind::Rights => 403,
            _ => 500,
        };
        let (what, hint) = error
            .message
            .split_once('\n')
            .unwrap_or((&error.message, ""));
        let fault = Fault::new(status, what);
        if hint.is_empty() {
            fault
        } else {
            fault.hint(hint)
        }
    }
}

impl From<host::Error> for Fault {
    fn from(error: host::Error) -> Fault {
        Fault::new(
            if error.is_permission() { 403 } else { 500 },
            error.to_string(),
        )
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut document = json!({"schema": "iodyno.error/1", "error": self.error});
        if let Some(hint) = self.hint {
            document["hint"] = hint.into();
        }
        if let Some(exit) = self.exit {
            document["exit"] = exit.into();
        }
        let body = document.to_string().into_bytes();
        Reply {
            status: self.status,
            kind: JSON,
            body: body.into(),
            headers: self.headers,
        }
        .into_response()
    }
}
