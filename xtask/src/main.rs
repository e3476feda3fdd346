//! The leadline command: being built.
fn main() {}
