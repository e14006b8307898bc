//! Which panel gets how many rows.

use super::{Look, Panel, state::State};
use ratatui::layout::Rect;

/// Below this, lines of text suit better.
pub const WIDTH_MIN: u16 = 60;
/// The same, rows.
pub const HEIGHT_MIN: u16 = 16;
/// From here on panels stand in two columns below the devices.
const WIDTH_TWO: u16 = 140;
/// Rows that the devices and the latency map get before others get more than their least.
const COMFORT: u16 = 7;
/// Panels across the whole width, above the columns.
const FULL: [char; 2] = ['7', '1'];
/// Panels of the right column.
const RIGHT: [char; 3] = ['3', '6', '8'];
/// Panels that gain most from more rows.
const HUNGRY: [char; 2] = ['1', '2'];

/// The rectangles of what is on the screen.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// The first line.
    pub header: Rect,
    /// Panels by number key.
    pub panels: Vec<(char, Rect)>,
    /// The rule between two columns, where there are two.
    pub rule: Option<Rect>,
    /// Messages, and the filter being typed.
    pub message: Rect,
    /// What is kept, and the moment in it.
    pub timeline: Rect,
    /// Keys.
    pub footer: Rect,
}

/// What a panel can use.
#[derive(Clone, Copy, Debug)]
struct Want {
    key: char,
    least: u16,
    most: u16,
}

/// Places everything. The findings come first, where there is anything to say.
pub fn plan(look: &Look<'_>, state: &State, panels: &[&Panel], area: Rect) -> Plan {
    let line = |y: u16| Rect {
        y: area.y + y,
        height: 1,
        ..area
    };
    let last = area.height.saturating_sub(1);
    let (message, timeline, footer) = (
        line(last.saturating_sub(2)),
        line(last.saturating_sub(1)),
        line(last),
    );
    let body = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(4),
        ..area
    };
    let mut plan = Plan {
        header: line(0),
        panels: Vec::new(),
        rule: None,
        message,
        timeline,
        footer,
    };
    let shown = |panel: &&&Panel| match state.is_expanded {
        true => panel.key == state.focus,
        false => !state.hidden.contains(&panel.key),
    };
    let want = |panel: &&Panel, width: u16| {
        let (least, most) = (panel.rows)(look, width);
        Want {
            key: panel.key,
            least,
            most: most.max(least),
        }
    };
    let shown: Vec<&Panel> = panels.iter().filter(shown).copied().collect();
    if state.is_expanded {
        plan.panels = shown.iter().map(|panel| (panel.key, body)).collect();
        return plan;
    }
    if area.width < WIDTH_TWO {
        let mut wants: Vec<Want> = shown.iter().map(|panel| want(panel, area.width)).collect();
        wants.sort_by_key(|one| one.key != '7');
        plan.panels = stack(&wants, body);
        return plan;
    }
    let of = |width: u16, choose: &dyn Fn(char) -> bool| -> Vec<Want> {
        shown
            .iter()
            .filter(|panel| choose(panel.key))
            .map(|panel| want(panel, width))
            .collect()
    };
    let right_width = (area.width * 36 / 100).max(56);
    let left_width = area.width - right_width - 3;
    let mut top = of(area.width, &|key| FULL.contains(&key));
    top.sort_by_key(|one| one.key != '7');
    let left = of(left_width, &|key| {
        !FULL.contains(&key) && !RIGHT.contains(&key)
    });
    let right = of(right_width, &|key| RIGHT.contains(&key));
    let needed =
        sum(&left, |one| one.least.max(COMFORT.min(one.most))).max(sum(&right, |one| one.least));
    let top_rows = body
        .height
        .saturating_sub(needed)
        .min(body.height / 2)
        .max(sum(&top, |one| one.least));
    let top_rows = top_rows.min(sum(&top, |one| one.most)).min(body.height);
    plan.panels = stack(
        &top,
        Rect {
            height: top_rows,
            ..body
        },
    );
    let below = Rect {
        y: body.y + top_rows,
        height: body.height - top_rows,
        ..body
    };
    let (left_area, right_area) = match (left.is_empty(), right.is_empty()) {
        (false, false) => (
            Rect {
                width: left_width,
                ..below
            },
            Rect {
                x: below.x + left_width + 3,
                width: right_width,
                ..below
            },
        ),
        _ => (below, below),
    };
    if !left.is_empty() && !right.is_empty() && below.height > 0 {
        plan.rule = Some(Rect {
            x: below.x + left_width + 1,
            width: 1,
            ..below
        });
    }
    plan.panels.extend(stack(&left, left_area));
    plan.panels.extend(stack(&right, right_area));
    plan
}

