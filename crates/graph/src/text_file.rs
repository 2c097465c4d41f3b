//! Reading texts that people write: programs, schedules, suites, models. Bounded, so that an endless pipe or a device
//! ends with an error, and without the byte order mark that some editors put in front.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// What some editors put in front of UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The longest text that [`read_text`] takes: 16 MiB.
pub const MAX_TEXT: u64 = 16 << 20;

/// Reads a text of at most [`MAX_TEXT`] bytes from a file or a pipe, without a byte order mark at its start.
/// Directories and devices are refused.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read_up_to(path, MAX_TEXT)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("it is no text: byte {at} is not UTF-8"))
    })?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Reads at most `limit` bytes from a file or a pipe; more are an error. Directories and devices are refused.
pub fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let refuse = |message: String| Error::new(ErrorKind::InvalidInput, message);
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(refuse("it is a directory, not a file".to_owned()));
    }
    if is_device(&metadata) {
        return Err(refuse("it is a device: give a file or a pipe".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let limit = crate::memory::human_bytes(limit.into());
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is longer than {limit}")));
    }
    Ok(bytes)
}

/// True for devices, which may give bytes without end.
pub fn is_device(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), bytes)?;
        read_text(file.path())
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(read(b"\xef\xbb\xbfelement Vertex end").unwrap(), "element Vertex end");
        assert_eq!(read(b"element").unwrap(), "element");
        assert_eq!(read(b"").unwrap(), "");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(read(b"ab\xff").unwrap_err().to_string(), "it is no text: byte 2 is not UTF-8");
        let long = vec![b' '; MAX_TEXT as usize + 1];
        assert_eq!(read(&long).unwrap_err().to_string(), "it is longer than 16.0 MiB");
        assert!(read(&long[1..]).is_ok());
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_text(folder.path()).unwrap_err().to_string(), "it is a directory, not a file");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_endless_pipes_are_left() {
        let error = read_text(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is a device: give a file or a pipe");

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                use std::io::Write;
                let mut pipe = File::options().write(true).open(pipe).unwrap();
                // Ends when the reader has gone.
                while pipe.write_all(&[b' '; 1 << 16]).is_ok() {}
            })
        };
        assert_eq!(read_text(&pipe).unwrap_err().to_string(), "it is longer than 16.0 MiB");
        writer.join().unwrap();
    }
}
