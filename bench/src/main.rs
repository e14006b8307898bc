//! proof
mod cell;
mod judge;
mod tally;
mod trial;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
fn main() {
    let mut args = std::env::args().skip(1);
    let runs: u64 = args.next().unwrap().parse().unwrap();
    let only: Vec<String> = args.collect();
    let cells: Vec<cell::Cell> = cell::all()
        .into_iter()
        .filter(|c| {
            let n = format!("{:?} {}", c.table, c.label());
            only.is_empty() || only.iter().any(|o| n.contains(o))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let out = Mutex::new(vec![None; cells.len()]);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= cells.len() {
                        break;
                    }
                    let t: Vec<trial::Trial> =
                        (0..runs).map(|r| trial::run(&cells[i], r, None).unwrap()).collect();
                    out.lock().unwrap()[i] = Some(t);
                }
            });
        }
    });
    for (c, t) in cells.iter().zip(out.into_inner().unwrap()) {
        let t = t.unwrap();
        let cov: Vec<bool> = t.iter().filter_map(|x| x.covers).collect();
        println!(
            "{:?} {:26} wrong {:.3} right {:.3} | s {:5.1} p90 {:5.1} | hor {:5.2} | cov {:.2}/{} | {}",
            c.table,
            c.label(),
            tally::Share::of(&t, |t| t.is_wrong_win).value(),
            tally::Share::of(&t, |t| t.is_right).value(),
            tally::seconds(&t, 0.5),
            tally::seconds(&t, 0.9),
            tally::horizon_s(&t, 0.5),
            cov.iter().filter(|x| **x).count() as f64 / cov.len().max(1) as f64,
            cov.len(),
            tally::reasons(&t)
        );
    }
}
