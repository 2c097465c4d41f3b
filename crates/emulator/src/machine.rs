//! The emulator's C++ side as seen from Rust: machines that run grids, kept for the next launch.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{LazyLock, Mutex};

use crate::compiler;

/// Addresses from `begin` up to `end`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Range {
    pub begin: u64,
    pub end: u64,
}

/// A launch; the same layout as `Run` in `machine.hpp`.
#[repr(C)]
pub struct Run {
    /// A byte that ends the launch when it is not zero, or null.
    pub stop: *const u8,
    pub enter: usize,
    pub probe: usize,
    pub shared_offset: u64,
    pub shared_bytes: u64,
    pub arguments: *const u8,
    pub argument_bytes: u64,
    pub memory: *const Range,
    pub ranges: u64,
    pub library: *const Range,
    pub library_ranges: u64,
    pub seed: u64,
    pub grid: u32,
    pub block: u32,
    pub resident: u32,
    pub seconds: u32,
    pub races: u32,
}

/// What is known of a loaded kernel; the same layout as `Found` in `machine.cpp`.
#[repr(C)]
#[derive(Default)]
pub struct Found {
    inside: usize,
    probe: usize,
    pub base: u64,
    pub shared_offset: u64,
    pub shared_bytes: u64,
    pub initialised: u64,
    pub ranges: [Range; 16],
    pub count: u64,
}

/// The functions of the C++ side.
pub struct Runtime {
    find: extern "C" fn(usize, *const c_void, *mut Found) -> c_int,
    create: extern "C" fn() -> *mut c_void,
    launch: extern "C" fn(*mut c_void, *const Run) -> c_int,
    message: extern "C" fn(*mut c_void) -> *const c_char,
    /// Machines that run nothing at the moment.
    idle: Mutex<Vec<usize>>,
}

/// The C++ side, compiled and loaded when first needed.
pub fn runtime() -> Result<&'static Runtime, String> {
    static RUNTIME: LazyLock<Result<Runtime, String>> = LazyLock::new(|| {
        let library = compiler::open(&compiler::runtime()?, true)?;
        // SAFETY: the types are those of the definitions in machine.cpp.
        unsafe {
            Ok(Runtime {
                find: std::mem::transmute::<usize, extern "C" fn(usize, *const c_void, *mut Found) -> c_int>(
                    compiler::function(library, c"gwe_find")?,
                ),
                create: std::mem::transmute::<usize, extern "C" fn() -> *mut c_void>(compiler::function(
                    library, c"gwe_new",
                )?),
                launch: std::mem::transmute::<usize, extern "C" fn(*mut c_void, *const Run) -> c_int>(
                    compiler::function(library, c"gwe_launch")?,
                ),
                message: std::mem::transmute::<usize, extern "C" fn(*mut c_void) -> *const c_char>(compiler::function(
                    library,
                    c"gwe_message",
                )?),
                idle: Mutex::default(),
            })
        }
    });
    RUNTIME.as_ref().map_err(Clone::clone)
}

impl Runtime {
    /// Describes the library that holds a function.
    pub fn find(&self, inside: usize, probe: *const c_void) -> Result<Found, String> {
        let mut found = Found::default();
        if (self.find)(inside, probe, &mut found) == 0 {
            Err("the kernel's library is not found".into())
        } else {
            Ok(found)
        }
    }

    /// Runs a grid on this thread; the error is what went wrong in the kernel.
    pub fn launch(&self, run: &Run) -> Result<(), String> {
        let idle = self.idle.lock().unwrap().pop();
        let machine = idle.map_or_else(|| (self.create)(), |address| address as *mut c_void);
        let result = if (self.launch)(machine, run) == 0 {
            Ok(())
        } else {
            // SAFETY: the machine keeps the text of its message, which ends with a null byte, until its next launch,
            // and nobody else has the machine now.
            Err(unsafe { CStr::from_ptr((self.message)(machine)) }.to_string_lossy().into_owned())
        };
        self.idle.lock().unwrap().push(machine as usize);
        result
    }
}
