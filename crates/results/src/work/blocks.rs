//! Settings of block I/O that no other property says, each by its name: of all files of a workload, and of single ones.
//!
//! Belongs here: names of settings, which property says each. Must never: leave a field out without a reason beside it.

use super::settings::NamedSettings;
use super::values::{self, bytes, list, number_or, or};
use leadline_model::plan::{
    Access, BlockSizes, Blocks, FilePart, FileSet, OpenMode, Payload, Prepare, Region, SimTarget,
    SyncCadence, Target,
};

pub(super) fn of_blocks(blocks: &Blocks, said: &mut NamedSettings<'_>) {
    let Blocks {
        // `mix`.
        mix: _,
        target,
        open,
        region,
        prepare,
        sizes,
        access,
        sync,
        payload,
        parts,
    } = blocks;
    of_target(target, said);
    of_region(region, said);
    of_prepare(prepare, said);
    of_open(*open, said);
    of_access(access, said);
    of_sizes(sizes, said);
    of_payload(payload, said);
    let SyncCadence {
        // `sync`.
        fsync_every: _,
        fdatasync_every: _,
        at_end,
        on_close,
    } = sync;
    said.flag("fsync at the end", *at_end);
    said.flag("fsync on close", *on_close);
    said.count("files with settings of their own", parts.len());
    for (number, part) in (1..).zip(parts) {
        let mut own = NamedSettings {
            file: format!("file {number}, "),
            all: said.all,
        };
        of_part(part, &mut own);
    }
}

/// How many files there are, and what they are called; where they are is `target`.
fn of_target(target: &Target, said: &mut NamedSettings<'_>) {
    let files = match target {
        Target::Paths(paths) => paths.len(),
        Target::Files(FileSet {
            // `target`.
            directories: _,
            pattern,
            count,
            // Whether the name is that of a device was found out when it was opened.
            name_may_be_device: _,
        }) => {
            said.add("names of files", pattern.clone());
            *count as usize
        }
        Target::Simulated(target) => {
            let SimTarget {
                // `target` has the law.
                volume: _,
                law: _,
                // `size`.
                size: _,
                files,
                own_files,
            } = &**target;
            said.flag("each host has its own files", *own_files);
            files.len().max(1)
        }
        Target::Null { size } => {
            said.add("size of the null target", bytes(*size));
            1
        }
    };
    said.count("number of files", files);
}

fn of_part(part: &FilePart, said: &mut NamedSettings<'_>) {
    let FilePart {
        region,
        prepare,
        open,
        mix,
        sizes,
        access,
        slots,
        payload,
    } = part;
    said.add("mix", values::mix(*mix));
    said.count("slots of the queue", slots);
    of_region(region, said);
    of_prepare(prepare, said);
    of_open(*open, said);
    said.flag("O_DIRECT", open.direct);
    of_access(access, said);
    of_sizes(sizes, said);
    match payload {
        Some(payload) => of_payload(payload, said),
        None => said.add("content of writes", "that of all files".to_owned()),
    }
}

fn of_access(access: &Access, said: &mut NamedSettings<'_>) {
    let Access {
        // Repeats of one measurement have seeds of their own.
        seed: _,
        order,
        random_percent,
        coverage,
        distribution,
        file_choice,
        position,
        begin,
        at_end,
        grid,
        hits,
        stride,
        draws,
        file_weights,
        first_worker,
        counters,
    } = access;
    said.add("order of offsets", values::order(*order));
    let share = values::by_op(random_percent, |share| format!("{share} %"));
    said.add("share of random offsets", share);
    said.add("coverage of the region", values::coverage(*coverage));
    let distribution = values::by_op(distribution, values::distribution);
    said.add("distribution of offsets", distribution);
    said.add("choice of the file", values::file_choice(*file_choice));
    said.add("sequential position", values::position(*position));
    said.add("first offset", values::begin(*begin));
    said.add("at the end of the region", values::at_end(*at_end));
    said.add("alignment of random offsets", values::grid(*grid));
    said.add("hit area", or(*hits, "none", values::hits));
    let stride = or(*stride, "any", |(from, to)| {
        format!("{} to {}", bytes(from), bytes(to))
    });
    said.add("distance between random offsets", stride);
    said.add("random numbers", values::draws(*draws));
    let weights = list(file_weights, "equal", ToString::to_string);
    said.add("weights of files", weights);
    said.count("number of the first worker", first_worker);
    let counters = list(counters, "none", |number| format!("counter {number}"));
    said.add("positions shared with other workloads", counters);
}

