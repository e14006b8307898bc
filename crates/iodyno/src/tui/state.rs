//! Where the reader is, and what each key press makes of it. Pure: what needs the machine is an [`Action`].

use super::keys::{self, Command};
use super::{Choice, SideChoice};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Spans of time, ns: 30 s, 1, 5, 15 and 60 min.
const SPANS_NS: [i64; 5] = [
    30_000_000_000,
    60_000_000_000,
    300_000_000_000,
    900_000_000_000,
    3_600_000_000_000,
];
/// Sampling intervals that `+` and `-` go through, ms.
const INTERVALS_MS: [u64; 10] = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
/// Rows that a page key moves.
const PAGE: i64 = 10;

/// Everything that keys change.
#[derive(Clone, Debug, PartialEq)]
pub struct ScreenState {
    /// What the panels look at.
    pub choice: Choice,
    /// The moment that is shown while the picture stands still, ns on the sampler's clock; none for the present.
    pub paused_ns: Option<i64>,
    /// Place in [`SPANS_NS`].
    pub span: usize,
    /// Time between two samples, ms.
    pub interval_ms: u64,
    /// Number keys of hidden panels.
    pub hidden: Vec<char>,
    /// Number key of the panel that Enter and `x` act on.
    pub focus: char,
    /// That panel has the whole screen.
    pub is_expanded: bool,
    /// Kernel name of the device under the cursor.
    pub device: String,
    /// What is open above the panels.
    pub open: OpenOverlay,
    /// One line that the last action left.
    pub message: String,
}

/// What is open above the panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenOverlay {
    /// Nothing.
    Nothing,
    /// The keys, from this line on.
    Help(usize),
    /// The meaning of the panel's field at this place.
    Explain(usize),
    /// The menu of columns, at this place.
    Sort(usize),
    /// The device chooser, at this place.
    Devices(usize),
    /// The palette: what was typed, and the place among what fits.
    Palette(String, usize),
    /// The filter is being typed.
    Filter,
}

/// What is there to move among.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenFacts<'a> {
    /// Devices in the table, top down.
    pub rows: &'a [String],
    /// Every device.
    pub devices: &'a [String],
    /// Columns that can be sorted by: title and field.
    pub columns: &'a [(&'static str, &'static str)],
    /// Number keys of the panels, in the order of the screen.
    pub panels: &'a [char],
    /// How many fields the panel in focus has to explain.
    pub fields: usize,
    /// The last sample, ns.
    pub last_ns: i64,
}

/// What a key press asks of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing has changed.
    None,
    /// Draw.
    Redraw,
    /// Leave.
    Quit,
    /// Show the moment so many samples on.
    Step(i64),
    /// Sample so often.
    Interval(u64),
    /// Start a record, or end it.
    Record,
    /// Write the screen into a file.
    Write,
    /// Give the terminal to the shell.
    Suspend,
}

impl ScreenState {
    /// The present, with everything shown.
    pub fn new(interval_ms: u64) -> ScreenState {
        ScreenState {
            choice: Choice::default(),
            paused_ns: None,
            span: 1,
            interval_ms,
            hidden: Vec::new(),
            focus: '1',
            is_expanded: false,
            device: String::new(),
            open: OpenOverlay::Nothing,
            message: String::new(),
        }
    }

    /// How far the panels over time reach back, ns.
    pub fn span_ns(&self) -> i64 {
        SPANS_NS[self.span]
    }

    /// The cursor stays on its device while that is there, whatever moves.
    pub fn follow(&mut self, rows: &[String]) {
        if !rows.contains(&self.device) {
            self.device = rows.first().cloned().unwrap_or_default();
        }
    }
}

