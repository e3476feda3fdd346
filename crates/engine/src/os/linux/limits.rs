//! Limits of this process. Raises what it may without asking; never above the hard limit.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard one and returns what is in force then;
/// `None` = no limit.
pub fn raise_open_files() -> Option<u64> {
    let now = getrlimit(Resource::Nofile);
    if now.current == now.maximum {
        return now.current;
    }
    let wanted = Rlimit {
        current: now.maximum,
        maximum: now.maximum,
    };
    match setrlimit(Resource::Nofile, wanted) {
        Ok(()) => now.maximum,
        Err(_) => now.current,
    }
}

/// Bytes this process may lock in memory; `None` = no limit.
#[must_use]
pub fn lockable_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// Bytes that a file of this process may have (`ulimit -f`); `None` = no limit.
#[must_use]
pub fn file_bytes() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_reaches_the_hard_one() {
        let raised = raise_open_files();
        let now = getrlimit(Resource::Nofile);
        assert_eq!(now.current, raised);
        assert_eq!(now.current, now.maximum);
    }
}
