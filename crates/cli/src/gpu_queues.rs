//! How many queues the CUDA driver makes for a GPU. It makes eight unless told otherwise, and a command uses two
//! streams: on an H200 the start takes 190 in place of 230 to 260 ms with two queues.

const NAME: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Asks the driver for as many queues as are used, unless a person has asked for another number.
pub fn prepare() {
    if std::env::var_os(NAME).is_none() {
        // SAFETY: `main` calls this before it starts a thread, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(NAME, "2") };
    }
}
