//! The functions and constants of the standard ABI of MPI 5.0 (a chapter of the standard) that are used, and no others.
//!
//! Handles are pointers whose predefined values are small numbers. Counts of the functions that end in `_c` have 64
//! bits. Numbers of older MPIs differ: nothing here may be used with a library that does not have this ABI.

use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null_mut, without_provenance_mut};

use libloading::Library;

use crate::error::MpiError;

/// A handle of the library.
pub(crate) type Handle = *mut c_void;

/// Threads may call if it is always the one that has initialised the library.
pub(crate) const THREAD_FUNNELED: c_int = 1024;
/// Any thread may call if it is one at a time.
pub(crate) const THREAD_SERIALIZED: c_int = 2048;
const SUCCESS: c_int = 0;
/// Room for the text of an error.
const MAX_ERROR_STRING: usize = 512;

const COMM_WORLD: usize = 0x101;
const ERRORS_RETURN: usize = 0x143;
const BYTE: usize = 0x247;
const UINT64_T: usize = 0x259;
/// Operations of reductions.
pub(crate) const SUM: usize = 0x21;
pub(crate) const MIN: usize = 0x22;
pub(crate) const MAX: usize = 0x23;

/// A predefined handle.
fn handle(number: usize) -> Handle {
    without_provenance_mut(number)
}

macro_rules! functions {
    ($($field:ident = $name:literal($($argument:ty),*);)*) => {
        /// The functions of an open library, which stays open for the life of the process.
        pub(crate) struct Api {
            pub(crate) path: PathBuf,
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Api {
            /// Takes the functions out of a library, which stays open from then on.
            fn of(library: Library, path: PathBuf) -> Result<Api, MpiError> {
                let lacks = |error: libloading::Error| {
                    MpiError::NotAbi { library: path.clone(), error: error.to_string() }
                };
                $(
                    // SAFETY: a function of this name has this type in every library with the standard ABI.
                    let $field = *unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> c_int>($name) }
                        .map_err(lacks)?;
                )*
                // An MPI cannot be closed and opened again.
                std::mem::forget(library);
                Ok(Api { path, $($field),* })
            }
        }
    };
}

functions! {
    abi_get_version = b"MPI_Abi_get_version"(*mut c_int, *mut c_int);
    initialized = b"MPI_Initialized"(*mut c_int);
    init_thread = b"MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize = b"MPI_Finalize"();
    abort = b"MPI_Abort"(Handle, c_int);
    error_string = b"MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    comm_dup = b"MPI_Comm_dup"(Handle, *mut Handle);
    comm_set_errhandler = b"MPI_Comm_set_errhandler"(Handle, Handle);
    comm_rank = b"MPI_Comm_rank"(Handle, *mut c_int);
    comm_size = b"MPI_Comm_size"(Handle, *mut c_int);
    isend = b"MPI_Isend_c"(*const c_void, i64, Handle, c_int, c_int, Handle, *mut Handle);
    irecv = b"MPI_Irecv_c"(*mut c_void, i64, Handle, c_int, c_int, Handle, *mut Handle);
    testall = b"MPI_Testall"(c_int, *mut Handle, *mut c_int, *mut c_void);
    iallreduce = b"MPI_Iallreduce_c"(*const c_void, *mut c_void, i64, Handle, Handle, Handle, *mut Handle);
}

/// A communicator: the ranks that talk to each other, apart from what others in this process say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comm(Handle);

// SAFETY: a communicator is a name for something in the library, which any thread may use that may call the library.
unsafe impl Send for Comm {}
// SAFETY: as above.
unsafe impl Sync for Comm {}

impl Api {
    /// Opens a library.
    pub(crate) fn open(path: &Path) -> Result<Api, MpiError> {
        let absent = |error: libloading::Error| MpiError::NoLibrary { tried: error.to_string() };
        // SAFETY: initialisers of an MPI library do nothing that this process would not have it do.
        let library = unsafe { Library::new(path) }.map_err(absent)?;
        let api = Api::of(library, path.to_path_buf())?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both places are there to be written.
        api.check("MPI_Abi_get_version", unsafe { (api.abi_get_version)(&mut major, &mut minor) })?;
        match major {
            1 => Ok(api),
            _ => Err(MpiError::Version { library: api.path, major, minor }),
        }
    }

    fn check(&self, what: &'static str, code: c_int) -> Result<(), MpiError> {
        if code == SUCCESS {
            return Ok(());
        }
        let (mut text, mut length) = ([0u8; MAX_ERROR_STRING], 0);
        // SAFETY: the text has as much room as the standard asks for.
        let told = unsafe { (self.error_string)(code, text.as_mut_ptr().cast(), &mut length) };
        let known = usize::try_from(length).ok().and_then(|length| text.get(..length)).filter(|_| told == SUCCESS);
        let reason = known.map_or_else(|| format!("error {code}"), |text| String::from_utf8_lossy(text).into_owned());
        Err(MpiError::Call { what, reason })
    }

