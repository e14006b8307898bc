//! Which panel gets how many rows.

use super::{Panel, ScreenLook, state::ScreenState};
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
pub struct ScreenPlan {
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
pub fn plan(
    look: &ScreenLook<'_>,
    state: &ScreenState,
    panels: &[&Panel],
    area: Rect,
) -> ScreenPlan {
    let (mut plan, body) = lines_around(area);
    let is_shown = |panel: &&&Panel| match state.is_expanded {
        true => panel.key == state.focus,
        false => !state.hidden.contains(&panel.key),
    };
    let shown: Vec<&Panel> = panels.iter().filter(is_shown).copied().collect();
    if state.is_expanded {
        plan.panels = shown.iter().map(|panel| (panel.key, body)).collect();
    } else if area.width < WIDTH_TWO {
        plan.panels = stack(&wants(look, &shown, area.width, |_| true), body);
    } else {
        two_columns(look, &shown, body, &mut plan);
    }
    plan
}

/// The lines above and below the panels, and the room between them.
fn lines_around(area: Rect) -> (ScreenPlan, Rect) {
    let line = |y: u16| Rect {
        y: area.y + y,
        height: 1,
        ..area
    };
    let last = area.height.saturating_sub(1);
    let body = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(4),
        ..area
    };
    let plan = ScreenPlan {
        header: line(0),
        panels: Vec::new(),
        rule: None,
        message: line(last.saturating_sub(2)),
        timeline: line(last.saturating_sub(1)),
        footer: line(last),
    };
    (plan, body)
}

/// What the chosen panels can use at a width, the findings first.
fn wants(
    look: &ScreenLook<'_>,
    shown: &[&Panel],
    width: u16,
    is_chosen: impl Fn(char) -> bool,
) -> Vec<Want> {
    let want = |panel: &&Panel| {
        let (least, most) = (panel.rows)(look, width);
        Want {
            key: panel.key,
            least,
            most: most.max(least),
        }
    };
    let chosen = shown.iter().filter(|panel| is_chosen(panel.key));
    let mut wants: Vec<Want> = chosen.map(want).collect();
    wants.sort_by_key(|one| one.key != '7');
    wants
}

/// Panels across the whole width, and two columns below them.
fn two_columns(look: &ScreenLook<'_>, shown: &[&Panel], body: Rect, plan: &mut ScreenPlan) {
    let right_width = (body.width * 36 / 100).max(56);
    let left_width = body.width - right_width - 3;
    let top = wants(look, shown, body.width, |key| FULL.contains(&key));
    let left = wants(look, shown, left_width, |key| {
        !FULL.contains(&key) && !RIGHT.contains(&key)
    });
    let right = wants(look, shown, right_width, |key| RIGHT.contains(&key));
    let top_rows = top_rows(&top, &left, &right, body.height);
    let top_area = Rect {
        height: top_rows,
        ..body
    };
    plan.panels = stack(&top, top_area);
    let below = Rect {
        y: body.y + top_rows,
        height: body.height - top_rows,
        ..body
    };
    let has_both = !left.is_empty() && !right.is_empty();
    let (mut left_area, mut right_area) = (below, below);
    if has_both {
        left_area.width = left_width;
        right_area.x = below.x + left_width + 3;
        right_area.width = right_width;
    }
    if has_both && below.height > 0 {
        plan.rule = Some(Rect {
            x: below.x + left_width + 1,
            width: 1,
            ..below
        });
    }
    plan.panels.extend(stack(&left, left_area));
    plan.panels.extend(stack(&right, right_area));
}

/// The rows of the panels across: half, more where the columns need less, never less than their least.
fn top_rows(top: &[Want], left: &[Want], right: &[Want], height: u16) -> u16 {
    let left_needs = sum(left, |one| one.least.max(COMFORT.min(one.most)));
    let needed = left_needs.max(sum(right, |one| one.least));
    height
        .saturating_sub(needed)
        .min(height / 2)
        .max(sum(top, |one| one.least))
        .min(sum(top, |one| one.most))
        .min(height)
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
