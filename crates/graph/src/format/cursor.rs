//! Reading numbers out of bytes: eight digits at a time, no copies, no allocation.

use super::text::Fault;

/// A place in a block of text.
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// True at white space, at the end of a line or of the block: where a number may end.
    #[inline]
    pub(crate) fn at_gap(&self) -> bool {
        self.peek().is_none_or(|byte| byte.is_ascii_whitespace())
    }

    /// Skips blanks inside a line.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and line ends.
    #[inline]
    pub(crate) fn skip_white(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Moves behind the end of this line.
    pub(crate) fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
    }

    /// Reads a run of digits; `u64::MAX` stands for anything as large or larger. `None` without a digit.
    #[inline]
    pub(crate) fn digits(&mut self) -> Option<u64> {
        let Some(word) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) else {
            return self.digits_one_by_one(0, 0);
        };
        // Digits become 0..=9 in each byte; adding 0x76 carries into the high bit of every other byte.
        let word = u64::from_le_bytes(*word) ^ 0x3030_3030_3030_3030;
        let other = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
        let length = other.trailing_zeros() / 8;
        if length == 0 {
            return None;
        }
        // Move the digits to the high end, so that zeros lead, and add them up: pairs, quadruples, all eight.
        let word = word << (64 - 8 * length);
        let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
        let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
        let odd = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
        let value = even.wrapping_add(odd) >> 32;
        self.at += length as usize;
        if length == 8 { self.digits_one_by_one(value, 8) } else { Some(value) }
    }

    /// Goes on after `read` digits that gave `value`.
    fn digits_one_by_one(&mut self, mut value: u64, mut read: usize) -> Option<u64> {
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
            value = value.saturating_mul(10).saturating_add(u64::from(digit));
            read += 1;
            self.at += 1;
        }
        (read > 0).then_some(value)
    }

    /// An integer that ends at a gap: sign and size, the latter saturated. Does not move when there is none.
    #[inline]
    pub(crate) fn integer(&mut self) -> Option<(bool, u64)> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if negative || self.peek() == Some(b'+') {
            self.at += 1;
        }
        match self.digits() {
            Some(value) if self.at_gap() => Some((negative, value)),
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// A number without a minus that ends at a gap, saturated. Does not move when there is none.
    #[inline]
    pub(crate) fn count(&mut self) -> Option<u64> {
        let start = self.at;
        match self.integer() {
            Some((false, value)) => Some(value),
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// A finite 64-bit real that ends at a gap, rounded correctly.
    pub(crate) fn real(&mut self) -> Result<f64, Fault> {
        let start = self.at;
        if let Some(value) = self.short_real() {
            return Ok(value);
        }
        self.at = start;
        match lexical_core::parse_partial::<f64>(&self.bytes[start..]) {
            Ok((value, length)) if length > 0 => {
                self.at += length;
                if !self.at_gap() {
                    self.at = start;
                    return Err(self.expected("a number"));
                }
                if !value.is_finite() {
                    self.at = start;
                    return Err(match self.token().iter().any(u8::is_ascii_digit) {
                        true => self.fault(format!("weight {} is out of range for 64-bit reals", self.shown())),
                        false => self.fault(format!("weight {} is not a finite number", self.shown())),
                    });
                }
                Ok(value)
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// A plain decimal of at most 15 digits: its digits and its power of ten are exact, so that their quotient is
    /// rounded once.
    fn short_real(&mut self) -> Option<f64> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        const TENS: [u64; 16] = {
            let mut tens = [1; 16];
            let mut i = 1;
            while i < 16 {
                tens[i] = 10 * tens[i - 1];
                i += 1;
            }
            tens
        };
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let start = self.at;
        let whole = self.digits()?;
        let mut digits = self.at - start;
        let (mut fraction, mut places) = (0, 0);
        if self.peek() == Some(b'.') {
            self.at += 1;
            let start = self.at;
            fraction = self.digits()?;
            places = self.at - start;
            digits += places;
        }
        if digits > 15 || !self.at_gap() {
            return None;
        }
        let value = (whole * TENS[places] + fraction) as f64 / POWERS[places];
        Some(if negative { -value } else { value })
    }

    /// The word at the cursor.
    fn token(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        &rest[..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())]
    }

    /// The word at the cursor for a message.
    pub(crate) fn shown(&self) -> String {
        const SHOWN: usize = 32;
        let token = self.token();
        match token.len() {
            0 => "the end of the line".into(),
            1..=SHOWN => format!("`{}`", printable(token)),
            _ => format!("`{}...`", printable(&token[..SHOWN])),
        }
    }

    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.at.min(self.bytes.len()), message)
    }

    pub(crate) fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}, found {}", self.shown()))
    }
}

/// A text with escapes in the place of what cannot be printed; quotes stay.
fn printable(token: &[u8]) -> String {
    token.escape_ascii().to_string().replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_agree_with_the_standard_library(value: u64, zeros in 0usize..12, tail in "[ \t\n/:a]?.{0,9}") {
            let text = format!("{:0>zeros$}{value} {tail}", "");
            let mut cursor = Cursor::new(text.as_bytes());
            prop_assert_eq!(cursor.digits(), Some(value));
            prop_assert_eq!(cursor.at, zeros + value.to_string().len());
        }

        #[test]
        fn short_numbers_stop_at_any_other_byte(value in 0u32..100_000, tail: [u8; 9]) {
            prop_assume!(!tail[0].is_ascii_digit());
            let mut text = value.to_string().into_bytes();
            text.extend(tail);
            prop_assert_eq!(Cursor::new(&text).digits(), Some(u64::from(value)));
        }

        #[test]
        fn floats_agree_with_the_standard_library(whole in 0u64..1_000_000_000_000, fraction in "[0-9]{0,9}", minus: bool) {
            let point = if fraction.is_empty() { "" } else { "." };
            let text = format!("{}{whole}{point}{fraction}\n", if minus { "-" } else { "" });
            let expected: f64 = text.trim().parse().unwrap();
            let found = Cursor::new(text.as_bytes()).real().unwrap();
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
        }

        #[test]
        fn printed_floats_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [format!("{value}"), format!("{value:?}"), format!("{value:e}")] {
                prop_assert_eq!(Cursor::new(text.as_bytes()).real().unwrap().to_bits(), bits, "{}", text);
            }
        }
    }

    #[test]
    fn numbers_between_two_reals_round_to_even() {
        for text in ["9007199254740993", "9007199254740995", "9007199254740993.0", "18014398509481986"] {
            assert_eq!(Cursor::new(text.as_bytes()).real().unwrap(), text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_no_finite_number_is_refused() {
        let message = |text: &str| Cursor::new(text.as_bytes()).real().unwrap_err().message;
        assert_eq!(message("nan "), "weight `nan` is not a finite number");
        assert_eq!(message("-inf"), "weight `-inf` is not a finite number");
        assert_eq!(message("1e309"), "weight `1e309` is out of range for 64-bit reals");
        assert_eq!(message("1.5x"), "expected a number, found `1.5x`");
        assert_eq!(message("x"), "expected a number, found `x`");
        assert_eq!(message("\n"), "expected a number, found the end of the line");
    }

    #[test]
    fn huge_integers_saturate() {
        let mut cursor = Cursor::new(b"99999999999999999999999999 ");
        assert_eq!(cursor.digits(), Some(u64::MAX));
        assert_eq!(cursor.at, 26);
    }
}
