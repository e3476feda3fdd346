//! fio's jobs, run by Debian's fio and by `leadline fio`, side by side: what programs and people read
//! must have the same structure, and the figures must agree as far as two runs can.
//!
//! Where there is no fio on the machine, the tests that need it are skipped by name.

mod amounts;
mod codes;
mod names;
mod pair;
mod seeds;
mod shape;
mod text;
mod values;
