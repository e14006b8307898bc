//! The last events in bounded memory. Each listener has a place in it and takes what came since; who is too slow loses
//! frames and is told how many.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// Frames that are kept: ten seconds at ten a second.
const FRAMES_MAX: usize = 100;
/// Bytes of them.
const BYTES_MAX: usize = 16 << 20;
/// Other events that are kept.
const NOTICES_MAX: usize = 500;
/// What a listener is given at a time, bytes.
const BATCH_BYTES: usize = 256 << 10;

/// The events and who listens.
#[derive(Debug)]
pub struct Hub {
    ring: Mutex<Ring>,
    changed: watch::Sender<u64>,
    listeners: AtomicUsize,
    is_closed: AtomicBool,
    producer: Mutex<Producer>,
}

/// What makes the frames.
#[derive(Debug, Default)]
struct Producer {
    is_at_work: bool,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Ring {
    epoch: u64,
    frames: Lane,
    notices: Lane,
    head: Option<Arc<str>>,
}

/// Events of one kind, numbered from 1.
#[derive(Debug, Default)]
struct Lane {
    last: u64,
    kept: VecDeque<HubEvent>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct HubEvent {
    number: u64,
    unix_ms: u64,
    text: Arc<str>,
}

/// How far a listener is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubPlace {
    epoch: u64,
    frame: u64,
    notice: u64,
    head_is_told: bool,
    every_ms: u64,
    frame_at_ms: u64,
}

impl Lane {
    fn push(&mut self, text: Arc<str>, count_max: usize, bytes_max: usize) {
        self.last += 1;
        self.bytes += text.len();
        self.kept.push_back(HubEvent {
            number: self.last,
            unix_ms: host::clock::unix_ms(),
            text,
        });
        while self.kept.len() > count_max || (self.bytes > bytes_max && self.kept.len() > 1) {
            self.bytes -= self.kept.pop_front().map_or(0, |event| event.text.len());
        }
    }

    /// How many after a number are gone already.
    fn lost_since(&self, number: u64) -> u64 {
        let first = self
            .kept
            .front()
            .map_or(self.last + 1, |event| event.number);
        first.saturating_sub(number + 1)
    }
}

impl Hub {
    /// Without events.
    pub fn new() -> Hub {
        let ring = Ring {
            epoch: host::clock::unix_ms(),
            frames: Lane::default(),
            notices: Lane::default(),
            head: None,
        };
        Hub {
            ring: Mutex::new(ring),
            changed: watch::Sender::new(0),
            listeners: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            producer: Mutex::default(),
        }
    }

    /// A reading of the machine, as one line of JSON.
    pub fn frame(&self, line: &str) {
        let mut ring = self.lock();
        let id = (ring.epoch, ring.frames.last + 1, ring.notices.last);
        ring.frames
            .push(written("frame", Some(id), line), FRAMES_MAX, BYTES_MAX);
        drop(ring);
        self.wake();
    }

    /// What frames mean, which every listener is told first.
    pub fn head(&self, line: &str) {
        let text = written("head", None, line);
        self.lock().head = Some(text);
        self.wake();
    }

    /// Anything else, by name.
    pub fn notice(&self, name: &str, line: &str) {
        let mut ring = self.lock();
        let id = (ring.epoch, ring.frames.last, ring.notices.last + 1);
        ring.notices
            .push(written(name, Some(id), line), NOTICES_MAX, BYTES_MAX);
        drop(ring);
        self.wake();
    }

    /// Where a listener begins: after the event whose id it gives, else now. Frames may be at least so far apart, ms.
    pub fn place(&self, last_id: Option<&str>, every_ms: u64) -> HubPlace {
        let ring = self.lock();
        let mut place = HubPlace {
            epoch: ring.epoch,
            frame: ring.frames.last,
            notice: ring.notices.last,
            head_is_told: false,
            every_ms,
            frame_at_ms: 0,
        };
        if let Some((epoch, frame, notice)) = last_id.and_then(parsed)
            && epoch == ring.epoch
        {
            place.frame = frame.min(place.frame);
            place.notice = notice.min(place.notice);
        }
        place
    }

    /// What came since, as text of the stream; empty when nothing did.
    pub fn since(&self, place: &mut HubPlace) -> String {
        let ring = self.lock();
        let mut text = String::new();
        if let (false, Some(head)) = (place.head_is_told, &ring.head) {
            text.push_str(head);
            place.head_is_told = true;
        }
        let (lost, unheard) = (
            ring.frames.lost_since(place.frame),
            ring.notices.lost_since(place.notice),
        );
        if lost > 0 || unheard > 0 {
            place.frame += lost;
            place.notice += unheard;
            let line = serde_json::json!({"frames": lost, "events": unheard}).to_string();
            text.push_str(&written("lost", None, &line));
        }
        let heard = place.notice;
        for event in ring
            .notices
            .kept
            .iter()
            .filter(|event| event.number > heard)
        {
            if text.len() > BATCH_BYTES {
                return text;
            }
            text.push_str(&event.text);
            place.notice = event.number;
        }
        let seen = place.frame;
        for event in ring.frames.kept.iter().filter(|event| event.number > seen) {
            if text.len() > BATCH_BYTES {
                break;
            }
            place.frame = event.number;
            // Half a frame early is on time.
            if (event.unix_ms + 50).saturating_sub(place.frame_at_ms) >= place.every_ms {
                place.frame_at_ms = event.unix_ms;
                text.push_str(&event.text);
            }
        }
        text
    }

