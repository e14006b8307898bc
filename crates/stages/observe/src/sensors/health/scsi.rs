//! Log pages of a SCSI disk (SPC and SBC, LOG SENSE).

use super::facts::HealthFacts;

/// Which pages there are.
pub const SUPPORTED: u8 = 0x00;
const WRITE_ERRORS: u8 = 0x02;
const READ_ERRORS: u8 = 0x03;
const TEMPERATURE: u8 = 0x0D;
const SOLID_STATE: u8 = 0x11;
const BACKGROUND_SCAN: u8 = 0x15;
const EXCEPTIONS: u8 = 0x2F;

/// Those that are understood here.
pub const PAGES: [u8; 6] = [
    WRITE_ERRORS,
    READ_ERRORS,
    TEMPERATURE,
    SOLID_STATE,
    BACKGROUND_SCAN,
    EXCEPTIONS,
];

/// The codes of the page of supported pages; none when it is no such page.
pub fn supported(page: &[u8]) -> Option<&[u8]> {
    let (code, rest) = body(page)?;
    (code == SUPPORTED).then_some(rest)
}

/// What a page tells; nothing when it is cut off or another.
pub fn facts(page: &[u8]) -> HealthFacts {
    let Some((code, rest)) = body(page) else {
        return Vec::new();
    };
    parameters(rest)
        .filter_map(|(number, value)| fact(code, number, value))
        .collect()
}

/// A page's code and what follows its header, as much as there is.
fn body(page: &[u8]) -> Option<(u8, &[u8])> {
    let header = page.get(..4)?;
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let rest = &page[4..];
    Some((header[0] & 0x3F, &rest[..length.min(rest.len())]))
}

/// Number and value of each whole parameter.
fn parameters(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let header = rest.get(..4)?;
        let value = rest.get(4..4 + usize::from(header[3]))?;
        rest = &rest[4 + value.len()..];
        Some((u16::from_be_bytes([header[0], header[1]]), value))
    })
}

fn fact(code: u8, number: u16, value: &[u8]) -> Option<(&'static str, f64)> {
    let long = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0.0, |sum, byte| sum * 256.0 + f64::from(*byte))
    };
    let whole = || (1..=8).contains(&value.len()).then(|| long(value));
    // 0xFF stands for a temperature that is not known.
    let celsius = |at: usize| {
        value
            .get(at)
            .filter(|celsius| **celsius != 0xFF)
            .map(|celsius| f64::from(*celsius))
    };
    match (code, number) {
        (WRITE_ERRORS, 6) => Some(("write_uncorrected_errors", whole()?)),
        (READ_ERRORS, 6) => Some(("read_uncorrected_errors", whole()?)),
        (READ_ERRORS, 3) => Some(("read_corrected_errors", whole()?)),
        (TEMPERATURE, 0) => Some(("temperature_celsius", celsius(1)?)),
        (SOLID_STATE, 1) => Some(("percentage_used", f64::from(*value.get(3)?))),
        (BACKGROUND_SCAN, 0) => Some(("power_on_hours", (long(value.get(..4)?) / 60.0).floor())),
        // Additional sense code 5Dh: failure prediction threshold exceeded.
        (EXCEPTIONS, 0) => Some(("failure_predicted", f64::from(*value.first()? == 0x5D))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(code: u8, parameters: &[(u16, &[u8])]) -> Vec<u8> {
        let body: Vec<u8> = parameters
            .iter()
            .flat_map(|(number, value)| {
                [&number.to_be_bytes()[..], &[0x02, value.len() as u8], value].concat()
            })
            .collect();
        [&[code, 0][..], &(body.len() as u16).to_be_bytes(), &body].concat()
    }

    #[test]
    fn each_page_that_is_understood() {
        assert_eq!(
            facts(&page(0x0D, &[(0, &[0, 34]), (1, &[0, 68])])),
            [("temperature_celsius", 34.0)]
        );
        assert_eq!(facts(&page(0x0D, &[(0, &[0, 0xFF])])), []);
        let errors: Vec<(u16, &[u8])> = vec![(3, &[0, 0, 1, 0]), (6, &[0, 0, 0, 0, 0, 0, 0, 2])];
        assert_eq!(
            facts(&page(0x03, &errors)),
            [
                ("read_corrected_errors", 256.0),
                ("read_uncorrected_errors", 2.0)
            ]
        );
        assert_eq!(
            facts(&page(0x02, &errors)),
            [("write_uncorrected_errors", 2.0)]
        );
        assert_eq!(
            facts(&page(0x2F, &[(0, &[0x5D, 0x10, 40])])),
            [("failure_predicted", 1.0)]
        );
        assert_eq!(
            facts(&page(0x2F, &[(0, &[0, 0, 40])])),
            [("failure_predicted", 0.0)]
        );
        assert_eq!(
            facts(&page(0x11, &[(1, &[0, 0, 0, 7])])),
            [("percentage_used", 7.0)]
        );
        assert_eq!(
            facts(&page(0x15, &[(0, &[0, 0, 0x0E, 0x10, 0, 0])])),
            [("power_on_hours", 60.0)]
        );
        assert_eq!(
            supported(&[0, 0, 0, 3, 0x00, 0x0D, 0x2F]),
            Some(&[0x00, 0x0D, 0x2F][..])
        );
    }

    #[test]
    fn damaged_pages_are_survived() {
        let good = page(0x03, &[(3, &[0, 0, 1, 0]), (6, &[1, 2])]);
        for length in 0..good.len() {
            assert!(facts(&good[..length]).len() <= 1, "{length}");
        }
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        for _ in 0..20_000 {
            let mut page = good.clone();
            for _ in 0..3 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let at = (state >> 8) as usize % page.len();
                page[at] = state as u8;
            }
            assert!(facts(&page).iter().all(|(_, value)| value.is_finite()));
            supported(&page);
        }
    }
}
