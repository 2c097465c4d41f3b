//! How processes meet: each calls those before it in the list and is called by those behind it.
//!
//! Whoever calls says who it is and asks a question, a random number; whoever is called does the same and answers the
//! question by a hash of both numbers under the token of the run; the caller answers, too. So both know that the other
//! has the token, which is never sent. Strangers on the network are hung up on and do not disturb the others. What is
//! sent later is neither encrypted nor signed.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, ClusterError};

/// How often a process tries again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the greeting of a process that has called may take.
const GREETING: Duration = Duration::from_secs(2);
/// The first word of a greeting, in every version.
const MAGIC: &str = "gw-flow";
/// The longest greeting, in bytes.
const LONGEST: usize = 1 << 12;
/// Bytes of an answer.
const ANSWER: usize = blake3::OUT_LEN;
/// What hashes of this kind are for.
const CONTEXT: &str = "graphwright flow 2026-11 token of a run";

/// A meeting of this process with the others.
pub(crate) struct Meeting<'a> {
    cluster: &'a Cluster,
    deadline: Instant,
    key: [u8; 32],
    question: [u8; 16],
}

/// What a process says first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Greeting {
    version: String,
    process: usize,
    processes: usize,
    workers: usize,
    hosts: String,
    question: String,
}

impl<'a> Meeting<'a> {
    pub(crate) fn new(cluster: &'a Cluster) -> Meeting<'a> {
        let key = blake3::derive_key(CONTEXT, cluster.token.as_bytes());
        let deadline = Instant::now() + cluster.patience;
        Meeting { cluster, deadline, key, question: crate::launch::random() }
    }

    /// A socket to every other process, in their order; none for this one.
    pub(crate) fn sockets(&self, listener: &TcpListener) -> Result<Vec<Option<TcpStream>>, ClusterError> {
        let (own, addresses) = (self.cluster.process, &self.cluster.addresses);
        let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
        let mut met = String::new();
        loop {
            for (other, socket) in sockets.iter_mut().enumerate().take(own).filter(|(_, socket)| socket.is_none()) {
                match self.call(other) {
                    Ok(called) => *socket = Some(called),
                    Err(Failed::For(error)) => return Err(error),
                    Err(Failed::Now(error)) if Instant::now() >= self.deadline => {
                        return Err(self.cluster.absent(other, format!(": {error}")));
                    }
                    Err(Failed::Now(_)) => {}
                }
            }
            while let Ok((socket, address)) = listener.accept() {
                match self.greeted(socket, &address.to_string()) {
                    Ok((other, socket)) => sockets[other] = Some(socket),
                    Err(Failed::For(error)) => return Err(error),
                    // Whoever does not greet properly is not one of us: there may be others on this network.
                    Err(Failed::Now(error)) => met = format!(": {address} called, but {error}"),
                }
            }
            let Some(missing) = (0..sockets.len()).find(|&other| other != own && sockets[other].is_none()) else {
                return Ok(sockets);
            };
            if Instant::now() >= self.deadline {
                return Err(self.cluster.absent(missing, met));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Calls a process that is before this one in the list.
    fn call(&self, other: usize) -> Result<TcpStream, Failed> {
        let address = &self.cluster.addresses[other];
        let resolved = address.to_socket_addrs()?.next().ok_or_else(|| Failed::Now("it has no address".into()))?;
        let mut socket = TcpStream::connect_timeout(&resolved, GREETING)?;
        socket.set_read_timeout(Some(GREETING))?;
        self.greeting(self.cluster.process).write(&mut socket)?;
        let greeting = Greeting::read(&mut socket)?;
        let mut answer = [0; ANSWER];
        socket.read_exact(&mut answer)?;
        // The other side shall know why nothing comes of it.
        socket.write_all(self.answer("call", self.cluster.process, &greeting.question).as_bytes())?;
        let own = self.greeting(self.cluster.process).question;
        if let Some(how) = greeting.differs(&self.greeting(other)) {
            return Err(Failed::For(ClusterError::Stranger { process: other, address: address.clone(), how }));
        }
        if self.answer("reply", other, &own) != answer {
            return Err(Failed::For(ClusterError::NoToken { process: other, address: address.clone() }));
        }
        Ok(socket)
    }

    /// A process that has called, after both have greeted.
    fn greeted(&self, mut socket: TcpStream, address: &str) -> Result<(usize, TcpStream), Failed> {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(GREETING))?;
        let greeting = Greeting::read(&mut socket)?;
        self.greeting(self.cluster.process).write(&mut socket)?;
        socket.write_all(self.answer("reply", self.cluster.process, &greeting.question).as_bytes())?;
        let mut answer = [0; ANSWER];
        socket.read_exact(&mut answer)?;
        let (other, own) = (greeting.process, self.greeting(self.cluster.process).question);
        if self.answer("call", other, &own) != answer {
            return Err(Failed::Now(format!("process {other} there does not have the token of this run")));
        }
        let is_behind = other > self.cluster.process && other < self.cluster.addresses.len();
        let how = match is_behind {
            true => greeting.differs(&self.greeting(other)),
            false => Some(format!("calls itself process {other} of {}", greeting.processes)),
        };
        match how {
            Some(how) => {
                let address = self.cluster.addresses.get(other).cloned().unwrap_or_else(|| address.to_string());
                Err(Failed::For(ClusterError::Stranger { process: other, address, how }))
            }
            None => Ok((other, socket)),
        }
    }

    /// The answer of a process to a question.
    fn answer(&self, role: &str, process: usize, question: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.key, format!("{role} {process} {question}").as_bytes())
    }

    /// What a process of this cluster says first: who it is, and what all of them must agree on.
    fn greeting(&self, process: usize) -> Greeting {
        let hosts = blake3::hash(self.cluster.addresses.join(" ").as_bytes()).to_hex()[..16].to_string();
        Greeting {
            version: env!("CARGO_PKG_VERSION").to_string(),
            process,
            processes: self.cluster.addresses.len(),
            workers: self.cluster.workers,
            hosts,
            question: self.question.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// Why nothing came of a call.
enum Failed {
    /// It may work the next time.
    Now(String),
    /// It never will.
    For(ClusterError),
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Failed {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failed::Now("it did not greet in time".to_string()),
            ErrorKind::UnexpectedEof => Failed::Now("it hung up".to_string()),
            _ => Failed::Now(error.to_string()),
        }
    }
}

impl Greeting {
    fn write(&self, socket: &mut TcpStream) -> std::io::Result<()> {
        let Greeting { version, process, processes, workers, hosts, question } = self;
        let text = format!("{MAGIC} {version} {process} {processes} {workers} {hosts} {question}");
        let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
        bytes.extend(text.into_bytes());
        socket.write_all(&bytes)
    }

    fn read(socket: &mut TcpStream) -> Result<Greeting, Failed> {
        let stranger = || Failed::Now("it is not a process of Graphwright".to_string());
        let mut length = [0; 4];
        socket.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            return Err(stranger());
        }
        let mut bytes = vec![0; length];
        socket.read_exact(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| stranger())?;
        let words: Vec<&str> = text.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).ok_or_else(stranger);
        let word = |at: usize| words.get(at).map(|word| word.to_string()).ok_or_else(stranger);
        if words.first() != Some(&MAGIC) {
            return Err(stranger());
        }
        Ok(Greeting {
            version: word(1)?,
            process: number(2)?,
            processes: number(3)?,
            workers: number(4)?,
            hosts: word(5)?,
            question: word(6)?,
        })
    }

    /// In what this greeting is not the one that was expected.
    fn differs(&self, wanted: &Greeting) -> Option<String> {
        let Greeting { version, process, processes, workers, hosts, question: _ } = self;
        if *version != wanted.version {
            return Some(format!("runs version {version}, this is {}", wanted.version));
        }
        if *processes != wanted.processes {
            return Some(format!("knows {processes} processes, this one {}", wanted.processes));
        }
        if *workers != wanted.workers {
            return Some(format!("has {workers} workers, this one {}", wanted.workers));
        }
        if *hosts != wanted.hosts {
            return Some("has another hosts file".to_string());
        }
        (*process != wanted.process).then(|| format!("calls itself process {process}"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn free() -> String {
        TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).unwrap().to_string()
    }

    fn meet(cluster: &Cluster) -> Result<(), String> {
        cluster.meet(|_| ()).map_err(|error| error.to_string())
    }

    /// Two processes that are made from the same two addresses.
    fn both(make: impl Fn(usize, Vec<String>) -> Cluster) -> [Result<(), String>; 2] {
        let addresses = vec![free(), free()];
        let [a, b] = [0, 1].map(|process| make(process, addresses.clone()).with_patience(Duration::from_secs(3)));
        let waiting = std::thread::spawn(move || meet(&a));
        [meet(&b), waiting.join().unwrap()]
    }

    #[test]
    fn processes_with_the_same_token_meet_and_others_do_not() {
        for (mine, theirs) in [("", ""), ("secret", "secret")] {
            let token = |process| if process == 0 { mine } else { theirs }.to_string();
            let met = both(|p, addresses| Cluster::processes(2, p, addresses).unwrap().with_token(token(p)));
            assert_eq!(met, [Ok(()), Ok(())]);
        }
        let token = |process: usize| format!("token {process}");
        let [caller, called] = both(|p, addresses| Cluster::processes(1, p, addresses).unwrap().with_token(token(p)));
        assert!(caller.as_ref().is_err_and(|e| e.contains("does not have the token of this run")), "{caller:?}");
        let refused = called.unwrap_err();
        assert!(refused.contains("process 1 at") && refused.contains("does not have the token"), "{refused}");
    }

    #[test]
    fn a_process_with_other_workers_is_refused_by_both() {
        for refused in both(|process, addresses| Cluster::processes(1 + process, process, addresses).unwrap()) {
            assert!(refused.as_ref().is_err_and(|e| e.contains("workers, this one")), "{refused:?}");
        }
    }

    #[test]
    fn strangers_do_not_disturb_and_absent_processes_are_named() {
        let addresses = vec![free(), free()];
        let first = Cluster::processes(1, 0, addresses.clone()).unwrap().with_patience(Duration::from_millis(600));
        let address = addresses[0].clone();
        let stranger = std::thread::spawn(move || {
            for _ in 0..50 {
                if let Ok(mut socket) = TcpStream::connect(&address) {
                    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
                    return;
                }
                std::thread::sleep(PAUSE);
            }
        });
        let alone = meet(&first).unwrap_err();
        stranger.join().unwrap();
        assert!(alone.contains("process 1 at") && alone.contains("did not answer within 0.6 s"), "{alone}");
        assert!(alone.contains("not a process of Graphwright"), "{alone}");
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = taken.local_addr().unwrap().to_string();
        let refused = meet(&Cluster::processes(1, 0, vec![own.clone(), free()]).unwrap()).unwrap_err();
        assert!(refused.contains(&format!("process 0 cannot listen at {own}")), "{refused}");
    }
}
