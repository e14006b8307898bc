//! What a failed call to the machine was about, apart from its sentence.

use super::Error;
use model::failure::Parts;
use model::text::{clean, shown};

impl Error {
    /// On what it failed, why, and what to do: the end of its message.
    pub fn parts(&self) -> Parts {
        match self {
            Error::Io { path, source, .. } => Parts::on(shown(path)).why(source.to_string()),
            Error::Refused { path, why, .. } => Parts::on(shown(path)).why(why),
            Error::Archive { path, line, why } => {
                Parts::on(shown(path)).why(format!("line {line}: {}", clean(why)))
            }
            Error::Journal { path, line, known } => Parts::on(shown(path))
                .why(format!("line {line} is not what was written"))
                .hint(known),
            Error::JournalVersion { path, version, .. } => Parts::on(shown(path))
                .why(format!("it has form {version}"))
                .hint("undo it with the iodyno that wrote it"),
            Error::Untrusted { path, why } => Parts::on(shown(path)).why(why),
            Error::NoStateDir => {
                Parts::default().hint("Set IODYNO_STATE_DIR to a directory of yours")
            }
            Error::Unfinished {
                device,
                purpose,
                way,
            } => Parts::on(device)
                .why(format!("`{purpose}` ended before it put everything back"))
                .hint(format!("First {}: {}", way.aim, way.command)),
            Error::Beneath {
                what,
                above,
                command,
                ..
            } => Parts::on(what)
                .why(format!("{above} came after it"))
                .hint(format!(
                    "To take all of them back, the last one first: {command}"
                )),
            Error::NotForgotten { purpose, why, .. } | Error::NotAccepted { purpose, why, .. } => {
                Parts::on(purpose).why(why)
            }
            Error::Foreign { path, owner } => {
                Parts::on(path).why(format!("it is no setting of {owner}"))
            }
            Error::ReadBack {
                path,
                wanted,
                found,
            } => Parts::on(path).why(format!("wrote `{wanted}`, the kernel shows `{found}`")),
            Error::NotJournalled { path } => Parts::on(path),
            Error::Locked { what, holder } => Parts::on(what).why(format!("{holder} uses it")),
            Error::Program { program, why } => Parts::on(program).why(why),
        }
    }
}
