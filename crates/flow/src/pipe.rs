//! A connection to another process that says how it ends.
//!
//! Timely reads and writes bytes and panics when a connection breaks. A [`Pipe`] stands between: it carries these bytes
//! in frames, and beside them what timely does not know of: signs of life, a farewell, and the reason why the other
//! process gives up. Whatever goes wrong is told to the [`End`] of the run; timely is then left waiting for ever, and
//! its threads with it.
//!
//! A frame is a length of four bytes and as many bytes behind it. A length of 0 is a sign of life.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::end::End;

/// In place of a length: nothing follows any more.
const FAREWELL: u32 = u32::MAX;
/// In place of a length: a length and a reason follow.
const FAILED: u32 = u32::MAX - 1;
/// The longest reason, in bytes.
const LONGEST_REASON: usize = 1 << 14;
/// The longest frame: what timely's buffers hold, and more.
const LONGEST_FRAME: u32 = 1 << 30;
/// Time between two signs of life, and how long a read waits.
const PULSE: Duration = Duration::from_secs(1);
/// Reads in vain after which a process counts as lost. Reads are counted rather than seconds: a process that was
/// stopped for a while does not mistake its own absence for that of the others.
const SILENT_READS: u32 = 6;
/// What is said of a process whose connection is closed.
pub(crate) const GONE: &str = "has closed its connection: it has ended or was ended";
/// How often the end of a run tries to get hold of a connection that is in use.
const TRIES: u32 = 20;

/// One end of a connection. Clones share it; one of them reads.
pub(crate) struct Pipe {
    shared: Arc<Shared>,
    incoming: Incoming,
}

struct Shared {
    socket: TcpStream,
    /// Held while a frame is written.
    writing: Mutex<()>,
    /// Nothing is written any more.
    closed: AtomicBool,
    /// The other process, by number and address.
    other: String,
    end: Arc<End>,
}

/// What was read of the frames.
#[derive(Default)]
struct Incoming {
    /// Bytes of the current frame that are still to come.
    left: usize,
    /// The other side has said farewell.
    is_over: bool,
}

impl Pipe {
    /// A connection to `other`, which is named in messages.
    pub(crate) fn new(socket: TcpStream, other: String, end: Arc<End>) -> io::Result<Pipe> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PULSE))?;
        let shared = Shared { socket, writing: Mutex::new(()), closed: AtomicBool::new(false), other, end };
        Ok(Pipe { shared: Arc::new(shared), incoming: Incoming::default() })
    }

    /// Another handle of the connection.
    pub(crate) fn handle(&self) -> Pipe {
        Pipe { shared: Arc::clone(&self.shared), incoming: Incoming::default() }
    }

    /// Tells the other process why this one gives up, as far as the connection still allows that.
    pub(crate) fn fail(&self, reason: &str) {
        let mut kept = None;
        for _ in 0..TRIES {
            kept = self.shared.free();
            if kept.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if !self.shared.closed.swap(true, Ordering::AcqRel) && kept.is_some() {
            let mut cut = reason.len().min(LONGEST_REASON);
            while !reason.is_char_boundary(cut) {
                cut -= 1;
            }
            let mut bytes = FAILED.to_le_bytes().to_vec();
            bytes.extend((cut as u32).to_le_bytes());
            bytes.extend(&reason.as_bytes()[..cut]);
            // A connection that is broken has told the other side enough.
            let _ = (&self.shared.socket).write_all(&bytes);
        }
        // As above.
        let _ = self.shared.socket.shutdown(Shutdown::Write);
    }
}

impl Shared {
    /// The right to write, unless somebody else has it.
    fn free(&self) -> Option<MutexGuard<'_, ()>> {
        match self.writing.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Writes a frame: its head and its content. What cannot be written ends the run, and nobody writes any more.
    fn write(&self, head: &[u8], content: &[u8]) {
        if !self.closed.load(Ordering::Acquire)
            && let Err(error) = write_both(&self.socket, head, content)
        {
            self.closed.store(true, Ordering::Release);
            match error.kind() {
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => self.lost(GONE),
                _ => self.lost(&format!("cannot be reached any more: {error}")),
            }
        }
    }

    fn lost(&self, how: &str) {
        self.end.tell_of_other(&format!("{} {how}", self.other));
    }

