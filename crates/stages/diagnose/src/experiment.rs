//! The experiment that decides about a cause, as the catalogue has it, and the line that it becomes for one finding.

use crate::Scene;
use model::ceph_target::CephTarget;
use model::finding::Finding;
use model::proposal::TuneProposal;
use model::text::{shell_line, shell_word};

/// What tells the explanations of a cause apart.
#[derive(Clone, Copy, Debug)]
pub enum Experiment {
    /// Settings in turns: a check that proves makes it itself.
    Tune(fn() -> TuneProposal),
    /// A line for a person's shell: a command with `{target}`, `{device}` and `{ceph}` in place of names, and words about it behind
    /// a `#`. `{device}` is the finding's section; `{ceph}` the program with the words by which the target's cluster is reached.
    Line(&'static str),
}

impl Experiment {
    /// As it stands in the catalogue, with `{target}` and the like.
    pub fn template(&self) -> String {
        match self {
            Experiment::Tune(tune) => {
                let command = tune().command(&["TARGET".into()]);
                command.replacen(" TARGET ", " {target} ", 1)
            }
            Experiment::Line(line) => (*line).into(),
        }
    }
}

/// With the command of its tune, where that is its experiment.
pub(crate) fn printed(finding: Finding, scene: &Scene<'_>) -> Finding {
    let command = finding
        .tune
        .as_ref()
        .map(|tune| tune.command(&scene.path.as_words()));
    Finding {
        experiment: command.unwrap_or(finding.experiment),
        ..finding
    }
}

/// A line of the catalogue with names in place of `{target}`, `{device}` and `{ceph}`, each as words of a shell. What stands within
/// a name is left as it is.
pub(crate) fn with_names(line: &'static str, scene: &Scene<'_>, section: &str) -> String {
    let names = [
        ("{target}", scene.path.as_argument()),
        ("{device}", shell_word(section).into_owned()),
        ("{ceph}", ceph_command(&scene.path.target)),
    ];
    let (mut named, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        let known = names.iter().find(|(mark, _)| from.starts_with(mark));
        let (mark, name) = known.map_or(("{", "{"), |(mark, name)| (*mark, name.as_str()));
        named += before;
        named += name;
        rest = &from[mark.len()..];
    }
    named + rest
}

/// The program that asks the cluster of a target: `ceph`, with the words that stand in the target.
fn ceph_command(target: &str) -> String {
    let words = CephTarget::parse(target).map(|target| target.cluster.words());
    let command = std::iter::once("ceph".to_string());
    shell_line(command.chain(words.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes;
    use model::iopath::{IoPath, Layer, LayerKind};
    use model::shell_line::command_and_words;
    use model::text::shell_words;

    /// Words that would be options or commands, where a name were cut or taken for a part of the line.
    const NAMES: [&str; 6] = [
        "a b' --beside=id #",
        "{device}'{target}",
        "x;id>y",
        "a\u{200b}'$(id)`id`",
        "two\nlines # three",
        "$'\\'id",
    ];

    #[test]
    fn a_name_is_one_word_of_every_experiment_of_the_catalogue() {
        for name in NAMES {
            let path = IoPath::new(name, Layer::new(LayerKind::Target, name));
            let scene = Scene {
                path: &path,
                probes: &[],
                promise: None,
            };
            for cause in causes::ALL {
                let Experiment::Line(line) = cause.experiment else {
                    continue;
                };
                let plain = command_and_words(line).0;
                let expected: Vec<String> = shell_words(plain)
                    .iter()
                    .map(|word| word.replace("{ceph}", "ceph"))
                    .map(|word| word.replace("{target}", "\0").replace("{device}", name))
                    .map(|word| word.replace('\0', name))
                    .collect();
                let named = with_names(line, &scene, name);
                assert_eq!(
                    shell_words(command_and_words(&named).0),
                    expected,
                    "{named}"
                );
            }
        }
    }
}
