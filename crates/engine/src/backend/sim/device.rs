//! The simulated volume: I/Os are handed over as time passes, and it says when each ends and how.
//! Pure and deterministic: the same law and seed give the same times, bit for bit.
//!
//! An I/O waits for a slot of its host, crosses the host's link and its connection, and arrives half a round trip
//! later. There it is answered by the cache, or is admitted by the caps and works on the device. What has an order
//! of its own (slots, links) is an event of the future; from its arrival on, I/Os are served in order of arrival,
//! so that all their times are known at once.

use super::cache::Cache;
use super::caps::Caps;
use super::servers::Servers;
use crate::backend::Request;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A volume at work. Its times are nanoseconds of the run's virtual clock.
pub(crate) struct DeviceModel {
    law: SimDevice,
    hosts: Vec<HostSide>,
    /// What workers of the running stage use it.
    clients: Vec<Client>,
    caps: Caps,
    servers: Servers,
    cache: Option<Cache>,
    /// What is to come: (time, order, what), the earliest first.
    events: BinaryHeap<Reverse<(u64, u64, DeviceEvent)>>,
    sequence: u64,
    served: u64,
    written: u64,
    /// Clients that got an end since they were last asked for.
    touched: Vec<usize>,
}

/// A host as the volume sees it.
#[derive(Debug, Default)]
struct HostSide {
    /// When its link is free.
    link: u64,
    /// When each of its connections is free.
    connections: Vec<u64>,
    /// Workers that were spread over them.
    spread: usize,
    outstanding: u32,
    waiting: VecDeque<Transit>,
}

/// A worker as the volume sees it.
#[derive(Debug)]
struct Client {
    host: usize,
    connection: usize,
    /// The numbers that identify its files, in their order.
    files: Vec<u64>,
    /// I/Os whose ends are known and were not taken yet.
    ended: Vec<Ended>,
}

/// The end of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// When the worker has its answer.
    pub(super) at: u64,
    pub(super) slot: u16,
    /// As a back end gives it.
    pub(super) result: i32,
}

/// An I/O on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Transit {
    client: usize,
    request: Request,
    /// It counts as outstanding; one that was sent before its volume had slots does not.
    holds_slot: bool,
}

/// What will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeviceEvent {
    /// An I/O reaches the volume.
    Arrival(Transit),
    /// A host may have one more outstanding.
    Release(usize),
}

impl DeviceModel {
    pub(crate) fn new(law: &SimDevice, seed: u64) -> Self {
        Self {
            hosts: Vec::new(),
            clients: Vec::new(),
            caps: Caps::new(law),
            servers: Servers::new(law, seed),
            cache: law.cache.map(Cache::new),
            events: BinaryHeap::new(),
            sequence: 0,
            served: 0,
            written: 0,
            touched: Vec::new(),
            law: law.clone(),
        }
    }

    /// A stage begins: the workers of the one before are gone.
    pub(crate) fn begin_stage(&mut self) {
        self.clients.clear();
        self.touched.clear();
        for host in &mut self.hosts {
            host.connections.clear();
            host.spread = 0;
        }
    }

    /// A worker of a host that uses the files of these numbers; the number of the client.
    pub(crate) fn connect(&mut self, host: u32, files: Vec<u64>) -> usize {
        let host = host as usize;
        if self.hosts.len() <= host {
            self.hosts.resize_with(host + 1, HostSide::default);
        }
        let side = &mut self.hosts[host];
        let most = self
            .law
            .connections
            .map_or(usize::MAX, |n| n.max(1) as usize);
        let connection = side.spread % most;
        side.spread += 1;
        if side.connections.len() <= connection {
            side.connections.push(0);
        }
        self.clients.push(Client {
            host,
            connection,
            files,
            ended: Vec::new(),
        });
        self.clients.len() - 1
    }

    /// Takes an I/O of a client at `now`, which is no earlier than any time it was given before.
    pub(super) fn submit(&mut self, now: u64, client: usize, request: Request) {
        #[cfg(test)]
        super::issued::note(now, client, request);
        let transit = Transit {
            client,
            request,
            holds_slot: self.law.slots.is_some(),
        };
        if let Some(most) = self.law.slots {
            let host = &mut self.hosts[self.clients[client].host];
            if host.outstanding >= most {
                host.waiting.push_back(transit);
                return;
            }
            host.outstanding += 1;
        }
        self.send_off(now, transit);
        // The one who asks looks for itself.
        self.touched.clear();
    }

    /// When something happens on it next by itself.
    pub(crate) fn next_event(&self) -> Option<u64> {
        self.events.peek().map(|first| first.0.0)
    }

