//! Timestamps as text: RFC 3339, section 5.6, always in UTC.

use crate::Timestamp;
use crate::text::{parse_decimal, push_decimal, push_two_digits};
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: i64 = 86_400;

/// The parts of a timestamp in the proleptic Gregorian calendar, UTC.
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
}

impl Civil {
    /// Returns the date and time; every `i64` has one.
    pub(crate) fn of(seconds: i64) -> Civil {
        let second_of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        // Years are counted from 1 March, so that the leap day is the last of a year, and in eras of 400 years, which
        // are 146,097 days. There are 719,468 days between 0000-03-01 and 1970-01-01.
        let days = seconds.div_euclid(SECONDS_PER_DAY) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // From March on, the months have 31, 30, 31, 30, 31 days, twice and a bit: 153 days in five months.
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        Civil {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month: month as u8,
            day: day as u8,
            hour: (second_of_day / 3_600) as u8,
            minute: (second_of_day / 60 % 60) as u8,
            second: (second_of_day % 60) as u8,
        }
    }

    /// Appends the year with at least four digits, and a minus sign before year 0 (as in `xs:dateTime`; RFC 3339 has
    /// only 0000 to 9999).
    pub(crate) fn push_year(&self, out: &mut Vec<u8>) {
        if self.year < 0 {
            out.push(b'-');
        }
        let year = self.year.unsigned_abs();
        if year < 10_000 {
            push_two_digits((year / 100) as u8, out);
            push_two_digits((year % 100) as u8, out);
        } else {
            push_decimal(year, out);
        }
    }
}

/// The coarsest times that filesystems keep: those of FAT.
const GRANULARITY_SECONDS: i64 = 2;

impl Timestamp {
    /// Whether a filesystem, however coarse its times, may have given this one to a write from one second to another.
    pub fn may_be_within(self, first_second: i64, last_second: i64) -> bool {
        let first = first_second.saturating_sub(GRANULARITY_SECONDS);
        (first..=last_second.saturating_add(GRANULARITY_SECONDS)).contains(&self.seconds)
    }

    /// Returns `2026-11-20T14:08:22Z` (RFC 3339, section 5.6). Fractions of a second are dropped.
    pub fn to_seconds_text(self) -> String {
        let mut text = Vec::new();
        push_seconds(self.seconds, &mut text);
        text.push(b'Z');
        text.into_iter().map(char::from).collect()
    }
}

impl From<SystemTime> for Timestamp {
    /// A clock has no time that a timestamp cannot express.
    fn from(time: SystemTime) -> Timestamp {
        let seconds = |since: std::time::Duration| i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Timestamp { seconds: seconds(since), nanoseconds: since.subsec_nanos() },
            Err(error) => match error.duration() {
                before if before.subsec_nanos() == 0 => Timestamp { seconds: -seconds(before), nanoseconds: 0 },
                before => {
                    Timestamp { seconds: -seconds(before) - 1, nanoseconds: 1_000_000_000 - before.subsec_nanos() }
                }
            },
        }
    }
}

/// Appends `2026-11-20T14:08:22`.
fn push_seconds(seconds: i64, out: &mut Vec<u8>) {
    let civil = Civil::of(seconds);
    civil.push_year(out);
    for (separator, value) in
        [(b'-', civil.month), (b'-', civil.day), (b'T', civil.hour), (b':', civil.minute), (b':', civil.second)]
    {
        out.push(separator);
        push_two_digits(value, out);
    }
}

/// Appends `2026-11-20T14:08:22.123456789Z`.
pub(crate) fn push_rfc3339(time: Timestamp, out: &mut Vec<u8>) {
    push_seconds(time.seconds, out);
    out.push(b'.');
    let nanoseconds = time.nanoseconds.min(999_999_999);
    let mut unit = 100_000_000;
    while unit > 0 {
        out.push(b'0' + (nanoseconds / unit % 10) as u8);
        unit /= 10;
    }
    out.push(b'Z');
}

