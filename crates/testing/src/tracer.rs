//! A debugger that counts the system calls by which a command changes files, and ends the command at one of them.
//!
//! System calls are watched by `ptrace` and not by interposed functions of the C library: SQLite and the standard
//! library use the C library, but `tempfile` calls the kernel itself for the renames that matter most.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use libc::{c_int, c_long, pid_t};

/// `PTRACE_SYSCALL_INFO_EXIT` of the kernel.
const SYSCALL_EXIT: u8 = 2;

/// Where a command is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kill {
    /// Nowhere: the command runs to its end.
    Never,
    /// Before the call of this number, counted from 0. This is also the moment after the call before.
    Before(usize),
    /// In the middle of the call of this number, which writes: half of its bytes are written.
    Within(usize),
}

/// A call that changes files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name of the system call.
    pub name: &'static str,
    /// The file; of a renamed one, its new name.
    pub path: PathBuf,
    /// Bytes that are written.
    pub bytes: u64,
}

/// How a traced command ended.
#[derive(Debug)]
pub struct Traced {
    /// The calls until then.
    pub calls: Vec<Call>,
    /// Its exit code; `None` where it was killed.
    pub code: Option<i32>,
}

/// Where the arguments of a call stand.
enum Shape {
    /// A descriptor and bytes: its argument, and that of the number of bytes if there is one buffer.
    File(usize, Option<usize>),
    /// A folder's descriptor (if any) and a name below it.
    Name(Option<usize>, usize),
    /// As [`Shape::Name`], if one of these flags is in this argument.
    Open(Option<usize>, usize, usize),
}

/// The calls that change files. `None` for all others.
fn shape(number: c_long) -> Option<(&'static str, Shape)> {
    use Shape::{File, Name, Open};
    Some(match number {
        libc::SYS_write => ("write", File(0, Some(2))),
        libc::SYS_pwrite64 => ("pwrite", File(0, Some(2))),
        libc::SYS_writev => ("writev", File(0, None)),
        libc::SYS_pwritev => ("pwritev", File(0, None)),
        libc::SYS_pwritev2 => ("pwritev2", File(0, None)),
        libc::SYS_sendfile => ("sendfile", File(0, Some(3))),
        libc::SYS_copy_file_range => ("copy_file_range", File(2, Some(4))),
        libc::SYS_splice => ("splice", File(2, Some(4))),
        libc::SYS_ftruncate => ("ftruncate", File(0, None)),
        libc::SYS_fallocate => ("fallocate", File(0, None)),
        libc::SYS_fsync => ("fsync", File(0, None)),
        libc::SYS_fdatasync => ("fdatasync", File(0, None)),
        libc::SYS_sync_file_range => ("sync_file_range", File(0, None)),
        libc::SYS_fchmod => ("fchmod", File(0, None)),
        libc::SYS_open => ("open", Open(None, 0, 1)),
        libc::SYS_openat => ("open", Open(Some(0), 1, 2)),
        libc::SYS_creat => ("creat", Name(None, 0)),
        libc::SYS_truncate => ("truncate", Name(None, 0)),
        libc::SYS_rename => ("rename", Name(None, 1)),
        libc::SYS_renameat | libc::SYS_renameat2 => ("rename", Name(Some(2), 3)),
        libc::SYS_link => ("link", Name(None, 1)),
        libc::SYS_linkat => ("link", Name(Some(2), 3)),
        libc::SYS_symlink => ("symlink", Name(None, 1)),
        libc::SYS_symlinkat => ("symlink", Name(Some(1), 2)),
        libc::SYS_unlink => ("unlink", Name(None, 0)),
        libc::SYS_unlinkat => ("unlink", Name(Some(0), 1)),
        libc::SYS_mkdir => ("mkdir", Name(None, 0)),
        libc::SYS_mkdirat => ("mkdir", Name(Some(0), 1)),
        libc::SYS_rmdir => ("rmdir", Name(None, 0)),
        libc::SYS_chmod => ("chmod", Name(None, 0)),
        libc::SYS_fchmodat => ("chmod", Name(Some(0), 1)),
        // By these a file could be changed without a call that is seen here.
        libc::SYS_io_uring_setup => panic!("the command uses io_uring, whose writes are not seen"),
        _ => return None,
    })
}