    /// Lets happen what happens until `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        while let Some(&Reverse((at, _, coming))) = self.events.peek() {
            if at > now {
                break;
            }
            self.events.pop();
            match coming {
                DeviceEvent::Arrival(transit) => self.arrive(at, transit),
                DeviceEvent::Release(host) => self.release(at, host),
            }
        }
    }

    /// A client that got ends since it was last named here.
    pub(crate) fn next_touched(&mut self) -> Option<usize> {
        self.touched.pop()
    }

    /// The ends of a client's I/Os that have become known.
    pub(super) fn take_ended(&mut self, client: usize) -> std::vec::Drain<'_, Ended> {
        self.clients[client].ended.drain(..)
    }

    fn release(&mut self, at: u64, host: usize) {
        let side = &mut self.hosts[host];
        match side.waiting.pop_front() {
            Some(transit) => self.send_off(at, transit),
            None => side.outstanding -= 1,
        }
    }

    /// An I/O leaves its host.
    fn send_off(&mut self, at: u64, transit: Transit) {
        let half_trip = self.law.round_trip.0 / 2;
        let bytes = moved(&transit.request);
        let client = &self.clients[transit.client];
        let host = &mut self.hosts[client.host];
        let mut sent = at;
        for (rate, free) in [
            (self.law.host_bytes_per_s, &mut host.link),
            (
                self.law.connection_bytes_per_s,
                &mut host.connections[client.connection],
            ),
        ] {
            if let Some(rate) = rate {
                *free = sent.max(*free) + nanos(bytes as f64 * 1e9 / rate.max(1) as f64);
                sent = *free;
            }
        }
        if self.law.host_bytes_per_s.is_none() && self.law.connection_bytes_per_s.is_none() {
            // No I/O that leaves later arrives before it.
            self.arrive(at + half_trip, transit);
        } else {
            self.expect(sent + half_trip, DeviceEvent::Arrival(transit));
        }
    }

    fn expect(&mut self, at: u64, coming: DeviceEvent) {
        self.sequence += 1;
        self.events.push(Reverse((at, self.sequence, coming)));
    }

    /// An I/O reaches the volume.
    fn arrive(&mut self, at: u64, transit: Transit) {
        self.change(at);
        let number = self.served;
        self.served += 1;
        let request = &transit.request;
        let files = &self.clients[transit.client].files;
        let file = files.get(request.file as usize).copied().unwrap_or(0);
        let end = match request.op {
            Op::Sync if self.law.sync.is_some() || self.writes_back() => self.flush(at),
            Op::Read | Op::Write => self.data(at, file, request),
            _ => self.work(at, request.op, 0),
        };
        let failure = self.law.errors.iter().find(|e| e.0 == number);
        let result = match failure {
            Some(&(_, errno)) => -errno.abs(),
            None if !request.op.is_data() => 0,
            None => i32::try_from(request.len).unwrap_or(i32::MAX),
        };
        let client = &mut self.clients[transit.client];
        let at = end + self.law.round_trip.0 / 2;
        client.ended.push(Ended {
            at,
            slot: request.slot,
            result,
        });
        let host = client.host;
        self.touched.push(transit.client);
        if transit.holds_slot {
            self.expect(at, DeviceEvent::Release(host));
        }
    }

    /// A read or a write: when it ends.
    fn data(&mut self, at: u64, file: u64, request: &Request) -> u64 {
        let hit = match &mut self.cache {
            Some(cache) => cache.touch(file, request),
            None => None,
        };
        if request.op == Op::Read {
            return match hit {
                Some(time) => at + time.0,
                None => self.work(at, request.op, request.len),
            };
        }
        self.written += u64::from(request.len);
        let stored = self.work(at, request.op, request.len);
        match &mut self.cache {
            Some(cache) if cache.writes_back() => cache.write(at, stored, request.len),
            _ => stored,
        }
    }

    /// All that was written is on the device: when.
    fn flush(&mut self, at: u64) -> u64 {
        let clean = self.cache.as_ref().map_or(at, |cache| cache.clean_at(at));
        match self.law.sync {
            Some(time) => clean + time.0,
            None => self.work(clean, Op::Sync, 0),
        }
    }

    fn writes_back(&self) -> bool {
        self.cache.as_ref().is_some_and(Cache::writes_back)
    }

    /// Caps, a free server, the service time, stalls.
    fn work(&mut self, at: u64, op: Op, len: u32) -> u64 {
        self.neighbours_until(at);
        let admitted = self.caps.admit(at, op, len);
        let worn = self.law.wear.filter(|(after, _)| self.written > *after);
        let slower = worn.filter(|_| op == Op::Write).map(|w| w.1);
        self.servers.work(admitted, op, len, slower)
    }

    /// What others ask for until `at` comes before it.
    fn neighbours_until(&mut self, at: u64) {
        let Some(neighbour) = self.law.neighbour else {
            return;
        };
        while let Some(arrival) = self.servers.next_neighbour(neighbour.iops, at) {
            let admitted = self.caps.admit(arrival, Op::Read, neighbour.size);
            self.servers.work(admitted, Op::Read, neighbour.size, None);
        }
    }

    /// Becomes what the law says it is from a time on.
    fn change(&mut self, now: u64) {
        while self.law.changes.first().is_some_and(|c| c.0.0 <= now) {
            let (at, mut next) = self.law.changes.remove(0);
            next.changes = std::mem::take(&mut self.law.changes);
            self.caps.change(&next, at.0);
            self.servers.change(&next, at.0);
            match (&mut self.cache, next.cache) {
                (Some(cache), Some(law)) => cache.change(law),
                (cache, law) => *cache = law.map(Cache::new),
            }
            self.law = next;
        }
    }
}

/// Bytes that a request moves over a network.
fn moved(request: &Request) -> u32 {
    match request.op {
        Op::Read | Op::Write => request.len,
        _ => 0,
    }
}

/// A non-negative time, far below the range's end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of f64 saturates, and times are not negative"
)]
pub(super) fn nanos(value: f64) -> u64 {
    value as u64
}

// The order of equal times is that of their numbers, which are never equal.
impl PartialOrd for DeviceEvent {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DeviceEvent {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}
