//! `leadline schema`: the schemas of outputs, as they are in the documents.

use crate::args::SchemaName;
use crate::exit::Exit;
use crate::out;
use leadline_results::render::json;

pub(crate) fn run(name: SchemaName) -> Exit {
    out::data(match name {
        SchemaName::Run => json::SCHEMA,
    });
    Exit::Fine
}
