//! Where an event's fields are: `events/block/NAME/format`, which is different on every kernel.

/// A field of an event: an unsigned number or a text of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatField {
    offset: usize,
    bytes: usize,
}

/// The layout of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its number in `common_type`.
    pub id: u16,
    fields: Vec<(String, FormatField)>,
}

impl Format {
    /// Reads the kernel's description; none where it is none.
    pub fn parse(text: &str) -> Option<Format> {
        let id = text
            .lines()
            .find_map(|line| line.strip_prefix("ID:"))?
            .trim()
            .parse()
            .ok()?;
        let fields: Vec<(String, FormatField)> = text.lines().filter_map(field).collect();
        (!fields.is_empty()).then_some(Format { id, fields })
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<FormatField> {
        self.fields
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, field)| *field)
    }
}

impl FormatField {
    /// The number in an event; none where the event is too short.
    pub fn number(self, event: &[u8]) -> Option<u64> {
        let bytes = self.bytes(event)?;
        let mut number = [0; 8];
        number.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(number))
    }

    /// The bytes in an event.
    pub fn bytes(self, event: &[u8]) -> Option<&[u8]> {
        event.get(self.offset..self.offset.checked_add(self.bytes)?)
    }
}

/// `field:char rwbs[8]; offset:28; size:8; signed:1;`, with tabs between.
fn field(line: &str) -> Option<(String, FormatField)> {
    let mut parts = line
        .trim()
        .strip_prefix("field:")?
        .split(';')
        .map(str::trim);
    let declared = parts.next()?.split_whitespace().last()?;
    let name = declared.split('[').next()?.to_string();
    let mut number = |key: &str| parts.find_map(|part| part.strip_prefix(key))?.parse().ok();
    Some((
        name,
        FormatField {
            offset: number("offset:")?,
            bytes: number("size:")?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: &str = "name: block_rq_complete\nID: 1054\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
        \tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:1;\n\
        \tfield:__data_loc char[] cmd;\toffset:40;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->dev\n";

    #[test]
    fn fields_are_found_by_name() {
        let format = Format::parse(COMPLETE).unwrap();
        assert_eq!(format.id, 1054);
        assert_eq!(
            format.field("sector"),
            Some(FormatField {
                offset: 16,
                bytes: 8
            })
        );
        assert_eq!(
            format.field("rwbs"),
            Some(FormatField {
                offset: 32,
                bytes: 8
            })
        );
        assert_eq!(format.field("nr_sector"), None);
        let mut event = vec![0; 44];
        event[16] = 7;
        event[17] = 1;
        assert_eq!(format.field("sector").unwrap().number(&event), Some(263));
        assert_eq!(format.field("sector").unwrap().number(&event[..20]), None);
    }

    #[test]
    fn damage_is_refused_or_harmless() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..5_000 {
            let mut damaged = COMPLETE.as_bytes().to_vec();
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= (state >> 20) as u8 & 0x7f;
            if let Some(format) = Format::parse(&String::from_utf8_lossy(&damaged)) {
                let _ = format
                    .field("sector")
                    .and_then(|field| field.number(&[0; 64]));
            }
        }
        assert_eq!(Format::parse("no event"), None);
    }
}
