//! The lines of a rules file as keys, operators and values (udev(7)).

use crate::config_files::logical_lines;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Number of its first line.
    pub line: usize,
    /// Its keys in their order.
    pub tokens: Vec<Token>,
}

/// One `KEY{attribute}operator"value"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The key, such as `ATTR`.
    pub key: String,
    /// What stands in braces.
    pub attribute: Option<String>,
    /// How it is compared or assigned.
    pub operator: Operator,
    /// The value, without its quotes.
    pub value: String,
}

/// The operators of udev.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `=` and `:=`
    Assign,
    /// `+=` and `-=`
    Add,
}

impl Operator {
    /// Whether it sets something.
    pub fn assigns(self) -> bool {
        matches!(self, Operator::Assign | Operator::Add)
    }
}

impl Rule {
    fn value_of(&self, key: &str) -> Option<&str> {
        self.tokens
            .iter()
            .find(|token| token.key == key)
            .map(|token| token.value.as_str())
    }

    /// The place it marks.
    pub fn label(&self) -> Option<&str> {
        self.value_of("LABEL")
    }

    /// The place it jumps to.
    pub fn jump(&self) -> Option<&str> {
        self.value_of("GOTO")
    }

    /// The actions it is for, where it says.
    pub fn action(&self) -> Option<&str> {
        let equal = |token: &&Token| token.key == "ACTION" && token.operator == Operator::Equal;
        self.tokens
            .iter()
            .find(equal)
            .map(|token| token.value.as_str())
    }
}

/// The rules of a file. A line that is no rule is left out, as udev does.
pub(crate) fn parse(text: &str) -> Vec<Rule> {
    let rule = |(line, text): (usize, String)| tokens(&text).map(|tokens| Rule { line, tokens });
    logical_lines(text).into_iter().filter_map(rule).collect()
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut rest = text.trim_start_matches([' ', '\t', ',']);
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (token, after) = token(rest)?;
        tokens.push(token);
        rest = after.trim_start_matches([' ', '\t', ',']);
    }
    (!tokens.is_empty()).then_some(tokens)
}

fn token(text: &str) -> Option<(Token, &str)> {
    let key_end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (key, mut rest) = text.split_at(key_end);
    let mut attribute = None;
    if let Some(inside) = rest.strip_prefix('{') {
        let (name, after) = inside.split_once('}')?;
        attribute = Some(name.to_string());
        rest = after;
    }
    let rest = rest.trim_start();
    let operators = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("+=", Operator::Add),
        ("-=", Operator::Add),
        (":=", Operator::Assign),
        ("=", Operator::Assign),
    ];
    let (sign, operator) = operators
        .into_iter()
        .find(|(sign, _)| rest.starts_with(sign))?;
    let rest = rest[sign.len()..].trim_start();
    let (value, after) = value(rest)?;
    Some((
        Token {
            key: key.to_string(),
            attribute,
            operator,
            value,
        },
        after,
    ))
}

/// A value in quotes, of which a backslash takes away the meaning; `e"…"` and `i"…"` are newer forms.
fn value(text: &str) -> Option<(String, &str)> {
    let text = text
        .strip_prefix(['e', 'i'])
        .unwrap_or(text)
        .strip_prefix('"')?;
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next() {
                Some((_, '"')) => value.push('"'),
                Some((_, other)) => value.extend(['\\', other]),
                None => return None,
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_keys_operators_and_values() {
        let text = "# c\nACTION==\"add|change\", KERNEL!=\"loop*\", \\\n  ATTR{queue/scheduler}=\"none\" RUN+=\"a \\\"b\\\"\"\n";
        let rules = parse(text);
        assert_eq!(
            (rules.len(), rules[0].line, rules[0].tokens.len()),
            (1, 2, 4)
        );
        assert_eq!(rules[0].action(), Some("add|change"));
        let last = &rules[0].tokens[3];
        assert_eq!(
            (last.operator, last.value.as_str()),
            (Operator::Add, "a \"b\"")
        );
        assert_eq!(
            rules[0].tokens[2].attribute.as_deref(),
            Some("queue/scheduler")
        );
        assert!(parse("no rule\nKERNEL==\"open\nATTR{x=\"1\"\n").is_empty());
    }

    #[test]
    fn damage_never_panics() {
        let text = "ACTION==\"add\", ATTR{queue/x}:=\"é\\\"\", GOTO=\"end\"\nLABEL=\"end\"\n";
        let mut state = 0x1234_5678_9ABC_DEF1_u64;
        for _ in 0..2000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mut damaged: Vec<char> = text.chars().collect();
            let at = (state % damaged.len() as u64) as usize;
            damaged[at] = ['"', '\\', '{', '\n', 'é', '='][(state >> 40) as usize % 6];
            damaged.truncate(damaged.len() - (state >> 50) as usize % 20);
            parse(&damaged.into_iter().collect::<String>());
        }
    }
}
