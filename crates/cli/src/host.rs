//! What a dialect asks about the system, answered.

use crate::simulated::SimulatedTargets;
use leadline_dialect::host::Host;
use leadline_engine::os::this_host;
use std::io::Read;

/// This machine, with the simulated volumes that a command line puts in place of some of its paths.
pub(crate) struct ThisHost<'a> {
    targets: Option<&'a SimulatedTargets>,
}

impl ThisHost<'static> {
    /// Without any.
    pub(crate) const REAL: Self = Self { targets: None };
}

impl<'a> ThisHost<'a> {
    pub(crate) const fn with(targets: Option<&'a SimulatedTargets>) -> Self {
        Self { targets }
    }

    /// Whether what is at this path does not matter.
    fn is_replaced(&self, path: &str) -> bool {
        self.targets.is_some_and(|targets| targets.replaces(path))
    }
}

impl Host for ThisHost<'_> {
    fn read_file(&self, path: &str) -> Result<String, String> {
        let bytes = if path == "-" {
            read(std::io::stdin())
        } else {
            self.read_bytes(path)
        };
        Ok(text(&bytes?))
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
        read(file)
    }

    fn all_cpus(&self) -> u32 {
        let last = this_host::last_cpu();
        last.map_or_else(|| self.cpus(), |last| last.saturating_add(1))
    }

    fn env(&self, name: &str) -> Option<String> {
        // A name made of it that is not UTF-8 is refused, as from a file.
        let value = std::env::var_os(name)?;
        Some(value.to_string_lossy().into_owned())
    }

    fn cpus(&self) -> u32 {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        u32::try_from(cpus).unwrap_or(u32::MAX)
    }

    fn exists(&self, path: &str) -> bool {
        !self.is_replaced(path) && std::fs::symlink_metadata(path).is_ok()
    }

    fn only_inside_call(&self, path: &str) -> bool {
        !self.is_replaced(path) && leadline_engine::os::host::only_inside_call(path.as_ref())
    }

    fn cpu_list(&self) -> Vec<u32> {
        let cpus = this_host::allowed_cpus();
        if cpus.is_empty() {
            (0..self.cpus()).collect()
        } else {
            cpus
        }
    }

    fn ticks(&self) -> u32 {
        // Cut to 32 bits as on Windows.
        u32::try_from(this_host::uptime_ms() & u64::from(u32::MAX)).unwrap_or(0)
    }

    fn page_size(&self) -> u64 {
        this_host::page_size()
    }

    fn memory_mb(&self) -> u64 {
        this_host::memory() >> 20
    }
}

/// Largest text that is read: job and parameter files have kilobytes, results with a profile in them megabytes.
const LARGEST: u64 = 16 << 20;

/// All of a file. One without an end, such as /dev/zero, is not read to it.
fn read(from: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut from = from.take(LARGEST + 1);
    from.read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    Ok(bytes)
}

/// Bytes as text: UTF-8, or UTF-16 with a byte order mark as Windows writes it.
fn text(bytes: &[u8]) -> String {
    let of: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(bytes).into_owned(),
    };
    let units: Vec<u16> = bytes[2..]
        .chunks_exact(2)
        .map(|pair| of([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units)
}
