//! Many hosts at once, as far as it is arithmetic and text: who they are, the protocol, clocks, what their results are
//! together, which one is different. Nothing here reaches a machine.

mod answer;
mod clock;
mod elf;
mod figures;
mod goes_with;
pub mod hosts;
mod outlier;
mod pending;
pub mod protocol;
mod settings;
mod trust;
mod view;

pub use answer::{FLEET_SCHEMA, FleetAnswer, FleetLine, HostAnswer, HostState, StartAnswer};
pub use clock::{ClockOffset, ClockRound, Skew, skew};
pub use elf::Executable;
pub use figures::{HostFigures, at_common_depth};
pub use goes_with::{GoesWith, going_with};
pub use outlier::{HOSTS_MIN, Outlier, OutlierMetric, outliers};
pub use pending::{PENDING_SCHEMA, Pending, PendingList, StillThere, to_undo};
pub use settings::{SettingElsewhere, SettingRow, SettingsTable};
pub use trust::record;
pub use view::lines;
