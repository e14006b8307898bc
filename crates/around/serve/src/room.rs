//! Who stays connected: a bounded number of peers, and whose place a newcomer takes.
//!
//! Whoever has shown a valid session has a place among those who are known, and nobody else takes it. All others share
//! places of their own, where a newcomer takes that of whoever has been there longest: so a newcomer is heard at once,
//! whatever the others do with their connections, and whoever has a token or a session needs one request to be known.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Connections of peers that have shown no session.
const STRANGERS_MAX: usize = 256;
/// Connections of peers that have. A browser opens six to a server.
const KNOWN_MAX: usize = 128;
/// Strangers' connections from one address; on a loopback address everybody has the same.
const PEER_MAX: usize = 32;

/// All who are connected.
#[derive(Debug, Default)]
pub struct Room {
    inner: Mutex<RoomInner>,
}

#[derive(Debug, Default)]
struct RoomInner {
    /// In the order in which they came.
    guests: BTreeMap<u64, Guest>,
    /// Grows with everyone who comes and every request.
    count: u64,
}

#[derive(Debug)]
struct Guest {
    peer: IpAddr,
    is_known: bool,
    /// When the last request came, by `count`.
    asked: u64,
    leave: Arc<Notify>,
}

/// A place in it, free again when it is dropped.
#[derive(Debug)]
pub struct RoomPlace {
    room: Arc<Room>,
    id: u64,
    leave: Arc<Notify>,
}

impl Room {
    /// A place for a newcomer, for which somebody else may have to go.
    pub fn enter(self: &Arc<Room>, peer: IpAddr) -> RoomPlace {
        let peer = network(peer);
        let mut inner = self.lock();
        let of_peer = inner
            .strangers()
            .filter(|(_, guest)| guest.peer == peer)
            .count();
        if !peer.is_loopback() && of_peer >= PEER_MAX {
            inner.dismiss(|guest| !guest.is_known && guest.peer == peer);
        }
        inner.make_room_for_a_stranger();
        inner.count += 1;
        let (id, leave) = (inner.count, Arc::new(Notify::new()));
        inner.guests.insert(
            id,
            Guest {
                peer,
                is_known: false,
                asked: id,
                leave: Arc::clone(&leave),
            },
        );
        RoomPlace {
            room: Arc::clone(self),
            id,
            leave,
        }
    }

    fn lock(&self) -> MutexGuard<'_, RoomInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RoomInner {
    fn strangers(&self) -> impl Iterator<Item = (&u64, &Guest)> {
        self.guests.iter().filter(|(_, guest)| !guest.is_known)
    }

    /// Lets the first of these go: the one that has been here longest.
    fn dismiss(&mut self, is_one: impl Fn(&Guest) -> bool) {
        let first = self
            .guests
            .iter()
            .find(|(_, guest)| is_one(guest))
            .map(|(id, _)| *id);
        if let Some(guest) = first.and_then(|id| self.guests.remove(&id)) {
            guest.leave.notify_one();
        }
    }

    /// Of the address that has the most, so that one cannot crowd out the others.
    fn make_room_for_a_stranger(&mut self) {
        if self.strangers().count() < STRANGERS_MAX {
            return;
        }
        let mut by_peer: BTreeMap<IpAddr, usize> = BTreeMap::new();
        self.strangers()
            .for_each(|(_, guest)| *by_peer.entry(guest.peer).or_default() += 1);
        if let Some((most, _)) = by_peer.into_iter().max_by_key(|(_, count)| *count) {
            self.dismiss(|guest| !guest.is_known && guest.peer == most);
        }
    }

    /// The one whose last request is the longest ago.
    fn make_room_for_one_who_is_known(&mut self) {
        let known = || self.guests.values().filter(|guest| guest.is_known);
        if known().count() >= KNOWN_MAX
            && let Some(oldest) = known().map(|guest| guest.asked).min()
        {
            self.dismiss(|guest| guest.is_known && guest.asked == oldest);
        }
    }
}

impl RoomPlace {
    /// A request came, with a valid session or without.
    pub fn asks(&self, is_known: bool) {
        let mut inner = self.room.lock();
        let Some(was_known) = inner.guests.get(&self.id).map(|guest| guest.is_known) else {
            return;
        };
        match (was_known, is_known) {
            (false, true) => inner.make_room_for_one_who_is_known(),
            (true, false) => inner.make_room_for_a_stranger(),
            _ => {}
        }
        inner.count += 1;
        let asked = inner.count;
        if let Some(guest) = inner.guests.get_mut(&self.id) {
            (guest.is_known, guest.asked) = (is_known, asked);
        }
    }

    /// Ends when somebody else has taken the place.
    pub async fn taken(&self) {
        self.leave.notified().await;
    }
}

impl Drop for RoomPlace {
    fn drop(&mut self) {
        self.room.lock().guests.remove(&self.id);
    }
}

/// The address, or of IPv6 the network that one customer has (RFC 6177).
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn is_in(place: &RoomPlace) -> bool {
        place.room.lock().guests.contains_key(&place.id)
    }

    fn many(room: &Arc<Room>, peer: &str, count: usize) -> Vec<RoomPlace> {
        (0..count)
            .map(|_| room.enter(peer.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_newcomer_takes_the_place_of_the_stranger_who_was_there_longest() {
        let room = Arc::new(Room::default());
        let known = room.enter(LOOPBACK);
        known.asks(true);
        let strangers = many(&room, "127.0.0.1", STRANGERS_MAX);
        assert!(strangers.iter().all(is_in));
        let next = room.enter(LOOPBACK);
        assert!(
            !is_in(&strangers[0])
                && strangers[1..].iter().all(is_in)
                && is_in(&next)
                && is_in(&known)
        );
        let flood = many(&room, "127.0.0.1", 1000);
        assert!(is_in(&known) && !is_in(&next));
        assert_eq!(
            flood.iter().filter(|place| is_in(place)).count(),
            STRANGERS_MAX
        );
        drop(flood);
        assert_eq!(room.lock().guests.len(), 1);
    }

    #[test]
    fn one_address_crowds_out_nobody_else() {
        let room = Arc::new(Room::default());
        let mine = room.enter("192.0.2.1".parse().unwrap());
        let theirs = many(&room, "192.0.2.2", 500);
        assert!(is_in(&mine));
        assert_eq!(theirs.iter().filter(|place| is_in(place)).count(), PEER_MAX);
        // The same network of IPv6 is one peer, whatever its last 64 bits.
        let spread: Vec<RoomPlace> = (0..500)
            .map(|number| room.enter(format!("2001:db8::{number:x}").parse().unwrap()))
            .collect();
        assert_eq!(spread.iter().filter(|place| is_in(place)).count(), PEER_MAX);
        let local = many(&room, "::1", 500);
        assert!(is_in(&mine), "the address with the most gives way");
        assert!(local.iter().filter(|place| is_in(place)).count() > PEER_MAX);
    }

    #[test]
    fn those_who_are_known_are_bounded_too_and_may_become_strangers_again() {
        let room = Arc::new(Room::default());
        let known = many(&room, "127.0.0.1", KNOWN_MAX);
        known.iter().for_each(|place| place.asks(true));
        known[0].asks(true);
        let next = room.enter(LOOPBACK);
        next.asks(true);
        assert!(
            is_in(&known[0]) && !is_in(&known[1]) && is_in(&next),
            "who asked longest ago goes"
        );
        next.asks(false);
        let flood = many(&room, "127.0.0.1", STRANGERS_MAX);
        assert!(!is_in(&next) && known[2..].iter().all(is_in));
        drop(flood);
    }
}
