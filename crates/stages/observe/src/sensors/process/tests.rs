//! Captured moments of a machine, this machine, and damage.

use super::account::Account;
use super::watch::Watch;
use super::*;
use crate::sensor_tests::{damaged, read_once};
use host::{Archive, clock, files, process};
use model::change::Attribute;

const SECOND_NS: u64 = 1_000_000_000;

/// A process: number, name, start time, bytes read and written.
type Process = (u32, &'static str, u64, u64, u64);

fn machine(processes: &[Process]) -> Host {
    let mut archive = Archive::default();
    let mut put = |path: String, text: String| archive.insert(&path, Attribute::Value(text));
    let newest = processes
        .iter()
        .map(|one| one.0 as u64 + one.2)
        .max()
        .unwrap_or(0);
    put(
        "/proc/loadavg".into(),
        format!("0.1 0.2 0.3 1/200 {newest}"),
    );
    for (pid, name, began, read, written) in processes {
        put(format!("/proc/{pid}/io"), io(*read, *written));
        let fields = "S 1 1 1 0 -1 4202752 90210 0 213 0 8123312 2012331 0 0 20 0 38 0";
        put(
            format!("/proc/{pid}/stat"),
            format!("{pid} ({name}) {fields} {began} 1843200000 45210"),
        );
    }
    Host::from_archive(archive)
}

fn io(read: u64, written: u64) -> String {
    format!(
        "rchar: 500\nwchar: 600\nsyscr: 7\nsyscw: 8\nread_bytes: {read}\nwrite_bytes: {written}\n\
         cancelled_write_bytes: 0\n"
    )
}

/// Looks at each moment, a few seconds apart, and says what the last one gave: bytes read and written by name.
fn watched(moments: &[&[Process]]) -> Vec<(String, f64, f64)> {
    let mut watch = Watch::new(&machine(moments[0]));
    for (second, processes) in moments.iter().enumerate() {
        watch.move_to(&machine(processes));
        watch.look((second as u64 * 4 + 1) * SECOND_NS);
    }
    let name = |slot: usize| {
        if slot == 0 {
            "others"
        } else {
            &watch.subjects()[slot - 1]
        }
    };
    let told = watch.accounts().map(|(slot, account)| {
        let mut cells = [0.0; COUNT];
        account.fill(&mut cells);
        (name(slot).to_string(), cells[4], cells[5])
    });
    told.collect()
}

const MIB: u64 = 1 << 20;

#[test]
fn who_writes_gets_a_series_and_who_does_not_gets_none() {
    let moment = |n: u64| {
        [
            (7, "mysqld", 50, 0, n * 4 * MIB),
            (9, "sshd", 60, 300, 0),
            (2, "kthreadd", 1, 0, 0),
        ]
    };
    let moments: Vec<_> = (0..4).map(moment).collect();
    let moments: Vec<&[Process]> = moments.iter().map(|one| &one[..]).collect();
    // The first two looks find out that it writes; the third counts what it wrote meanwhile among the others.
    let others = ("others".to_string(), 0.0, (4 * MIB) as f64);
    assert_eq!(
        watched(&moments),
        [others, ("mysqld.7".into(), 0.0, (12 * MIB) as f64)]
    );
}

#[test]
fn a_number_given_to_another_process_is_not_mistaken_for_the_first() {
    let first = |n: u64| [(7, "old", 50, 0, 900 * MIB + n * 4 * MIB)];
    let second = |n: u64| [(7, "new", 90, 0, n * 4 * MIB)];
    let moments = [
        first(0),
        first(1),
        first(2),
        second(1),
        second(2),
        second(3),
        second(4),
    ];
    let told = watched(&moments.each_ref().map(|one| &one[..]));
    assert_eq!(told[1], ("new.7".into(), 0.0, (16 * MIB) as f64));
    assert_eq!(told.len(), 2, "the first is gone: {told:?}");
    // Of the second, what it did while it was quiet may belong to anybody and counts nowhere.
    assert!(told[0].2 <= (12 * MIB) as f64, "{told:?}");
}

#[test]
fn what_ends_leaves_a_gap_and_no_error() {
    let writing = |n: u64| [(7, "dd", 50, 0, n * 4 * MIB), (9, "sh", 60, 0, 0)];
    let without = [(9, "sh", 60, 0, 0)];
    let moments: [&[Process]; 5] = [&writing(0), &writing(1), &writing(2), &without, &without];
    let mut sensor = Processes {
        watch: Watch::new(&machine(moments[0])),
        told: 1,
    };
    for (second, moment) in moments.iter().enumerate() {
        sensor.watch.move_to(&machine(moment));
        // The file that is open answers as the kernel does for a process that has ended.
        if second == 3 {
            sensor.watch.move_to(&machine(&[(7, "dd", 51, 0, 0)]));
        }
        sensor.watch.look((second as u64 * 4 + 1) * SECOND_NS);
    }
    let columns = sensor.new_columns();
    assert_eq!(columns[5].name, "process.dd.7.write_bytes");
    assert!(
        sensor.watch.accounts().all(|(slot, _)| slot == 0),
        "only the others are left"
    );
    let mut row = vec![f64::NAN; 2 * COUNT];
    sensor.read(&mut row).unwrap();
    assert!(row[COUNT..].iter().all(|cell| cell.is_nan()) && !row[0].is_nan());
}

#[test]
fn what_a_new_process_did_before_it_was_found_is_no_leap() {
    let shell = (9, "sh", 60, 0, 0);
    let moments: [&[Process]; 2] = [&[shell], &[shell, (70, "dd", 80, 0, 50 * MIB)]];
    let mut watch = Watch::new(&machine(moments[0]));
    let mut written = |tenth: u64| {
        watch.move_to(&machine(moments[usize::from(tenth > 10)]));
        watch.look(tenth * SECOND_NS / 10);
        let (_, others) = watch.accounts().next().unwrap();
        let mut cells = [0.0; COUNT];
        others.fill(&mut cells);
        cells[5]
    };
    let told: Vec<f64> = (10..=30).map(&mut written).collect();
    let leaps = told.windows(2).map(|two| two[1] - two[0]);
    let greatest = leaps.fold(0.0, f64::max);
    assert_eq!(told.last(), Some(&((50 * MIB) as f64)), "{told:?}");
    // It was found half a second after the listing before, so that is the time in which it did that.
    assert!(greatest <= (11 * MIB) as f64, "{told:?}");
}

#[test]
fn names_are_safe_in_the_name_of_a_series() {
    let moment = |n: u64| [(7, "a (b) {c}\n\"", 50, 0, n * 4 * MIB)];
    let told = watched(&[&moment(0), &moment(1), &moment(2)]);
    assert_eq!(told[1].0, "a_(b)__c___.7");
}

#[test]
fn the_number_of_series_is_bounded() {
    let moment =
        |n: u64| -> Vec<Process> { (1..=200).map(|pid| (pid, "w", 5, 0, n * 4 * MIB)).collect() };
    let mut watch = Watch::new(&machine(&moment(0)));
    for generation in 0..4u64 {
        for n in 0..3 {
            // Each generation begins anew, under the same numbers and another name.
            let name = ["a", "b", "c", "d"][generation as usize];
            let processes: Vec<Process> = moment(n)
                .iter()
                .map(|one| (one.0, name, generation, one.3, one.4))
                .collect();
            watch.move_to(&machine(&processes));
            // Far apart, so that the budget never limits.
            for step in 0..4 {
                watch.look(((generation * 3 + n) * 100 + step * 4 + 1) * SECOND_NS);
            }
        }
        watch.move_to(&machine(&[(1, "gone", 99, 0, 0)]));
        watch.look((generation * 300 + 290) * SECOND_NS);
    }
    assert!(
        (256..=584).contains(&watch.subjects().len()),
        "{}",
        watch.subjects().len()
    );
    assert!(
        watch
            .notes()
            .iter()
            .any(|note| note.contains("until they have moved")),
        "{:?}",
        watch.notes()
    );
}

#[test]
fn however_many_came_before_a_large_writer_gets_series() {
    let small = |generation: u64, n: u64| -> Vec<Process> {
        (1..=200)
            .map(|pid| {
                (
                    pid,
                    ["a", "b", "c", "d"][generation as usize],
                    generation,
                    0,
                    n * MIB / 4,
                )
            })
            .collect()
    };
    let mut watch = Watch::new(&machine(&small(0, 0)));
    let mut second = 1;
    let mut look = |watch: &mut Watch, processes: &[Process]| {
        watch.move_to(&machine(processes));
        (0..4).for_each(|_| {
            second += 4;
            watch.look(second * SECOND_NS);
        });
    };
    for generation in 0..4 {
        (0..5).for_each(|n| look(&mut watch, &small(generation, n)));
        (0..3).for_each(|_| look(&mut watch, &[(1, "gone", 99, 0, 0)]));
    }
    let taken = watch.subjects().len();
    assert!(
        (256..300).contains(&taken),
        "{taken}: small ones stop where it takes more"
    );
    (0..6).for_each(|n| {
        look(
            &mut watch,
            &[(1, "gone", 99, 0, 0), (900, "backup", 500, 0, n * 40 * MIB)],
        )
    });
    assert_eq!(
        watch.subjects().last().map(String::as_str),
        Some("backup.900")
    );
}

#[test]
fn who_is_still_makes_room_for_who_is_not() {
    let moment = |n: u64, late: u64| -> Vec<Process> {
        let many = (1..=256).map(|pid| (pid, "w", 5, 0, n * 4 * MIB));
        many.chain([(300, "late", 6, 0, late * 4 * MIB)]).collect()
    };
    let mut watch = Watch::new(&machine(&moment(0, 0)));
    for (second, (n, late)) in [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4)]
        .into_iter()
        .enumerate()
    {
        watch.move_to(&machine(&moment(n, late)));
        watch.look((second as u64 * 4 + 1) * SECOND_NS);
    }
    let told: Vec<usize> = watch.accounts().map(|(slot, _)| slot).collect();
    let late = watch
        .subjects()
        .iter()
        .position(|subject| subject == "late.300");
    assert!(
        told.len() <= 257 && late.is_some_and(|late| told.contains(&(late + 1))),
        "{late:?} of {told:?}"
    );
}

