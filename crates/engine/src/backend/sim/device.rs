//! The simulated volume: I/Os are handed over as time passes, and it says when each ends and how.
//! Pure and deterministic: the same law and seed give the same times, bit for bit.
//!
//! An I/O waits for a slot of its host, crosses the host's link and its connection, and arrives half a round trip
//! later. There it is answered by the cache, or passes the caps of its kind, the shared caps, and a server. Each of
//! these is a queue in order of arrival, and an I/O arrives at each at the moment when the one before let it go: these
//! are events, so that nothing that waits at one holds up what does not come there, and a law that changes applies to
//! all that waits.

use super::cache::Cache;
use super::caps::{self, CAPS, Caps};
use super::job::{Answer, DeviceJob, Owner, Sender, Stored, Transit};
use super::link::NetworkLink;
use super::servers::{Others, Servers};
use super::stalls::Stalls;
use crate::backend::Request;
use leadline_model::op::Op;
use leadline_model::plan::SimDevice;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Events that are let happen before the caller may look at what else there is.
const AT_ONCE: u32 = 10_000;

/// A volume at work. Its times are nanoseconds of the run's virtual clock.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct DeviceModel {
    law: SimDevice,
    hosts: Vec<HostSide>,
    /// What workers of the running stage use it.
    clients: Vec<Client>,
    /// Number of the running stage.
    stage: u32,
    /// I/Os of the running stage whose ends are not known.
    in_flight: usize,
    caps: Caps,
    servers: Servers,
    stalls: Stalls,
    others: Others,
    cache: Option<Cache>,
    /// What is to come: (time, order, what), the earliest first.
    events: BinaryHeap<Reverse<(u64, u64, DeviceEvent)>>,
    sequence: u64,
    arrived: u64,
    /// The law has slots, now or later.
    has_slots: bool,
    /// Clients that got an end since they were last asked for.
    touched: Vec<usize>,
    /// Used again for what a cache gives to the device.
    stored: Vec<(Stored, u32)>,
}

/// A host as the volume sees it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct HostSide {
    link: NetworkLink,
    connections: Vec<NetworkLink>,
    /// Workers that were spread over them.
    spread: usize,
    outstanding: u32,
    waiting: VecDeque<Transit>,
}

/// A worker as the volume sees it.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Client {
    host: usize,
    connection: usize,
    /// The numbers that identify its files, in their order.
    files: Vec<u64>,
    /// I/Os whose ends are known and were not taken yet.
    ended: Vec<Ended>,
}

/// The end of an I/O.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Ended {
    /// When the worker has its answer.
    pub(super) at: u64,
    pub(super) slot: u16,
    /// As a back end gives it.
    pub(super) result: i32,
}

/// What will happen.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
enum DeviceEvent {
    /// The law changes.
    Change,
    /// A host's link has sent an I/O.
    Link(usize),
    /// So has a connection of a host.
    Connection(usize, usize),
    /// An I/O reaches the volume.
    Arrival(Transit),
    /// The first that waits for a cap passes.
    Cap(usize),
    /// A server has done its I/O.
    Done(Owner),
    /// A host may have one more outstanding.
    Release(usize),
    /// One of others comes.
    Other,
}

impl DeviceModel {
    /// A volume of a law at the time `now`.
    pub(crate) fn new(law: &SimDevice, seed: u64, now: u64) -> Self {
        let mut device = Self {
            hosts: Vec::new(),
            clients: Vec::new(),
            stage: 0,
            in_flight: 0,
            caps: Caps::new(law, now),
            servers: Servers::new(law, seed),
            stalls: Stalls::new(law),
            others: Others::new(law, seed, now),
            cache: law.cache.map(Cache::new),
            events: BinaryHeap::new(),
            sequence: 0,
            arrived: 0,
            has_slots: law.slots.is_some() || law.changes.iter().any(|c| c.1.slots.is_some()),
            touched: Vec::new(),
            stored: Vec::new(),
            law: law.clone(),
        };
        for change in &law.changes {
            device.expect(change.0.0.max(now), DeviceEvent::Change);
        }
        device.expect_other();
        device
    }

