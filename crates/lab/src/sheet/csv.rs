//! Comma-separated values, as RFC 4180 has them, with plain newlines.

use super::{Field, Sheet};

impl Sheet {
    /// The sheet as comma-separated values with a line of titles. Numbers keep all their digits, what is not known
    /// stays empty, and an empty text is `""`.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        line(&mut text, self.columns.iter().map(|title| quoted(title)));
        for row in &self.rows {
            line(&mut text, row.iter().map(shown));
        }
        text
    }
}

fn line(text: &mut String, fields: impl Iterator<Item = String>) {
    for (at, field) in fields.enumerate() {
        *text += if at > 0 { "," } else { "" };
        *text += &field;
    }
    text.push('\n');
}

fn shown(field: &Field) -> String {
    match field {
        Field::Nothing => String::new(),
        Field::Integer(number) => number.to_string(),
        // The shortest text that reads back as the same number.
        Field::Real(number) => format!("{number:?}"),
        Field::Text(text) => quoted(text),
    }
}

fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty() && !text.contains([',', '"', '\n', '\r']) && text.trim() == text;
    match is_plain {
        true => text.to_string(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_where_they_are_needed() {
        let mut sheet = Sheet::new(["a,b", "n"]);
        sheet.row(["say \"hi\"".into(), 1.0.into()]);
        sheet.row(["two\nlines".into(), 1e-7.into()]);
        sheet.row(["".into(), Field::Nothing]);
        assert_eq!(sheet.to_csv(), "\"a,b\",n\n\"say \"\"hi\"\"\",1.0\n\"two\nlines\",1e-7\n\"\",\n");
    }

    fn field() -> impl Strategy<Value = Field> {
        prop_oneof![
            Just(Field::Nothing),
            any::<i64>().prop_map(Field::Integer),
            (-1e300f64..1e300).prop_map(Field::Real),
            "[a-z \",;\r\n'é\\\\]{0,8}".prop_map(Field::Text),
        ]
    }

    proptest! {
        #[test]
        fn another_reader_reads_the_same(rows in proptest::collection::vec([field(), field(), field()], 0..6)) {
            let mut sheet = Sheet::new(["x", "y", "z"]);
            rows.iter().for_each(|row| sheet.row(row.clone()));
            let text = sheet.to_csv();
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            prop_assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), ["x", "y", "z"]);
            let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(records.len(), rows.len());
            for (record, row) in records.iter().zip(&rows) {
                for (read, field) in record.iter().zip(row) {
                    match field {
                        Field::Nothing => prop_assert_eq!(read, ""),
                        Field::Integer(number) => prop_assert_eq!(read.parse::<i64>().unwrap(), *number),
                        Field::Real(number) => prop_assert_eq!(read.parse::<f64>().unwrap(), *number),
                        Field::Text(text) => prop_assert_eq!(read, text),
                    }
                }
            }
        }
    }
}
