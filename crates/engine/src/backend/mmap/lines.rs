//! Cache lines written back to memory: what brings a write to persistent memory that is mapped down to it.
//!
//! Belongs here: the instruction that this processor has for it. Must never: be taken for a flush of a
//! device behind the page cache, which it is not.

#![expect(unsafe_code, reason = "instructions that take raw addresses")]

/// Writing cache lines back, by the best means of this processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// CLWB: the line stays in the cache.
    WriteBack,
    /// CLFLUSHOPT: it leaves.
    FlushUnordered,
    /// CLFLUSH: it leaves, one line after the other. Any x86-64 has it.
    Flush,
}

/// Bytes of a cache line; every x86-64 so far has these.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

#[cfg(target_arch = "x86_64")]
impl Lines {
    /// What this processor can; `None` = nothing of the kind.
    pub(super) fn of_this_processor() -> Option<Self> {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        if __cpuid(0).eax < 7 {
            return Some(Self::Flush);
        }
        let features = __cpuid_count(7, 0).ebx;
        Some(match (features & 1 << 24 != 0, features & 1 << 23 != 0) {
            (true, _) => Self::WriteBack,
            (false, true) => Self::FlushUnordered,
            (false, false) => Self::Flush,
        })
    }

    /// Writes the lines of the range back; with `drain` they have arrived when it returns.
    ///
    /// # Safety
    /// The range is mapped.
    pub(super) unsafe fn flush(self, at: *const u8, len: usize, drain: bool) {
        let before = at.addr() % LINE;
        // SAFETY: the start of a line that holds a byte of the range is in the range's page.
        let first = unsafe { at.sub(before) };
        for line in (0..len + before).step_by(LINE) {
            // SAFETY: each line holds a byte of the range, which is mapped (the caller's promise); the
            // instructions change no byte and no register, and this processor has them.
            unsafe {
                let line = first.add(line);
                match self {
                    Self::WriteBack => {
                        std::arch::asm!("clwb [{0}]", in(reg) line, options(nostack, preserves_flags));
                    }
                    Self::FlushUnordered => {
                        std::arch::asm!("clflushopt [{0}]", in(reg) line, options(nostack, preserves_flags));
                    }
                    Self::Flush => std::arch::x86_64::_mm_clflush(line),
                }
            }
        }
        if drain {
            // SAFETY: a fence; every x86-64 has it.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Lines {
    /// What this processor can; `None` = nothing of the kind.
    pub(super) fn of_this_processor() -> Option<Self> {
        None
    }

    /// Never called.
    ///
    /// # Safety
    /// None is needed.
    pub(super) unsafe fn flush(self, _at: *const u8, _len: usize, _drain: bool) {}
}
