//! TCP connections of this host to a server, those of the kernel's own clients included: sock_diag(7).
//!
//! Belongs here: asking the kernel for their round trips and repeats. Must never: keep an address, or open a
//! connection.

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Dumps of a connection each (linux/sock_diag.h, linux/netlink.h).
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST_DUMP: u16 = 0x301;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
/// The attribute with `struct tcp_info`, as a bit of a request and as its number (linux/inet_diag.h).
const INFO: u8 = 2;
const ESTABLISHED: u32 = 1 << 1;
/// Bytes of `struct inet_diag_msg` before its attributes.
const ANSWER: usize = 72;
/// Where `struct tcp_info` (linux/tcp.h) has these of its fields.
const TOTAL_RETRANS: usize = 100;
const SEGS_OUT: usize = 136;
const MIN_RTT: usize = 148;
/// More connections than these are not looked at.
const MOST_ANSWERS: usize = 4096;

/// Connections to one server together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flows {
    /// How many.
    pub(super) number: u64,
    /// The shortest round trip that any of them saw, in microseconds; 0 = none known.
    pub(super) round_trip_us: u64,
    /// Segments sent, those that were sent again included.
    pub(super) sent: u64,
    /// Segments sent again.
    pub(super) again: u64,
}

/// The connections to this server; `None` where the kernel does not answer.
pub(super) fn to(server: SocketAddr) -> Option<Flows> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )
    .ok()?;
    let mut flows = Flows::default();
    // A socket of version 6 may speak to an address of version 4.
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        let family = u8::try_from(family.as_raw()).ok()?;
        rustix::net::send(&socket, &request(family), SendFlags::empty()).ok()?;
        let mut buffer = vec![0; 32 << 10];
        for _ in 0..MOST_ANSWERS {
            let (_, length) =
                rustix::net::recv(&socket, &mut buffer[..], RecvFlags::DONTWAIT).ok()?;
            if !take(&buffer[..length.min(32 << 10)], server, &mut flows) {
                break;
            }
        }
    }
    Some(flows)
}

/// `struct nlmsghdr` and `struct inet_diag_req_v2`.
fn request(family: u8) -> Vec<u8> {
    const LENGTH: u32 = 16 + 56;
    const TCP: u8 = 6;
    let mut bytes = Vec::with_capacity(LENGTH as usize);
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST_DUMP.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([family, TCP, 1 << (INFO - 1), 0]);
    bytes.extend(ESTABLISHED.to_ne_bytes());
    bytes.extend([0; 48]);
    bytes
}

/// Adds the connections of one answer; whether more will come.
fn take(mut bytes: &[u8], server: SocketAddr, flows: &mut Flows) -> bool {
    while let Some((length, kind)) = header(bytes) {
        if matches!(kind, NLMSG_DONE | NLMSG_ERROR) {
            return false;
        }
        let body = bytes.get(16..length).unwrap_or_default();
        if peer(body) == Some(server) {
            flows.add(body.get(ANSWER..).unwrap_or_default());
        }
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    true
}

/// Length and kind of a message.
fn header(bytes: &[u8]) -> Option<(usize, u16)> {
    let length = usize::try_from(number(bytes, 0)?).ok()?;
    let kind = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
    (length >= 16 && length <= bytes.len()).then_some((length, kind))
}

/// Who is at the other end, in `struct inet_diag_msg`.
fn peer(body: &[u8]) -> Option<SocketAddr> {
    let port = u16::from_be_bytes(body.get(6..8)?.try_into().ok()?);
    let address = body.get(24..40)?;
    let v4: [u8; 4] = address[..4].try_into().ok()?;
    let v6: [u8; 16] = address.try_into().ok()?;
    let address = if i32::from(body[0]) == i32::from(AddressFamily::INET.as_raw()) {
        IpAddr::V4(Ipv4Addr::from(v4))
    } else {
        Ipv6Addr::from(v6).to_canonical()
    };
    Some(SocketAddr::new(address, port))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_ne_bytes(four.try_into().ok()?))
}

impl Flows {
    /// Adds a connection with these attributes. Older kernels have a shorter `struct tcp_info`.
    fn add(&mut self, mut attributes: &[u8]) {
        self.number += 1;
        while let Some(head) = attributes.get(..4) {
            let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
            let kind = u16::from_ne_bytes([head[2], head[3]]);
            let Some(info) = attributes.get(4..length) else {
                return;
            };
            if kind == u16::from(INFO) {
                let of = |at| u64::from(number(info, at).unwrap_or(0));
                self.again += of(TOTAL_RETRANS);
                self.sent += of(SEGS_OUT);
                // The kernel's word for not known is the largest number.
                let known = number(info, MIN_RTT).filter(|us| *us > 0 && *us < u32::MAX);
                let least = [self.round_trip_us, known.map_or(0, u64::from)];
                self.round_trip_us = least.into_iter().filter(|us| *us > 0).min().unwrap_or(0);
            }
            attributes = attributes
                .get(length.next_multiple_of(4)..)
                .unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn connections_to_a_server_are_found_with_their_round_trip() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let mut pairs = Vec::new();
        for _ in 0..3 {
            let mut here = TcpStream::connect(server).unwrap();
            let (mut there, _) = listener.accept().unwrap();
            let mut byte = [0];
            here.write_all(&[1]).unwrap();
            there.read_exact(&mut byte).unwrap();
            there.write_all(&byte).unwrap();
            here.read_exact(&mut byte).unwrap();
            pairs.push((here, there));
        }
        let Some(flows) = to(server) else {
            let why = "the kernel has no sock_diag";
            return leadline_testkit::skip("engine::os::flows", why);
        };
        // Those of the other direction are not to the server.
        assert_eq!(flows.number, 3);
        assert!(flows.sent >= 6 && flows.again <= flows.sent, "{flows:?}");
        assert!(flows.round_trip_us > 0, "{flows:?}");
        let nobody = SocketAddr::new(server.ip(), 1);
        assert_eq!(to(nobody), Some(Flows::default()));
    }

    #[test]
    fn answers_that_are_cut_or_odd_are_no_connections() {
        let server: SocketAddr = "10.0.0.1:2049".parse().unwrap();
        let mut whole = Vec::new();
        whole.extend((16 + 72 + 4 + 160_u32).to_ne_bytes());
        whole.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        whole.extend([0; 10]);
        let mut body = [0; ANSWER];
        body[0] = 2;
        body[6..8].copy_from_slice(&2049_u16.to_be_bytes());
        body[24..28].copy_from_slice(&[10, 0, 0, 1]);
        whole.extend(body);
        whole.extend(164_u16.to_ne_bytes());
        whole.extend(u16::from(INFO).to_ne_bytes());
        let mut info = [0; 160];
        info[MIN_RTT..MIN_RTT + 4].copy_from_slice(&250_u32.to_ne_bytes());
        whole.extend(info);
        let mut found = Flows::default();
        assert!(take(&whole, server, &mut found));
        assert_eq!((found.number, found.round_trip_us), (1, 250));
        for end in 0..whole.len() {
            let mut none = Flows::default();
            assert!(take(&whole[..end], server, &mut none));
            assert_eq!(none, Flows::default(), "{end}");
        }
        // A length that leads nowhere.
        for at in [0, 88] {
            let mut odd = whole.clone();
            odd[at] = 1;
            let mut flows = Flows::default();
            let _ = take(&odd, server, &mut flows);
            assert_eq!(flows.round_trip_us, 0);
        }
        let mut done = whole.clone();
        done[4..6].copy_from_slice(&NLMSG_DONE.to_ne_bytes());
        assert!(!take(&done, server, &mut Flows::default()));
    }
}
