//! `leadline schema`: the schemas of outputs, as they are in the documents.

use crate::args::SchemaName;
use crate::exit::Exit;
use crate::out;
use crate::switches;
use crate::verbs::check;
use leadline_results::history;
use leadline_results::render::json;

pub(crate) fn run(name: SchemaName) -> Exit {
    match name {
        SchemaName::Run => out::data(json::SCHEMA),
        SchemaName::Plan => out::data(&format!("{:#}\n", json::schema_of_plans())),
        SchemaName::Check => out::data(check::SCHEMA),
        SchemaName::List => out::data(history::json::SCHEMA),
        SchemaName::Compare => out::data(leadline_results::render::compare::json::SCHEMA),
        SchemaName::Limits => out::data(leadline_limits::SCHEMA),
        SchemaName::Study => {
            let schema = leadline_study::schema(&switches::of_studies());
            out::data(&format!("{schema:#}\n"));
        }
    }
    Exit::Fine
}
