//! NVIDIA's run-time compiler, libnvrtc: where it is, and the few functions of it that are needed.
//!
//! It is loaded here and not by `cudarc`, which looks only where the system's loader does. There it often is not:
//! toolkits are installed in folders of their own.

use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use super::driver::{self, Version};
use crate::DeviceError;

/// Names of the library, the one that follows the installed toolkit first.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else {
    &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
};
/// Where toolkits keep libraries.
const SUBFOLDERS: &[&str] = if cfg!(windows) { &["bin/x64", "bin"] } else { &["lib64", "lib"] };

type Program = *mut c_void;
type Outcome = c_int;
type GetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Outcome;

/// `NVRTC_SUCCESS`.
const SUCCESS: Outcome = 0;
/// `NVRTC_ERROR_COMPILATION`: the log has the reason.
const REFUSED: Outcome = 6;

/// The loaded compiler.
pub(super) struct Nvrtc {
    /// Its version.
    pub version: Version,
    /// The library's file, as far as known.
    pub path: PathBuf,
    /// The architectures it knows: 90 for `sm_90`.
    pub architectures: Vec<u32>,
    functions: Functions,
}

impl Nvrtc {
    /// The compiler, loaded once.
    pub fn get() -> Result<&'static Nvrtc, DeviceError> {
        static LOADED: OnceLock<Result<Nvrtc, DeviceError>> = OnceLock::new();
        LOADED.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Compiles a source text to machine code.
    pub fn compile(
        &self,
        kernel: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Result<Vec<u8>, DeviceError> {
        let refused = |log: String| DeviceError::Compile { kernel: kernel.to_string(), log };
        let text = |text: &str| CString::new(text).map_err(|_| refused("the source has a zero byte".into()));
        let texts = |texts: &mut dyn Iterator<Item = &str>| texts.map(text).collect::<Result<Vec<_>, _>>();
        let name = text(&format!("{kernel}.cu"))?;
        let source = text(source)?;
        let header_texts = texts(&mut headers.iter().map(|(_, text)| *text))?;
        let header_names = texts(&mut headers.iter().map(|(name, _)| *name))?;
        let options = texts(&mut options.iter().map(String::as_str))?;
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (header_texts_at, header_names_at) = (pointers(&header_texts), pointers(&header_names));
        let options_at = pointers(&options);

        let f = &self.functions;
        let mut program = Guard { program: std::ptr::null_mut(), functions: f };
        // SAFETY: all texts end with a zero and live until the end of this function; the arrays have the lengths told.
        let outcome = unsafe {
            self.check(
                "nvrtcCreateProgram",
                (f.create)(
                    &mut program.program,
                    source.as_ptr(),
                    name.as_ptr(),
                    headers.len() as c_int,
                    header_texts_at.as_ptr(),
                    header_names_at.as_ptr(),
                ),
            )?;
            (f.compile)(program.program, options.len() as c_int, options_at.as_ptr())
        };
        if outcome != SUCCESS {
            let log = self.log(&program);
            return Err(refused(match outcome {
                REFUSED if !log.is_empty() => log,
                outcome => format!("{}\n{log}", self.error_text(outcome)).trim_end().to_string(),
            }));
        }
        let mut size = 0;
        // SAFETY: the program was compiled; the buffer has the size that the compiler names.
        unsafe {
            self.check("nvrtcGetCUBINSize", (f.cubin_size)(program.program, &mut size))?;
            let mut cubin = vec![0_u8; size];
            self.check("nvrtcGetCUBIN", (f.cubin)(program.program, cubin.as_mut_ptr().cast()))?;
            Ok(cubin)
        }
    }

    /// What the compiler said about a program.
    fn log(&self, program: &Guard<'_>) -> String {
        let mut size = 0;
        // SAFETY: the program exists; the buffer has the size that the compiler names.
        unsafe {
            if (self.functions.log_size)(program.program, &mut size) != SUCCESS {
                return String::new();
            }
            let mut log = vec![0_u8; size];
            if (self.functions.log)(program.program, log.as_mut_ptr().cast()) != SUCCESS {
                return String::new();
            }
            let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(text).trim_end().to_string()
        }
    }

    fn check(&self, call: &'static str, outcome: Outcome) -> Result<(), DeviceError> {
        match outcome {
            SUCCESS => Ok(()),
            outcome => Err(DeviceError::Call { call, reason: self.error_text(outcome) }),
        }
    }

    fn error_text(&self, outcome: Outcome) -> String {
        // SAFETY: the compiler gives a constant text for every number.
        unsafe {
            let text = (self.functions.error_text)(outcome);
            match text.is_null() {
                true => format!("error {outcome}"),
                false => CStr::from_ptr(text).to_string_lossy().into_owned(),
            }
        }
    }
}

/// A program that is destroyed at the end.
struct Guard<'a> {
    program: Program,
    functions: &'a Functions,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.program.is_null() {
            // SAFETY: it was created and is destroyed once.
            unsafe { (self.functions.destroy)(&mut self.program) };
        }
    }
}