    /// How many things it holds: I/Os on their way, and blocks of its cache.
    pub(crate) fn held(&self) -> usize {
        self.events.len() + self.cache.as_ref().map_or(0, Cache::held)
    }

    /// A stage begins: the workers of the one before are gone.
    pub(crate) fn begin_stage(&mut self) {
        self.clients.clear();
        self.touched.clear();
        self.stage += 1;
        self.in_flight = 0;
        for host in &mut self.hosts {
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
            side.connections.push(NetworkLink::default());
        }
        self.clients.push(Client {
            host,
            connection,
            files,
            ended: Vec::new(),
        });
        self.clients.len() - 1
    }

    /// Takes an I/O of a client at `now`, which is no earlier than any time it was given before. What happens until then
    /// has happened.
    pub(super) fn submit(&mut self, now: u64, client: usize, request: Request) {
        #[cfg(test)]
        super::issued::note(now, client, request);
        let touched = self.touched.len();
        let Client {
            host, connection, ..
        } = self.clients[client];
        let from = Sender {
            stage: self.stage,
            client,
            host,
            connection,
        };
        self.in_flight += 1;
        self.hosts[host]
            .waiting
            .push_back(Transit { from, request });
        self.send_off(now, host);
        // The one who asks looks for itself.
        self.touched.truncate(touched);
    }

    /// Whether an I/O was handed over whose end is not known yet.
    pub(crate) const fn is_asked(&self) -> bool {
        self.in_flight > 0
    }

    /// When something happens on it next by itself.
    pub(crate) fn next_event(&self) -> Option<u64> {
        self.events.peek().map(|first| first.0.0)
    }

    /// Lets happen what happens until `now`, or the first part of it where that is much: then the next event is not
    /// later than `now`.
    pub(crate) fn advance(&mut self, now: u64) {
        for _ in 0..AT_ONCE {
            let Some(&Reverse((at, _, coming))) = self.events.peek() else {
                return;
            };
            if at > now {
                return;
            }
            self.events.pop();
            self.happen(at, coming);
        }
    }

