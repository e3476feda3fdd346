//! leadline-fleet: being built.
