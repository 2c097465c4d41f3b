//! From CUDA C++ to a library of the host: g++, a cache on disk, `dlopen`.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

use crate::machine::Range;

const WIRE: &str = include_str!("wire.hpp");
const SHIM: &str = include_str!("shim.hpp");
const RUNTIME: &[(&str, &str)] = &[
    ("wire.hpp", WIRE),
    ("fiber.hpp", include_str!("fiber.hpp")),
    ("machine.hpp", include_str!("machine.hpp")),
    ("races.hpp", include_str!("races.hpp")),
    ("watch.hpp", include_str!("watch.hpp")),
    ("collectives.hpp", include_str!("collectives.hpp")),
    ("atomics.hpp", include_str!("atomics.hpp")),
    ("machine.cpp", include_str!("machine.cpp")),
];

/// Both compilations: threads of the device may alias what they like and integers wrap.
const COMMON: &[&str] = &["-std=c++17", "-shared", "-fPIC", "-g1", "-fno-strict-aliasing", "-fwrapv"];
/// Kernels: `-fsanitize=thread` makes the compiler announce accesses to memory to the emulator; the sanitizer's own
/// runtime is left out by `-nodefaultlibs`. A function-local thread-local variable must stay the library's own.
const KERNEL: &[&str] = &[
    "-xc++",
    "-include",
    "shim.hpp",
    "-O1",
    "-w",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-gnu-unique",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-nodefaultlibs",
];
const WATCHED: &[&str] =
    &["-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "--param=tsan-instrument-func-entry-exit=0"];

/// Bytes of shared memory that a block can have without asking for more at its launch.
const SHARED: u64 = 48 << 10;

/// The end of every kernel's source: how the emulator enters it.
fn entry(kernel: &str) -> String {
    format!(
        r#"
#line 1 "entry"
template <class A> GWE_RAW void gwe_call(void (*kernel)(A), const void* bytes) {{ kernel(*(const A*)bytes); }}
template <class A> constexpr unsigned gwe_argument_size(void (*)(A)) {{ return sizeof(A); }}
static thread_local char gwe_probed;
extern "C" {{
__attribute__((visibility("default"), no_sanitize("thread"))) void gwe_enter(const void* bytes) {{ gwe_call({kernel}, bytes); }}
__attribute__((visibility("default"))) unsigned gwe_arguments() {{ return gwe_argument_size({kernel}); }}
__attribute__((visibility("default"))) void* gwe_probe() {{ return &gwe_probed; }}
}}
"#
    )
}

/// A kernel in memory. Libraries stay loaded until the process ends, so the pointers stay valid.
pub struct Library {
    pub path: PathBuf,
    pub enter: usize,
    pub probe: usize,
    /// Bytes of the kernel's parameter.
    pub arguments: usize,
    /// Where the library was loaded, for the place of an instruction in the source.
    pub base: u64,
    /// The thread-local segment: where it begins before the probe, and its size.
    pub shared_offset: u64,
    pub shared_bytes: u64,
    /// The library's own code and data.
    pub ranges: Vec<Range>,
}

/// Version of the compiler, or why there is none.
pub fn version() -> Result<&'static str, String> {
    static VERSION: LazyLock<Result<String, String>> = LazyLock::new(|| {
        let output =
            Command::new("g++").arg("--version").output().map_err(|e| format!("g++ cannot be started: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
        if output.status.success() { Ok(text) } else { Err("g++ --version fails".to_owned()) }
    });
    VERSION.as_ref().map(String::as_str).map_err(Clone::clone)
}

/// The emulator's own library, compiled when needed.
pub fn runtime() -> Result<PathBuf, String> {
    let flags: Vec<&str> = COMMON.iter().copied().chain(["-O2", "-w"]).collect();
    let (path, _) = build("machine.cpp", RUNTIME, &flags, &[])?;
    Ok(path)
}

/// Compiles or finds a kernel; also says whether g++ had to run.
pub fn kernel(name: &str, source: &str, watched: bool) -> Result<(Arc<Library>, bool), String> {
    static LOADED: LazyLock<Mutex<HashMap<PathBuf, Arc<Library>>>> = LazyLock::new(Mutex::default);
    let (file, text) = (format!("{name}.cu"), format!("{source}\n{}", entry(name)));
    let mut files = vec![("wire.hpp", WIRE), ("shim.hpp", SHIM)];
    files.extend_from_slice(gw_device::headers::HEADERS);
    files.push((&file, &text));
    let mut flags: Vec<&str> = COMMON.iter().chain(KERNEL).copied().collect();
    if watched {
        flags.extend(WATCHED);
    }
    let (path, built) = build(&file, &files, &flags, &["-lm", "-lc"])?;
    let mut loaded = LOADED.lock().unwrap();
    if let Some(library) = loaded.get(&path) {
        return Ok((library.clone(), built));
    }
    let library = Arc::new(load(&path)?);
    loaded.insert(path, library.clone());
    Ok((library, built))
}

/// Compiles files in a folder of their own into a library named by their content, unless it is there.
fn build(main: &str, files: &[(&str, &str)], flags: &[&str], libraries: &[&str]) -> Result<(PathBuf, bool), String> {
    // Two hashes of 64 bits that begin differently: collisions do not happen by chance.
    let hash = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, version(), main, files, flags, libraries).hash(&mut hasher);
        hasher.finish()
    };
    // SAFETY: `getuid` takes nothing and cannot fail.
    let user = unsafe { libc::getuid() };
    let folder = std::env::temp_dir().join(format!("graphwright-emulator-{user}"));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let library = folder.join(format!("{:016x}{:016x}.so", hash(1), hash(2)));
    if library.exists() {
        return Ok((library, false));
    }
    let place = tempfile::tempdir_in(&folder).map_err(|e| e.to_string())?;
    for (name, text) in files {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(place.path())).map_err(|e| e.to_string())?;
        std::fs::write(path, text).map_err(|e| e.to_string())?;
    }
    let output = Command::new("g++")
        .args(flags)
        .args(["-I.", main, "-o", "out.so"])
        .args(libraries)
        .current_dir(place.path())
        .output()
        .map_err(|e| format!("g++ cannot be started: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    std::fs::rename(place.path().join("out.so"), &library).map_err(|e| e.to_string())?;
    Ok((library, true))
}

/// Opens a library, `global` when others shall find its functions.
pub fn open(path: &Path, global: bool) -> Result<*mut c_void, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
    let flags = libc::RTLD_NOW | if global { libc::RTLD_GLOBAL } else { libc::RTLD_LOCAL };
    // SAFETY: the name ends with a null byte and lives until the call returns. The library is one that `build` made,
    // whose initialisers do nothing.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    if handle.is_null() {
        // SAFETY: after a failed `dlopen` on this thread, `dlerror` returns a text that ends with a null byte, valid
        // until the next call on this thread.
        Err(unsafe { CStr::from_ptr(libc::dlerror()) }.to_string_lossy().into_owned())
    } else {
        Ok(handle)
    }
}

