//! stub.