    /// Reads some bytes; an error when the connection is no good any more, which was told then.
    fn read(&self, into: &mut [u8]) -> Result<usize, ()> {
        let mut silent = 0;
        loop {
            let how = match (&self.socket).read(into) {
                Ok(0) => GONE.to_string(),
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => GONE.to_string(),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    silent += 1;
                    if silent < SILENT_READS {
                        continue;
                    }
                    format!("has not been heard of for {} s", u64::from(SILENT_READS) * PULSE.as_secs())
                }
                Err(error) => format!("cannot be heard any more: {error}"),
            };
            self.lost(&how);
            return Err(());
        }
    }

    fn read_exact(&self, mut into: &mut [u8]) -> Result<(), ()> {
        while !into.is_empty() {
            let read = self.read(into)?;
            into = &mut into[read..];
        }
        Ok(())
    }

    fn read_number(&self) -> Result<u32, ()> {
        let mut bytes = [0; 4];
        self.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// Writes two slices one after the other, in one call of the system where it takes them.
fn write_both(mut socket: &TcpStream, head: &[u8], content: &[u8]) -> io::Result<()> {
    let mut slices = [IoSlice::new(head), IoSlice::new(content)];
    let mut left = &mut slices[..];
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match socket.write_vectored(left) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Pipe {
    /// Goes to the next bytes for timely; an error when there will be none.
    fn next_frame(&mut self) -> Result<(), ()> {
        while self.incoming.left == 0 && !self.incoming.is_over {
            match self.shared.read_number()? {
                FAREWELL => self.incoming.is_over = true,
                FAILED => {
                    let length = self.shared.read_number()? as usize;
                    let mut reason = vec![0; length.min(LONGEST_REASON)];
                    self.shared.read_exact(&mut reason)?;
                    self.shared.end.tell_of_other(&String::from_utf8_lossy(&reason));
                    return Err(());
                }
                length if length > LONGEST_FRAME => {
                    self.shared.lost("sends what no process of this version would send");
                    return Err(());
                }
                length => self.incoming.left = length as usize,
            }
        }
        Ok(())
    }
}

impl Read for Pipe {
    /// Never fails: what is lost never comes.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.next_frame().and_then(|()| match self.incoming.is_over {
            true => Ok(0),
            false => {
                let most = into.len().min(self.incoming.left);
                self.shared.read(&mut into[..most])
            }
        });
        match read {
            Ok(read) => {
                self.incoming.left -= read;
                Ok(read)
            }
            Err(()) => loop {
                std::thread::park();
            },
        }
    }
}

impl Write for Pipe {
    /// Never fails: what cannot be written ends the run.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = bytes.len().min(LONGEST_FRAME as usize);
        if most > 0 {
            let free = self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
            self.shared.write(&(most as u32).to_le_bytes(), &bytes[..most]);
            drop(free);
        }
        Ok(most)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Pipe {
    fn try_clone(&self) -> io::Result<Pipe> {
        Ok(self.handle())
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.shared.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let free = self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.write(&FAREWELL.to_le_bytes(), &[]);
        self.shared.closed.store(true, Ordering::Release);
        drop(free);
        // A connection that is broken already was told of.
        let _ = self.shared.socket.shutdown(how);
        Ok(())
    }
}

/// Gives signs of life on connections until it is dropped.
pub(crate) struct Pulse {
    #[expect(dead_code, reason = "the thread ends when it is dropped")]
    alive: Sender<()>,
}

impl Pulse {
    pub(crate) fn on(pipes: Vec<Pipe>) -> io::Result<Pulse> {
        let (alive, dropped) = channel::<()>();
        std::thread::Builder::new().name("gw-flow-pulse".into()).spawn(move || {
            while dropped.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                for pipe in &pipes {
                    // Somebody who is writing gives a sign of life, too.
                    if let Some(_free) = pipe.shared.free() {
                        pipe.shared.write(&0u32.to_le_bytes(), &[]);
                    }
                }
            }
        })?;
        Ok(Pulse { alive })
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn pair() -> (TcpStream, Pipe, Arc<End>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let end = Arc::new(End::default());
        let ours = Pipe::new(listener.accept().unwrap().0, "process 1".to_string(), Arc::clone(&end)).unwrap();
        (theirs, ours, end)
    }

    fn wait_for(end: &End) -> String {
        for _ in 0..500 {
            if end.is_told() {
                return end.reason();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing was told");
    }

    #[test]
    fn bytes_arrive_and_a_farewell_is_a_clean_end() {
        let (theirs, mut ours, end) = pair();
        let mut other = Pipe::new(theirs, "process 0".to_string(), Arc::default()).unwrap();
        let sent: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
        let copy = sent.clone();
        let writer = std::thread::spawn(move || {
            other.write_all(&copy[..7]).unwrap();
            other.shared.write(&0u32.to_le_bytes(), &[]);
            other.write_all(&copy[7..]).unwrap();
            Stream::shutdown(&other, Shutdown::Write).unwrap();
        });
        let mut received = Vec::new();
        ours.read_to_end(&mut received).unwrap();
        writer.join().unwrap();
        assert!(received == sent && !end.is_told());
    }

    #[test]
    fn a_closed_connection_a_reason_and_nonsense_end_the_run() {
        type Act = fn(TcpStream);
        let cases: [(Act, &str); 3] = [
            (drop, "process 1 has closed its connection"),
            (
                |theirs| Pipe::new(theirs, String::new(), Arc::default()).unwrap().fail("worker 3: no memory"),
                "worker 3: no memory",
            ),
            (|mut theirs| theirs.write_all(&[0xf0; 64]).unwrap(), "process 1 sends what no process"),
        ];
        for (act, wanted) in cases {
            let (theirs, mut ours, end) = pair();
            // The reader waits for ever, as timely's thread does.
            std::thread::spawn(move || ours.read(&mut [0; 8]));
            act(theirs);
            let told = wait_for(&end);
            assert!(told.contains(wanted), "{told}");
        }
    }
}
