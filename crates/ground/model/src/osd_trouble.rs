//! Which OSDs of a Ceph pool deserve to be seen, where they are too many to be shown.

use crate::iopath::Layer;

/// The share of its room from which an OSD is nearly full, where the cluster does not say another: `mon_osd_nearfull_ratio`.
pub const NEARFULL: f64 = 0.85;

/// The OSDs that are worth a look, in their order: `most` of them, those that are down or out first, then those that are slow
/// beside their peers, then the fuller ones; and as many again of those beyond `nearfull`, the fullest first, whatever else there
/// is.
pub fn worst_osds(osds: &[Layer], nearfull: f64, most: usize) -> Vec<&Layer> {
    let by = |rank: &dyn Fn(&Layer) -> [f64; 3], of: &dyn Fn(&Layer) -> bool| {
        let mut order: Vec<usize> = (0..osds.len()).filter(|place| of(&osds[*place])).collect();
        order.sort_by(|one, other| {
            let (one, other) = (rank(&osds[*one]), rank(&osds[*other]));
            let pairs = other.iter().zip(&one);
            let unequal = pairs.map(|(other, one)| other.total_cmp(one));
            unequal
                .reduce(|all, next| all.then(next))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        order.truncate(most);
        order
    };
    let mut chosen = by(&trouble, &|_| true);
    let full = by(&|osd| [used(osd), 0.0, 0.0], &|osd| used(osd) >= nearfull);
    chosen.extend(full);
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|place| &osds[place]).collect()
}

/// Whether it is away, how many times as long as its peers it takes to commit, and how full it is. Ceph counts in whole
/// milliseconds, so peers with 0 take up to one.
fn trouble(osd: &Layer) -> [f64; 3] {
    let is_away = osd.fact("osd_up") == Some("no") || osd.fact("osd_in") == Some("no");
    let commit = osd.number("commit_ms").zip(osd.number("peers_commit_ms"));
    let times = commit.map_or(0.0, |(own, peers)| own / peers.max(1.0));
    [f64::from(u8::from(is_away)), times, used(osd)]
}

fn used(osd: &Layer) -> f64 {
    osd.number("used_share").unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iopath::LayerKind;

    fn osd(number: usize, facts: &[(&str, &str)]) -> Layer {
        let mut osd = Layer::new(LayerKind::Osd, format!("osd.{number}"));
        for (name, value) in facts {
            osd.facts.insert((*name).into(), (*value).into());
        }
        osd
    }

    #[test]
    fn what_is_full_or_slow_beside_its_peers_is_seen_among_slow_disks() {
        let usual = [
            ("commit_ms", "30"),
            ("peers_commit_ms", "30"),
            ("used_share", "0.5"),
        ];
        let mut osds: Vec<Layer> = (0..300).map(|number| osd(number, &usual)).collect();
        let mut set = |number: usize, name: &str, value: &str| {
            osds[number].facts.insert(name.into(), value.into());
        };
        set(33, "used_share", "0.91");
        set(44, "osd_in", "no");
        // An SSD that is slow for one, and faster than every disk that turns.
        set(55, "commit_ms", "25");
        set(55, "peers_commit_ms", "1");
        let names: Vec<&str> = worst_osds(&osds, NEARFULL, 4)
            .into_iter()
            .map(|osd| osd.name.as_str())
            .collect();
        assert_eq!(names, ["osd.0", "osd.33", "osd.44", "osd.55"]);
        let all_away: Vec<Layer> = (0..9)
            .map(|number| match number {
                8 => osd(8, &[("used_share", "0.86")]),
                _ => osd(number, &[("osd_up", "no")]),
            })
            .collect();
        let names = worst_osds(&all_away, NEARFULL, 4);
        assert_eq!((names.len(), names[4].name.as_str()), (5, "osd.8"));
    }
}