/// What a key press does.
pub fn key(state: &mut ScreenState, event: KeyEvent, facts: &ScreenFacts<'_>) -> Action {
    state.message.clear();
    let typed = match event.code {
        KeyCode::Char(letter) if !event.modifiers.contains(KeyModifiers::CONTROL) => Some(letter),
        _ => None,
    };
    match (&state.open, typed) {
        _ if keys::command(event) == Some(Command::Suspend) => Action::Suspend,
        (OpenOverlay::Filter, _) => filter(state, event.code, typed),
        (OpenOverlay::Palette(..), _) => palette(state, event, typed, facts),
        (OpenOverlay::Devices(place), Some(letter @ (' ' | 'a'))) => {
            choose(state, *place, letter, facts)
        }
        (_, Some('q')) if is_covered(state) => uncover(state),
        _ => keys::command(event).map_or(Action::None, |command| perform(state, command, facts)),
    }
}

/// Whether something lies over the panels, or the findings have the whole screen: q takes that away and no more.
fn is_covered(state: &ScreenState) -> bool {
    state.open != OpenOverlay::Nothing || (state.is_expanded && state.focus == '7')
}

fn uncover(state: &mut ScreenState) -> Action {
    if state.open == OpenOverlay::Nothing {
        findings(state);
        return Action::Redraw;
    }
    close(state)
}

fn filter(state: &mut ScreenState, code: KeyCode, typed: Option<char>) -> Action {
    match (code, typed) {
        (_, Some(letter)) => state.choice.filter.push(letter),
        (KeyCode::Backspace, _) => {
            state.choice.filter.pop();
        }
        (KeyCode::Enter, _) => state.open = OpenOverlay::Nothing,
        (KeyCode::Esc, _) => {
            state.choice.filter.clear();
            state.open = OpenOverlay::Nothing;
        }
        _ => return Action::None,
    }
    Action::Redraw
}

fn palette(
    state: &mut ScreenState,
    event: KeyEvent,
    typed: Option<char>,
    facts: &ScreenFacts<'_>,
) -> Action {
    let OpenOverlay::Palette(text, place) = &mut state.open else {
        return Action::None;
    };
    match (event.code, typed) {
        (_, Some(letter)) => (*place, _) = (0, text.push(letter)),
        (KeyCode::Backspace, _) => (*place, _) = (0, text.pop()),
        (KeyCode::Down | KeyCode::Tab, _) => *place = moved(*place, 1, offered(text).len()),
        (KeyCode::Up | KeyCode::BackTab, _) => *place = moved(*place, -1, offered(text).len()),
        (KeyCode::Enter, _) => {
            let chosen = offered(text).get(*place).map(|key| key.command);
            state.open = OpenOverlay::Nothing;
            return chosen.map_or(Action::Redraw, |command| perform(state, command, facts));
        }
        (KeyCode::Esc, _) => state.open = OpenOverlay::Nothing,
        _ => {
            return keys::command(event)
                .filter(|one| *one == Command::Quit)
                .map_or(Action::None, |_| Action::Quit);
        }
    }
    Action::Redraw
}

/// The actions that a text may mean: those whose names begin with it, then those of which a word does, then those that
/// hold it anywhere, at last those whose description holds it.
pub fn offered(text: &str) -> Vec<&'static keys::Key> {
    let text = text.trim().to_lowercase();
    let rank = |key: &keys::Key| {
        let name = key.name.to_lowercase();
        let ranks = [
            name.starts_with(&text),
            name.split(' ').any(|word| word.starts_with(&text)),
            name.contains(&text),
            key.does.to_lowercase().contains(&text),
        ];
        ranks.iter().position(|fits| *fits)
    };
    let mut found: Vec<_> = keys::TABLE
        .iter()
        .filter_map(|key| Some((rank(key)?, key)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, key)| key).collect()
}

/// Tags one device, or all; with none tagged, all are shown.
fn choose(state: &mut ScreenState, place: usize, letter: char, facts: &ScreenFacts<'_>) -> Action {
    let chosen = &mut state.choice.devices;
    match (letter, facts.devices.get(place)) {
        (' ', Some(name)) => match chosen.iter().position(|one| one == name) {
            Some(at) => drop(chosen.remove(at)),
            None => chosen.push(name.clone()),
        },
        _ => chosen.clear(),
    }
    Action::Redraw
}