fn sum(wants: &[Want], of: impl Fn(&Want) -> u16) -> u16 {
    wants.iter().map(of).fold(0, u16::saturating_add)
}

/// One below the other: each its least, from the top as long as there is room; then the hungry ones their comfort; then
/// all in turn.
fn stack(wants: &[Want], area: Rect) -> Vec<(char, Rect)> {
    let mut room = area.height;
    let mut rows: Vec<u16> = vec![0; wants.len()];
    // Where not everything fits, what cannot shrink goes without; the devices are the last to.
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|place| !FULL.contains(&wants[*place].key));
    for place in order {
        if wants[place].least <= room {
            rows[place] = wants[place].least;
            room -= rows[place];
        }
    }
    let mut grow = |rows: &mut Vec<u16>, limit: &dyn Fn(&Want) -> u16| loop {
        let mut has_grown = false;
        for (place, want) in wants.iter().enumerate() {
            if room > 0 && rows[place] > 0 && rows[place] < limit(want) {
                rows[place] += 1;
                room -= 1;
                has_grown = true;
            }
        }
        if !has_grown {
            return;
        }
    };
    grow(&mut rows, &|want| {
        if HUNGRY.contains(&want.key) {
            want.most.min(COMFORT)
        } else {
            0
        }
    });
    grow(&mut rows, &|want| want.most);
    let mut y = area.y;
    let mut places = Vec::new();
    for (want, rows) in wants.iter().zip(rows).filter(|(_, rows)| *rows > 0) {
        places.push((
            want.key,
            Rect {
                y,
                height: rows,
                ..area
            },
        ));
        y += rows;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(wants: &[(char, u16, u16)], height: u16) -> Vec<(char, u16)> {
        let wants: Vec<Want> = wants
            .iter()
            .map(|(key, least, most)| Want {
                key: *key,
                least: *least,
                most: *most,
            })
            .collect();
        let places = stack(&wants, Rect::new(0, 1, 80, height));
        for pair in places.windows(2) {
            assert_eq!(pair[0].1.bottom(), pair[1].1.y, "no gap and nothing twice");
        }
        assert!(places.iter().all(|(_, area)| area.bottom() <= 1 + height));
        places
            .into_iter()
            .map(|(key, area)| (key, area.height))
            .collect()
    }

    const USUAL: [(char, u16, u16); 7] = [
        ('7', 1, 1),
        ('1', 3, 30),
        ('2', 3, 20),
        ('3', 1, 8),
        ('4', 1, 3),
        ('5', 1, 9),
        ('6', 1, 9),
    ];

    #[test]
    fn eighty_by_twenty_four_is_as_sketched() {
        let expected = [
            ('7', 1),
            ('1', 7),
            ('2', 7),
            ('3', 1),
            ('4', 1),
            ('5', 1),
            ('6', 1),
        ];
        assert_eq!(heights(&USUAL, 19), expected);
    }

    #[test]
    fn little_room_keeps_the_devices() {
        let few = heights(&USUAL, 5);
        assert!(
            few.contains(&('1', 3)) && few.contains(&('7', 1)),
            "{few:?}"
        );
        assert!(
            heights(&USUAL, 2).iter().all(|(key, _)| *key != '1'),
            "three rows do not fit in two"
        );
    }

    #[test]
    fn more_room_goes_to_all_who_can_use_it() {
        let many = heights(&USUAL, 60);
        assert!(
            many.contains(&('4', 3)) && many.contains(&('5', 9)),
            "{many:?}"
        );
        let nothing = heights(&[('1', 3, 30), ('2', 0, 0)], 20);
        assert_eq!(nothing, [('1', 20)]);
    }
}
