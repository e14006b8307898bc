//! The answers of `iodyno rights` for people.

use super::answer::{RightAnswer, UserRights, VerbAnswer};
use super::grants::Grant;
use report::text::{WIDTH, aligned, wrap};

/// One verb in full.
pub fn of_verb(answer: &VerbAnswer, user: &UserRights) -> Vec<String> {
    let who = format!("as {}", who(user));
    let head = match (&answer.why, shows_less(answer)) {
        (Some(why), _) => format!("{} does not work {who}: {why}.", answer.verb),
        (None, true) => format!("{} works {who}, and shows or does less.", answer.verb),
        (None, false) => format!(
            "{} has all rights that it can make use of {who}.",
            answer.verb
        ),
    };
    let mut lines = wrap(&head, WIDTH);
    let rows: Vec<[String; 3]> = answer.rights.iter().map(row).collect();
    lines.extend(aligned(rows.iter().map(<[String; 3]>::as_slice), |_| true));
    for (index, grant) in answer.grants.iter().enumerate() {
        if index == 0 {
            lines.push(String::new());
        }
        lines.extend(way(grant));
    }
    lines
}

/// All verbs, those with the same answer on one line.
pub fn of_all(answers: &[VerbAnswer], user: &UserRights) -> Vec<String> {
    let mut lines = wrap(
        &format!("{}, Linux {}", upper(&who(user)), user.kernel),
        WIDTH,
    );
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for answer in answers {
        let said = in_short(answer);
        match groups.iter_mut().find(|(other, _)| *other == said) {
            Some((_, verbs)) => verbs.push(answer.verb),
            None => groups.push((said, vec![answer.verb])),
        }
    }
    for (said, verbs) in &groups {
        lines.extend(indented(&verbs.join(", "), 2));
        lines.extend(indented(said, 4));
    }
    lines.push("How to grant what is missing: iodyno rights check".into());
    lines
}

fn in_short(answer: &VerbAnswer) -> String {
    if let Some(why) = &answer.why {
        return why.clone();
    }
    if answer.rights.is_empty() {
        return "every user, with all of it".into();
    }
    let lacking = answer.rights.iter().filter(|one| !one.held);
    let lacking: Vec<&str> = lacking.map(|one| one.gives).collect();
    match lacking.is_empty() {
        true => "all rights that they can make use of are here".into(),
        false => format!("without {}", lacking.join(", ")),
    }
}

/// `user 1000 with cap_bpf`.
fn who(user: &UserRights) -> String {
    let name = match user.uid {
        0 => "root".to_string(),
        uid => format!("user {uid}"),
    };
    match (user.uid, user.capabilities.len()) {
        // What root lacks is said of each right.
        (0, 1..) => name,
        (_, 0) => format!("{name} without capabilities"),
        _ => format!("{name} with {}", user.capabilities.join(", ")),
    }
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn shows_less(answer: &VerbAnswer) -> bool {
    answer.rights.iter().any(|one| !one.held)
}

/// Whether it is there, what it gives, and by what.
fn row(one: &RightAnswer) -> [String; 3] {
    let (state, by) = match (one.held, one.root_alone) {
        (true, _) => ("has", one.capabilities.join(", ")),
        (false, Some(why)) if one.barred.is_empty() => ("root", why.to_string()),
        (false, _) if !one.barred.is_empty() => (
            "barred",
            format!("no program of this container has {}", one.barred.join(", ")),
        ),
        (false, _) => ("lacks", one.missing.join(", ")),
    };
    [state.into(), one.gives.into(), by]
}

/// A way, its lines as they are pasted, and what else it means.
fn way(grant: &Grant) -> Vec<String> {
    let head = match grant.means.is_empty() {
        true => format!("{}:", grant.way),
        false => format!("{}, {}:", grant.way, grant.means),
    };
    let mut lines = indented(&upper(&head), 0);
    lines.extend(grant.lines.iter().map(|line| format!("  {line}")));
    lines
}

fn indented(text: &str, columns: usize) -> Vec<String> {
    let lines = wrap(text, WIDTH - columns);
    let indent = " ".repeat(columns);
    lines.iter().map(|line| format!("{indent}{line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(id: &'static str, missing: &[&str], root_alone: Option<&'static str>) -> RightAnswer {
        RightAnswer {
            id,
            gives: "times by layer",
            capabilities: vec!["cap_bpf".into(), "cap_perfmon".into()],
            missing: missing.iter().map(ToString::to_string).collect(),
            barred: Vec::new(),
            held: missing.is_empty(),
            root_alone,
        }
    }

    fn answer(verb: &'static str, why: Option<&str>, rights: Vec<RightAnswer>) -> VerbAnswer {
        VerbAnswer {
            verb,
            works: why.is_none(),
            why: why.map(str::to_string),
            rights,
            grants: Vec::new(),
        }
    }

    fn nobody() -> UserRights {
        UserRights {
            uid: 65_534,
            gid: 65_534,
            capabilities: Vec::new(),
            kernel: "6.1.0".into(),
        }
    }

    #[test]
    fn a_verb_says_what_it_has_and_what_it_lacks() {
        let lacking = right("trace", &["cap_bpf"], None);
        let roots = right("ask-disks", &["cap_sys_admin"], Some("its node is root's"));
        let has = right("see-others", &[], None);
        let lines = of_verb(&answer("watch", None, vec![lacking, roots, has]), &nobody());
        assert_eq!(
            lines,
            [
                "watch works as user 65534 without capabilities, and shows or does less.",
                "  lacks  times by layer  cap_bpf",
                "  root   times by layer  its node is root's",
                "  has    times by layer  cap_bpf, cap_perfmon",
            ]
        );
    }

    #[test]
    fn verbs_with_the_same_answer_share_a_line() {
        let answers = [
            answer("tune", Some("it needs root"), Vec::new()),
            answer("apply", Some("it needs root"), Vec::new()),
            answer("list", None, Vec::new()),
        ];
        assert_eq!(
            of_all(&answers, &nobody()),
            [
                "User 65534 without capabilities, Linux 6.1.0",
                "  tune, apply",
                "    it needs root",
                "  list",
                "    every user, with all of it",
                "How to grant what is missing: iodyno rights check",
            ]
        );
    }
}