/// Runs a command and its children, and kills all of them at a call on a file below a folder. `None` where the system
/// does not let a process be traced.
///
/// # Panics
/// Where the command cannot be started, or changes files in a way that is not seen.
pub fn trace(command: &mut Command, below: &Path, kill: Kill) -> Option<Traced> {
    let below = below.canonicalize().expect("the folder is there");
    // SAFETY: the child calls `ptrace` between fork and exec, which allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0 as pid_t, 0usize, 0usize) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let child = match command.spawn() {
        Ok(child) => child.id() as pid_t,
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => return None,
        Err(error) => panic!("{command:?}: {error}"),
    };
    let mut tracer = Tracer { below, kill, calls: Vec::new(), alive: BTreeSet::from([child]), cut: None };
    let (_, status) = wait_for(child).expect("the child is there");
    assert!(libc::WIFSTOPPED(status), "the child stops at its exec");
    let options = libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_EXITKILL;
    request(libc::PTRACE_SETOPTIONS, child, options as usize);
    go_on(child, 0);
    let code = tracer.follow(child);
    Some(Traced { calls: tracer.calls, code })
}

struct Tracer {
    below: PathBuf,
    kill: Kill,
    calls: Vec<Call>,
    alive: BTreeSet<pid_t>,
    /// The thread in whose call all are to be killed.
    cut: Option<pid_t>,
}

impl Tracer {
    /// Follows all threads to their ends. Returns the exit code of the first process.
    fn follow(&mut self, child: pid_t) -> Option<i32> {
        let mut code = None;
        while let Some((thread, status)) = wait_for(-1) {
            if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
                self.alive.remove(&thread);
                if thread == child && libc::WIFEXITED(status) {
                    code = Some(libc::WEXITSTATUS(status));
                }
                continue;
            }
            self.alive.insert(thread);
            let signal = libc::WSTOPSIG(status);
            match (signal, status >> 16) {
                // A system call.
                (signal, _) if signal == libc::SIGTRAP | 0x80 => {
                    self.at_call(thread);
                    go_on(thread, 0);
                }
                // A thread, process or exec, and the stop with which a new one begins.
                (libc::SIGTRAP, event) if event != 0 => go_on(thread, 0),
                (libc::SIGSTOP, _) => go_on(thread, 0),
                (signal, _) => go_on(thread, signal),
            }
        }
        code
    }

    fn at_call(&mut self, thread: pid_t) {
        // SAFETY: the structure is plain numbers, of which every value is allowed.
        let mut info: libc::ptrace_syscall_info = unsafe { std::mem::zeroed() };
        let size = size_of_val(&info);
        // SAFETY: the kernel writes at most `size` bytes to `info`.
        let told = unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, thread, size, &mut info) };
        if told <= 0 {
            // Killed meanwhile.
            return;
        }
        match info.op {
            libc::PTRACE_SYSCALL_INFO_ENTRY => {
                // SAFETY: at an entry the kernel fills this variant.
                let entry = unsafe { info.u.entry };
                self.at_entry(thread, entry.nr as c_long, &entry.args);
            }
            SYSCALL_EXIT if self.cut == Some(thread) => self.kill_all(),
            _ => {}
        }
    }

    fn at_entry(&mut self, thread: pid_t, number: c_long, arguments: &[u64; 6]) {
        let Some((name, shape)) = shape(number) else { return };
        let (path, bytes) = match shape {
            Shape::File(file, bytes) => {
                let file = format!("/proc/{thread}/fd/{}", arguments[file] as c_int);
                (std::fs::read_link(file).ok(), bytes.map_or(0, |at| arguments[at]))
            }
            Shape::Name(folder, name) => (self.named(thread, folder.map(|at| arguments[at]), arguments[name]), 0),
            Shape::Open(folder, name, flags) => {
                let changes = arguments[flags] as c_int & (libc::O_CREAT | libc::O_TRUNC) != 0;
                let path = changes.then(|| self.named(thread, folder.map(|at| arguments[at]), arguments[name]));
                (path.flatten(), 0)
            }
        };
        let Some(path) = path.filter(|path| path.starts_with(&self.below)) else { return };
        let number = self.calls.len();
        self.calls.push(Call { name, path, bytes });
        match self.kill {
            Kill::Before(at) if at == number => self.kill_all(),
            Kill::Within(at) if at == number => {
                halve(thread);
                self.cut = Some(thread);
            }
            _ => {}
        }
    }

    /// The path that a thread gives by a folder's descriptor and a name.
    fn named(&self, thread: pid_t, folder: Option<u64>, address: u64) -> Option<PathBuf> {
        let name = text_at(thread, address)?;
        let at = match folder.map(|folder| folder as c_int) {
            None | Some(libc::AT_FDCWD) => format!("/proc/{thread}/cwd"),
            Some(folder) => format!("/proc/{thread}/fd/{folder}"),
        };
        let path = if name.is_absolute() { name } else { std::fs::read_link(at).ok()?.join(name) };
        // Without links and dots, where the folder is there.
        match (path.parent().and_then(|folder| folder.canonicalize().ok()), path.file_name()) {
            (Some(folder), Some(name)) => Some(folder.join(name)),
            _ => Some(path),
        }
    }

    fn kill_all(&self) {
        for &thread in &self.alive {
            // SAFETY: a plain call. A thread that has ended and was not waited for keeps its number.
            unsafe { libc::kill(thread, libc::SIGKILL) };
        }
    }
}

