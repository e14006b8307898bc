//! Options of one engine that others do not have (`Job::engine_options`), read with the errors that a user needs.

use super::LoadError;
use model::job::Job;
use model::units;

/// The options of a job for one engine.
#[derive(Debug)]
pub struct Options<'a> {
    job: &'a Job,
    engine: &'static str,
}

impl<'a> Options<'a> {
    /// Checks that the engine knows every option given.
    pub fn of(
        job: &'a Job,
        engine: &'static str,
        known: &[&str],
    ) -> Result<Options<'a>, LoadError> {
        match job
            .engine_options
            .keys()
            .find(|name| !known.contains(&name.as_str()))
        {
            None => Ok(Options { job, engine }),
            Some(name) => Err(LoadError::usage(
                format!("--engine-option {name}"),
                format!("the engine {engine} has no such option"),
                format!("It has {}", known.join(", ")),
            )),
        }
    }

    /// The value as given.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.job.engine_options.get(name).map(|text| text.trim())
    }

    /// A whole number in a range.
    pub fn number(
        &self,
        name: &str,
        default: u64,
        least: u64,
        most: u64,
    ) -> Result<u64, LoadError> {
        let Some(text) = self.text(name) else {
            return Ok(default);
        };
        let number = text
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            self.wrong(
                name,
                text,
                "it is no whole number in reach",
                &format!("Choose from {least} to {most}"),
            )
        })
    }

    /// A size in bytes, such as `4k`.
    pub fn bytes(&self, name: &str, text: &str) -> Result<u64, LoadError> {
        units::parse_bytes(text).map_err(|error| {
            self.wrong(
                name,
                text,
                &error.to_string(),
                "Give a size such as 4k or 1m",
            )
        })
    }

    /// 0 or 1.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, LoadError> {
        match self.text(name) {
            None => Ok(default),
            Some("1") => Ok(true),
            Some("0") => Ok(false),
            Some(text) => Err(self.wrong(name, text, "it is neither 0 nor 1", "Give 0 or 1")),
        }
    }

    /// A usage error about one of the options.
    pub fn wrong(&self, name: &str, text: &str, why: &str, advice: &str) -> LoadError {
        LoadError::usage(
            format!("--engine-option {name}={text} of {}", self.engine),
            why,
            advice,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_and_a_bad_value_are_named() {
        let mut job = Job::default();
        job.engine_options.insert("fils".into(), "10".into());
        let error = Options::of(&job, "files", &["files", "dirs"])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "--engine-option fils: the engine files has no such option. It has files, dirs"
        );
        job.engine_options = [("files".to_string(), "many".to_string())].into();
        let options = Options::of(&job, "files", &["files", "dirs"]).unwrap();
        let error = options.number("files", 10, 1, 99).unwrap_err().to_string();
        assert!(
            error.contains("files=many") && error.contains("from 1 to 99"),
            "{error}"
        );
        assert_eq!(options.number("dirs", 10, 1, 99).unwrap(), 10);
    }
}
