//! Schedulers of the two block layers: which word of one kernel is which of another.

use super::align::Pair;
use crate::causes_help_queue::successor;
use kernel::choice;

/// Every word of the single-queue block layer.
const OLD: [&str; 3] = ["noop", "deadline", "cfq"];

/// That two schedulers are one choice in the words of two kernels, as a sentence.
pub fn correspondence(pair: &Pair<'_>) -> Option<String> {
    if pair.name != "scheduler" {
        return None;
    }
    let (a, b) = (pair.a.as_deref()?, pair.b.as_deref()?);
    let (old, new) = [(a, b), (b, a)]
        .into_iter()
        .find(|(old, new)| successor(old) == Some(*new))?;
    Some(format!(
        "{new} is the successor of {old}, which went with the single-queue block layer (Linux 5.0): the same choice, and no \
         difference of a setting."
    ))
}

/// The first side's value as the second side's kernel has it; or what that kernel has in its place.
pub fn offered<'a>(pair: &'a Pair<'_>, there: &'a str) -> Result<&'a str, String> {
    let choices = pair
        .settings
        .and_then(|(_, here)| here.value.value())
        .filter(|text| choice::chosen(text).is_some());
    let Some(choices) = choices else {
        return Ok(there);
    };
    let predecessor = OLD.into_iter().find(|old| successor(old) == Some(there));
    let words = [Some(there), successor(there), predecessor];
    let has = |word: &&str| choice::offered(choices).any(|one| one == *word);
    words.into_iter().flatten().find(has).ok_or_else(|| {
        let all: Vec<&str> = choice::offered(choices).collect();
        format!("this kernel offers {} for it", all.join(", "))
    })
}
