//! Kubernetes without a cluster: the manifests of what iodyno makes there, what the answers of kubectl say, and how a document
//! comes through the log of a pod. Pure: text in, text out.

pub mod document;
pub mod framed;
pub mod look;
pub mod manifest;
pub mod waiting;
