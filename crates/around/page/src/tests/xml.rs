//! As much of a reader of XML as tells whether a picture is well-formed.

/// Says what is wrong: a tag that is not closed, an attribute without quotes, a bare `&`.
pub fn check(text: &str) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        entities(&rest[..at])?;
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<?xml") {
            rest = after.split_once("?>").ok_or("an open declaration")?.1;
            continue;
        }
        let (tag, after) = split_tag(rest)?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name.trim() => {}
                last => return Err(format!("</{name}> closes {last:?}")),
            }
            continue;
        }
        let (tag, is_closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("no name of an element: {name:?}"));
        }
        check_attributes(attributes)?;
        if !is_closed {
            open.push(name.to_string());
        }
    }
    entities(rest)?;
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("not closed: {open:?}"))
    }
}

/// The body of a page without its script, with the one attribute that has no value given one.
pub fn body(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let body = body.split_once("<script type=\"module\">").unwrap().0;
    format!("<body>{}</body>", body.replace(" hidden>", " hidden=\"\">"))
}

/// Every tag with the names of its attributes: what a text must not change.
pub fn skeleton(text: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (tag, after) = split_tag(&rest[at..]).unwrap();
        let outside_of_values: Vec<&str> = tag.split('"').step_by(2).collect();
        tags.push(outside_of_values.concat());
        rest = after;
    }
    tags
}

/// The first id that stands twice.
pub fn unique_ids(text: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for part in text.split(" id=\"").skip(1) {
        let id = part.split('"').next().unwrap_or("");
        if !seen.insert(id.to_string()) {
            return Err(id.into());
        }
    }
    Ok(())
}

/// The inside of the tag at the beginning, and what follows it; `>` inside quotes is text.
fn split_tag(text: &str) -> Result<(&str, &str), String> {
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Ok((&text[1..at], &text[at + 1..])),
            b'<' => break,
            _ => {}
        }
    }
    Err(format!("a tag that does not end: {:.60}", text))
}

fn check_attributes(mut text: &str) -> Result<(), String> {
    let mut names = Vec::new();
    while !text.trim().is_empty() {
        let (name, after) = text
            .trim_start()
            .split_once("=\"")
            .ok_or(format!("an attribute without value: {text:?}"))?;
        if name.contains(char::is_whitespace) || names.contains(&name) {
            return Err(format!("a wrong or second attribute: {name:?}"));
        }
        names.push(name);
        let (value, after) = after.split_once('"').ok_or("an open quote")?;
        entities(value)?;
        text = after;
    }
    Ok(())
}

fn entities(text: &str) -> Result<(), String> {
    if let Some(control) = text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        return Err(format!("a control character: {control:?}"));
    }
    for part in text.split('&').skip(1) {
        let entity = part.split_once(';').map(|(name, _)| name).unwrap_or("");
        if !matches!(entity, "amp" | "lt" | "gt" | "quot" | "#39") {
            return Err(format!("a bare &: {:.20}", part));
        }
    }
    Ok(())
}