/// The next stop or end of a thread that this thread traces; `None` when there is none left. Other threads of the test
/// trace commands of their own.
fn wait_for(thread: pid_t) -> Option<(pid_t, c_int)> {
    const OF_THIS_THREAD: c_int = 0x2000_0000;
    let mut status = 0;
    loop {
        // SAFETY: `status` is a number that the kernel writes.
        let found = unsafe { libc::waitpid(thread, &mut status, libc::__WALL | OF_THIS_THREAD) };
        match found {
            -1 if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            -1 => return None,
            found => return Some((found, status)),
        }
    }
}

/// Lets a thread go on to its next system call. A thread that was killed meanwhile cannot.
fn go_on(thread: pid_t, signal: c_int) {
    request(libc::PTRACE_SYSCALL, thread, signal as usize);
}

fn request(what: libc::c_uint, thread: pid_t, data: usize) {
    // SAFETY: these requests take numbers and write nothing here.
    unsafe { libc::ptrace(what, thread, 0usize, data) };
}

/// Makes a call that is about to begin write half of its bytes.
fn halve(thread: pid_t) {
    // SAFETY: the structure is plain numbers, and the kernel reads and writes one of its size.
    unsafe {
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        assert_eq!(libc::ptrace(libc::PTRACE_GETREGS, thread, 0usize, &raw mut registers), 0);
        registers.rdx /= 2;
        assert_eq!(libc::ptrace(libc::PTRACE_SETREGS, thread, 0usize, &raw const registers), 0);
    }
}

/// Where to kill: before every call, and within every one that writes; at most so many, those first that change names.
pub fn points(calls: &[Call], most: usize) -> Vec<Kill> {
    let names = ["rename", "link", "unlink", "mkdir", "open"];
    let (mut first, mut rest): (Vec<Kill>, Vec<Kill>) = (Vec::new(), Vec::new());
    for (at, call) in calls.iter().enumerate() {
        let list = if names.contains(&call.name) { &mut first } else { &mut rest };
        list.push(Kill::Before(at));
        if can_be_halved(call) {
            list.push(Kill::Within(at));
        }
    }
    if first.len() + rest.len() <= most {
        first.append(&mut rest);
        return first;
    }
    let spread = |list: &[Kill], most: usize| -> Vec<Kill> {
        let most = most.min(list.len());
        (0..most).map(|i| list[i * list.len() / most]).collect()
    };
    let mut chosen = spread(&first, most.div_ceil(2));
    chosen.extend(spread(&rest, most - chosen.len()));
    chosen
}

/// Whether half of a call's bytes can be written.
fn can_be_halved(call: &Call) -> bool {
    ["write", "pwrite"].contains(&call.name) && call.bytes > 1
}

/// The text that ends with a zero at an address of a thread.
fn text_at(thread: pid_t, address: u64) -> Option<PathBuf> {
    const PIECE: usize = 256;
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut text = Vec::new();
    while text.len() < libc::PATH_MAX as usize {
        let at = address + text.len() as u64;
        // Never across the end of a page, behind which there may be nothing.
        let most = PIECE.min(4096 - at as usize % 4096);
        let mut piece = [0; PIECE];
        let read = memory.read_at(&mut piece[..most], at).ok().filter(|&read| read > 0)?;
        let piece = &piece[..read];
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend(&piece[..end]);
            return Some(OsString::from_vec(text).into());
        }
        text.extend(piece);
    }
    None
}
