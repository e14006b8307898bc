//! `iodyno list`: the records that fulfil the conditions, those that came last first.

use super::filter_args::FilterArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use lookup::documents::RecordList;
use model::ceph_target::CephTarget;
use report::text::clean;
use store::{RecordRow, Store};

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// How many to show.
    #[arg(long, short = 'n', default_value_t = 20)]
    pub limit: u32,
    /// Only records before this number: what comes after a page.
    #[arg(long, value_name = "RECORD")]
    pub before: Option<i64>,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Prints the table.
pub fn run(args: &ListArgs, context: &Context) -> Result<Exit, Failure> {
    let now_ms = host::clock::unix_ms() as i64;
    let mut filter = args.filter.filter(now_ms, args.limit)?;
    filter.before_id = args.before;
    let records = Store::open_read_only(&context.state_dir)?.query(&filter)?;
    if records.is_empty() {
        context
            .out
            .say(match args.filter.is_empty() && args.before.is_none() {
                true => "No records yet. `iodyno run DIRECTORY` makes one.",
                false => "No record fulfils all of these conditions.",
            });
    }
    for line in lines(&records, now_ms) {
        context.out.say(line);
    }
    if records.len() == args.limit as usize
        && let Some(last) = records.last()
    {
        context.out.note(format!(
            "There may be more: -n shows more, --before {} the next ones.",
            last.id
        ));
    }
    context.out.document(&RecordList::of(records))?;
    Ok(Exit::Fine)
}

/// The table: a line for each record, and one more where it has tags or notes.
fn lines(rows: &[RecordRow], now_ms: i64) -> Vec<String> {
    let is_one_host = rows.windows(2).all(|pair| pair[0].host == pair[1].host);
    let wheres: Vec<String> = rows.iter().map(|row| place(row, is_one_host)).collect();
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let ids = width(&mut rows.iter().map(|row| row.id.to_string().len())).max(2);
    let verbs = width(&mut rows.iter().map(|row| row.verb.chars().count())).min(6);
    let places = width(&mut wheres.iter().map(|place| place.chars().count())).min(22);
    let mut lines = Vec::new();
    for (row, place) in rows.iter().zip(&wheres) {
        let head = format!(
            "{:>ids$}  {:>9}  {}  {}  ",
            row.id,
            age(now_ms - row.unix_ms),
            padded(&clip(&clean(&row.verb), verbs), verbs),
            padded(&clip_middle(place, places), places),
        );
        let left = report::text::width().saturating_sub(head.chars().count());
        lines.push(format!("{head}{}", clip(&clean(&row.summary), left)));
        lines.extend(beside(row).map(|text| {
            format!(
                "{:indent$}{}",
                "",
                clip(&text, report::text::width() - ids - 2),
                indent = ids + 2
            )
        }));
    }
    lines
}

/// The target; before it the host, where several are in the list.
fn place(row: &RecordRow, is_one_host: bool) -> String {
    // Of a pool the name says more than how its cluster is reached, which `show` has.
    let target = match CephTarget::parse(&row.target) {
        Ok(ceph) => ceph.without_cluster().to_string(),
        Err(_) => row.target.clone(),
    };
    let target = clean(&target);
    match row.host.as_str() {
        "" => target.into_owned(),
        _ if is_one_host => target.into_owned(),
        host => format!("{}:{target}", clean(host)),
    }
}

/// Tags and the number of notes.
fn beside(row: &RecordRow) -> Option<String> {
    let tags = (!row.tags.is_empty()).then(|| {
        row.tags
            .iter()
            .map(|tag| format!("#{}", clean(tag)))
            .collect::<Vec<_>>()
            .join(" ")
    });
    let notes = match row.note_count {
        0 => None,
        1 => Some("1 note".to_string()),
        count => Some(format!("{count} notes")),
    };
    let parts: Vec<String> = tags.into_iter().chain(notes).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn padded(text: &str, width: usize) -> String {
    format!(
        "{text}{:fill$}",
        "",
        fill = width.saturating_sub(text.chars().count())
    )
}

/// The beginning of a text, where all of it does not fit.
fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Beginning and end of a path: its last part says most.
fn clip_middle(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_string();
    }
    let (first, last) = (width / 3, width - width / 3 - 1);
    let head: String = text.chars().take(first).collect();
    let tail: String = text.chars().skip(count - last).collect();
    format!("{head}…{tail}")
}

/// How long ago, in the largest whole unit.
fn age(ms: i64) -> String {
    let units = [
        ("y", 31_536_000_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("min", 60_000),
        ("s", 1_000),
    ];
    let unit = units.into_iter().find(|(_, length_ms)| ms >= *length_ms);
    unit.map_or_else(
        || "now".into(),
        |(name, length_ms)| format!("{} {name} ago", ms / length_ms),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_whole() {
        assert_eq!(age(90_000), "1 min ago");
        assert_eq!(age(10), "now");
        assert_eq!(age(3 * 86_400_000), "3 d ago");
        assert_eq!(age(6 * 366 * 86_400_000), "6 y ago");
    }

    fn row(id: i64, host: &str, target: &str, summary: &str) -> RecordRow {
        let (host, target, summary) = (host.into(), target.into(), summary.into());
        RecordRow {
            id,
            verb: "run".into(),
            host,
            target,
            summary,
            unix_ms: 1_000,
            ..RecordRow::default()
        }
    }

    #[test]
    fn a_pool_is_named_without_its_cluster() {
        let target = "rados://training?conf=/etc/ceph/of_the_other_site.conf";
        let found = lines(&[row(1, "a", target, "short")], 91_000);
        assert_eq!(found, [" 1  1 min ago  run  rados://training  short"]);
    }

    #[test]
    fn the_table_is_aligned_clean_and_fits() {
        let long = "4K random read, depth 32, direct: 41.2 k IOPS, p99 1.20 ms, and a good deal more than fits";
        let mut tagged = row(7, "a", "/srv/postgres/16/main/base/pgsql_tmp", long);
        (tagged.tags, tagged.note_count) = (vec!["db".into(), "v1.2".into()], 2);
        let rows = [
            row(1234, "a", "/dev/vda", "short"),
            tagged,
            row(6, "b", "x\u{1b}[2J\u{202e}", "\u{1b}]0;x\u{7}"),
        ];
        let found = lines(&rows, 91_000);
        assert_eq!(
            found,
            [
                "1234  1 min ago  run  a:/dev/vda              short",
                "   7  1 min ago  run  a:/srv/…base/pgsql_tmp  4K random read, depth 32, direct:…",
                "      #db #v1.2, 2 notes",
                "   6  1 min ago  run  b:x?[2J?                ?]0;x?",
            ]
        );
        assert!(found.iter().all(|line| line.chars().count() <= 80));
    }
}
