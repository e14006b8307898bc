//! From the bytes of a trace event to what happened, by the layout that the kernel describes.

use super::format::{Format, FormatField};
use super::pairs::{self, EventWhat, PairEvent};
use crate::ProbeError;

/// Events with the file names that the kernel gives them, in the order in which they are turned on: what queues comes
/// last. Those that a kernel lacks are done without, but for queueing, issue and completion.
pub const EVENTS: [(&str, EventWhat); 9] = [
    ("block_getrq", EventWhat::GetRequest),
    ("block_split", EventWhat::Split),
    ("block_rq_insert", EventWhat::Insert),
    ("block_rq_issue", EventWhat::Issue),
    ("block_rq_requeue", EventWhat::Requeue),
    ("block_rq_complete", EventWhat::Complete),
    ("block_bio_complete", EventWhat::BioComplete),
    ("block_bio_remap", EventWhat::Remap),
    ("block_bio_queue", EventWhat::Queue),
];

/// How one event is read.
#[derive(Debug)]
pub struct Decoder {
    id: u16,
    what: EventWhat,
    device: FormatField,
    sector: FormatField,
    sectors: Option<FormatField>,
    rwbs: FormatField,
    error: Option<FormatField>,
    from_device: Option<FormatField>,
    from_sector: Option<FormatField>,
}

/// The decoders of all events that the kernel has, with their names; `format` gives the kernel's description of one.
///
/// # Errors
/// Without the events that no time can do without.
pub fn decoders(
    format: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static str, Decoder)>, ProbeError> {
    let mut decoders = Vec::new();
    for (name, what) in EVENTS {
        match format(name).and_then(|text| Decoder::new(&text, what)) {
            Some(decoder) => decoders.push((name, decoder)),
            None if matches!(
                what,
                EventWhat::Queue | EventWhat::Issue | EventWhat::Complete
            ) =>
            {
                return Err(ProbeError::NoEvent { event: name });
            }
            None => {}
        }
    }
    Ok(decoders)
}

impl Decoder {
    fn new(text: &str, what: EventWhat) -> Option<Decoder> {
        let format = Format::parse(text)?;
        let sectors = if what == EventWhat::Split {
            "new_sector"
        } else {
            "nr_sector"
        };
        Some(Decoder {
            id: format.id,
            what,
            device: format.field("dev")?,
            sector: format.field("sector")?,
            sectors: format.field(sectors),
            rwbs: format.field("rwbs")?,
            // Older kernels name it `errors`.
            error: format.field("error").or_else(|| format.field("errors")),
            from_device: format.field("old_dev"),
            from_sector: format.field("old_sector"),
        })
    }

    /// The number of the event.
    pub fn id(&self) -> u16 {
        self.id
    }

    /// What the bytes say; none where they are of another event or too short.
    pub fn decode(&self, at_ns: u64, event: &[u8]) -> Option<PairEvent> {
        if event.get(..2)? != self.id.to_le_bytes() {
            return None;
        }
        let sectors = self.sectors?.number(event)?;
        let from_device = self.from_device.and_then(|field| field.number(event));
        let from_sector = self.from_sector.and_then(|field| field.number(event));
        Some(PairEvent {
            at_ns,
            what: self.what,
            device: self.device.number(event)? as u32,
            sector: self.sector.number(event)?,
            sectors,
            side: pairs::side(self.rwbs.bytes(event)?, sectors),
            error: self
                .error
                .and_then(|field| field.number(event))
                .unwrap_or(0) as u32 as i32,
            from: from_device.map(|device| device as u32).zip(from_sector),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::layers::LayerSide;

    /// Linux 3.10's and 6.18's remap, which have the same fields at other places.
    fn remap(offsets: [usize; 6]) -> String {
        let names = [
            "dev",
            "sector",
            "nr_sector",
            "old_dev",
            "old_sector",
            "rwbs[8]",
        ];
        let sizes = [4, 8, 4, 4, 8, 8];
        let field = |index: usize| {
            format!(
                "\tfield:int {};\toffset:{};\tsize:{};\n",
                names[index], offsets[index], sizes[index]
            )
        };
        format!(
            "name: block_bio_remap\nID: 900\nformat:\n{}",
            (0..6).map(field).collect::<String>()
        )
    }

    #[test]
    fn a_remap_says_from_where() {
        for offsets in [[8, 16, 24, 28, 32, 40], [12, 16, 24, 28, 32, 48]] {
            let decoder = Decoder::new(&remap(offsets), EventWhat::Remap).unwrap();
            let mut event = vec![0; 60];
            event[..2].copy_from_slice(&900u16.to_le_bytes());
            for (offset, byte) in offsets.into_iter().zip([5, 80, 8, 6, 16, b'R']) {
                event[offset] = byte;
            }
            let decoded = decoder.decode(77, &event).unwrap();
            assert_eq!((decoded.at_ns, decoded.device, decoded.sector), (77, 5, 80));
            assert_eq!(
                (decoded.from, decoded.side),
                (Some((6, 16)), Some(LayerSide::Read))
            );
            assert!((0..40).all(|length| decoder.decode(77, &event[..length]).is_none()));
            event[0] ^= 1;
            assert_eq!(decoder.decode(77, &event), None, "another event");
        }
    }

    #[test]
    fn a_kernel_without_the_events_that_matter_is_refused() {
        let error =
            decoders(|name| (name != "block_rq_issue").then(|| remap([8, 16, 24, 28, 32, 40])))
                .unwrap_err();
        assert!(matches!(
            error,
            ProbeError::NoEvent {
                event: "block_rq_issue"
            }
        ));
        let fewer =
            decoders(|name| (name != "block_getrq").then(|| remap([8, 16, 24, 28, 32, 40])))
                .unwrap();
        assert_eq!(fewer.len(), EVENTS.len() - 1);
    }
}
