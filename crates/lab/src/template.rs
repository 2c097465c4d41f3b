//! Texts with `{name}` in them: arguments of programs, and graph specs.

/// Replaces every `{name}` by what `value` gives for it. The error is the name that has no value, or the text from a
/// brace on that is never closed.
pub(crate) fn fill(text: &str, mut value: impl FnMut(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let close = after.find('}').ok_or_else(|| rest[open..].to_string())?;
        let name = &after[..close];
        filled.push_str(&value(name).ok_or_else(|| name.to_string())?);
        rest = &after[close + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Whether the text has `{name}` in it.
pub(crate) fn uses(text: &str, name: &str) -> bool {
    text.contains(&format!("{{{name}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced() {
        let value = |name: &str| (name == "scale").then(|| "18".to_string());
        assert_eq!(fill("kron:{scale}:{scale}", value), Ok("kron:18:18".to_string()));
        assert_eq!(fill("plain", value), Ok("plain".to_string()));
        assert_eq!(fill("kron:{sale}", value), Err("sale".to_string()));
        assert_eq!(fill("kron:{scale", value), Err("{scale".to_string()));
        assert!(uses("a{scale}b", "scale") && !uses("scale", "scale"));
    }
}
