//! Moments in the lab: UTC as text, which sorts as time does.

use std::time::SystemTime;

use crate::error::{LabError, Result};

/// The present moment to the millisecond, such as `2026-01-31T23:59:59.123Z`.
///
/// Texts of moments sort as time does; a moment without milliseconds sorts after all of its second, so that "as of" a
/// second takes in the whole of it.
pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// The end of time, for queries without an "as of".
const EVER: &str = "9999-12-31T23:59:59Z";

/// The text to compare timestamps with. A day stands for its end.
pub(super) fn as_of(given: Option<&str>) -> Result<String> {
    let Some(text) = given else { return Ok(EVER.to_string()) };
    let wrong = || LabError::Entry {
        place: format!("--as-of {text}"),
        message: "this is no moment in UTC; write 2026-01-31 or 2026-01-31T23:59:59Z".to_string(),
    };
    let fits = |shape: &str, text: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(c, s)| if s == b'0' { c.is_ascii_digit() } else { c == s })
    };
    match text {
        day if fits("0000-00-00", day) => Ok(format!("{day}T23:59:59Z")),
        moment if fits("0000-00-00T00:00:00Z", moment) || fits("0000-00-00T00:00:00.000Z", moment) => {
            Ok(moment.to_string())
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_sort() {
        let now = now();
        assert!(as_of(Some(&now)).unwrap() == now && now < as_of(None).unwrap());
        let second = format!("{}Z", &now[..19]);
        assert!(now < as_of(Some(&second)).unwrap());
        assert!(now < as_of(Some(&now[..10])).unwrap());
        assert!("2026-01-31T00:00:00.000Z" > as_of(Some("2026-01-30")).unwrap().as_str());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "yesterday", "2026-1-31", "2026-01-31 12:00:00", "2026-01-31T12:00:00"] {
            assert!(as_of(Some(text)).unwrap_err().to_string().contains("2026-01-31T23:59:59Z"), "{text}");
        }
    }
}
