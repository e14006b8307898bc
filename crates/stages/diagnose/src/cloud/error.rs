//! What can be wrong with a question about the cloud.

use model::units::whole;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CloudError {
    /// A type that the data does not have.
    #[error("no disk type is called `{name}`{hint}")]
    NoSuchType {
        /// As it was given.
        name: String,
        /// Names that are like it, as a sentence that follows; may be empty.
        hint: String,
    },
    /// A name that several types share.
    #[error("`{name}` is sold in several types: {types}. Say which, as {example}")]
    Family {
        /// As it was given.
        name: String,
        /// The types with their sizes.
        types: String,
        /// One of them.
        example: String,
    },
    /// A type without a published formula.
    #[error("there is no formula for {name}: {says} ({source_page})")]
    NoFormula {
        /// Whose and which.
        name: String,
        /// What its provider says of it.
        says: String,
        /// Where.
        source_page: String,
    },
    /// A name that several providers have.
    #[error("`{name}` is sold by {providers}: say which, as {example}:{name}")]
    Ambiguous {
        /// As it was given.
        name: String,
        /// Who has it.
        providers: String,
        /// One of them.
        example: String,
    },
    /// An instance type that the data does not have.
    #[error(
        "no instance type is called `{0}` in the data; add it to a file of your own and give it with --data"
    )]
    NoSuchInstance(String),
    /// A size that the type is not sold in.
    #[error("{kind} is sold from {least} to {most} GiB, not with {size} GiB")]
    Size {
        /// The type.
        kind: String,
        /// The size asked for, GiB.
        size: f64,
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// A rate that cannot be provisioned at this size.
    #[error(
        "{kind} with {size} GiB can be given {} to {} {what}, not {}",
        whole(*least),
        whole(*most),
        whole(*wish)
    )]
    Rate {
        /// The type.
        kind: String,
        /// The size, GiB.
        size: f64,
        /// IOPS, MB/s or MiB/s.
        what: String,
        /// What was asked for.
        wish: f64,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A type that has nothing unless it is provisioned.
    #[error(
        "{kind} with {size} GiB has only what is provisioned: give its IOPS, from {} to {}, with --iops N, or in a specification as \
         {kind}:{size}GiB:iops=N",
        whole(*least),
        whole(*most)
    )]
    Unprovisioned {
        /// The type.
        kind: String,
        /// The size, GiB.
        size: f64,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A rate for a type whose rates follow from its size.
    #[error("the {what} of {kind} follow from its size and cannot be chosen")]
    NotProvisioned {
        /// The type.
        kind: String,
        /// IOPS or bandwidth.
        what: &'static str,
    },
    /// A specification that cannot be read.
    #[error("`{part}` in the disk specification `{spec}`: {why}")]
    Spec {
        /// All of it.
        spec: String,
        /// What is wrong in it.
        part: String,
        /// Why.
        why: String,
    },
    /// A file of the user's that cannot be read.
    #[error("{what}: {why}")]
    File {
        /// What it should have been.
        what: &'static str,
        /// Why it is not.
        why: String,
    },
    /// A load that no type of the data carries.
    #[error("no type in the data carries this load{0}")]
    NothingCarries(String),
}