/// The functions, with the libraries that hold them.
struct Functions {
    version: GetVersion,
    error_text: unsafe extern "C" fn(Outcome) -> *const c_char,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Outcome,
    architectures: unsafe extern "C" fn(*mut c_int) -> Outcome,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Outcome,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Outcome,
    destroy: unsafe extern "C" fn(*mut Program) -> Outcome,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> Outcome,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> Outcome,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> Outcome,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Outcome,
    _libraries: Vec<Library>,
}

/// Looks in all places. A compiler that the driver is too old for is only taken when there is no other.
fn find() -> Result<Nvrtc, DeviceError> {
    let driver = driver::start().ok();
    let mut failures = Vec::new();
    let mut too_new = None;
    for candidate in candidates() {
        match load(&candidate) {
            Ok(nvrtc) if driver.is_none_or(|driver| nvrtc.version.0 <= driver.0) => return Ok(nvrtc),
            Ok(nvrtc) => too_new = too_new.or(Some(nvrtc)),
            // Most places have none: only what is there and does not load is worth telling.
            Err(reason) if candidate.is_absolute() => failures.push(reason),
            Err(_) => {}
        }
    }
    too_new.ok_or_else(|| {
        let mut text =
            "the compiler NVRTC was not found; install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` and name \
                        the file libnvrtc.so.* of it in GW_NVRTC"
                .to_string();
        failures.iter().for_each(|failure| text += &format!("\n  {failure}"));
        DeviceError::Missing(text)
    })
}

/// Files that may be the library: the one in `GW_NVRTC` and no other, or what the loader finds, then the toolkits.
fn candidates() -> Vec<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
    if let Some(file) = variable("GW_NVRTC") {
        // An absolute path, for a name alone would be searched for.
        return vec![std::path::absolute(&file).unwrap_or(file)];
    }
    let mut toolkits: Vec<PathBuf> = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(variable).collect();
    let installed = Path::new("/usr/local").read_dir().into_iter().flatten().flatten();
    let mut installed: Vec<PathBuf> = installed
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("cuda"))
        .map(|entry| entry.path())
        .collect();
    // `cuda`, the one in use, is before `cuda-12.4`; of those, the newest first.
    installed.sort_by_key(|path| (!path.ends_with("cuda"), std::cmp::Reverse(numbers(path))));
    toolkits.extend(installed);
    let folders = toolkits.iter().flat_map(|toolkit| SUBFOLDERS.iter().map(|folder| toolkit.join(folder)));
    let files = folders.flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
    NAMES.iter().map(PathBuf::from).chain(files.filter(|file| file.is_file())).collect()
}