fn of_sizes(sizes: &BlockSizes, said: &mut NamedSettings<'_>) {
    let BlockSizes {
        by_op,
        align,
        by_order,
    } = sizes;
    said.add("block sizes", values::by_op(by_op, values::sizes));
    let align = values::by_op(align, |own| or(*own, "the smallest block size", bytes));
    said.add("alignment of offsets", align);
    said.flag(
        "separate block sizes for sequential and random I/Os",
        *by_order,
    );
}

fn of_payload(payload: &Payload, said: &mut NamedSettings<'_>) {
    let Payload {
        fill,
        refresh,
        compress_percent,
        compress_chunk,
        dedupe_percent,
    } = payload;
    said.add("content of writes", values::fill(fill));
    said.add("the content changes", values::refresh(*refresh));
    said.add("compressible share", format!("{compress_percent} %"));
    let chunk = match compress_chunk {
        0 => "the whole write".to_owned(),
        n => bytes((*n).into()),
    };
    said.add("chunk that compresses", chunk);
    said.add("share of duplicates", format!("{dedupe_percent} %"));
}

fn of_region(region: &Region, said: &mut NamedSettings<'_>) {
    let Region {
        offset,
        offset_step,
        size,
        file_size,
        offset_align,
        until_full,
        beyond_end,
        end,
        wrap,
    } = region;
    said.add("offset", values::amount(*offset));
    said.add("offset between workers", values::amount(*offset_step));
    said.add(
        "bytes used",
        or(*size, "as many as there are", values::amount),
    );
    let file_size = or(*file_size, "as it is", |(least, most)| {
        match least == most {
            true => bytes(least),
            false => format!("{} to {}", bytes(least), bytes(most)),
        }
    });
    said.add("file size", file_size);
    let align = or(*offset_align, "the smallest block size", bytes);
    said.add("alignment of the offset", align);
    said.flag("writes until the file system is full", *until_full);
    let beyond = or(*beyond_end, "no", |unit| {
        format!("yes, in units of {}", bytes(unit))
    });
    said.add("writes beyond the end of files only", beyond);
    let end = or(*end, "that of the target", bytes);
    said.add("end of the bytes used", end);
    said.add("wraps around", or(*wrap, "no", values::wrap));
}

fn of_prepare(prepare: &Prepare, said: &mut NamedSettings<'_>) {
    let Prepare {
        // Whose files they are, by the run that made them.
        own: _,
        create,
        create_only,
        create_on_open,
        one_by_one,
        fsync,
        fallocate,
        overwrite,
        drop_cache,
        pre_read,
        advise,
        unlink,
        unlink_each_loop,
        open_files,
        recreate,
    } = prepare;
    said.flag("missing files are created", *create);
    said.flag("files are created and nothing else", *create_only);
    said.flag("files are created when first used", *create_on_open);
    said.flag("workers create files one by one", *one_by_one);
    said.flag("fsync of created files", *fsync);
    said.add("preallocation", values::fallocate(*fallocate));
    said.flag("files are written before the start", *overwrite);
    said.flag("page cache is dropped before the start", *drop_cache);
    said.flag("files are read before the start", *pre_read);
    said.add("advice to the kernel (fadvise)", values::advise(*advise));
    said.flag("files are deleted at the end", *unlink);
    said.flag(
        "files are deleted after each loop (no effect)",
        *unlink_each_loop,
    );
    said.add("most files open at once", number_or(*open_files, "all"));
    let recreate = or(*recreate, "no", |size| format!("yes, of {}", bytes(size)));
    said.add("files are created again", recreate);
}

fn of_open(open: OpenMode, said: &mut NamedSettings<'_>) {
    let OpenMode {
        // `direct`; of one file, with what is its own.
        direct: _,
        sync,
        atomic,
    } = open;
    said.add("write-through", values::write_through(sync));
    said.flag("atomic writes (RWF_ATOMIC)", atomic);
}