    /// Turns whenever something came.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// One listener more. `begin` starts what makes the frames, if nothing does.
    pub fn join_in(&self, begin: impl FnOnce() -> JoinHandle<()>) {
        let mut producer = self.producer();
        self.listeners.fetch_add(1, Ordering::Relaxed);
        if !producer.is_at_work && !self.is_closed() {
            if let Some(ended) = producer.thread.take() {
                let _ = ended.join();
            }
            *producer = Producer {
                is_at_work: true,
                thread: Some(begin()),
            };
        }
    }

    /// One listener fewer.
    pub fn leave(&self) {
        self.listeners.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether what makes the frames has nobody to make them for.
    pub fn is_idle(&self) -> bool {
        self.listeners.load(Ordering::Relaxed) == 0 || self.is_closed()
    }

    /// Lets the maker of frames end, unless somebody has come in since it last looked.
    pub fn may_end(&self) -> bool {
        let mut producer = self.producer();
        producer.is_at_work = !self.is_idle();
        !producer.is_at_work
    }

    /// Ends all streams.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Whether it is over.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Waits for what makes the frames to end.
    pub fn join(&self) {
        let thread = self.producer().thread.take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    fn producer(&self) -> MutexGuard<'_, Producer> {
        self.producer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event in the manner of the HTML standard, 9.2.6.
fn written(name: &str, id: Option<(u64, u64, u64)>, data: &str) -> Arc<str> {
    let id = id
        .map(|(epoch, frame, notice)| format!("id: {epoch}.{frame}.{notice}\n"))
        .unwrap_or_default();
    let data = data.trim_end().replace('\r', " ").replace('\n', "\ndata: ");
    format!("{id}event: {name}\ndata: {data}\n\n").into()
}

fn parsed(id: &str) -> Option<(u64, u64, u64)> {
    let mut parts = id
        .trim()
        .splitn(3, '.')
        .map(|part| part.parse::<u64>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<&str> {
        text.lines()
            .filter_map(|line| line.strip_prefix("id: "))
            .collect()
    }

    #[test]
    fn who_listens_hears_what_comes_after() {
        let hub = Hub::new();
        hub.frame("{\"before\":1}");
        let mut place = hub.place(None, 0);
        assert_eq!(hub.since(&mut place), "");
        hub.head("{\"meaning\":1}");
        hub.frame("{\"a\":1}");
        hub.notice("job", "{\"b\":\n1}");
        let text = hub.since(&mut place);
        assert!(
            text.starts_with("event: head\ndata: {\"meaning\":1}\n\n"),
            "{text}"
        );
        assert!(
            text.contains("event: job\ndata: {\"b\":\ndata: 1}\n\n"),
            "{text}"
        );
        assert!(
            text.contains("event: frame\ndata: {\"a\":1}\n\n") && !text.contains("before"),
            "{text}"
        );
        assert_eq!(hub.since(&mut place), "");
    }

    #[test]
    fn an_id_takes_up_where_it_was() {
        let hub = Hub::new();
        let mut first = hub.place(None, 0);
        hub.frame("1");
        hub.notice("job", "j");
        let seen = hub.since(&mut first);
        let last = ids(&seen).last().copied().unwrap().to_string();
        hub.frame("2");
        hub.frame("3");
        // A frame's id knows only of notices before it: one that came between is told again rather than never.
        let mut again = hub.place(Some(&last), 0);
        let text = hub.since(&mut again);
        assert!(
            text.contains("data: 2\n") && text.contains("data: 3\n") && !text.contains("data: 1\n"),
            "{text}"
        );
        for odd in ["", "1", "x.y.z", "1.2.3", "99999999999999999999.1.1"] {
            let mut place = hub.place(Some(odd), 0);
            assert_eq!(hub.since(&mut place), "", "{odd}");
        }
    }

    #[test]
    fn who_is_slow_is_told_what_is_lost() {
        let hub = Hub::new();
        let mut place = hub.place(None, 0);
        for number in 0..FRAMES_MAX + 7 {
            hub.frame(&number.to_string());
        }
        let text = hub.since(&mut place);
        assert!(
            text.starts_with("event: lost\ndata: {\"events\":0,\"frames\":7}\n\n"),
            "{text}"
        );
        assert_eq!(ids(&text).len(), FRAMES_MAX);
        assert_eq!(hub.since(&mut place), "");
    }

    #[test]
    fn memory_is_bounded_by_bytes_too() {
        let hub = Hub::new();
        let line = "x".repeat(1 << 20);
        (0..50).for_each(|_| hub.frame(&line));
        let ring = hub.lock();
        assert!(
            ring.frames.bytes <= BYTES_MAX && ring.frames.kept.len() < 17,
            "{}",
            ring.frames.kept.len()
        );
    }

    #[test]
    fn a_listener_may_want_fewer_frames() {
        let hub = Hub::new();
        let mut place = hub.place(None, 3_600_000);
        (0..20).for_each(|number| hub.frame(&number.to_string()));
        assert_eq!(ids(&hub.since(&mut place)).len(), 1);
    }
}
