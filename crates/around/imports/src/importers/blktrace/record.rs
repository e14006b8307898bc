//! From pieces of a file of either byte order to events: what is between records, cut off or missing is counted.

use super::pairs::{BlktraceEvent, BlktraceSide, BlktraceWhat};
use kernel::blktrace::{Action, BlktraceHead, BlktraceKind, HEAD, MAGIC};
use std::collections::HashMap;

/// CPUs and devices whose numbers are followed; a damaged file has any number of them.
const STREAMS_MAX: usize = 1 << 16;
/// More than so many at once were not dropped: the numbers begin anew, in a file behind another.
const GAP_MAX: u32 = 1 << 24;

/// Which byte order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bytes {
    Little,
    Big,
}

/// Whether a file begins so.
pub fn is_mine(head: &[u8]) -> bool {
    byte_order(head).is_some()
}

fn byte_order(head: &[u8]) -> Option<Bytes> {
    let magic: [u8; 4] = head.get(..4)?.try_into().ok()?;
    match (u32::from_le_bytes(magic), u32::from_be_bytes(magic)) {
        (MAGIC, _) => Some(Bytes::Little),
        (_, MAGIC) => Some(Bytes::Big),
        _ => None,
    }
}

/// What reads records from pieces of a file.
#[derive(Debug, Default)]
pub struct BlktraceFileIntake {
    bytes: Option<Bytes>,
    /// The number of the last record of a device on a CPU.
    numbers: HashMap<u64, u32>,
    /// The stream of the last record, and its number: mostly it is the same again.
    last: Option<(u64, u32)>,
    skipped_bytes: u64,
    /// Of a file that does not begin with a record.
    others_bytes: u64,
    lost: u64,
    cut_bytes: u64,
    start_unix_ms: Option<u64>,
}

impl BlktraceFileIntake {
    /// Gives the events of what was read to `give`, with their CPUs, and says how many bytes it used. `is_end` where no
    /// more follow.
    pub fn take(
        &mut self,
        data: &[u8],
        is_end: bool,
        give: &mut impl FnMut(BlktraceEvent, u32),
    ) -> usize {
        let order = match self.bytes.or_else(|| byte_order(data)) {
            Some(order) => order,
            // The first four bytes may come in several pieces.
            None if data.len() < 4 && !is_end => return 0,
            None => {
                self.others_bytes += data.len() as u64;
                return data.len();
            }
        };
        self.bytes = Some(order);
        match order {
            Bytes::Little => self.records::<false>(data, is_end, give),
            Bytes::Big => self.records::<true>(data, is_end, give),
        }
    }

    fn records<const BIG: bool>(
        &mut self,
        data: &[u8],
        is_end: bool,
        give: &mut impl FnMut(BlktraceEvent, u32),
    ) -> usize {
        let mut at = 0;
        while let Some(bytes) = data.get(at..).and_then(|rest| rest.first_chunk::<HEAD>()) {
            let Some(head) = BlktraceHead::parse::<BIG>(bytes) else {
                // Somewhere a record begins again.
                self.skipped_bytes += 1;
                at += 1;
                continue;
            };
            let end = at + HEAD + head.more;
            let Some(follows) = data.get(at + HEAD..end) else {
                break;
            };
            self.record::<BIG>(&head, follows, give);
            at = end;
        }
        if is_end {
            self.cut_bytes += (data.len() - at) as u64;
            return data.len();
        }
        at
    }

    fn record<const BIG: bool>(
        &mut self,
        head: &BlktraceHead,
        more: &[u8],
        give: &mut impl FnMut(BlktraceEvent, u32),
    ) {
        if head.is_note() {
            let start = self.start_unix_ms;
            self.start_unix_ms = start.or_else(|| head.start_unix_ms::<BIG>(more));
            return;
        }
        if self.has_gap(head.device, head.cpu, head.number) {
            give(
                BlktraceEvent {
                    at_ns: head.at_ns,
                    what: BlktraceWhat::Lost,
                    device: head.device,
                    sector: 0,
                    sectors: 0,
                    side: BlktraceSide::Read,
                },
                head.cpu,
            );
        }
        if let Some(event) = event(head, more) {
            give(event, head.cpu);
        }
    }

    /// Whether events of this device and CPU are missing before the one of this number.
    fn has_gap(&mut self, device: u32, cpu: u32, number: u32) -> bool {
        let stream = u64::from(device) << 32 | u64::from(cpu);
        let known = match self.last {
            Some((last, known)) if last == stream => Some(known),
            other => {
                if let Some((last, known)) = other
                    && (self.numbers.len() < STREAMS_MAX || self.numbers.contains_key(&last))
                {
                    self.numbers.insert(last, known);
                }
                self.numbers.get(&stream).copied()
            }
        };
        self.last = Some((stream, number));
        let gap = known.map_or(0, |known| number.wrapping_sub(known).wrapping_sub(1));
        let has_gap = gap > 0 && gap < GAP_MAX;
        self.lost += if has_gap { u64::from(gap) } else { 0 };
        has_gap
    }

    /// When tracing began, ms since 1970, where a note says so.
    pub fn start_unix_ms(&self) -> Option<u64> {
        self.start_unix_ms
    }

    /// What could not be read, as sentences.
    pub fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
        if self.others_bytes > 0 {
            unread.push(format!(
                "its {} bytes do not begin with a record of blktrace",
                self.others_bytes
            ));
        }
        if self.skipped_bytes > 0 {
            unread.push(format!(
                "{} bytes are between records and no part of one",
                self.skipped_bytes
            ));
        }
        if self.cut_bytes > 0 {
            unread.push(format!(
                "the last record is cut off: {} bytes of it are there",
                self.cut_bytes
            ));
        }
        if self.lost > 0 {
            unread.push(format!(
                "{} events are missing by the numbers of the others: the kernel dropped them",
                self.lost
            ));
        }
        unread
    }
}

/// What happened; none of what is no part of an I/O's way.
fn event(head: &BlktraceHead, more: &[u8]) -> Option<BlktraceEvent> {
    let what = what(head.action()?);
    let side = match head.kind()? {
        BlktraceKind::Read => BlktraceSide::Read,
        BlktraceKind::Write => BlktraceSide::Write,
        BlktraceKind::Discard => BlktraceSide::Discard,
        BlktraceKind::Flush => BlktraceSide::Flush,
    };
    let sectors = match what {
        BlktraceWhat::Split => head.cut(more)?,
        _ => head.sectors(),
    };
    Some(BlktraceEvent {
        at_ns: head.at_ns,
        what,
        device: head.device,
        sector: head.sector,
        sectors,
        side,
    })
}

fn what(action: Action) -> BlktraceWhat {
    match action {
        Action::Queue => BlktraceWhat::Queue,
        Action::GetRequest => BlktraceWhat::GetRequest,
        Action::Requeue => BlktraceWhat::Requeue,
        Action::Issue => BlktraceWhat::Issue,
        Action::Complete => BlktraceWhat::Done,
        Action::Insert => BlktraceWhat::Insert,
        Action::Split => BlktraceWhat::Split,
        Action::Remap => BlktraceWhat::Remap,
    }
}
