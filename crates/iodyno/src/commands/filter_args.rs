//! Which records: the conditions that `list` and `export` share.

use crate::exit::Failure;
use store::Filter;

/// The number of a record, from 1.
///
/// # Errors
/// For any other word.
pub fn record_number(text: &str) -> Result<i64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("records have numbers from 1 on, which `iodyno list` shows".into()),
    }
}

/// Conditions on records; all of them hold.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FilterArgs {
    /// Of this host.
    #[arg(long, value_name = "NAME", help_heading = "Which records")]
    pub host: Option<String>,
    /// With this block device on the path: sda, /dev/nvme0n1.
    #[arg(long, value_name = "NAME", help_heading = "Which records")]
    pub device: Option<String>,
    /// With the disk of this serial number, wherever it was and whatever its name.
    #[arg(long, value_name = "SERIAL", help_heading = "Which records")]
    pub serial: Option<String>,
    /// Of this target, or of one below it.
    #[arg(long, value_name = "PATH", help_heading = "Which records")]
    pub target: Option<String>,
    /// Of this job: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json.
    #[arg(long, value_name = "WORDS", help_heading = "Which records")]
    pub job: Option<String>,
    /// Made under this kernel release, or one that begins so: 6.1.
    #[arg(long, value_name = "RELEASE", help_heading = "Which records")]
    pub kernel: Option<String>,
    /// Made by this verb: run, tune, check, watch, import.
    #[arg(long, value_name = "VERB", help_heading = "Which records")]
    pub verb: Option<String>,
    /// With this tag.
    #[arg(long, value_name = "TAG", help_heading = "Which records")]
    pub tag: Option<String>,
    /// With this setting on the path, or with this value of it: scheduler=none.
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Which records")]
    pub setting: Option<String>,
    /// Measured since: 2026-11-21, "2026-11-21 18:30", or 7d ago.
    #[arg(long, value_name = "WHEN", help_heading = "Which records")]
    pub since: Option<String>,
    /// Measured before.
    #[arg(long, value_name = "WHEN", help_heading = "Which records")]
    pub until: Option<String>,
    /// With this text in summary, target, job, model, tags or notes.
    #[arg(long, value_name = "TEXT", help_heading = "Which records")]
    pub text: Option<String>,
}

impl FilterArgs {
    /// Whether no condition was given.
    pub fn is_empty(&self) -> bool {
        self.filter(0, u32::MAX)
            .is_ok_and(|filter| filter == Filter::default())
    }

    /// As the store takes them.
    pub fn filter(&self, now_ms: i64, limit: u32) -> Result<Filter, Failure> {
        let moment = |text: &Option<String>| {
            text.as_ref()
                .map(|text| store::moment(text, now_ms, &host::clock::time_zone()))
                .transpose()
        };
        let setting = self
            .setting
            .as_ref()
            .map(|text| match text.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (text.clone(), None),
            });
        Ok(Filter {
            host: self.host.clone(),
            device: self.device.clone(),
            serial: self.serial.clone(),
            target: self.target.clone(),
            job: self.job.clone(),
            kernel: self.kernel.clone(),
            verb: self.verb.clone(),
            tag: self.tag.clone(),
            setting,
            since_unix_ms: moment(&self.since)?,
            until_unix_ms: moment(&self.until)?,
            text: self.text.clone(),
            before_id: None,
            limit,
        })
    }
}