/// Returns the seconds from 1970-01-01T00:00:00Z to the given moment; `None` if a part is out of its range.
fn seconds_of(civil: &Civil) -> Option<i64> {
    let Civil { year, month, day, hour, minute, second } = *civil;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    // Second 60 is a leap second, which the count of seconds lacks: it becomes the next second.
    if !(1..=month_days).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (year, month_from_march) =
        if month > 2 { (year, i64::from(month) - 3) } else { (year.checked_sub(1)?, i64::from(month) + 9) };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era.checked_mul(146_097)?.checked_add(day_of_era)?.checked_sub(719_468)?;
    let second_of_day = i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second);
    // In 128 bits, since the product overflows 64 bits on the first and the last representable day.
    i64::try_from(i128::from(days) * i128::from(SECONDS_PER_DAY) + i128::from(second_of_day)).ok()
}

/// Parses exactly `count` digits at the front, and removes them.
fn take_digits(text: &mut &[u8], count: usize) -> Option<u8> {
    let (digits, rest) = text.split_at_checked(count)?;
    *text = rest;
    u8::try_from(parse_decimal(digits)?).ok()
}

fn take_byte(text: &mut &[u8], wanted: u8) -> Option<()> {
    *text = text.strip_prefix(&[wanted])?;
    Some(())
}

/// Parses a year of four or more digits at the front, and removes it.
fn take_year(text: &mut &[u8]) -> Option<i64> {
    let negative = take_byte(text, b'-').is_some();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (year, rest) = text.split_at_checked(digits.max(4))?;
    *text = rest;
    let year = i64::try_from(parse_decimal(year)?).ok()?;
    Some(if negative { -year } else { year })
}