    /// Whether the library was initialised in this process.
    pub(crate) fn is_initialized(&self) -> Result<bool, MpiError> {
        let mut flag = 0;
        // SAFETY: may be called at any time; the place is there to be written.
        self.check("MPI_Initialized", unsafe { (self.initialized)(&mut flag) })?;
        Ok(flag != 0)
    }

    /// Joins the ranks. Returns how threads may call the library.
    pub(crate) fn init(&self) -> Result<c_int, MpiError> {
        let mut provided = 0;
        // SAFETY: the standard allows null in place of the arguments of the program; the place is there to be written.
        let code = unsafe { (self.init_thread)(null_mut(), null_mut(), THREAD_FUNNELED, &mut provided) };
        self.check("MPI_Init_thread", code)?;
        Ok(provided)
    }

    /// A communicator of all ranks whose failures are returned.
    pub(crate) fn world(&self) -> Result<Comm, MpiError> {
        let mut comm = null_mut();
        // SAFETY: the library is initialised; the place is there to be written.
        self.check("MPI_Comm_dup", unsafe { (self.comm_dup)(handle(COMM_WORLD), &mut comm) })?;
        // SAFETY: the communicator was just made.
        let code = unsafe { (self.comm_set_errhandler)(comm, handle(ERRORS_RETURN)) };
        self.check("MPI_Comm_set_errhandler", code)?;
        Ok(Comm(comm))
    }

    /// The number of this rank, and of all ranks.
    pub(crate) fn place(&self, comm: Comm) -> Result<(usize, usize), MpiError> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is one of this library; the place is there to be written.
        self.check("MPI_Comm_rank", unsafe { (self.comm_rank)(comm.0, &mut rank) })?;
        // SAFETY: as above.
        self.check("MPI_Comm_size", unsafe { (self.comm_size)(comm.0, &mut size) })?;
        Ok((rank as usize, size as usize))
    }

    /// Leaves the ranks. All ranks do so.
    pub(crate) fn finalize(&self) -> Result<(), MpiError> {
        // SAFETY: the library is initialised, and nothing is on its way any more.
        self.check("MPI_Finalize", unsafe { (self.finalize)() })
    }

    /// Ends all ranks with this exit code.
    pub(crate) fn abort(&self, code: c_int) {
        // SAFETY: the library is initialised. It ends this process, too.
        unsafe { (self.abort)(handle(COMM_WORLD), code) };
    }

    /// Begins to send bytes to a rank.
    ///
    /// # Safety
    /// `bytes` must stay as they are until the request is complete.
    pub(crate) unsafe fn send(&self, bytes: &[u8], to: usize, tag: c_int, comm: Comm) -> Result<Handle, MpiError> {
        let mut request = null_mut();
        let (start, count) = (bytes.as_ptr().cast(), bytes.len() as i64);
        // SAFETY: the caller keeps the bytes; the communicator is one of this library.
        let code = unsafe { (self.isend)(start, count, handle(BYTE), to as c_int, tag, comm.0, &mut request) };
        self.check("MPI_Isend", code).map(|()| request)
    }

    /// Begins to receive bytes from a rank, as many as `into` has room for at most.
    ///
    /// # Safety
    /// `into` must stay where it is, and be left alone, until the request is complete.
    pub(crate) unsafe fn receive(
        &self,
        into: &mut [u8],
        from: usize,
        tag: c_int,
        comm: Comm,
    ) -> Result<Handle, MpiError> {
        let mut request = null_mut();
        let (start, count) = (into.as_mut_ptr().cast(), into.len() as i64);
        // SAFETY: the caller keeps the place; the communicator is one of this library.
        let code = unsafe { (self.irecv)(start, count, handle(BYTE), from as c_int, tag, comm.0, &mut request) };
        self.check("MPI_Irecv", code).map(|()| request)
    }

    /// Begins to reduce numbers over all ranks.
    ///
    /// # Safety
    /// Both slices are of one length. They must stay where they are, and `into` be left alone, until the request is
    /// complete.
    pub(crate) unsafe fn reduce(
        &self,
        values: &[u64],
        into: &mut [u64],
        op: usize,
        comm: Comm,
    ) -> Result<Handle, MpiError> {
        let mut request = null_mut();
        let (from, to, count) = (values.as_ptr().cast(), into.as_mut_ptr().cast(), values.len() as i64);
        let (kind, op) = (handle(UINT64_T), handle(op));
        // SAFETY: the caller keeps both places, which have `count` numbers; the communicator is one of this library.
        let code = unsafe { (self.iallreduce)(from, to, count, kind, op, comm.0, &mut request) };
        self.check("MPI_Iallreduce", code).map(|()| request)
    }

    /// Goes on with what was begun, and says whether all of these requests are complete.
    pub(crate) fn are_complete(&self, requests: &mut [Handle]) -> Result<bool, MpiError> {
        let mut flag = 0;
        // SAFETY: requests are those of this library or null; the standard allows null in place of the statuses.
        let code = unsafe { (self.testall)(requests.len() as c_int, requests.as_mut_ptr(), &mut flag, null_mut()) };
        self.check("MPI_Testall", code)?;
        Ok(flag != 0)
    }
}
