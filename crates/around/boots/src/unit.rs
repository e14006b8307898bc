//! The systemd unit that measures each boot.

use crate::BootPlan;

/// Its name.
pub const NAME: &str = "iodyno-boots.service";
/// The file in the plan's directory that says it is over.
pub const OVER: &str = "over";

/// Text of the unit: it runs `program boots DIRECTORY --measure` once at each boot until the plan is over.
pub fn text(plan: &BootPlan, program: &str, directory: &str) -> String {
    let (program, argument) = (quoted(program), quoted(&plan.argument));
    // A path in a condition is taken as it is, blanks and all; only `%` means something.
    let over = format!("{directory}/{OVER}").replace('%', "%%");
    let directory = quoted(directory);
    format!(
        "# Boots {boots} times, with and without {argument} in random order, and measures each boot once.\n\
         # To end it early: systemctl disable {NAME}\n\
         [Unit]\n\
         Description=iodyno: measure this boot for {argument}\n\
         ConditionPathExists=!{over}\n\
         After=multi-user.target\n\
         \n\
         [Service]\n\
         Type=simple\n\
         ExecStart={program} boots {directory} --measure\n\
         \n\
         [Install]\n\
         WantedBy=multi-user.target\n",
        boots = plan.boots_wanted(),
    )
}

/// A word of a unit's command, as systemd.service(5) reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:,+@".contains(c);
    if word.chars().all(is_plain) {
        return word.into();
    }
    let escaped = word
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%")
        .replace('$', "$$");
    format!("\"{escaped}\"")
}
