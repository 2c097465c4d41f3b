//! Dates and points in time as seconds since the beginning of 1970 in UTC.

/// The seconds from the beginning of 1970 in UTC to a point in time such as `2026-11-19`, `2026-11-19 12:30`,
/// `2026-11-19T12:30:05.25Z` or `2026-11-19T12:30:05+01:00`. Without an offset the time is one of UTC; fractions of a
/// second are cut off. `None` for any other text.
///
/// ```
/// use gw_graph::columns::seconds_of;
/// assert_eq!(seconds_of("1970-01-02"), Some(86_400));
/// assert_eq!(seconds_of("2026-11-19T12:30:05+01:00"), seconds_of("2026-11-19 11:30:05"));
/// assert_eq!(seconds_of("2026-02-29"), None);
/// ```
pub fn seconds_of(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let [year, month, day] = numbers(date, b'-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let midnight = 86_400 * days_before(year, month, day);
    if rest.is_empty() {
        return Some(midnight);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => (&rest[..at], offset(&rest[at..])?),
        None => (rest, 0),
    };
    Some(midnight + time_of_day(clock)? - offset)
}

/// Numbers of these many digits with a separator between them.
fn numbers<const N: usize>(text: &str, separator: u8, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator as char);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Seconds since midnight of `12:30`, `12:30:05` or `12:30:05.25`.
fn time_of_day(clock: &str) -> Option<i64> {
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let [hour, minute, second] = match numbers(whole, b':', [2, 2, 2]) {
        Some(numbers) => numbers,
        None if whole.len() == clock.len() => {
            let [hour, minute] = numbers(whole, b':', [2, 2])?;
            [hour, minute, 0]
        }
        None => return None,
    };
    (hour < 24 && minute < 60 && second <= 60).then_some(3600 * hour + 60 * minute + second)
}

/// Seconds that an offset such as `Z`, `+01:00`, `-0530` or `+01` lies ahead of UTC.
fn offset(text: &str) -> Option<i64> {
    let (sign, rest) = text.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return rest.is_empty().then_some(0),
    };
    let digits: String = rest.chars().filter(|&letter| letter != ':').collect();
    let [hour, minute] = match (rest.len(), digits.len()) {
        (2, 2) => [numbers::<1>(&digits, b':', [2])?[0], 0],
        (4 | 5, 4) => [numbers::<1>(digits.get(..2)?, b':', [2])?[0], numbers::<1>(digits.get(2..)?, b':', [2])?[0]],
        _ => return None,
    };
    (hour < 24 && minute < 60).then_some(sign * (3600 * hour + 60 * minute))
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the beginning of 1970 to a date.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let years = 365 * (year - 1970) + leaps(year - 1) - leaps(1969);
    years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29", 951_782_400),
            ("2026-11-19 12:30", 1_795_091_400),
            ("2026-11-19T12:30:05.999Z", 1_795_091_405),
            ("2026-11-19T12:30:05-0530", 1_795_111_205),
            ("0001-01-01", -62_135_596_800),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-00-01",
            "2026-04-31",
            "2026-11-19x",
            "2026-11-19T",
            "2026-11-19T25:00",
            "2026-11-19T12:30.5",
            "2026-11-19T12:30:05+1",
            "2026-11-19T12:30:05Z1",
            "20261119",
            "2026/11/19",
            "ä026-11-19",
        ] {
            assert_eq!(seconds_of(text), None, "{text}");
        }
    }
}
