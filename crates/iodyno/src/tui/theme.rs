//! Colours and characters, chosen once for the terminal.

use ratatui::style::{Color, Modifier, Style};

/// How much colour there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// NO_COLOR, or a terminal without.
    None,
    /// The sixteen that every terminal has.
    Sixteen,
    /// xterm's 256.
    Indexed,
    /// 24 bits (COLORTERM says so).
    True,
}

/// Colours and characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// How much colour there is.
    pub depth: Depth,
    /// Nothing but ASCII (`--ascii`, or a locale without UTF-8).
    pub is_ascii: bool,
}

impl Theme {
    /// What the environment says: NO_COLOR (no-color.org), COLORTERM, TERM, and the locale.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>, wants_ascii: bool) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let depth = if set("NO_COLOR").is_some() || term == "dumb" {
            Depth::None
        } else if set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit") {
            Depth::True
        } else if term.contains("256") {
            Depth::Indexed
        } else {
            Depth::Sixteen
        };
        let is_utf8 = host::environment::is_utf8(&variable).unwrap_or(false);
        Theme {
            depth,
            is_ascii: wants_ascii || !is_utf8,
        }
    }

    /// Titles and the selected row.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Units, notes, what is absent.
    pub fn faint(&self) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            Depth::Sixteen => Style::new().fg(Color::DarkGray),
            Depth::Indexed => Style::new().fg(Color::Indexed(247)),
            Depth::True => Style::new().fg(Color::Rgb(0xA3, 0xAB, 0xB6)),
        }
    }

    /// Reads.
    pub fn read(&self) -> Style {
        self.colour(Color::Blue, 32, (0x3D, 0x7D, 0xD9))
    }

    /// Writes.
    pub fn write(&self) -> Style {
        self.colour(Color::Yellow, 172, (0xE9, 0x7E, 0x03))
    }

    /// A finding to look at; a word always says it too.
    pub fn warning(&self) -> Style {
        self.colour(Color::Yellow, 214, (0xFF, 0xC1, 0x3F))
            .add_modifier(Modifier::BOLD)
    }

    /// Something is wrong; a word always says it too.
    pub fn bad(&self) -> Style {
        self.colour(Color::Red, 210, (0xFF, 0x8F, 0x85))
            .add_modifier(Modifier::BOLD)
    }

    fn colour(&self, sixteen: Color, indexed: u8, (r, g, b): (u8, u8, u8)) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            Depth::Sixteen => Style::new().fg(sixteen),
            Depth::Indexed => Style::new().fg(Color::Indexed(indexed)),
            Depth::True => Style::new().fg(Color::Rgb(r, g, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(variables: &[(&str, &str)]) -> Theme {
        let find = |name: &str| {
            variables
                .iter()
                .find(|(one, _)| *one == name)
                .map(|(_, value)| (*value).into())
        };
        Theme::of_environment(find, false)
    }

    #[test]
    fn the_environment_decides() {
        assert_eq!(
            theme(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]),
            Theme {
                depth: Depth::Indexed,
                is_ascii: false
            }
        );
        assert_eq!(
            theme(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]),
            Theme {
                depth: Depth::True,
                is_ascii: true
            }
        );
        assert_eq!(
            theme(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]).depth,
            Depth::None
        );
        assert_eq!(
            theme(&[("TERM", "screen"), ("LC_ALL", "de_DE.utf8"), ("LANG", "C")]),
            Theme {
                depth: Depth::Sixteen,
                is_ascii: false
            }
        );
    }
}