/// Does what a command says.
pub fn perform(state: &mut ScreenState, command: Command, facts: &ScreenFacts<'_>) -> Action {
    match command {
        Command::Quit => return Action::Quit,
        Command::Record => return Action::Record,
        Command::Write => return Action::Write,
        Command::Suspend => return Action::Suspend,
        Command::Step(count) => return step(state, count),
        Command::Faster => return interval(state, -1),
        Command::Slower => return interval(state, 1),
        Command::Close => return close(state),
        Command::Expand => return expand(state, facts),
        Command::Down => go(state, 1, facts),
        Command::Up => go(state, -1, facts),
        Command::PageDown => go(state, PAGE, facts),
        Command::PageUp => go(state, -PAGE, facts),
        Command::First => go(state, i64::MIN / 2, facts),
        Command::Last => go(state, i64::MAX / 2, facts),
        Command::NextPanel => focus(state, 1, facts),
        Command::PreviousPanel => focus(state, -1, facts),
        Command::Show(panel) => show(state, panel, facts),
        Command::Pause => state.paused_ns = state.paused_ns.is_none().then_some(facts.last_ns),
        Command::Live => state.paused_ns = None,
        Command::Shorter => state.span = state.span.saturating_sub(1),
        Command::Longer => state.span = (state.span + 1).min(SPANS_NS.len() - 1),
        Command::Reverse => state.choice.is_reversed = !state.choice.is_reversed,
        Command::Idle => state.choice.shows_idle = !state.choice.shows_idle,
        Command::HeatTime => state.choice.heat_by_time = !state.choice.heat_by_time,
        Command::Side => state.choice.side = next_side(state.choice.side),
        Command::Findings => findings(state),
        Command::Help => toggle(state, OpenOverlay::Help(0)),
        Command::Explain => toggle(state, OpenOverlay::Explain(0)),
        Command::Sort => toggle(state, OpenOverlay::Sort(sorted(state, facts))),
        Command::Devices => toggle(state, OpenOverlay::Devices(0)),
        Command::Palette => state.open = OpenOverlay::Palette(String::new(), 0),
        Command::Filter => state.open = OpenOverlay::Filter,
    }
    Action::Redraw
}

