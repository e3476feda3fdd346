//! A run as text and pictures. One module a format; none of them computes a figure of its own.

pub mod fio;
