//! The kinds of catalogue items: where each lives, what it declares and which headings its documentation has.

use super::CATALOGUE;

/// One kind of item.
pub struct ItemKind {
    /// The word for one, as in `knob`; also the folder of its pages.
    pub name: &'static str,
    /// The word for all of them, as a heading.
    pub plural: &'static str,
    /// The folder of the item files, relative to the workspace root.
    pub folder: &'static str,
    /// The name of the static that each file declares.
    pub item: &'static str,
    /// The type of that static, declared by the module above the folder.
    pub type_name: &'static str,
    /// The headings of the `//!` block, in their order.
    pub headings: &'static [&'static str],
}

impl ItemKind {
    /// The source file of an item.
    pub fn item_path(&self, id: &str) -> String {
        format!("{}/{id}.rs", self.folder)
    }

    /// The path of the list of pages in Rust: `apply::knobs::PAGES`.
    pub fn pages_path(&self) -> String {
        let path = self.folder.splitn(3, '/').nth(2).unwrap_or_default();
        format!("{}::PAGES", path.replace("/src/", "::").replace('/', "::"))
    }

    /// The page of an item.
    pub fn page_path(&self, id: &str) -> String {
        format!("{CATALOGUE}/{}/{id}.md", self.name)
    }
}

/// Every kind, in the order in which the index lists them: the order of the loop, settings first.
pub const KINDS: &[ItemKind] = &[
    ItemKind {
        name: "knob",
        plural: "Knobs",
        folder: "crates/stages/apply/src/knobs",
        item: "KNOB",
        type_name: "Knob",
        headings: &[
            "What it does",
            "Who should change it",
            "Risk and how it is undone",
            "Kernel versions",
            "Example",
            "Sources",
        ],
    },
    ItemKind {
        name: "persist",
        plural: "Ways to persist",
        folder: "crates/stages/apply/src/persist",
        item: "PERSIST",
        type_name: "Persist",
        headings: &["What it does", "How it is undone", "Example", "Sources"],
    },
    ItemKind {
        name: "rule",
        plural: "Rules",
        folder: "crates/stages/diagnose/src/rules",
        item: "RULE",
        type_name: "Rule",
        headings: &[
            "What it finds",
            "Why it matters",
            "What to try",
            "Example",
            "Stays silent",
            "Sources",
        ],
    },
    ItemKind {
        name: "cause",
        plural: "Causes",
        folder: "crates/stages/diagnose/src/causes",
        item: "CAUSE",
        type_name: "Cause",
        headings: &[
            "What it finds",
            "Why it matters",
            "What to try",
            "Example",
            "Stays silent",
            "Seen",
            "Sources",
        ],
    },
    ItemKind {
        name: "sysctl",
        plural: "Settings of the kernel",
        folder: "crates/stages/diagnose/src/sysctls",
        item: "SYSCTL",
        type_name: "Sysctl",
        headings: &[
            "What it does",
            "Unit and default",
            "What it does to storage",
            "Recommended",
            "Known against it",
            "Sources",
        ],
    },
    ItemKind {
        name: "profile",
        plural: "Profiles of settings",
        folder: "crates/stages/diagnose/src/profiles",
        item: "PROFILE",
        type_name: "Profile",
        headings: &[
            "What it is for",
            "Settings",
            "Known against it",
            "Example",
            "Sources",
        ],
    },
    ItemKind {
        name: "live",
        plural: "Live rules",
        folder: "crates/stages/diagnose/src/live",
        item: "LIVE",
        type_name: "LiveRule",
        headings: &[
            "What it finds",
            "Why it matters",
            "What to try",
            "Example",
            "Stays silent",
            "Sources",
        ],
    },
    ItemKind {
        name: "sensor",
        plural: "Sensors",
        folder: "crates/stages/observe/src/sensors",
        item: "SENSOR",
        type_name: "Sensor",
        headings: &["What it reads", "Metrics", "Cost", "When absent", "Example"],
    },
    ItemKind {
        name: "engine",
        plural: "Engines",
        folder: "crates/stages/load/src/engines",
        item: "ENGINE",
        type_name: "Engine",
        headings: &[
            "What it does",
            "Options",
            "Danger to data",
            "Limits",
            "Example",
        ],
    },
    ItemKind {
        name: "preset",
        plural: "Presets",
        folder: "crates/stages/load/src/presets",
        item: "PRESET",
        type_name: "Preset",
        headings: &["What it measures", "When to use it", "Job", "Example"],
    },
    ItemKind {
        name: "meter",
        plural: "Meters",
        folder: "crates/around/tuner/src/meters",
        item: "METER",
        type_name: "Meter",
        headings: &["What it measures", "When to use it", "Limits", "Example"],
    },
    ItemKind {
        name: "importer",
        plural: "Importers",
        folder: "crates/around/imports/src/importers",
        item: "IMPORTER",
        type_name: "Importer",
        headings: &["What it reads", "What is lost", "Example"],
    },
    ItemKind {
        name: "collector",
        plural: "Collectors",
        folder: "crates/stages/inventory/src/collectors",
        item: "COLLECTOR",
        type_name: "Collector",
        headings: &["What it reads", "Fields", "Example"],
    },
    ItemKind {
        name: "claimant",
        plural: "Claimants",
        folder: "crates/stages/inventory/src/claimants",
        item: "CLAIMANT",
        type_name: "Claimant",
        headings: &[
            "What it reads",
            "What it claims",
            "When it acts",
            "Example",
            "Sources",
        ],
    },
];