/// A function of an open library.
pub fn function(handle: *mut c_void, name: &CStr) -> Result<usize, String> {
    // SAFETY: the handle is of a library that stays open until the process ends, and the name ends with a null byte.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if address.is_null() {
        Err(format!("{} is not in the library", name.to_string_lossy()))
    } else {
        Ok(address as usize)
    }
}

fn load(path: &Path) -> Result<Library, String> {
    let machine = crate::machine::runtime()?;
    let handle = open(path, false)?;
    let (enter, probe) = (function(handle, c"gwe_enter")?, function(handle, c"gwe_probe")?);
    let arguments = function(handle, c"gwe_arguments")?;
    // SAFETY: these are the functions that `entry` defines, with these types.
    let (probed, arguments) = unsafe {
        let probe: extern "C" fn() -> *const c_void = std::mem::transmute(probe);
        let arguments: extern "C" fn() -> u32 = std::mem::transmute(arguments);
        (probe(), arguments() as usize)
    };
    let found = machine.find(enter, probed)?;
    if found.initialised > 0 {
        return Err("a __shared__ variable has an initial value".to_owned());
    }
    if found.shared_bytes > SHARED + 64 {
        return Err(format!("{} bytes of shared memory, a block has {SHARED}", found.shared_bytes));
    }
    let ranges = found.ranges[..found.count as usize].to_vec();
    Ok(Library {
        path: path.to_owned(),
        enter,
        probe,
        arguments,
        base: found.base,
        shared_offset: found.shared_offset,
        shared_bytes: found.shared_bytes,
        ranges,
    })
}

/// Where an instruction stands in the source; the first place outside of the emulator's own headers.
pub fn place(library: &Library, instruction: u64) -> Option<String> {
    let output = Command::new("addr2line")
        .args(["-i", "-e"])
        .arg(&library.path)
        .arg(format!("{:#x}", instruction.checked_sub(library.base)?.checked_sub(1)?))
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|line| !line.contains("shim.hpp") && !line.starts_with('?'));
    let short =
        |line: &'_ str| line.split(' ').next().and_then(|l| l.rsplit('/').next()).unwrap_or_default().to_owned();
    let names: Vec<String> = lines.map(short).collect();
    if names.is_empty() { None } else { Some(names.join(", in ")) }
}