/// The numbers in a file name: `cuda-12.4` is `[12, 4]`.
fn numbers(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Loads a library and all functions, or says why not.
fn load(file: &Path) -> Result<Nvrtc, String> {
    let failed = |error: libloading::Error| match file.is_absolute() {
        true => format!("{}: {}", file.display(), chain(&error)),
        false => chain(&error),
    };
    // SAFETY: loading libnvrtc runs its initialisers, which are made for that.
    let library = unsafe { Library::new(file) }.map_err(failed)?;
    // SAFETY: the type is that of NVRTC's interface.
    let version: GetVersion = *unsafe { library.get(b"nvrtcVersion") }.map_err(failed)?;
    // For a bare name the loader has chosen the file.
    let path = Some(file).filter(|file| file.is_absolute()).map(Path::to_path_buf);
    let path = path.or_else(|| file_at(version as usize)).unwrap_or_else(|| file.to_path_buf());
    // The compiler loads a second library by its bare name when it compiles. Unless the loader knows its folder it is
    // not found, but one that is loaded already is.
    let mut libraries: Vec<Library> = builtins_beside(&path)
        .iter()
        // SAFETY: as above.
        .filter_map(|builtins| unsafe { Library::new(builtins) }.ok())
        .collect();
    // SAFETY: the types are those of NVRTC's interface, the same in all versions that have these functions.
    let functions = unsafe {
        Functions {
            version,
            error_text: *library.get(b"nvrtcGetErrorString").map_err(failed)?,
            architecture_count: *library.get(b"nvrtcGetNumSupportedArchs").map_err(failed)?,
            architectures: *library.get(b"nvrtcGetSupportedArchs").map_err(failed)?,
            create: *library.get(b"nvrtcCreateProgram").map_err(failed)?,
            compile: *library.get(b"nvrtcCompileProgram").map_err(failed)?,
            destroy: *library.get(b"nvrtcDestroyProgram").map_err(failed)?,
            cubin_size: *library.get(b"nvrtcGetCUBINSize").map_err(failed)?,
            cubin: *library.get(b"nvrtcGetCUBIN").map_err(failed)?,
            log_size: *library.get(b"nvrtcGetProgramLogSize").map_err(failed)?,
            log: *library.get(b"nvrtcGetProgramLog").map_err(failed)?,
            _libraries: {
                libraries.push(library);
                libraries
            },
        }
    };
    let mut nvrtc = Nvrtc { version: (0, 0), path, architectures: Vec::new(), functions };
    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: the places are valid, the array has the length that the compiler names.
    unsafe {
        let f = &nvrtc.functions;
        nvrtc.check("nvrtcVersion", (f.version)(&mut major, &mut minor)).map_err(|error| error.to_string())?;
        let counted = (f.architecture_count)(&mut count);
        nvrtc.check("nvrtcGetNumSupportedArchs", counted).map_err(|error| error.to_string())?;
        let mut architectures = vec![0; count.max(0) as usize];
        let status = (f.architectures)(architectures.as_mut_ptr());
        nvrtc.check("nvrtcGetSupportedArchs", status).map_err(|error| error.to_string())?;
        nvrtc.architectures = architectures.into_iter().map(|known| known.max(0) as u32).collect();
    }
    nvrtc.version = (major.max(0) as u32, minor.max(0) as u32);
    Ok(nvrtc)
}

/// An error with its causes, as far as they say something new.
fn chain(error: &libloading::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text += &format!(": {more}");
        }
        cause = inner.source();
    }
    text
}

/// The file whose code is at an address, as the system tells.
fn file_at(address: usize) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (start, rest) = line.split_once('-')?;
        let (end, rest) = rest.split_once(' ')?;
        let range = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        let path = &rest[rest.find('/')?..];
        range.contains(&address).then(|| PathBuf::from(path))
    })
}

/// The libraries of built-in functions in the folder of the compiler.
fn builtins_beside(library: &Path) -> Vec<PathBuf> {
    let folder = library.canonicalize().ok().and_then(|file| file.parent().map(Path::to_path_buf));
    let entries = folder.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let builtins = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libnvrtc-builtins.so") || (cfg!(windows) && name.starts_with("nvrtc-builtins"))
    });
    builtins.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkits_are_ordered_by_their_numbers() {
        assert_eq!(numbers(Path::new("/usr/local/cuda-12.4")), [12, 4]);
        assert!(numbers(Path::new("cuda-12.10")) > numbers(Path::new("cuda-12.4")));
        assert!(numbers(Path::new("cuda-9.2")) < numbers(Path::new("cuda-13.0")));
        assert!(numbers(Path::new("cuda")).is_empty());
    }

    #[test]
    fn the_file_of_a_function_is_found() {
        if cfg!(target_os = "linux") {
            let own = file_at(numbers as *const () as usize);
            assert_eq!(own, std::env::current_exe().ok());
            assert_eq!(file_at(1), None);
        }
    }

    #[test]
    fn what_is_no_library_is_an_error_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libnvrtc.so");
        std::fs::write(&file, "no library").unwrap();
        let reason = load(&file).err().unwrap();
        assert!(reason.contains(&file.display().to_string()), "{reason}");
        assert!(load(&folder.path().join("none.so")).is_err());
    }
}
