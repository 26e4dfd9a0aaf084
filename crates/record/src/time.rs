//! Timestamps as text: RFC 3339, section 5.6, always in UTC.

use crate::Timestamp;
use crate::text::{push_decimal, push_two_digits};

const SECONDS_PER_DAY: i64 = 86_400;

/// A timestamp taken apart in the proleptic Gregorian calendar, UTC.
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
}

impl Civil {
    /// Total: every `i64` has a date.
    pub(crate) fn of(seconds: i64) -> Civil {
        let second_of_day = seconds.rem_euclid(SECONDS_PER_DAY);
        // Count years from 1 March, so that the leap day is the last of a year, and in eras of 400 years = 146,097 days.
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        let days = seconds.div_euclid(SECONDS_PER_DAY) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // From March on the months are 31, 30, 31, 30, 31 days long, twice and a bit: 153 days in five months.
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

    /// At least four digits, with a minus sign before year 0 (as `xs:dateTime` has it; RFC 3339 knows 0000 to 9999 only).
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

/// Appends `2026-11-20T14:08:22.123456789Z`.
pub(crate) fn push_rfc3339(time: Timestamp, out: &mut Vec<u8>) {
    let civil = Civil::of(time.seconds);
    civil.push_year(out);
    for (separator, value) in
        [(b'-', civil.month), (b'-', civil.day), (b'T', civil.hour), (b':', civil.minute), (b':', civil.second)]
    {
        out.push(separator);
        push_two_digits(value, out);
    }
    out.push(b'.');
    let nanoseconds = time.nanoseconds.min(999_999_999);
    let mut unit = 100_000_000;
    while unit > 0 {
        out.push(b'0' + (nanoseconds / unit % 10) as u8);
        unit /= 10;
    }
    out.push(b'Z');
}
