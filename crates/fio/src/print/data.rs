//! What is written, and when it is brought down to the device.
//!
//! Must never: say how much.

use super::Section;
use leadline_model::plan::{Fill, Payload, Refresh, SyncCadence, Workload};
use leadline_model::units::Percent;

/// Adds the flushes and the content of writes.
pub(super) fn data(w: &Workload, s: &mut Section) {
    let SyncCadence {
        fsync_every,
        fdatasync_every,
        at_end,
        on_close,
    } = w.blocks().sync;
    s.set_if(fsync_every > 0, "fsync", fsync_every);
    s.set_if(fdatasync_every > 0, "fdatasync", fdatasync_every);
    s.set_if(at_end, "end_fsync", 1);
    s.set_if(on_close, "fsync_on_close", 1);
    // Files that are laid out have it too, whatever the job does.
    let Payload {
        fill,
        refresh,
        compress_percent,
        compress_chunk,
        dedupe_percent,
    } = &w.blocks().payload;
    match fill {
        Fill::Random => {}
        // Random data are nearest. Only writes take any of it.
        Fill::Source { size: _, file } => {
            let lost = match file {
                Some(_) => "writes take their data from random places of a file; here random data",
                None => {
                    "writes take their data from random places of one buffer of random data, so that data repeats; here \
                     random data that does not repeat"
                }
            };
            s.remarks.extend(w.blocks().mix.writes().then_some(lost));
        }
        Fill::Zero => s.set("zero_buffers", ""),
        Fill::Pattern(bytes) => {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            s.set("buffer_pattern", format!("0x{hex}"));
        }
    }
    match refresh {
        Refresh::Stamp => {}
        Refresh::Each => s.set("refill_buffers", ""),
        Refresh::Never => s.set("scramble_buffers", 0),
    }
    let compresses = *compress_percent > Percent::NONE;
    s.set_if(compresses, "buffer_compress_percentage", compress_percent);
    s.set_if(
        *compress_chunk != 512,
        "buffer_compress_chunk",
        compress_chunk,
    );
    let repeats = *dedupe_percent > Percent::NONE;
    s.set_if(repeats, "dedupe_percentage", dedupe_percent);
}
