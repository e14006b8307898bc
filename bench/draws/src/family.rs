//! Families of faults, one shell file each.

use std::fs;

/// One family.
#[derive(Clone, Debug)]
pub struct Family {
    /// Name of its file.
    pub name: String,
    /// What it is.
    pub what: String,
    /// Rules and causes that are right about it.
    pub rules: Vec<String>,
    /// How strong it can be.
    pub strengths: Vec<String>,
}

/// All families, by name.
///
/// # Errors
/// A file cannot be read, or its head lacks something.
pub fn all() -> Result<Vec<Family>, String> {
    let directory = crate::home().join("families");
    let listed = fs::read_dir(&directory).map_err(|error| error.to_string())?;
    let mut families = Vec::new();
    for entry in listed {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        families.push(read(&name, &text)?);
    }
    families.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(families)
}

fn read(name: &str, text: &str) -> Result<Family, String> {
    let words = |head: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(head));
        let line = line.ok_or_else(|| format!("{name}: no line `{head}`"))?;
        Ok::<_, String>(line.split_whitespace().map(str::to_string).collect())
    };
    let what = text.lines().next().and_then(|line| line.strip_prefix("# "));
    Ok(Family {
        name: name.into(),
        what: what.unwrap_or_default().trim_end_matches('.').into(),
        rules: words("# rules: ")?,
        strengths: words("# strengths: ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_says_what_is_right_about_it() {
        let families = all().unwrap();
        assert!(families.len() >= 10);
        for family in families {
            let is_whole = !family.what.is_empty() && !family.rules.is_empty();
            assert!(is_whole && !family.strengths.is_empty(), "{family:?}");
        }
    }
}
