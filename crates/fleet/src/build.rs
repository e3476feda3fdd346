//! Which build a program is: a name made of its content, and whether it starts elsewhere.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A program that can be sent to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Where it is here.
    pub path: PathBuf,
    /// Its name by content: 32 hexadecimal digits.
    pub hash: String,
    /// Its length in bytes.
    pub size: u64,
    /// The loader it needs to start; `None` = it is linked statically and needs nothing.
    pub loader: Option<String>,
}

impl Build {
    /// The program at `path`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head)?;
        let (hash, size) = hash(head.as_slice().chain(file))?;
        Ok(Self {
            path: path.to_path_buf(),
            hash,
            size,
            loader: loader(&head),
        })
    }
}

/// Bytes at the start of a program that hold its program headers and the loader's name.
const HEAD: u64 = 64 << 10;

/// Two lanes over words of eight bytes. It distinguishes builds; it is no defence against forgery, which
/// nothing here relies on: a cache belongs to the user alone.
fn hash(mut from: impl Read) -> io::Result<(String, u64)> {
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    let mut size = 0;
    let mut chunk = vec![0; 1 << 16];
    loop {
        let mut have = 0;
        while have < chunk.len() {
            match from.read(&mut chunk[have..])? {
                0 => break,
                n => have += n,
            }
        }
        if have == 0 {
            break;
        }
        size += have as u64;
        for part in chunk[..have].chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            let word = u64::from_le_bytes(word);
            a = (a ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
            b = (b.rotate_left(31) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        }
    }
    let finish = |x: u64| {
        let x = (x ^ size ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        x ^ (x >> 29)
    };
    Ok((format!("{:016x}{:016x}", finish(a), finish(b)), size))
}

/// The loader named in the head of an ELF file of 64 bits, lowest byte first.
fn loader(head: &[u8]) -> Option<String> {
    const INTERPRETER: u64 = 3;
    let number = |at: usize, len: usize| {
        let bytes = head.get(at..at.checked_add(len)?)?;
        let mut word = [0; 8];
        word[..len].copy_from_slice(bytes);
        Some(u64::from_le_bytes(word))
    };
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = usize::try_from(number(32, 8)?).ok()?;
    let (size, count) = (number(54, 2)?, number(56, 2)?);
    let size = usize::try_from(size).ok()?;
    for index in 0..usize::try_from(count).ok()? {
        let entry = table.checked_add(index.checked_mul(size)?)?;
        if number(entry, 4)? == INTERPRETER {
            let start = usize::try_from(number(entry.checked_add(8)?, 8)?).ok()?;
            let len = usize::try_from(number(entry.checked_add(32)?, 8)?).ok()?;
            let name = head.get(start..start.checked_add(len)?)?;
            return Some(
                String::from_utf8_lossy(name)
                    .trim_end_matches('\0')
                    .to_owned(),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_follows_every_byte_and_the_length() {
        let of = |bytes: &[u8]| hash(bytes).unwrap().0;
        let base = vec![7_u8; 100_000];
        let mut seen = vec![of(&base), of(&base[..99_999]), of(&[]), of(&[0])];
        for at in [0, 7, 8, 65_535, 65_536, 99_999] {
            let mut other = base.clone();
            other[at] ^= 1;
            seen.push(of(&other));
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all);
        assert!(seen.iter().all(|h| h.len() == 32));
    }

    #[test]
    fn this_test_is_a_build_and_garbage_has_no_loader() {
        let build = Build::of(&std::env::current_exe().unwrap()).unwrap();
        assert!(build.size > 10_000);
        if cfg!(all(target_env = "gnu", target_arch = "x86_64")) {
            assert!(build.loader.unwrap().contains("ld-linux"));
        }
        assert_eq!(loader(b"\x7fELF\x02\x01"), None);
        assert_eq!(loader(&[0xff; 200]), None);
        let mut wild = b"\x7fELF\x02\x01".to_vec();
        wild.resize(200, 0xff);
        assert_eq!(loader(&wild), None);
    }
}
