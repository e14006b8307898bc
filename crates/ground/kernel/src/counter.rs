//! How much a counter of the kernel grew. Some wrap at 2^32; which ones is declared where the counter is, because the
//! values alone do not tell.

/// Where a counter starts again at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// At 2^64: in practice never.
    Bits64,
    /// At 2^32.
    Bits32,
}

const WRAP: u64 = 1 << 32;

impl Width {
    /// How much a counter grew between two readings; none where it was reset. One of 32 bits that fell has wrapped when
    /// that makes the smaller step; a counter that fell for another reason was reset.
    pub fn grown(self, before: u64, after: u64) -> Option<u64> {
        if after >= before {
            return Some(after - before);
        }
        let wrapped = after.wrapping_add(WRAP).checked_sub(before)?;
        (self == Width::Bits32 && wrapped < WRAP / 2).then_some(wrapped)
    }

    /// The same for samples; a gap (NaN) has no growth.
    pub fn grown_between(self, before: f64, after: f64) -> Option<f64> {
        const WRAP_F64: f64 = WRAP as f64;
        let grown = after - before;
        match self {
            _ if grown >= 0.0 => Some(grown),
            Width::Bits32 if grown + WRAP_F64 < WRAP_F64 / 2.0 && grown + WRAP_F64 >= 0.0 => {
                Some(grown + WRAP_F64)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Width::{Bits32, Bits64};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_wrap_is_no_reset() {
        let near_the_end = u64::from(u32::MAX) - 1;
        assert_eq!(Bits32.grown(near_the_end, 3), Some(5));
        assert_eq!(Bits64.grown(near_the_end, 3), None);
        assert_eq!(
            Bits32.grown(5_000_000, 10),
            None,
            "a step of 4.29e9 was a reset"
        );
        assert_eq!(Bits64.grown(10, 15), Some(5));
        // Beyond 2^32 it cannot have been a counter of 32 bits.
        assert_eq!(Bits32.grown(WRAP * 2, 3), None);
        assert_eq!(Bits64.grown(u64::MAX, 0), None);
        assert_eq!(Bits32.grown_between(f64::NAN, 1.0), None);
        assert_eq!(Bits64.grown_between(0.0, f64::NAN), None);
    }

    proptest! {
        #[test]
        fn small_steps_are_found_across_the_wrap(before in any::<u32>(), step in 0..u32::MAX / 2) {
            let after = before.wrapping_add(step);
            prop_assert_eq!(Bits32.grown(before.into(), after.into()), Some(step.into()));
        }

        #[test]
        fn samples_and_numbers_say_the_same(before in 0u64..1 << 34, after in 0u64..1 << 34) {
            for width in [Bits32, Bits64] {
                let of_numbers = width.grown(before, after).map(|grown| grown as f64);
                prop_assert_eq!(of_numbers, width.grown_between(before as f64, after as f64));
            }
        }

        #[test]
        fn no_pair_panics(before in any::<u64>(), after in any::<u64>()) {
            prop_assert!(Bits32.grown(before, after).is_none_or(|grown| after < before || grown == after - before));
        }
    }
}
