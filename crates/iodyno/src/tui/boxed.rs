//! The box in which something lies on top of the panels.

use super::ScreenLook;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// Widest box: lines of text are not read any better when longer.
const WIDTH_MAX: u16 = 110;

/// An empty box in the middle, and the room in it.
pub fn boxed(
    look: &ScreenLook<'_>,
    title: &str,
    width: u16,
    height: u16,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let width = (width + 4).min(area.width.saturating_sub(2)).min(WIDTH_MAX);
    let height = (height + 2).min(area.height.saturating_sub(2));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(place, buffer);
    let block = Block::bordered()
        .title(title.to_string())
        .border_style(look.theme.faint());
    let inner = block.inner(place);
    block.render(place, buffer);
    Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    }
}
