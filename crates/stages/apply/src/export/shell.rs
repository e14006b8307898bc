//! A POSIX shell script: it sets the values, notes the old ones first, and puts them back when it is asked.

use super::{Place, Sheet, comments};
use crate::checkpoint_paths;
use crate::persist::udev_rule;
use model::subject::Subject;

/// What stays the same in every script. A value with brackets is a choice, of which the chosen word counts.
const COMMON: &str = r#"
fail() { echo "$0: $*" >&2; exit 1; }
now() {
    text=
    read -r text 2>/dev/null <"$1" || [ -n "$text" ] || return 1
    case $text in *\[*\]*) text=${text#*\[}; text=${text%%\]*} ;; esac
    printf '%s' "$text"
}
put() { [ "$(now "$1")" = "$2" ] || printf '%s\n' "$2" >"$1"; }
must() { put "$1" "$2" && [ "$(now "$1")" = "$2" ] || fail "$1 is $(now "$1"), not $2"; }
note() { if old=$(now "$1"); then printf '%s %s\n' "$1" "$old"; fi; }
undo() {
    [ -e "$saved" ] || fail "nothing to put back: $saved is not there"
    for pass in 1 2; do
        while read -r path old; do put "$path" "$old" 2>/dev/null || :; done <"$saved"
    done
    left=0
    while read -r path old; do
        [ "$(now "$path")" = "$old" ] || { echo "$0: $path is $(now "$path"), and was $old" >&2; left=1; }
    done <"$saved"
    [ "$left" = 0 ] || fail "not everything came back; $saved stays"
    rm "$saved"
}
case ${1-apply} in
undo) undo ;;
apply)
    if [ ! -e "$saved" ]; then
        (umask 077 && touched >"$saved.new") && mv "$saved.new" "$saved" || fail "cannot write $saved; are you root?"
    fi
    (settings) || { undo; fail "nothing is left in place"; }
    ;;
*) fail "usage: $0 [apply|undo]" ;;
esac
"#;

/// The script.
pub(super) fn text(sheet: &Sheet<'_>) -> String {
    let name = sheet.wish.proof().name();
    let usage = [
        "sh THIS        sets the values until the next boot; the old ones are noted in /run first"
            .to_string(),
        "sh THIS undo   puts the old ones back".to_string(),
    ];
    let mut script = String::from("#!/bin/sh\n");
    script.push_str(&comments(&sheet.head));
    script.push_str(&comments(&usage));
    script.push_str("set -eu\n");
    script.push_str(&format!("saved=/run/iodyno-record-{name}.saved\n"));
    if needs_disk(sheet) {
        script.push_str(&disk(sheet));
    }
    script.push_str(&function("settings", &values(sheet)));
    script.push_str(&function("touched", &touched(sheet)));
    script.push_str(COMMON);
    script
}

fn needs_disk(sheet: &Sheet<'_>) -> bool {
    let mut places = sheet.settings.iter().map(|setting| &setting.place);
    places.any(|place| matches!(place, Place::OfDevice(_)))
}

/// The device by the serial number that udev knows, else by its name. Both are plain words.
fn disk(sheet: &Sheet<'_>) -> String {
    let device = sheet.device;
    let find = match udev_rule::serial(sheet.host, device) {
        Some(serial) => format!(
            "disk=\nfor block in /sys/block/*; do\n    \
             if grep -qxF 'E:ID_SERIAL={serial}' \"/run/udev/data/b$(cat \"$block/dev\")\" 2>/dev/null; then disk=${{block##*/}}; fi\n\
             done\n"
        ),
        None => format!("disk='{device}'\n"),
    };
    format!(
        "{find}[ -n \"$disk\" ] && [ -e \"/sys/block/$disk/queue\" ] || {{ echo \"$0: the disk is not here\" >&2; exit 1; }}\n"
    )
}

fn function(name: &str, lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("{name}() {{\n{body}}}\n")
}

fn values(sheet: &Sheet<'_>) -> Vec<String> {
    let one = |setting: &super::ExportedSetting<'_>| {
        let value = &setting.value.value;
        match &setting.place {
            Place::OfDevice(file) => format!("must \"/sys/block/$disk/{file}\" '{value}'"),
            Place::Sysctl(name) => format!("must /proc/sys/{} '{value}'", name.replace('.', "/")),
            Place::Path(path) => format!("must {path} '{value}'"),
            Place::OfInterrupt { serves, file } => {
                format!(
                    "for irq in /proc/irq/*/{serves}; do must \"${{irq%/*}}/{file}\" '{value}'; done"
                )
            }
        }
    };
    sheet.settings.iter().map(one).collect()
}

/// Everything that a write may change, in the order in which it is put back.
fn touched(sheet: &Sheet<'_>) -> Vec<String> {
    let own = sheet.settings.iter();
    let mut paths: Vec<(u8, String)> = Vec::new();
    for setting in own {
        if let Place::OfInterrupt { serves, file } = &setting.place {
            let line =
                format!("for irq in /proc/irq/*/{serves}; do note \"${{irq%/*}}/{file}\"; done");
            paths.push((u8::MAX, line));
            continue;
        }
        for (path, order) in checkpoint_paths(setting.value.knob, &setting.value.files) {
            let is_known = Subject::of_path(&path).is_some();
            let line = match path.strip_prefix(&format!("/sys/block/{}/", sheet.device)) {
                Some(file) => format!("note \"/sys/block/$disk/{file}\""),
                None => format!("note {path}"),
            };
            if is_known && !paths.iter().any(|(_, known)| *known == line) {
                paths.push((order, line));
            }
        }
    }
    paths.sort_by_key(|(order, _)| *order);
    paths.into_iter().map(|(_, line)| line).collect()
}
