//! HTML, SVG and XML: templates (maud's `html!`) escape every text that is put into them; this is what they leave to do.
//!
//! A text cannot become an element or end an attribute. It can still hold characters that no XML may hold, and marks that
//! make one name read as another. [`finished`] takes them out of everything at once, so
//! that no template can forget it.

use maud::{Markup, PreEscaped};

/// The first line of XML files.
pub const XML_DECLARATION: PreEscaped<&str> =
    PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");

/// Markup made of texts, on one line: a blank for each line end and tab, so that no text begins a line of its own, and
/// U+FFFD for what no document may hold. Style sheets, scripts and line ends of a file are put around it.
pub fn finished(markup: Markup) -> Markup {
    let text = markup.into_string();
    if !text.contains(is_foreign) {
        return PreEscaped(text);
    }
    let text = text.replace(['\n', '\t'], " ");
    PreEscaped(text.replace(is_foreign, "\u{fffd}"))
}

/// Whether it may not stay: controls, marks without width or with a direction, and what is no character.
fn is_foreign(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        other => model::text::is_unsafe(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn hostile_text_stays_text() {
        let name = "sd<a>\" onload='x' & ]]>\u{202e}</script>\u{1}\u{ffff}\r";
        let text = finished(html! { p title=(name) { (name) } }).into_string();
        let escaped = "sd&lt;a&gt;&quot; onload='x' &amp; ]]&gt;\u{fffd}&lt;/script&gt;\u{fffd}\u{fffd}\u{fffd}";
        assert_eq!(text, format!("<p title=\"{escaped}\">{escaped}</p>"));
    }

    #[test]
    fn letters_of_all_languages_stay_and_lines_become_one() {
        let text = "π, ±2 %,\n\t日本, עברית\n";
        assert_eq!(
            finished(html! { (text) }).into_string(),
            "π, ±2 %,  日本, עברית "
        );
    }
}
