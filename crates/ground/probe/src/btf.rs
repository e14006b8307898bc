//! The kernel's type information (BTF): which events it has, and with how many arguments.
//!
//! Linux describes every trace event as a typedef `btf_trace_NAME` of a pointer to a function type, whose first
//! parameter is the kernel's own. Documentation/bpf/btf.rst gives the format; the header and the kinds read here have
//! not changed since 4.18.

use std::collections::BTreeMap;

/// Parameters by event, the kernel's own not counted.
#[derive(Debug, PartialEq, Eq)]
pub struct Events(BTreeMap<String, usize>);

const MAGIC: u16 = 0xeb9f;
const KIND_PTR: u32 = 2;
const KIND_TYPEDEF: u32 = 8;
const KIND_FUNC_PROTO: u32 = 13;

/// One type: its name, kind, number of members, and the type it refers to.
#[derive(Clone, Copy)]
struct Type {
    name: u32,
    kind: u32,
    members: usize,
    refers_to: usize,
}

impl Events {
    /// Reads the events out of BTF data; none where it is not BTF or is cut off.
    pub fn parse(data: &[u8]) -> Option<Events> {
        let word = |at: usize| {
            Some(u32::from_le_bytes(
                data.get(at..at.checked_add(4)?)?.try_into().ok()?,
            ))
        };
        if u16::from_le_bytes(data.get(..2)?.try_into().ok()?) != MAGIC {
            return None;
        }
        let header_bytes = word(4)? as usize;
        let section = |offset: usize, length: usize| {
            let start = header_bytes.checked_add(word(offset)? as usize)?;
            data.get(start..start.checked_add(word(length)? as usize)?)
        };
        let (types, strings) = (types(section(8, 12)?)?, section(16, 20)?);
        let proto = |typedef: &Type| {
            let pointer = types.get(typedef.refers_to)?;
            let proto = types.get(pointer.refers_to)?;
            (pointer.kind == KIND_PTR && proto.kind == KIND_FUNC_PROTO)
                .then(|| proto.members.checked_sub(1))?
        };
        let event = |one: &Type| {
            let name = name(strings, one.name)?.strip_prefix("btf_trace_")?;
            Some((name.to_string(), proto(one)?))
        };
        let typedefs = types.iter().filter(|one| one.kind == KIND_TYPEDEF);
        Some(Events(typedefs.filter_map(event).collect()))
    }

    /// How many arguments an event has; none where this kernel has no such event.
    pub fn arguments(&self, event: &str) -> Option<usize> {
        self.0.get(event).copied()
    }
}

fn name(strings: &[u8], at: u32) -> Option<&str> {
    let rest = strings.get(at as usize..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// All types by number; number 0 is void.
fn types(section: &[u8]) -> Option<Vec<Type>> {
    let mut types = vec![Type {
        name: 0,
        kind: 0,
        members: 0,
        refers_to: 0,
    }];
    let mut rest = section;
    while !rest.is_empty() {
        let word = |index: usize| {
            Some(u32::from_le_bytes(
                rest.get(index * 4..index * 4 + 4)?.try_into().ok()?,
            ))
        };
        let info = word(1)?;
        let (kind, members) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
        types.push(Type {
            name: word(0)?,
            kind,
            members,
            refers_to: word(2)? as usize,
        });
        rest = rest.get(12 + trailing_bytes(kind, members)?..)?;
    }
    Some(types)
}

/// Bytes that follow the common part of a type.
fn trailing_bytes(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        // Integers, variables and tags of declarations have one word more.
        1 | 14 | 17 => 4,
        3 => 12,
        // Structures, unions, sections and enumerations of 64 bits: three words a member.
        4 | 5 | 15 | 19 => 12 * members,
        // Enumerations and function types: two.
        6 | 13 => 8 * members,
        2 | 7..=12 | 16 | 18 => 0,
        // A kind that this reader does not know has a length that it cannot know.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `void f(void *, int)`, a pointer to it, and a typedef of that.
    fn sample() -> Vec<u8> {
        let strings = b"\0int\0btf_trace_block_rq_issue\0";
        let types: [u32; 19] = [
            1,
            1 << 24,
            4,
            32, // 1: int
            0,
            13 << 24 | 2,
            0,
            0,
            0,
            0,
            1, // 2: function type
            0,
            2 << 24,
            2, // 3: pointer
            5,
            8 << 24,
            3, // 4: typedef
            0,
            2 << 24, // cut off below
        ];
        let types: Vec<u8> = types[..17]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut data = vec![0x9f, 0xeb, 1, 0];
        for word in [
            24,
            0,
            types.len() as u32,
            types.len() as u32,
            strings.len() as u32,
        ] {
            data.extend(word.to_le_bytes());
        }
        data.extend(types);
        data.extend(strings);
        data
    }

    #[test]
    fn an_event_has_the_arguments_after_the_first() {
        let events = Events::parse(&sample()).unwrap();
        assert_eq!(events.arguments("block_rq_issue"), Some(1));
        assert_eq!(events.arguments("block_rq_insert"), None);
    }

    #[test]
    fn damage_is_refused_or_harmless() {
        let whole = sample();
        for length in 0..whole.len() {
            let _ = Events::parse(&whole[..length]);
        }
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for _ in 0..20_000 {
            let mut damaged = whole.clone();
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= (state >> 20) as u8 | 1;
            let _ = Events::parse(&damaged);
        }
        assert_eq!(Events::parse(b"no type information"), None);
    }
}