/// Parses a time of RFC 3339 or `xs:dateTime`: any number of fractional digits (those beyond nine are dropped), `Z` or
/// an offset from UTC. A time without either is taken as UTC.
pub(crate) fn parse_rfc3339(text: &[u8]) -> Option<Timestamp> {
    let text = &mut { text };
    let year = take_year(text)?;
    take_byte(text, b'-')?;
    let month = take_digits(text, 2)?;
    take_byte(text, b'-')?;
    let day = take_digits(text, 2)?;
    take_byte(text, b'T').or_else(|| take_byte(text, b't')).or_else(|| take_byte(text, b' '))?;
    let hour = take_digits(text, 2)?;
    take_byte(text, b':')?;
    let minute = take_digits(text, 2)?;
    take_byte(text, b':')?;
    let second = take_digits(text, 2)?;
    let mut nanoseconds = 0;
    if take_byte(text, b'.').is_some() {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for place in 0..9 {
            let digit = text[..digits].get(place).map_or(0, |digit| digit - b'0');
            nanoseconds = nanoseconds * 10 + u32::from(digit);
        }
        *text = &text[digits..];
    }
    let seconds = seconds_of(&Civil { year, month, day, hour, minute, second })?;
    let east_seconds = match *text {
        [] | b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let rest = &mut { rest };
            let hours = take_digits(rest, 2)?;
            take_byte(rest, b':')?;
            let minutes = take_digits(rest, 2)?;
            if !rest.is_empty() || hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = i64::from(hours) * 3_600 + i64::from(minutes) * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    Some(Timestamp { seconds: seconds.checked_sub(east_seconds)?, nanoseconds })
}

/// Appends `2026:11:20:14:08:22`, md5deep's form.
pub(crate) fn push_colon_time(time: Timestamp, out: &mut Vec<u8>) {
    let civil = Civil::of(time.seconds);
    civil.push_year(out);
    for value in [civil.month, civil.day, civil.hour, civil.minute, civil.second] {
        out.push(b':');
        push_two_digits(value, out);
    }
}

/// Parses md5deep's form at the front, and removes it.
pub(crate) fn take_colon_time(text: &mut &[u8]) -> Option<Timestamp> {
    let year = take_year(text)?;
    let mut parts = [0; 5];
    for part in &mut parts {
        take_byte(text, b':')?;
        *part = take_digits(text, 2)?;
    }
    let [month, day, hour, minute, second] = parts;
    let seconds = seconds_of(&Civil { year, month, day, hour, minute, second })?;
    Some(Timestamp { seconds, nanoseconds: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(time: Timestamp) -> String {
        let mut out = Vec::new();
        push_rfc3339(time, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn at(seconds: i64, nanoseconds: u32) -> Timestamp {
        Timestamp { seconds, nanoseconds }
    }

    /// The expected values are from `date -u -d @SECONDS +%FT%TZ` of GNU coreutils 9.1.
    #[test]
    fn known_moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (-1, "1969-12-31T23:59:59.000000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000000Z"),
            (951_868_800, "2000-03-01T00:00:00.000000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000000Z"),
            (1_795_183_702, "2026-11-20T14:08:22.000000000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000000000Z"),
            (253_402_300_800, "10000-01-01T00:00:00.000000000Z"),
            (-62_167_219_200, "0000-01-01T00:00:00.000000000Z"),
        ] {
            assert_eq!(printed(at(seconds, 0)), text);
            assert_eq!(parse_rfc3339(text.as_bytes()), Some(at(seconds, 0)));
        }
        assert_eq!(printed(at(-62_167_219_201, 5)), "-0001-12-31T23:59:59.000000005Z");
    }

    #[test]
    fn every_day_of_eight_centuries_and_the_extremes_come_back() {
        let days = (-292_200..292_200).map(|day: i64| day * SECONDS_PER_DAY + 86_399);
        for seconds in days.chain([i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX]) {
            let time = at(seconds, 999_999_999);
            assert_eq!(parse_rfc3339(printed(time).as_bytes()), Some(time));
            let mut colons = Vec::new();
            push_colon_time(time, &mut colons);
            assert_eq!(take_colon_time(&mut &colons[..]), Some(at(seconds, 0)));
        }
    }

    #[test]
    fn times_of_the_clock_are_timestamps() {
        for (nanoseconds, expected) in
            [(0_i64, at(0, 0)), (1, at(0, 1)), (-1, at(-1, 999_999_999)), (-2_000_000_000, at(-2, 0))]
        {
            let distance = std::time::Duration::from_nanos(nanoseconds.unsigned_abs());
            let time = if nanoseconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance };
            assert_eq!(Timestamp::from(time), expected);
        }
        assert_eq!(at(1_795_183_702, 999_999_999).to_seconds_text(), "2026-11-20T14:08:22Z");
        // Lists and ledgers may state any time; its text does not take the longer, the later it is.
        assert_eq!(at(i64::MAX, 0).to_seconds_text(), "292277026596-12-04T15:30:07Z");
    }

    #[test]
    fn other_spellings_of_the_same_moment() {
        for text in [
            "2026-11-20T14:08:22Z",
            "2026-11-20t14:08:22.0z",
            "2026-11-20 14:08:22",
            "2026-11-20T15:08:22+01:00",
            "2026-11-20T08:38:22.0000000009-05:30",
        ] {
            assert_eq!(parse_rfc3339(text.as_bytes()), Some(at(1_795_183_702, 0)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "-",
            "2026",
            "2026-11-20",
            "2026-11-20T",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-00T00:00:00Z",
            "2026-11-20T24:00:00Z",
            "2026-11-20T14:60:22Z",
            "2026-11-20T14:08:61Z",
            "2026-11-20T14:08:22.Z",
            "2026-11-20T14:08:22Zx",
            "2026-11-20T14:08:22+1:00",
            "2026-11-20T14:08:22+24:00",
            "99999999999999999999-01-01T00:00:00Z",
            "9223372036854775807-01-01T00:00:00Z",
            "-9223372036854775807-01-01T00:00:00Z",
            "2026-1é-20T14:08:22Z",
        ] {
            assert_eq!(parse_rfc3339(text.as_bytes()), None, "{text}");
        }
    }
}