/// Place of the column that rows are sorted by.
fn sorted(state: &ScreenState, facts: &ScreenFacts<'_>) -> usize {
    let is_it = |(_, field): &(&str, &'static str)| state.choice.sort.unwrap_or_default() == *field;
    facts.columns.iter().position(is_it).unwrap_or(0)
}

fn toggle(state: &mut ScreenState, open: OpenOverlay) {
    let is_same = std::mem::discriminant(&state.open) == std::mem::discriminant(&open);
    state.open = if is_same { OpenOverlay::Nothing } else { open };
}

fn next_side(side: SideChoice) -> SideChoice {
    match side {
        SideChoice::Busier => SideChoice::Read,
        SideChoice::Read => SideChoice::Write,
        SideChoice::Write => SideChoice::Busier,
    }
}

fn step(state: &mut ScreenState, count: i64) -> Action {
    match (state.paused_ns, count > 0) {
        // Nothing comes after the present.
        (None, true) => Action::None,
        _ => Action::Step(count),
    }
}

fn interval(state: &mut ScreenState, by: i64) -> Action {
    let place = INTERVALS_MS
        .iter()
        .position(|ms| *ms >= state.interval_ms)
        .unwrap_or(0);
    let asked = INTERVALS_MS[moved(place, by, INTERVALS_MS.len())];
    if asked == state.interval_ms {
        state.message = format!(
            "Samples are taken every {} to {} ms.",
            INTERVALS_MS[0], INTERVALS_MS[9]
        );
        return Action::Redraw;
    }
    state.interval_ms = asked;
    Action::Interval(asked)
}

/// What lies on top goes first.
fn close(state: &mut ScreenState) -> Action {
    if state.open != OpenOverlay::Nothing {
        state.open = OpenOverlay::Nothing;
    } else if state.is_expanded {
        state.is_expanded = false;
    } else if !state.choice.filter.is_empty() {
        state.choice.filter.clear();
    }
    Action::Redraw
}

/// Enter takes what a menu has under the cursor; without one it opens the panel.
fn expand(state: &mut ScreenState, facts: &ScreenFacts<'_>) -> Action {
    match state.open {
        OpenOverlay::Sort(place) => {
            let sort = facts
                .columns
                .get(place)
                .map(|(_, field)| *field)
                .filter(|field| !field.is_empty());
            // A new column begins with its greatest, whichever way the one before was turned.
            state.choice.is_reversed &= state.choice.sort == sort;
            state.choice.sort = sort;
            state.open = OpenOverlay::Nothing;
        }
        OpenOverlay::Nothing => state.is_expanded = !state.is_expanded,
        _ => state.open = OpenOverlay::Nothing,
    }
    Action::Redraw
}

/// Findings have no rows of their own to move among; they open on the whole screen.
fn findings(state: &mut ScreenState) {
    let is_open = state.focus == '7' && state.is_expanded;
    state.hidden.retain(|panel| *panel != '7');
    (state.focus, state.is_expanded) = if is_open { ('1', false) } else { ('7', true) };
}

fn show(state: &mut ScreenState, panel: char, facts: &ScreenFacts<'_>) {
    match state.hidden.iter().position(|hidden| *hidden == panel) {
        Some(place) => drop(state.hidden.remove(place)),
        None => state.hidden.push(panel),
    }
    if state.hidden.contains(&state.focus) {
        focus(state, 1, facts);
        state.is_expanded = false;
    }
}

/// The next panel that is shown.
fn focus(state: &mut ScreenState, by: i64, facts: &ScreenFacts<'_>) {
    let shown: Vec<char> = facts
        .panels
        .iter()
        .copied()
        .filter(|panel| !state.hidden.contains(panel))
        .collect();
    let place = shown.iter().position(|panel| *panel == state.focus);
    let next = place.map_or(0, |place| {
        (place as i64 + by).rem_euclid(shown.len() as i64) as usize
    });
    if let Some(panel) = shown.get(next) {
        state.focus = *panel;
    }
}

fn go(state: &mut ScreenState, by: i64, facts: &ScreenFacts<'_>) {
    match &mut state.open {
        OpenOverlay::Help(place) => *place = moved(*place, by, keys::TABLE.len()),
        OpenOverlay::Explain(place) => *place = moved(*place, by, facts.fields),
        OpenOverlay::Sort(place) => *place = moved(*place, by, facts.columns.len()),
        OpenOverlay::Devices(place) => *place = moved(*place, by, facts.devices.len()),
        OpenOverlay::Nothing | OpenOverlay::Palette(..) | OpenOverlay::Filter => {
            let place = facts
                .rows
                .iter()
                .position(|name| *name == state.device)
                .unwrap_or(0);
            if let Some(name) = facts.rows.get(moved(place, by, facts.rows.len())) {
                state.device = name.clone();
            }
        }
    }
}

fn moved(place: usize, by: i64, count: usize) -> usize {
    (place as i64)
        .saturating_add(by)
        .clamp(0, (count as i64 - 1).max(0)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("DEVICE", ""), ("r/s", "disk.reads_per_s")];

    fn press(state: &mut ScreenState, keys: &str) -> Action {
        let names: Vec<String> = ["sda", "sdb", "vda"].map(String::from).into();
        let facts = ScreenFacts {
            rows: &names,
            devices: &names,
            columns: COLUMNS,
            panels: &['1', '2', '7'],
            fields: 3,
            last_ns: 77,
        };
        let mut last = Action::None;
        for letter in keys.chars() {
            let code = match letter {
                '\n' => KeyCode::Enter,
                '\u{1b}' => KeyCode::Esc,
                '\t' => KeyCode::Tab,
                '\u{8}' => KeyCode::Backspace,
                letter => KeyCode::Char(letter),
            };
            last = key(state, KeyEvent::new(code, KeyModifiers::NONE), &facts);
        }
        last
    }

    fn state() -> ScreenState {
        ScreenState {
            device: "sda".into(),
            ..ScreenState::new(100)
        }
    }

    #[test]
    fn the_cursor_stays_in_the_list_and_on_its_device() {
        let mut state = state();
        press(&mut state, "jjjj");
        assert_eq!(state.device, "vda");
        press(&mut state, "k");
        assert_eq!(state.device, "sdb");
        state.follow(&["vda".into(), "sdb".into()]);
        assert_eq!(state.device, "sdb");
        state.follow(&["vda".into()]);
        assert_eq!(state.device, "vda");
        state.follow(&[]);
        assert_eq!(state.device, "");
        press(&mut state, "G");
        assert_eq!(state.device, "vda");
        press(&mut state, "g");
        assert_eq!(state.device, "sda");
    }

    #[test]
    fn time_stands_still_and_goes_on() {
        let mut state = state();
        assert_eq!(
            press(&mut state, "l"),
            Action::None,
            "nothing comes after the present"
        );
        assert_eq!(press(&mut state, "h"), Action::Step(-1));
        press(&mut state, " ");
        assert_eq!(state.paused_ns, Some(77));
        assert_eq!(press(&mut state, "l"), Action::Step(1));
        press(&mut state, " ");
        assert_eq!(state.paused_ns, None);
        state.paused_ns = Some(5);
        press(&mut state, "F");
        assert_eq!(state.paused_ns, None);
        press(&mut state, "[[[");
        assert_eq!(state.span_ns(), 30_000_000_000);
        press(&mut state, "]]]]]]]");
        assert_eq!(state.span_ns(), 3_600_000_000_000);
    }

    #[test]
    fn a_filter_is_typed_kept_and_cleared() {
        let mut state = state();
        press(&mut state, "/sqx\u{8}");
        assert_eq!(
            (state.choice.filter.as_str(), &state.open),
            ("sq", &OpenOverlay::Filter),
            "q does not quit here"
        );
        press(&mut state, "\n");
        assert_eq!(
            (state.choice.filter.as_str(), &state.open),
            ("sq", &OpenOverlay::Nothing)
        );
        press(&mut state, "\u{1b}");
        assert_eq!(state.choice.filter, "");
        press(&mut state, "/a\u{1b}");
        assert_eq!(
            (state.choice.filter.as_str(), &state.open),
            ("", &OpenOverlay::Nothing)
        );
    }

    #[test]
    fn rows_are_sorted_by_what_the_menu_has() {
        let mut state = state();
        press(&mut state, "sj\n");
        assert_eq!(
            (state.choice.sort, &state.open),
            (Some("disk.reads_per_s"), &OpenOverlay::Nothing)
        );
        press(&mut state, "s");
        assert_eq!(
            state.open,
            OpenOverlay::Sort(1),
            "the menu opens at the column in use"
        );
        press(&mut state, "k\nr");
        assert_eq!((state.choice.sort, state.choice.is_reversed), (None, true));
        press(&mut state, "sj\n");
        let choice = &state.choice;
        assert_eq!(
            (choice.sort, choice.is_reversed),
            (Some("disk.reads_per_s"), false),
            "the greatest first"
        );
        press(&mut state, "rs\n");
        assert!(
            state.choice.is_reversed,
            "the same column stays as it was turned"
        );
    }

    #[test]
    fn devices_are_tagged() {
        let mut state = state();
        press(&mut state, "dj ");
        assert_eq!(state.choice.devices, ["sdb"]);
        press(&mut state, "j ");
        assert_eq!(state.choice.devices, ["sdb", "vda"]);
        press(&mut state, "k ");
        assert_eq!(state.choice.devices, ["vda"]);
        press(&mut state, "a");
        assert!(state.choice.devices.is_empty());
        press(&mut state, "\u{1b}");
        assert_eq!(state.open, OpenOverlay::Nothing);
    }

    #[test]
    fn panels_are_hidden_focused_and_expanded() {
        let mut state = state();
        press(&mut state, "2\t");
        assert_eq!((state.hidden.as_slice(), state.focus), (&['2'][..], '7'));
        press(&mut state, "\t2e");
        assert_eq!(
            (state.focus, state.is_expanded, state.hidden.len()),
            ('1', true, 0)
        );
        press(&mut state, "1");
        assert_eq!(
            (state.focus, state.is_expanded),
            ('2', false),
            "a hidden panel has no focus"
        );
        press(&mut state, "7f");
        assert_eq!(
            (state.focus, state.is_expanded, state.hidden.as_slice()),
            ('7', true, &['1'][..])
        );
        press(&mut state, "f");
        assert!(!state.is_expanded);
    }

    #[test]
    fn the_palette_does_what_it_names() {
        let mut state = state();
        press(&mut state, ":pau\n");
        assert_eq!(
            (state.paused_ns, &state.open),
            (Some(77), &OpenOverlay::Nothing)
        );
        assert_eq!(press(&mut state, ":write\n"), Action::Write);
        press(&mut state, ":nothing of this name\n");
        assert_eq!(state.open, OpenOverlay::Nothing);
        assert_eq!(offered("").len(), keys::TABLE.len());
        let names = |text| offered(text).iter().map(|key| key.name).collect::<Vec<_>>();
        assert_eq!(
            names("rec")[..2],
            ["record", "direction"],
            "the beginning of a name comes first"
        );
        assert_eq!(names("span")[..2], ["shorter span", "longer span"]);
        assert!(names("evidence") == ["findings"], "descriptions count too");
        assert_eq!(press(&mut state, ":rec\n"), Action::Record);
    }

    #[test]
    fn the_interval_stays_within_its_bounds() {
        let mut state = state();
        assert_eq!(press(&mut state, "+"), Action::Interval(50));
        assert_eq!(press(&mut state, "++"), Action::Interval(10));
        assert_eq!(press(&mut state, "+"), Action::Redraw);
        assert!(
            state.message.contains("10 to 10000 ms"),
            "{}",
            state.message
        );
        assert_eq!(press(&mut state, "-"), Action::Interval(20));
        assert!(
            state.message.is_empty(),
            "a message lasts until the next key"
        );
    }

    #[test]
    fn what_is_open_closes_first() {
        let mut state = state();
        press(&mut state, "e?jj");
        assert_eq!(state.open, OpenOverlay::Help(2));
        press(&mut state, "\u{1b}");
        assert_eq!(
            (state.open.clone(), state.is_expanded),
            (OpenOverlay::Nothing, true)
        );
        press(&mut state, "\u{1b}");
        assert!(!state.is_expanded);
        press(&mut state, "xjjjj");
        assert_eq!(state.open, OpenOverlay::Explain(2));
        assert_eq!(
            press(&mut state, "q"),
            Action::Redraw,
            "q takes away what lies on top"
        );
        assert_eq!(state.open, OpenOverlay::Nothing);
        press(&mut state, "fq");
        assert_eq!(
            (state.focus, state.is_expanded),
            ('1', false),
            "and the findings"
        );
        press(&mut state, "?");
        let end = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(
            key(&mut state, end, &ScreenFacts::default()),
            Action::Quit,
            "Ctrl-C always leaves"
        );
        press(&mut state, "q");
        assert_eq!(press(&mut state, "q"), Action::Quit);
    }
}
