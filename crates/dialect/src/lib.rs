//! leadline-dialect: being built.
