//! Looking after connections that nobody uses yet: while a graph is read, another process may be lost.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::pipe::GONE;

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(100);

/// A connection by the name of its process.
type Named = (String, Option<TcpStream>);

/// Connections that are looked after until they are used.
pub(crate) struct Vigil {
    sockets: Arc<Mutex<Vec<Named>>>,
    over: Arc<AtomicBool>,
    watcher: Option<JoinHandle<()>>,
}

impl Vigil {
    /// Looks after connections by name; what is lost is told to `lost`, once.
    pub(crate) fn over(sockets: Vec<Named>, lost: impl Fn(&str) + Send + 'static) -> Vigil {
        let (sockets, over) = (Arc::new(Mutex::new(sockets)), Arc::new(AtomicBool::new(false)));
        let (seen, ended) = (Arc::clone(&sockets), Arc::clone(&over));
        let watch = move || {
            while !ended.load(Ordering::Acquire) {
                let gone = {
                    let sockets = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    sockets.iter().find(|(_, socket)| socket.as_ref().is_some_and(is_closed)).map(|(n, _)| n.clone())
                };
                if let Some(name) = gone.filter(|_| !ended.load(Ordering::Acquire)) {
                    return lost(&format!("{name} {GONE}"));
                }
                std::thread::park_timeout(PERIOD);
            }
        };
        // Without a thread, what is lost is noticed when the run begins.
        let watcher = std::thread::Builder::new().name("gw-flow-vigil".into()).spawn(watch).ok();
        Vigil { sockets, over, watcher }
    }

    /// The connections, which nobody looks after any more.
    pub(crate) fn end(mut self) -> Vec<Option<TcpStream>> {
        self.stop();
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        sockets.drain(..).map(|(_, socket)| socket).collect()
    }

    fn stop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(watcher) = self.watcher.take() {
            watcher.thread().unpark();
            // It has nothing to tell.
            let _ = watcher.join();
        }
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Whether the other side has closed. What it has sent stays to be read.
fn is_closed(socket: &TcpStream) -> bool {
    let looked = socket.set_nonblocking(true).and_then(|()| socket.peek(&mut [0]));
    match looked {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_lost_connection_is_told_and_others_are_handed_out() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = || {
            let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (theirs, listener.accept().unwrap().0)
        };
        let ((mut a, ours_a), (b, ours_b)) = (connect(), connect());
        let (told, heard) = channel();
        let named = vec![("a".to_string(), Some(ours_a)), ("b".to_string(), Some(ours_b)), ("c".to_string(), None)];
        let vigil = Vigil::over(named, move |reason| told.send(reason.to_string()).unwrap());
        a.write_all(b"x").unwrap();
        assert!(heard.recv_timeout(PERIOD * 3).is_err());
        drop(b);
        let reason = heard.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(reason.starts_with("b has closed"), "{reason}");
        let sockets = vigil.end();
        let there: Vec<bool> = sockets.iter().map(Option::is_some).collect();
        assert_eq!(there, [true, true, false]);
    }
}
