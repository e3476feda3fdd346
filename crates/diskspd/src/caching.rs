//! `-S` and `-h`: which caches are used. Each property may be said once, over the whole command line.
//!
//! Belongs here: the letters and how they exclude each other. Must never appear here: what they mean.

use crate::profile::{Bypass, Cache};
use crate::reader::{Opt, Reader};

/// `-h`.
pub(super) fn unbuffered_and_through(reader: &mut Reader<'_>, opt: &Opt) {
    if reader.caching.mode.is_some() || reader.caching.through {
        return reader.wrong(
            "conflict",
            "-h conflicts with earlier specification of cache/writethrough",
            opt,
        );
    }
    reader.caching.mode = Some(Cache::DisableOs);
    reader.caching.through = true;
}

/// `-S` with its letters.
pub(super) fn read(reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.is_empty() {
        if reader.caching.mode.is_some() || reader.caching.mapped {
            let message = "-S conflicts with earlier specification of cache mode";
            return reader.wrong("conflict", message, opt);
        }
        reader.caching.mode = Some(Cache::DisableOs);
        return;
    }
    for letter in opt.value.chars() {
        if let Err(message) = cache_letter(reader, letter) {
            return reader.wrong("conflict", message, opt);
        }
        match letter {
            'r' => reader.idle("-Sr", opt),
            'y' | 'Y' => reader.idle("-Sy", opt),
            _ => {}
        }
    }
}

fn cache_letter(reader: &mut Reader<'_>, letter: char) -> Result<(), String> {
    let now = &mut reader.caching;
    let mode_free = now.mode.is_none();
    let earlier = |what: &str| {
        Err(format!(
            "-S{letter} conflicts with earlier specification of {what}"
        ))
    };
    match letter {
        'b' if mode_free => now.mode = Some(Cache::Cached),
        'r' if mode_free => now.mode = Some(Cache::DisableLocal),
        'b' | 'r' => return earlier("cache mode"),
        'h' if mode_free && !now.through && !now.mapped => {
            now.mode = Some(Cache::DisableOs);
            now.through = true;
        }
        'h' => return earlier("cache/writethrough/memory mapped"),
        'm' if !now.mapped && now.mode != Some(Cache::DisableOs) => now.mapped = true,
        'm' => return earlier("memory mapped IO/unbuffered IO"),
        'u' if mode_free && !now.mapped => now.mode = Some(Cache::DisableOs),
        'u' => return earlier("cache mode/memory mapped IO"),
        'w' if !now.through => now.through = true,
        'w' => return earlier("write through"),
        'y' | 'Y' if now.bypass.is_none() => {
            now.bypass = Some(if letter == 'y' {
                Bypass::Partial
            } else {
                Bypass::Full
            });
        }
        'y' | 'Y' => return earlier("BypassIO mode"),
        _ => return Err("unrecognized option provided to -S".to_owned()),
    }
    Ok(())
}