#[test]
fn damage_is_never_an_account() {
    let whole = io(123, 456);
    for seed in 0..1000 {
        let text = damaged(&whole, seed);
        if let Some(account) = Account::parse(text.as_bytes()) {
            let _ = account.moved();
        }
        let files = [
            ("/proc/7/io", text.as_str()),
            ("/proc/7/stat", text.as_str()),
        ];
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        assert!(
            row.iter()
                .all(|(_, value)| value.is_none_or(|value| value >= 0.0)),
            "seed {seed}"
        );
    }
    assert!(
        Account::parse(&whole.as_bytes()[..whole.len() - 30]).is_none(),
        "half an account is none"
    );
}

#[test]
fn absence_has_its_reason() {
    let without = [("/proc/7/stat", "7 (x) S")];
    assert!(
        read_once(&SENSOR, &without, &Scope::default())
            .unwrap_err()
            .contains("TASK_IO_ACCOUNTING")
    );
    assert!(
        read_once(&SENSOR, &[], &Scope::default())
            .unwrap_err()
            .contains("no processes")
    );
}

#[test]
fn this_process_is_found_when_it_writes() {
    let dir = files::temporary_dir("process").unwrap();
    let path = dir.path().join("file");
    files::write_atomically(&path, "").unwrap();
    let access = files::Access {
        write: true,
        ..files::Access::default()
    };
    let file = files::DataFile::open(&path, access).unwrap();
    if file.is_in_memory() {
        return skip::missing("disk", "the temporary directory is in memory");
    }
    if !Host::live().exists("/proc/self/io") {
        return skip::missing("kernel:task-io", "the kernel accounts no I/O of processes");
    }
    let mut watch = Watch::new(&Host::live());
    let suffix = format!(".{}", process::id());
    let end_ns = clock::monotonic_ns() + 120 * SECOND_NS;
    let mut offset = 0;
    let slot = loop {
        assert!(
            clock::monotonic_ns() < end_ns,
            "not found in two minutes: {:?}",
            watch.subjects()
        );
        file.write_at(&vec![1; 2 << 20], offset).unwrap();
        offset += 2 << 20;
        watch.look(clock::monotonic_ns());
        if let Some(place) = watch
            .subjects()
            .iter()
            .position(|subject| subject.ends_with(&suffix))
        {
            break place + 1;
        }
        clock::sleep_ms(200);
    };
    let written = |watch: &Watch| {
        let mut cells = [0.0; COUNT];
        watch
            .accounts()
            .find(|(one, _)| *one == slot)
            .unwrap()
            .1
            .fill(&mut cells);
        cells[5]
    };
    let before = written(&watch);
    file.write_at(&vec![2; 4 << 20], 0).unwrap();
    file.write_at(&vec![2; 4 << 20], offset).unwrap();
    watch.look(clock::monotonic_ns());
    assert!(written(&watch) - before >= (4 << 20) as f64, "{before}");
}
