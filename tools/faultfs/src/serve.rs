//! The file system as the kernel sees it: each request is judged, done in memory, and answered at
//! its time.
//!
//! Data moves when a request comes; only its answer waits. The control file is never struck.

use crate::command::{self, Effect, Op};
use crate::faults::{Faults, Verdict};
use crate::timer::{self, Timer};
use crate::tree::{self, Changes, Data, Owner, ROOT, Tree};
use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Number and name of the control file.
const CONTROL: u64 = 2;
const CONTROL_NAME: &str = ".faultfs";
/// How long the kernel may keep names and attributes: only this process changes them.
const TTL: Duration = Duration::from_secs(1);
/// What statfs(2) shows without a limit.
const UNLIMITED: u64 = 1 << 40;
/// Requests the kernel may have in flight; its default of 12 would cap the queue depth.
const MAX_BACKGROUND: u16 = 4096;

/// Serves requests.
pub(crate) struct Server {
    faults: Arc<Faults>,
    timer: Timer,
    tree: Mutex<Tree>,
    /// One direct I/O of a file at a time.
    serial: bool,
}

impl Server {
    /// An empty file system under `faults`.
    pub(crate) fn new(faults: Arc<Faults>, serial: bool) -> Self {
        let owner = match std::fs::metadata("/proc/self") {
            Ok(data) => {
                use std::os::unix::fs::MetadataExt;
                Owner {
                    uid: data.uid(),
                    gid: data.gid(),
                }
            }
            Err(_) => Owner { uid: 0, gid: 0 },
        };
        let timer = Timer::start(Arc::clone(&faults));
        Self {
            faults,
            timer,
            tree: Mutex::new(Tree::new(owner, CONTROL + 1)),
            serial,
        }
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `answer` at the verdict's time, at once when it has none.
    fn answer(&self, verdict: &Verdict, answer: impl FnOnce() + Send + 'static) {
        match verdict.at {
            Some(at) => self.timer.at(at, Box::new(answer)),
            None => answer(),
        }
    }

    fn control_attributes(&self) -> FileAttr {
        let now = tree::wall();
        FileAttr {
            ino: INodeNo(CONTROL),
            size: u64::try_from(self.faults.report().len()).unwrap_or(0),
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
            crtime: now,
            kind: FileType::RegularFile,
            perm: 0o666,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    fn attributes(&self, number: u64) -> Result<FileAttr, Errno> {
        if number == CONTROL {
            Ok(self.control_attributes())
        } else {
            self.tree().attributes(number)
        }
    }

    /// How the kernel shall treat an open file. It may cache: a test opens with `O_DIRECT` when each
    /// I/O is to come here. Not the control file, whose length is not known before it is read, and
    /// not with `serial`, because caching completes a short direct write behind the program's back.
    fn open_flags(&self, number: u64) -> FopenFlags {
        if number == CONTROL || self.serial {
            FopenFlags::FOPEN_DIRECT_IO
        } else {
            FopenFlags::empty()
        }
    }

    /// Obeys the lines written to the control file: all of them, or none.
    fn obey(&self, text: &[u8]) -> Result<(), Errno> {
        let text = String::from_utf8_lossy(text);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        match lines.map(command::parse).collect::<Result<Vec<_>, _>>() {
            Ok(commands) => {
                let now = timer::now();
                for command in &commands {
                    self.faults.apply(command, now);
                }
                self.faults.complain(String::new());
                Ok(())
            }
            Err(message) => {
                self.faults.complain(message);
                Err(Errno::EINVAL)
            }
        }
    }

    /// Whether `growth` more bytes of data fit.
    fn fits(&self, growth: u64) -> bool {
        growth == 0
            || self
                .faults
                .space()
                .is_none_or(|space| self.tree().held().saturating_add(growth) <= space)
    }

    /// Writes and says how much; the verdict may shorten it or fail it.
    fn store(&self, data: &Data, offset: u64, bytes: &[u8], effect: Option<Effect>) -> Wrote {
        let bytes = match effect {
            Some(Effect::Error(errno)) => return Err(Errno::from_i32(errno)),
            Some(Effect::Short(most)) => {
                &bytes[..bytes.len().min(usize::try_from(most).unwrap_or(usize::MAX))]
            }
            Some(Effect::Late(_)) | None => bytes,
        };
        let len = u32::try_from(bytes.len()).map_err(|_| Errno::EINVAL)?;
        let growth = tree::lock(data).growth(offset, u64::from(len));
        if !self.fits(growth) {
            return Err(Errno::ENOSPC);
        }
        tree::lock(data).write(offset, bytes);
        self.faults.moved(Op::Write, u64::from(len));
        Ok(len)
    }

    /// Makes room (and length, unless `keep`), or a hole, as fallocate(2).
    fn allocate(&self, number: u64, offset: u64, len: u64, mode: i32) -> Result<(), Errno> {
        let data = self.tree().data(number)?;
        let keep = mode & libc::FALLOC_FL_KEEP_SIZE != 0;
        if mode & libc::FALLOC_FL_PUNCH_HOLE != 0 {
            tree::lock(&data).punch(offset, len);
            return Ok(());
        }
        if mode & !libc::FALLOC_FL_KEEP_SIZE != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let growth = tree::lock(&data).growth(offset, len);
        if !self.fits(growth) {
            return Err(Errno::ENOSPC);
        }
        let mut data = tree::lock(&data);
        let end = offset.checked_add(len).ok_or(Errno::EFBIG)?;
        if !keep && end > data.len() {
            data.resize(end);
        }
        Ok(())
    }
}

/// Bytes written, or why none were.
type Wrote = Result<u32, Errno>;

fn owner(request: &Request) -> Owner {
    Owner {
        uid: request.uid(),
        gid: request.gid(),
    }
}

fn entry(reply: ReplyEntry, made: Result<FileAttr, Errno>) {
    match made {
        Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
        Err(errno) => reply.error(errno),
    }
}

fn empty(reply: ReplyEmpty, done: Result<(), Errno>) {
    match done {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

impl Filesystem for Server {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        // Without async direct I/O the kernel sends one direct request at a time. A kernel that
        // lacks it still mounts; the self-tests report what that costs.
        if !self.serial {
            config.add_capabilities(InitFlags::FUSE_ASYNC_DIO).ok();
        }
        config.set_max_background(MAX_BACKGROUND).ok();
        config.set_congestion_threshold(MAX_BACKGROUND).ok();
        config.set_max_write(1 << 20).ok();
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if parent.0 == ROOT && name == CONTROL_NAME {
            return reply.entry(&Duration::ZERO, &self.control_attributes(), Generation(0));
        }
        let found = self.tree().lookup(parent.0, name);
        entry(reply, found);
    }

    fn forget(&self, _: &Request, ino: INodeNo, nlookup: u64) {
        self.tree().forget(ino.0, nlookup);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(ino.0) {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        // `echo clear > .faultfs` truncates first; there is nothing to cut off.
        if ino.0 == CONTROL {
            return reply.attr(&Duration::ZERO, &self.control_attributes());
        }
        let mut tree = self.tree();
        let changes = Changes {
            mode,
            uid,
            gid,
            atime,
            mtime,
        };
        let changed = tree.change(ino.0, &changes).and_then(|()| {
            if let Some(size) = size {
                tree::lock(&tree.data(ino.0)?).resize(size);
            }
            tree.attributes(ino.0)
        });
        match changed {
            Ok(attributes) => reply.attr(&TTL, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let made = self
            .tree()
            .create(parent.0, name, true, mode & !umask, owner(request));
        entry(reply, made);
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = self
            .tree()
            .create(parent.0, name, false, mode & !umask, owner(request));
        match made {
            Ok(attributes) => {
                let flags = self.open_flags(attributes.ino.0);
                reply.created(&TTL, &attributes, Generation(0), FileHandle(0), flags);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let done = self.tree().remove(parent.0, name, false);
        empty(reply, done);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let done = self.tree().remove(parent.0, name, true);
        empty(reply, done);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if flags.contains(RenameFlags::RENAME_EXCHANGE) {
            return reply.error(Errno::EINVAL);
        }
        let keep = flags.contains(RenameFlags::RENAME_NOREPLACE);
        let done = self
            .tree()
            .rename((parent.0, name), (newparent.0, newname), keep);
        empty(reply, done);
    }

    fn open(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), self.open_flags(ino.0));
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if ino.0 == CONTROL {
            let text = self.faults.report();
            let from = usize::try_from(offset)
                .unwrap_or(usize::MAX)
                .min(text.len());
            return reply.data(&text.as_bytes()[from..]);
        }
        let found = self.tree().data(ino.0);
        let data = match found {
            Ok(data) => data,
            Err(errno) => return reply.error(errno),
        };
        let verdict = self.faults.judge(Op::Read, offset, size, timer::now());
        let size = match verdict.effect {
            Some(Effect::Error(errno)) => {
                return self.answer(&verdict, move || reply.error(Errno::from_i32(errno)));
            }
            Some(Effect::Short(most)) => size.min(most),
            Some(Effect::Late(_)) | None => size,
        };
        let mut bytes = tree::lock(&data).read(offset, size);
        self.faults.corrupt(offset, &mut bytes);
        self.faults
            .moved(Op::Read, u64::try_from(bytes.len()).unwrap_or(0));
        self.answer(&verdict, move || reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        if ino.0 == CONTROL {
            return match self.obey(bytes) {
                Ok(()) => reply.written(len),
                Err(errno) => reply.error(errno),
            };
        }
        let found = self.tree().data(ino.0);
        let data = match found {
            Ok(data) => data,
            Err(errno) => return reply.error(errno),
        };
        let verdict = self.faults.judge(Op::Write, offset, len, timer::now());
        let wrote = self.store(&data, offset, bytes, verdict.effect);
        self.answer(&verdict, move || match wrote {
            Ok(len) => reply.written(len),
            Err(errno) => reply.error(errno),
        });
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let verdict = self.faults.judge(Op::Fsync, 0, 0, timer::now());
        let effect = verdict.effect;
        self.answer(&verdict, move || match effect {
            Some(Effect::Error(errno)) => reply.error(Errno::from_i32(errno)),
            _ => reply.ok(),
        });
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let found = self.tree().entries(ino.0);
        let entries = match found {
            Ok(entries) => entries,
            Err(errno) => return reply.error(errno),
        };
        let dots = [".", ".."].map(|name| (name.into(), ino.0, FileType::Directory));
        let all = dots.into_iter().chain(entries).zip(1_u64..);
        for ((name, number, kind), next) in all.filter(|(_, next)| *next > offset) {
            if reply.add(INodeNo(number), next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let size = self.faults.space().unwrap_or(UNLIMITED);
        let free = size.saturating_sub(self.tree().held()) / 4096;
        reply.statfs(size / 4096, free, free, 1 << 20, 1 << 20, 4096, 255, 4096);
    }

    fn fallocate(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let done = self.allocate(ino.0, offset, length, mode);
        empty(reply, done);
    }

    fn lseek(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let hole = whence == libc::SEEK_HOLE;
        let found = self.tree().data(ino.0).and_then(|data| {
            let from = u64::try_from(offset).map_err(|_| Errno::ENXIO)?;
            let place = tree::lock(&data).seek(from, hole).ok_or(Errno::ENXIO)?;
            i64::try_from(place).map_err(|_| Errno::ENXIO)
        });
        match found {
            Ok(place) => reply.offset(place),
            Err(errno) => reply.error(errno),
        }
    }
}
