//! Prints the description of the HTTP interface, made of the types that requests and answers are: `docs/openapi.json`.
#![allow(clippy::print_stdout, reason = "its output is a file")]

fn main() {
    println!("{:#}", serve::made_description());
}
