//! What a program answered that was asked about storage, so that a captured machine can give the same answer elsewhere.
//!
//! A capture has the answer below the path of the program, where no file is; a question that had no answer has the reason:
//!
//! ```text
//! path: /usr/bin/ceph/osd perf
//! lines: 1
//! failed: `ceph osd perf` ended with status 13; it said: Error EACCES: access denied
//! ```

use crate::Host;
use model::change::Attribute;

/// What a program printed, or in words why there is no answer.
pub type Answered = Result<String, String>;

/// In front of a reason.
const FAILED: &str = "failed: ";

impl Host {
    /// The answer that stands at `place`: of the live machine what `ask` gives now, of a captured one what was captured; none
    /// where the capture has no such answer. What is captured is the answer as `ask` gives it, so whoever asks leaves out what
    /// nobody reads, and secrets.
    pub fn answered(&self, place: &str, ask: impl FnOnce() -> Answered) -> Option<Answered> {
        if !self.is_live() {
            let text = self.text(place)?;
            return Some(match text.strip_prefix(FAILED) {
                Some(why) => Err(why.to_string()),
                None => Ok(text),
            });
        }
        let answered = ask();
        let text = match &answered {
            Ok(text) => text.clone(),
            // A reason is one line, whatever the program said.
            Err(why) => format!("{FAILED}{}", why.replace(['\n', '\r'], " ")),
        };
        self.record(|recorder| recorder.answer(place, &Attribute::Value(text)));
        Some(answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_answers_as_the_machine_did() {
        let live = Host::recording();
        let ask = |host: &Host| {
            let told = host.answered("/usr/bin/x/told", || Ok("{\"a\":\n1}".into()));
            let refused = host.answered("/usr/bin/x/refused", || Err("no\nrights".into()));
            (told, refused)
        };
        assert!(ask(&live).0.is_some_and(|told| told.is_ok()));
        let again = Host::from_archive(live.recorded());
        let ask_nothing = |place: &str| again.answered(place, || unreachable!());
        assert_eq!(
            ask_nothing("/usr/bin/x/told"),
            Some(Ok("{\"a\":\n1}".into()))
        );
        assert_eq!(
            ask_nothing("/usr/bin/x/refused"),
            Some(Err("no rights".into()))
        );
        assert_eq!(ask_nothing("/usr/bin/x/other"), None);
    }
}
