//! Facts in a run file, whatever the table: the value is one that SQL compares, with its unit beside it.
//!
//! Belongs here: both directions, for every type a value can have. Must never: make the text that people read.

use super::fault::Fault;
use leadline_model::facts::{Fact, FactValue};
use leadline_model::units::{Bytes, Nanos, Percent};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Params, Statement};

/// The columns of a fact, in the order that [`read`] takes them.
pub(super) const COLUMNS: &str = "section, subject, name, value, unit, host";

/// The facts of a query for [`COLUMNS`].
pub(super) fn read(mut query: Statement<'_>, parameters: impl Params) -> Result<Vec<Fact>, Fault> {
    let stored = query.query_map(parameters, |row| {
        let unit: String = row.get(4)?;
        let (section, subject, name) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let host = row.get(5)?;
        Ok(value(row.get(3)?, &unit).map(|value| Fact {
            host,
            section,
            subject,
            name,
            value,
        }))
    })?;
    stored.map(|fact| fact?).collect()
}

/// What is in the column `value`. [`FactValue::unit`] is beside it.
pub(super) fn stored(value: &FactValue) -> ToSqlOutput<'_> {
    match value {
        FactValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        FactValue::Bytes(Bytes(number))
        | FactValue::Count(number)
        | FactValue::Picos(number)
        | FactValue::Nanos(Nanos(number)) => {
            ToSqlOutput::Owned(Value::Integer(number.cast_signed()))
        }
        FactValue::Percent(share) => ToSqlOutput::Owned(Value::Real(share.of_100())),
    }
}

/// The value of these two columns.
pub(super) fn value(value: Value, unit: &str) -> Result<FactValue, Fault> {
    match (unit, value) {
        ("text", Value::Text(text)) => Ok(FactValue::Text(text)),
        ("bytes", Value::Integer(n)) => Ok(FactValue::Bytes(Bytes(n.cast_unsigned()))),
        ("count", Value::Integer(n)) => Ok(FactValue::Count(n.cast_unsigned())),
        ("ns", Value::Integer(n)) => Ok(FactValue::Nanos(Nanos(n.cast_unsigned()))),
        ("ps", Value::Integer(n)) => Ok(FactValue::Picos(n.cast_unsigned())),
        ("percent", Value::Real(percent)) => Ok(FactValue::Percent(Percent::nearest(percent))),
        (unit, value) => Err(Fault::What(format!(
            "a fact is {value:?} of the unit {unit:?}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_back_from_the_columns() {
        for before in [
            FactValue::Text("ext4".to_owned()),
            FactValue::Bytes(Bytes(u64::MAX)),
            FactValue::Count(96),
            FactValue::Nanos(Nanos(30_000_000_000)),
            FactValue::Picos(7449),
            FactValue::Percent(Percent::nearest(12.3456)),
        ] {
            let column = match stored(&before) {
                ToSqlOutput::Borrowed(held) => Value::try_from(held).unwrap(),
                ToSqlOutput::Owned(held) => held,
                _ => panic!("another form"),
            };
            let after = value(column, before.unit()).unwrap_or_else(|_| panic!("{before:?}"));
            assert_eq!(after, before);
        }
        assert!(value(Value::Integer(1), "text").is_err());
        assert!(value(Value::Integer(1), "furlongs").is_err());
    }
}
