//! Tags: words of the user's on a record, beside it and not in it.

use crate::Store;
use crate::error::{StoreError, StoreErrorKind};
use rusqlite::params;

/// The longest tag, characters.
const LONGEST: usize = 64;

impl Store {
    /// The tags of a record, sorted.
    pub fn tags(&self, id: i64) -> Result<Vec<String>, StoreError> {
        Ok(self.row(id)?.tags)
    }

    /// Adds tags; those it has already are fine.
    pub fn tag(&self, id: i64, names: &[&str]) -> Result<(), StoreError> {
        self.row(id)?;
        names.iter().try_for_each(|name| check(name))?;
        self.write(|transaction| {
            for name in names {
                transaction.execute(
                    "INSERT OR IGNORE INTO tag VALUES (?1, ?2)",
                    params![id, name],
                )?;
            }
            Ok(())
        })
    }

    /// Takes tags away; those it does not have are fine.
    pub fn untag(&self, id: i64, names: &[&str]) -> Result<(), StoreError> {
        self.row(id)?;
        self.write(|transaction| {
            for name in names {
                transaction.execute(
                    "DELETE FROM tag WHERE record = ?1 AND name = ?2",
                    params![id, name],
                )?;
            }
            Ok(())
        })
    }

    /// Every tag that is in use, with the number of its records, sorted.
    pub fn all_tags(&self) -> Result<Vec<(String, u32)>, StoreError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT name, count(*) FROM tag GROUP BY name ORDER BY name")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failed(&error))
    }
}

/// Whether a word can be a tag.
pub fn is_fine(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._:/@+=-".contains(c);
    let length = name.chars().count();
    (1..=LONGEST).contains(&length) && name.chars().all(is_plain) && !name.starts_with('-')
}

fn check(name: &str) -> Result<(), StoreError> {
    if is_fine(name) {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Usage,
        format!(
            "`{}` cannot be a tag. A tag is one word of at most {LONGEST} letters, digits and . _ : / @ + = -, and begins \
             with no hyphen.",
            name.escape_debug()
        ),
    ))
}
