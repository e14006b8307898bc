//! The end that a budget sets: no window begins that cannot be over by then.

use super::Window;

/// When an experiment has to be over, and what its windows take beside their own length.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    end_ns: u64,
    /// The most that a window took on top of its length: starting a load anew, waiting for what it left dirty.
    overhead_ns: u64,
    is_first: bool,
    /// Length of the windows so far, and the time that they took; without the first.
    windows_ns: u64,
    took_ns: u64,
}

impl Deadline {
    /// Ends at this moment of the monotonic clock. The first window takes so much longer than its length.
    pub fn new(end_ns: u64, first_overhead_ms: u64) -> Self {
        Deadline {
            end_ns,
            overhead_ns: first_overhead_ms * 1_000_000,
            is_first: true,
            windows_ns: 0,
            took_ns: 0,
        }
    }

    /// Whether a window that begins now ends in time.
    pub fn fits(&self, now_ns: u64, window: &Window) -> bool {
        let takes_ns = window
            .duration_ms
            .saturating_mul(1_000_000)
            .saturating_add(self.overhead_ns);
        now_ns.saturating_add(takes_ns) <= self.end_ns
    }

    /// Learns from a window that was run.
    pub fn learn(&mut self, begin_ns: u64, end_ns: u64, window: &Window) {
        let (took_ns, window_ns) = (
            end_ns.saturating_sub(begin_ns),
            window.duration_ms * 1_000_000,
        );
        // What the first one took longer says nothing about the others: it starts the load.
        if self.is_first {
            (self.is_first, self.overhead_ns) = (false, 0);
            return;
        }
        self.overhead_ns = self.overhead_ns.max(took_ns.saturating_sub(window_ns));
        self.windows_ns += window_ns;
        self.took_ns += took_ns.max(window_ns);
    }

    /// How much of what is left is for windows, if they take as much beside their length as those so far, milliseconds.
    pub fn windows_left_ms(&self, now_ns: u64) -> u64 {
        let share = match self.took_ns {
            0 => 1.0,
            took_ns => self.windows_ns as f64 / took_ns as f64,
        };
        (self.left_ms(now_ns) as f64 * share) as u64
    }

    /// What is left, milliseconds.
    pub fn left_ms(&self, now_ns: u64) -> u64 {
        self.end_ns.saturating_sub(now_ns) / 1_000_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::verdict::VerdictStage;

    const MS: u64 = 1_000_000;

    fn window(duration_ms: u64) -> Window {
        let (id, arm, discard_ms, stage) = (1, 0, 0, VerdictStage::Pairs);
        Window {
            id,
            arm,
            duration_ms,
            discard_ms,
            stage,
            fresh: false,
            half_depth: false,
        }
    }

    #[test]
    fn what_windows_take_beside_their_length_is_not_theirs() {
        let mut deadline = Deadline::new(10_000 * MS, 1_000);
        assert_eq!(deadline.windows_left_ms(0), 10_000);
        deadline.learn(0, 1_500 * MS, &window(500));
        assert_eq!(deadline.windows_left_ms(2_000 * MS), 8_000);
        deadline.learn(2_000 * MS, 2_625 * MS, &window(500));
        assert_eq!(deadline.windows_left_ms(5_000 * MS), 4_000);
    }

    #[test]
    fn a_window_that_would_pass_the_end_does_not_begin() {
        let mut deadline = Deadline::new(10_000 * MS, 1_000);
        assert!(
            deadline.fits(0, &window(9_000)) && !deadline.fits(0, &window(9_001)),
            "the load is started first"
        );
        deadline.learn(0, 1_500 * MS, &window(500));
        assert!(
            deadline.fits(9_500 * MS, &window(500)) && !deadline.fits(9_501 * MS, &window(500))
        );
        deadline.learn(2_000 * MS, 2_800 * MS, &window(500));
        assert!(
            deadline.fits(9_200 * MS, &window(500)) && !deadline.fits(9_201 * MS, &window(500))
        );
        deadline.learn(3_000 * MS, 3_510 * MS, &window(500));
        assert!(
            !deadline.fits(9_201 * MS, &window(500)),
            "the most that a window took counts"
        );
        assert_eq!(
            (deadline.left_ms(9_201 * MS), deadline.left_ms(20_000 * MS)),
            (799, 0)
        );
    }
}
