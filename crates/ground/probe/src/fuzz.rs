//! What `make fuzz` reaches of the readers of traces: any bytes in place of the kernel's.

use crate::events::decode::{Decoder, EVENTS, decoders};
use crate::events::pairs::{PairEvent, Pairs};
use crate::{blktrace, btf, perf, tracefs};
use std::sync::LazyLock;

/// An event as this kernel might lay it out. Numbers and places are those of the fuzzer's seeds, nothing else.
fn layout(name: &str) -> Option<String> {
    let id = EVENTS.iter().position(|(known, _)| *known == name)?;
    let sectors = if name == "block_split" {
        "new_sector"
    } else {
        "nr_sector"
    };
    Some(format!(
        "name: {name}\nID: {}\nformat:\n\
         \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
         \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
         \tfield:unsigned int {sectors};\toffset:24;\tsize:4;\tsigned:0;\n\
         \tfield:char rwbs[8];\toffset:28;\tsize:8;\tsigned:0;\n\
         \tfield:int error;\toffset:36;\tsize:4;\tsigned:1;\n\
         \tfield:dev_t old_dev;\toffset:40;\tsize:4;\tsigned:0;\n\
         \tfield:sector_t old_sector;\toffset:48;\tsize:8;\tsigned:0;\n",
        id + 1
    ))
}

fn decode(at_ns: u64, bytes: &[u8]) -> Option<PairEvent> {
    static DECODERS: LazyLock<Vec<(&str, Decoder)>> =
        LazyLock::new(|| decoders(layout).unwrap_or_default());
    DECODERS
        .iter()
        .find_map(|(_, decoder)| decoder.decode(at_ns, bytes))
}

/// Pairs whatever events came out, of the device that has number 0 and of the one below it.
fn pair(events: &[PairEvent]) {
    let mut pairs = Pairs::new(&[(0, 0), (1, 1)], 2);
    events.iter().for_each(|event| pairs.take(event));
    for tally in &pairs.tallies {
        let _ = tally.spans();
    }
}

/// What blktrace's file of a CPU gives, in two readings.
pub fn blktrace(bytes: &[u8]) {
    let (mut intake, mut events) = (blktrace::record::BlktraceIntake::default(), Vec::new());
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    intake.take(first, false, &mut events);
    intake.take(rest, true, &mut events);
    pair(&events);
}

/// What a ring of perf gives.
pub fn perf(bytes: &[u8]) {
    let mut events = Vec::new();
    perf::record::PerfIntake::default().take(bytes, &mut events, decode);
    pair(&events);
}

/// Pages of a trace buffer.
struct GivenBytes<'a>(std::slice::Chunks<'a, u8>);

impl tracefs::intake::Pages for GivenBytes<'_> {
    fn next(&mut self, page: &mut [u8]) -> usize {
        let chunk = self.0.next().unwrap_or_default();
        page[..chunk.len()].copy_from_slice(chunk);
        chunk.len()
    }
}

/// What `trace_pipe_raw` gives, a page at a time.
pub fn tracefs(bytes: &[u8]) {
    const PAGE: usize = 512;
    let (mut events, mut page) = (Vec::new(), [0; PAGE]);
    let mut intake = tracefs::intake::TracefsIntake::new(GivenBytes(bytes.chunks(PAGE)));
    intake.take(u64::MAX, &mut page, &mut events, decode);
    pair(&events);
}

/// The kernel's type information.
pub fn btf(bytes: &[u8]) {
    if let Some(events) = btf::Events::parse(bytes) {
        let _ = events.arguments("block_rq_issue");
    }
}

/// A description of an event, and behind a NUL an event that it is to describe.
pub fn formats(bytes: &[u8]) {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    let (text, event) = bytes.split_at(end);
    let text = String::from_utf8_lossy(text);
    for (_, decoder) in decoders(|_| Some(text.to_string())).into_iter().flatten() {
        let _ = decoder.decode(0, event);
    }
}
