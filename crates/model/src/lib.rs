//! The nouns of leadline: what is to be done ([`plan::Plan`]), what happened ([`event::Event`]),
//! what was counted ([`sample::Sample`], [`latency::Latency`], [`histogram::Histogram`]), what it
//! means ([`finding::Finding`]).
//!
//! Belongs here: plain data, its units, its merge laws, its text and byte forms.
//! Must never appear here: input or output, a clock, a thread, a random source, `unsafe`.
//! May depend on: serde only. Every other crate depends on this one, and only on this one.
#![forbid(unsafe_code)]

pub mod batch;
mod bits;
pub mod codec;
pub mod condition;
pub mod cure;
pub mod error_code;
pub mod event;
pub mod facts;
pub mod failure;
pub mod finding;
pub mod histogram;
pub mod latency;
pub mod op;
mod percent;
pub mod place;
pub mod plan;
pub mod sample;
pub mod seed;
pub mod units;
mod varint;
