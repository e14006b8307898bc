//! Pages of the kernel's trace buffer, as `trace_pipe_raw` gives them.
//!
//! A page begins with the time of its first event and the number of bytes in use; then come records, each with a word
//! of 5 bits of length and 27 bits of time since the record before. include/linux/ring_buffer.h has the types; they
//! have not changed since 2.6.31 but for the absolute time stamp (4.16).

const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Flag of the word that says how much of the page is in use: events before this page were lost.
const MISSED: u64 = 1 << 31;
const USED_MASK: u64 = 0x3fff_ffff;
/// Bits of a time stamp that a record of that kind has; the upper ones are those of the time so far.
const STAMP_BITS: u32 = 59;

/// Gives the events of a page with their times, in order; whether events before it were lost. What is cut off or not
/// understood ends the page.
pub fn events(page: &[u8], mut each: impl FnMut(u64, &[u8])) -> bool {
    let (Some(mut time), Some(used)) = (word64(page, 0), word64(page, 8)) else {
        return false;
    };
    let end = (used & USED_MASK) as usize;
    let mut rest = page.get(16..(16 + end).min(page.len())).unwrap_or(&[]);
    while let Some(word) = word32(rest, 0) {
        let (kind, delta) = (word & 31, u64::from(word >> 5));
        let argument = word32(rest, 4);
        let length = match (kind, argument) {
            (PADDING, _) if delta == 0 => break,
            (PADDING, Some(bytes)) => 4 + bytes as usize,
            (TIME_EXTEND, Some(upper)) => {
                time = time.wrapping_add(delta | u64::from(upper) << 27);
                8
            }
            (TIME_STAMP, Some(upper)) => {
                time = (delta | u64::from(upper) << 27) & ((1 << STAMP_BITS) - 1)
                    | time >> STAMP_BITS << STAMP_BITS;
                8
            }
            (PADDING | TIME_EXTEND | TIME_STAMP, None) => break,
            (0, None) => break,
            (0, Some(bytes)) => {
                time = time.wrapping_add(delta);
                let length = 4 + bytes as usize;
                rest.get(8..length)
                    .into_iter()
                    .for_each(|event| each(time, event));
                length
            }
            (words, _) => {
                time = time.wrapping_add(delta);
                let length = 4 + 4 * words as usize;
                rest.get(4..length)
                    .into_iter()
                    .for_each(|event| each(time, event));
                length
            }
        };
        let Some(next) = rest.get(length.next_multiple_of(4).max(4)..) else {
            break;
        };
        rest = next;
    }
    used & MISSED != 0
}

fn word32(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

fn word64(data: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(used: u64, words: &[u32]) -> Vec<u8> {
        let mut page = 1_000u64.to_le_bytes().to_vec();
        page.extend((used | (4 * words.len() as u64)).to_le_bytes());
        words
            .iter()
            .for_each(|word| page.extend(word.to_le_bytes()));
        page
    }

    fn read(page: &[u8]) -> (Vec<(u64, usize)>, bool) {
        let mut found = Vec::new();
        let missed = events(page, |time, event| found.push((time, event.len())));
        (found, missed)
    }

    #[test]
    fn times_add_up_over_all_kinds_of_records() {
        let words = [
            2 | 10 << 5,
            1,
            2,
            30 | 5 << 5,
            1,
            1 | 7 << 5,
            9,
            29 | 1 << 5,
            4,
            8 << 5,
            8,
            3,
        ];
        let whole = page(0, &words);
        assert_eq!(
            read(&whole),
            (
                vec![
                    (1_010, 8),
                    (1_010 + 5 + (1 << 27) + 7, 4),
                    (1_022 + 8 + (1 << 27), 4)
                ],
                false
            )
        );
        assert!(read(&page(MISSED, &words)).1, "the flag of lost events");
        assert_eq!(
            read(&page(0, &[29, 0, 1 | 7 << 5, 9])).0,
            [],
            "padding to the end"
        );
    }

    #[test]
    fn damage_is_refused_or_harmless() {
        let whole = page(
            0,
            &[
                2 | 10 << 5,
                1,
                2,
                30 | 5 << 5,
                1,
                31 | 5 << 5,
                1,
                1 | 7 << 5,
                9,
            ],
        );
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for round in 0..20_000usize {
            let mut damaged = whole.clone();
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= (state >> 20) as u8 | 1;
            damaged.truncate(whole.len() - round % 8);
            let _ = read(&damaged);
        }
    }
}
