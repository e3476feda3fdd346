//! Names and nodes: the directory tree and what stat(2) says of it.
//!
//! Must never: know of delay or faults.

use crate::pages::Pages;
use fuser::{Errno, FileAttr, FileType, INodeNo, TimeOrNow};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Number of the root directory.
pub(crate) const ROOT: u64 = 1;

/// The data of one file, shared by the tree and the requests in progress.
pub(crate) type Data = Arc<Mutex<Pages>>;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// User.
    pub(crate) uid: u32,
    /// Group.
    pub(crate) gid: u32,
}

enum Kind {
    Directory(BTreeMap<OsString, u64>),
    File(Data),
}

struct Node {
    kind: Kind,
    perm: u16,
    owner: Owner,
    atime: SystemTime,
    mtime: SystemTime,
    ctime: SystemTime,
    /// References the kernel holds; a node without a name goes when the last one does.
    lookups: u64,
    /// It has a name.
    named: bool,
}

/// Changes that chmod, chown and utimes ask for.
#[derive(Default)]
pub(crate) struct Changes {
    /// Permission bits.
    pub(crate) mode: Option<u32>,
    /// User.
    pub(crate) uid: Option<u32>,
    /// Group.
    pub(crate) gid: Option<u32>,
    /// Time of last access.
    pub(crate) atime: Option<TimeOrNow>,
    /// Time of last change of the data.
    pub(crate) mtime: Option<TimeOrNow>,
}

/// All nodes by number.
pub(crate) struct Tree {
    nodes: HashMap<u64, Node>,
    next: u64,
}

/// The wall clock, for time stamps of files.
#[expect(clippy::disallowed_methods, reason = "files carry real time stamps")]
pub(crate) fn wall() -> SystemTime {
    SystemTime::now()
}

impl Tree {
    /// An empty root that belongs to `owner`; new nodes are numbered from `first`.
    pub(crate) fn new(owner: Owner, first: u64) -> Self {
        let mut root = Node::new(Kind::Directory(BTreeMap::new()), 0o755, owner);
        root.lookups = 1;
        Self {
            nodes: HashMap::from([(ROOT, root)]),
            next: first,
        }
    }

    fn node(&self, number: u64) -> Result<&Node, Errno> {
        self.nodes.get(&number).ok_or(Errno::ENOENT)
    }

