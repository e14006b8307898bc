//! Tasks of Ansible: the files that keep the values, and the values themselves. With `-e iodyno_undo=true` they take the files
//! away. Every text is a JSON string, which YAML reads as it is, under `!unsafe`, so that Jinja makes nothing of it.

use super::{Place, Sheet, comments, kept_files};
use crate::PersistPlan;

/// Writes a value where it is another, and says `changed` then. `$1` is a pattern of paths, `$2` the value.
const WRITE: &str = "for file in $1; do read -r now <\"$file\" || :; case $now in *\\[*\\]*) now=${now#*\\[}; now=${now%%\\]*};; \
    esac; [ \"$now\" = \"$2\" ] || { echo \"$2\" >\"$file\" && echo changed; } || exit 1; done";

/// The list of tasks.
pub(super) fn text(sheet: &Sheet<'_>) -> String {
    let name = sheet.wish.proof().name();
    let usage = [
        "Include these tasks in a play of this one host, with become: true. With -e iodyno_undo=true they remove the".to_string(),
        "files again; what the kernel shows stays until the next boot then.".to_string(),
    ];
    let mut tasks = comments(&sheet.head);
    tasks.push_str(&comments(&usage));
    tasks.push_str("---\n");
    let files = kept_files(sheet);
    if files.is_empty() {
        tasks.push_str(&comments(&[
            "No file keeps the values for the next boot: the machine that this was made on has no way to.".to_string(),
        ]));
    }
    for (index, file) in files.iter().enumerate() {
        tasks.push_str(&keep(file, &name, index));
    }
    for setting in &sheet.settings {
        let path = match &setting.place {
            Place::OfDevice(file) => format!("/sys/block/{}/{file}", sheet.device),
            Place::Sysctl(name) => format!("/proc/sys/{}", name.replace('.', "/")),
            Place::Path(path) => path.clone(),
            Place::OfInterrupt { serves, file } => format!("/proc/irq/*/{serves}/../{file}"),
        };
        let (knob, value) = (setting.value.knob.id, &setting.value.value);
        tasks.push_str(&format!(
            "- name: {}\n  ansible.builtin.command:\n    argv: [/bin/sh, -c, {}, iodyno, {}, {}]\n  register: iodyno_set\n  \
             changed_when: \"'changed' in (iodyno_set.stdout | default(''))\"\n  when: not (iodyno_undo | default(false) | bool)\n",
            text_of(&format!("iodyno record {name}: {knob} is {value} now")),
            text_of(WRITE),
            text_of(&path),
            text_of(value),
        ));
    }
    tasks
}

fn keep(file: &PersistPlan, name: &str, index: usize) -> String {
    let (path, content) = (text_of(&file.path), text_of(&file.content));
    let label = text_of(&format!("iodyno record {name}: {} keeps it", file.path));
    let gone = text_of(&format!("iodyno record {name}: {} is gone", file.path));
    let reload = match file.path.starts_with("/etc/udev/") {
        true => format!(
            "- name: {}\n  ansible.builtin.command:\n    argv: [udevadm, control, --reload]\n  \
             when: iodyno_file_{index} is changed\n",
            text_of("iodyno: udev reads its rules again")
        ),
        false => String::new(),
    };
    format!(
        "- name: {label}\n  ansible.builtin.copy:\n    dest: {path}\n    content: {content}\n    owner: root\n    group: root\n    \
         mode: \"0644\"\n  register: iodyno_file_{index}\n  when: not (iodyno_undo | default(false) | bool)\n\
         {reload}- name: {gone}\n  ansible.builtin.file:\n    path: {path}\n    state: absent\n  \
         when: iodyno_undo | default(false) | bool\n"
    )
}

/// A text that is taken as it is. A text always has a form in JSON.
fn text_of(text: &str) -> String {
    format!("!unsafe {}", serde_json::Value::String(text.to_string()))
}
