//! Everything that looks at results from outside, in one program.
//!
//! One program links once and runs its tests side by side. A file of tests here is a module; must never
//! hold a test itself.

mod answers;
mod blunders;
mod browser;
mod contrast;
mod heat;
mod html;
mod kept;
mod paper;
mod phone;
mod survey;
mod text;