    fn node_mut(&mut self, number: u64) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&number).ok_or(Errno::ENOENT)
    }

    fn names(&self, number: u64) -> Result<&BTreeMap<OsString, u64>, Errno> {
        match &self.node(number)?.kind {
            Kind::Directory(names) => Ok(names),
            Kind::File(_) => Err(Errno::ENOTDIR),
        }
    }

    fn names_mut(&mut self, number: u64) -> Result<&mut BTreeMap<OsString, u64>, Errno> {
        let node = self.node_mut(number)?;
        node.mtime = wall();
        node.ctime = node.mtime;
        match &mut node.kind {
            Kind::Directory(names) => Ok(names),
            Kind::File(_) => Err(Errno::ENOTDIR),
        }
    }

    /// The data of a file.
    pub(crate) fn data(&self, number: u64) -> Result<Data, Errno> {
        match &self.node(number)?.kind {
            Kind::File(data) => Ok(Arc::clone(data)),
            Kind::Directory(_) => Err(Errno::EISDIR),
        }
    }

    /// Bytes that all files hold.
    pub(crate) fn held(&self) -> u64 {
        let held = |node: &Node| match &node.kind {
            Kind::File(data) => lock(data).held(),
            Kind::Directory(_) => 0,
        };
        self.nodes.values().map(held).sum()
    }

    /// What stat(2) says of a node.
    pub(crate) fn attributes(&self, number: u64) -> Result<FileAttr, Errno> {
        let node = self.node(number)?;
        let (kind, size, held) = match &node.kind {
            Kind::Directory(_) => (FileType::Directory, 0, 0),
            Kind::File(data) => {
                let data = lock(data);
                (FileType::RegularFile, data.len(), data.held())
            }
        };
        Ok(FileAttr {
            ino: INodeNo(number),
            size,
            blocks: held / 512,
            atime: node.atime,
            mtime: node.mtime,
            ctime: node.ctime,
            crtime: node.ctime,
            kind,
            perm: node.perm,
            nlink: if node.named { 1 } else { 0 },
            uid: node.owner.uid,
            gid: node.owner.gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    /// Finds a name; the kernel holds one more reference to what it finds.
    pub(crate) fn lookup(&mut self, parent: u64, name: &OsStr) -> Result<FileAttr, Errno> {
        let number = *self.names(parent)?.get(name).ok_or(Errno::ENOENT)?;
        self.node_mut(number)?.lookups += 1;
        self.attributes(number)
    }

    /// The kernel gives back `count` references.
    pub(crate) fn forget(&mut self, number: u64, count: u64) {
        if let Some(node) = self.nodes.get_mut(&number) {
            node.lookups = node.lookups.saturating_sub(count);
            if node.lookups == 0 && !node.named {
                self.nodes.remove(&number);
            }
        }
    }

    /// Makes an empty file or directory; the kernel holds one reference to it.
    pub(crate) fn create(
        &mut self,
        parent: u64,
        name: &OsStr,
        directory: bool,
        mode: u32,
        owner: Owner,
    ) -> Result<FileAttr, Errno> {
        if self.names(parent)?.contains_key(name) {
            return Err(Errno::EEXIST);
        }
        let number = self.next;
        self.next += 1;
        let kind = if directory {
            Kind::Directory(BTreeMap::new())
        } else {
            Kind::File(Arc::default())
        };
        let mut node = Node::new(kind, permissions(mode), owner);
        node.lookups = 1;
        self.nodes.insert(number, node);
        self.names_mut(parent)?.insert(name.to_owned(), number);
        self.attributes(number)
    }

    /// Takes a name away; the node stays while the kernel refers to it.
    pub(crate) fn remove(
        &mut self,
        parent: u64,
        name: &OsStr,
        directory: bool,
    ) -> Result<(), Errno> {
        let number = *self.names(parent)?.get(name).ok_or(Errno::ENOENT)?;
        match (&self.node(number)?.kind, directory) {
            (Kind::Directory(_), false) => return Err(Errno::EISDIR),
            (Kind::File(_), true) => return Err(Errno::ENOTDIR),
            (Kind::Directory(names), true) if !names.is_empty() => return Err(Errno::ENOTEMPTY),
            _ => {}
        }
        self.names_mut(parent)?.remove(name);
        self.node_mut(number)?.named = false;
        self.forget(number, 0);
        Ok(())
    }

    /// Moves a name, over what has the new name already.
    pub(crate) fn rename(
        &mut self,
        from: (u64, &OsStr),
        to: (u64, &OsStr),
        keep_existing: bool,
    ) -> Result<(), Errno> {
        let number = *self.names(from.0)?.get(from.1).ok_or(Errno::ENOENT)?;
        if let Some(old) = self.names(to.0)?.get(to.1).copied() {
            if keep_existing {
                return Err(Errno::EEXIST);
            }
            if old == number {
                return Ok(());
            }
            let directory = matches!(self.node(number)?.kind, Kind::Directory(_));
            self.remove(to.0, to.1, directory)?;
        }
        self.names_mut(from.0)?.remove(from.1);
        self.names_mut(to.0)?.insert(to.1.to_owned(), number);
        Ok(())
    }

    /// The entries of a directory in a fixed order: name, number and kind.
    pub(crate) fn entries(&self, number: u64) -> Result<Vec<(OsString, u64, FileType)>, Errno> {
        let names = self.names(number)?;
        names
            .iter()
            .map(|(name, number)| {
                let kind = match self.node(*number)?.kind {
                    Kind::Directory(_) => FileType::Directory,
                    Kind::File(_) => FileType::RegularFile,
                };
                Ok((name.clone(), *number, kind))
            })
            .collect()
    }

    /// chmod, chown, utimes.
    pub(crate) fn change(&mut self, number: u64, changes: &Changes) -> Result<(), Errno> {
        let node = self.node_mut(number)?;
        let time = |time: &TimeOrNow| match time {
            TimeOrNow::SpecificTime(time) => *time,
            TimeOrNow::Now => wall(),
        };
        node.perm = changes.mode.map_or(node.perm, permissions);
        node.owner.uid = changes.uid.unwrap_or(node.owner.uid);
        node.owner.gid = changes.gid.unwrap_or(node.owner.gid);
        node.atime = changes.atime.as_ref().map_or(node.atime, time);
        node.mtime = changes.mtime.as_ref().map_or(node.mtime, time);
        node.ctime = wall();
        Ok(())
    }
}

impl Node {
    fn new(kind: Kind, perm: u16, owner: Owner) -> Self {
        let now = wall();
        Self {
            kind,
            perm,
            owner,
            atime: now,
            mtime: now,
            ctime: now,
            lookups: 0,
            named: true,
        }
    }
}

/// Locks the data of a file; a thread that panicked leaves it as usable as before.
pub(crate) fn lock(data: &Data) -> std::sync::MutexGuard<'_, Pages> {
    data.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn permissions(mode: u32) -> u16 {
    u16::try_from(mode & 0o7777).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Owner = Owner { uid: 1, gid: 2 };

    fn number(tree: &mut Tree, name: &str) -> Result<u64, Errno> {
        tree.lookup(ROOT, OsStr::new(name))
            .map(|attributes| attributes.ino.0)
    }

    #[test]
    fn names_come_and_go() {
        let mut tree = Tree::new(ME, 10);
        let a = OsStr::new("a");
        let made = tree.create(ROOT, a, false, 0o100_644, ME).unwrap();
        assert_eq!(
            (made.ino.0, made.perm, made.uid, made.nlink),
            (10, 0o644, 1, 1)
        );
        assert_eq!(tree.create(ROOT, a, false, 0o644, ME), Err(Errno::EEXIST));
        assert_eq!(tree.remove(ROOT, a, true), Err(Errno::ENOTDIR));
        tree.remove(ROOT, a, false).unwrap();
        assert_eq!(number(&mut tree, "a"), Err(Errno::ENOENT));
    }

    #[test]
    fn a_removed_file_lives_while_it_is_open() {
        let mut tree = Tree::new(ME, 10);
        let a = OsStr::new("a");
        let made = tree.create(ROOT, a, false, 0o644, ME).unwrap().ino.0;
        lock(&tree.data(made).unwrap()).write(0, b"x");
        tree.remove(ROOT, a, false).unwrap();
        assert_eq!(tree.held(), 4096);
        tree.forget(made, 1);
        assert_eq!(tree.held(), 0);
        assert!(tree.data(made).is_err());
    }

    #[test]
    fn rename_replaces_what_is_there() {
        let mut tree = Tree::new(ME, 10);
        let (a, b) = (OsStr::new("a"), OsStr::new("b"));
        tree.create(ROOT, a, false, 0o644, ME).unwrap();
        tree.create(ROOT, b, false, 0o644, ME).unwrap();
        assert_eq!(tree.rename((ROOT, a), (ROOT, b), true), Err(Errno::EEXIST));
        tree.rename((ROOT, a), (ROOT, b), false).unwrap();
        assert_eq!(number(&mut tree, "b"), Ok(10));
        assert_eq!(tree.entries(ROOT).unwrap().len(), 1);
    }

    #[test]
    fn only_empty_directories_go() {
        let mut tree = Tree::new(ME, 10);
        let d = OsStr::new("d");
        let made = tree.create(ROOT, d, true, 0o755, ME).unwrap().ino.0;
        tree.create(made, OsStr::new("a"), false, 0o644, ME)
            .unwrap();
        assert_eq!(tree.remove(ROOT, d, true), Err(Errno::ENOTEMPTY));
        tree.remove(made, OsStr::new("a"), false).unwrap();
        tree.remove(ROOT, d, true).unwrap();
    }
}
