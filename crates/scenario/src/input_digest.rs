//! The SHA-256 of the files that a scenario names.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cubefold_formats::input::{input_file, text::hexadecimal};
use sha2::{Digest, Sha256};

use super::chakra_file::RANK;

/// A file, a folder, or the files of all ranks, with the digest of its contents.
#[derive(Debug)]
pub(crate) struct InputFile {
    path: PathBuf,
    digest: OnceLock<Option<[u8; 32]>>, // made at first use
}

impl InputFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, digest: OnceLock::new() }
    }

    /// Its path; with `{rank}` it stands for one file per rank.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The SHA-256 of its bytes; for a folder, or the files of ranks, the SHA-256 of the lines `name hash`, sorted by
    /// the bytes of the names. `None` if it cannot be read again.
    pub(crate) fn digest(&self) -> Option<[u8; 32]> {
        *self.digest.get_or_init(|| self.read().ok())
    }

    fn read(&self) -> io::Result<[u8; 32]> {
        let name = self.path.to_str().unwrap_or_default();
        if name.contains(RANK) {
            let of_rank = |rank: u32| PathBuf::from(name.replace(RANK, &rank.to_string()));
            return of_files((0..u32::MAX).map(of_rank).take_while(|path| path.is_file()).collect());
        }
        if self.path.is_dir() {
            let entries = fs::read_dir(&self.path)?.map(|entry| Ok(entry?.path()));
            let entries: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
            return of_files(entries.into_iter().filter(|path| path.is_file()).collect());
        }
        of_file(&self.path)
    }
}

fn of_files(files: Vec<PathBuf>) -> io::Result<[u8; 32]> {
    let line = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes().to_vec();
        Ok((name, hexadecimal(&of_file(&path)?)))
    };
    let mut lines: Vec<(Vec<u8>, String)> = files.into_iter().map(line).collect::<io::Result<_>>()?;
    lines.sort_unstable();
    let mut hash = Sha256::new();
    for (name, digest) in lines {
        hash.update([&name, b" ".as_slice(), digest.as_bytes(), b"\n"].concat());
    }
    Ok(hash.finalize().into())
}

fn of_file(path: &Path) -> io::Result<[u8; 32]> {
    if input_file::is_opened_already(path) {
        return Err(io::Error::other("it was read from what a shell opened"));
    }
    let mut file = input_file::open(path)?;
    let (mut hash, mut block) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hash.finalize().into()),
            read => hash.update(&block[..read]),
        }
    }
}