    fn happen(&mut self, at: u64, coming: DeviceEvent) {
        match coming {
            DeviceEvent::Change => self.change(at),
            DeviceEvent::Link(host) => {
                if let Some(transit) = self.hosts[host].link.sent() {
                    self.over_connection(at, transit);
                }
                self.begin_link(at, host);
            }
            DeviceEvent::Connection(host, number) => {
                if let Some(transit) = self.hosts[host].connections[number].sent() {
                    self.leave(at, transit);
                }
                self.begin_connection(at, host, number);
            }
            DeviceEvent::Arrival(transit) => self.arrive(at, transit),
            DeviceEvent::Cap(number) => {
                if self.caps.is_due(number, at) {
                    self.let_through(at, number, false);
                }
            }
            DeviceEvent::Done(of) => self.done(at, of),
            DeviceEvent::Release(host) => {
                self.hosts[host].outstanding -= 1;
                self.send_off(at, host);
            }
            DeviceEvent::Other => self.other(at),
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

    fn expect(&mut self, at: u64, coming: DeviceEvent) {
        self.sequence += 1;
        self.events.push(Reverse((at, self.sequence, coming)));
    }

    /// I/Os leave their host, as far as it has slots.
    fn send_off(&mut self, at: u64, host: usize) {
        loop {
            let side = &mut self.hosts[host];
            if self.law.slots.is_some_and(|most| side.outstanding >= most) {
                return;
            }
            let Some(transit) = side.waiting.pop_front() else {
                return;
            };
            side.outstanding += u32::from(self.has_slots);
            match side.link.offer(transit, self.law.host_bytes_per_s) {
                Some(transit) => self.over_connection(at, transit),
                None => self.begin_link(at, host),
            }
        }
    }

    fn begin_link(&mut self, at: u64, host: usize) {
        let sent = self.hosts[host].link.begin(at, self.law.host_bytes_per_s);
        if let Some(sent) = sent {
            self.expect(sent, DeviceEvent::Link(host));
        }
    }

    /// An I/O has left the link of its host.
    fn over_connection(&mut self, at: u64, transit: Transit) {
        let Sender {
            host, connection, ..
        } = transit.from;
        let link = &mut self.hosts[host].connections[connection];
        match link.offer(transit, self.law.connection_bytes_per_s) {
            Some(transit) => self.leave(at, transit),
            None => self.begin_connection(at, host, connection),
        }
    }

    fn begin_connection(&mut self, at: u64, host: usize, number: usize) {
        let link = &mut self.hosts[host].connections[number];
        if let Some(sent) = link.begin(at, self.law.connection_bytes_per_s) {
            self.expect(sent, DeviceEvent::Connection(host, number));
        }
    }

    /// Half of a host's round trip.
    fn half_way(&self, host: usize) -> u64 {
        let host = u32::try_from(host).unwrap_or(u32::MAX);
        self.law.round_trip_of(host).0 / 2
    }

    /// An I/O is on its way to the volume.
    fn leave(&mut self, at: u64, transit: Transit) {
        match self.half_way(transit.from.host) {
            0 => self.arrive(at, transit),
            half => self.expect(at.saturating_add(half), DeviceEvent::Arrival(transit)),
        }
    }

    /// An I/O reaches the volume.
    fn arrive(&mut self, at: u64, transit: Transit) {
        let number = self.arrived;
        self.arrived += 1;
        let Transit { from, request } = transit;
        if from.stage != self.stage {
            // Its worker is gone.
            if self.has_slots {
                self.expect(at, DeviceEvent::Release(from.host));
            }
            return;
        }
        let failure = self.law.errors.iter().find(|e| e.0 == number);
        let result = match failure {
            Some(&(_, errno)) => -errno.abs(),
            None if !request.op.is_data() => 0,
            None => i32::try_from(request.len).unwrap_or(i32::MAX),
        };
        let answer = Answer {
            to: from,
            slot: request.slot,
            result,
        };
        let files = &self.clients[from.client].files;
        let file = files.get(request.file as usize).copied().unwrap_or(0);
        match request.op {
            Op::Sync => self.flush(at, answer),
            Op::Read | Op::Write => self.data(at, file, &request, answer),
            op => self.work(at, op, 0, Owner::Answer(answer)),
        }
    }

    /// A read or a write is there.
    fn data(&mut self, at: u64, file: u64, request: &Request, answer: Answer) {
        if let Some(cache) = &mut self.cache {
            let hit = cache.touch(file, request);
            if request.op == Op::Read && hit {
                let time = cache.hit().0;
                return self.answer(self.stalls.end_of(at, time), answer);
            }
            if request.op == Op::Write && cache.writes_back() {
                cache.write(file, request, answer);
                return self.take_writes(at);
            }
        }
        self.work(at, request.op, request.len, Owner::Answer(answer));
    }

    /// The cache takes the writes for which it has room.
    fn take_writes(&mut self, at: u64) {
        let mut stored = std::mem::take(&mut self.stored);
        while let Some(cache) = &mut self.cache
            && let Some(answer) = cache.take(&mut stored)
        {
            let time = cache.hit().0;
            self.answer(self.stalls.end_of(at, time), answer);
            for (what, len) in stored.drain(..) {
                self.work(at, Op::Write, len, Owner::Stored(what));
            }
        }
        self.stored = stored;
    }

    /// All that was written is to be on the device.
    fn flush(&mut self, at: u64, answer: Answer) {
        match &mut self.cache {
            Some(cache) if cache.is_dirty() => cache.flush(answer),
            _ => self.flushed(at, answer),
        }
    }

    /// A flush waits for no write any more.
    fn flushed(&mut self, at: u64, answer: Answer) {
        match self.law.sync {
            Some(time) => self.answer(self.stalls.end_of(at, time.0), answer),
            None => self.work(at, Op::Sync, 0, Owner::Answer(answer)),
        }
    }

    /// Work arrives at the caps.
    fn work(&mut self, at: u64, op: Op, len: u32, of: Owner) {
        self.pass(at, caps::first_of(op), DeviceJob { op, len, of });
    }

    /// Work arrives at cap `number` or, after the last, at the servers.
    fn pass(&mut self, at: u64, mut number: usize, job: DeviceJob) {
        while number < CAPS {
            if !self.caps.passes(number, at, job) {
                self.let_through(at, number, false);
                return;
            }
            number = caps::after(number);
        }
        self.servers.queue(job);
        self.serve(at);
    }

    /// What waits for a cap passes it, as far as it may.
    fn let_through(&mut self, at: u64, number: usize, again: bool) {
        while let Some(job) = self.caps.pop(number, at) {
            self.pass(at, caps::after(number), job);
        }
        if let Some(due) = self.caps.due(number, at, again) {
            self.expect(due, DeviceEvent::Cap(number));
        }
    }

    /// Free servers begin what waits for them.
    fn serve(&mut self, at: u64) {
        while let Some((job, time)) = self.servers.begin() {
            let end = self.stalls.end_of(at, time);
            match job.of {
                Owner::Answer(answer) => self.answer(end, answer),
                Owner::Stored(what) => {
                    if let Some(cache) = &mut self.cache {
                        cache.begun(&what);
                    }
                }
                Owner::Neighbour => {}
            }
            self.expect(end, DeviceEvent::Done(job.of));
        }
    }

    /// A server has done its work.
    fn done(&mut self, at: u64, of: Owner) {
        self.servers.freed();
        match (of, &mut self.cache) {
            (Owner::Neighbour, _) => self.others.done(),
            (Owner::Stored(what), Some(cache)) => {
                cache.stored(&what);
                self.take_writes(at);
                while let Some(answer) = self.cache.as_mut().and_then(Cache::take_flush) {
                    self.flushed(at, answer);
                }
            }
            (Owner::Answer(_) | Owner::Stored(_), _) => {}
        }
        self.serve(at);
    }

    /// An I/O ends on the volume at `end`: its sender knows half a round trip later.
    fn answer(&mut self, end: u64, answer: Answer) {
        let Answer { to, slot, result } = answer;
        let at = end.saturating_add(self.half_way(to.host));
        if self.has_slots {
            self.expect(at, DeviceEvent::Release(to.host));
        }
        if to.stage != self.stage {
            return;
        }
        self.in_flight -= 1;
        self.clients[to.client]
            .ended
            .push(Ended { at, slot, result });
        self.touched.push(to.client);
    }

    /// One of others comes.
    fn other(&mut self, at: u64) {
        if self.others.next_at() != Some(at) {
            // They come otherwise since the law has changed.
            return;
        }
        if let Some(len) = self.others.come() {
            self.work(at, Op::Read, len, Owner::Neighbour);
        }
        self.expect_other();
    }

    fn expect_other(&mut self) {
        if let Some(at) = self.others.next_at() {
            self.expect(at, DeviceEvent::Other);
        }
    }

    /// Becomes what the law says it is from now on. What waits sees it.
    fn change(&mut self, at: u64) {
        if self.law.changes.is_empty() {
            return;
        }
        let (_, mut next) = self.law.changes.remove(0);
        next.changes = std::mem::take(&mut self.law.changes);
        let others = self.law.neighbour != next.neighbour;
        self.caps.change(&next, at);
        self.servers.change(&next);
        self.stalls = Stalls::new(&next);
        self.others.change(&next, at);
        match (&mut self.cache, next.cache) {
            (Some(cache), Some(law)) => cache.change(law),
            (cache, law) => *cache = law.map(Cache::new),
        }
        self.law = next;
        if others {
            self.expect_other();
        }
        for number in 0..CAPS {
            self.let_through(at, number, true);
        }
        self.take_writes(at);
        self.serve(at);
        for host in 0..self.hosts.len() {
            self.send_off(at, host);
        }
    }
}

// The order of equal times is that of their numbers, which are never equal.
impl PartialEq for DeviceEvent {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for DeviceEvent {}

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
