//! What a dialect asks about the system, answered.

use leadline_dialect::host::Host;
use std::io::Read;

/// This machine.
pub(crate) struct ThisHost;

impl Host for ThisHost {
    fn read_file(&self, path: &str) -> Result<String, String> {
        let bytes = if path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            std::fs::read(path)
        };
        let bytes = bytes.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn cpus(&self) -> u32 {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        u32::try_from(cpus).unwrap_or(u32::MAX)
    }

    fn page_size(&self) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        let line = maps
            .lines()
            .find_map(|line| line.strip_prefix("KernelPageSize:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kib.map_or(4096, |kib| kib * 1024)
    }

    fn memory_mb(&self) -> u64 {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) / 1024
    }
}
