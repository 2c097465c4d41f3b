//! The NVIDIA device on a driver and a compiler that are only made up (`fake/`): what needs no GPU to go wrong.
//! Memory, transfers, the order of work, launches and the cache are those of a real device, and the fake driver puts
//! off work as long as it may.
//!
//! The loader's path counts from the start of a process: each test starts this program again, to run one of the
//! ignored tests.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gw_device::nvidia::{NvidiaDevice, survey};
use gw_device::{Address, Device, DeviceError, Kernel, Launch, Unit};

/// Runs an ignored test of this file with the fakes in place.
fn with_fakes(test: &str, variables: &[(&str, &str)]) {
    with_fakes_in_turn(&[(test, variables)]);
}

/// Runs ignored tests of this file with the fakes in place, one process after another with one cache of kernels.
fn with_fakes_in_turn(tests: &[(&str, &[(&str, &str)])]) {
    let Some(folder) = fakes() else { return };
    for (test, variables) in tests {
        let output = inside(test, folder.path()).envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}

/// A folder with the compiled fakes; `None` without a C compiler.
fn fakes() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
    for (file, library) in [("cuda.c", "libcuda.so"), ("nvrtc.c", "libnvrtc.so")] {
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-w", "-pthread", "-o"]).arg(folder.path().join(library));
        match compiler.arg(source.join(file)).status() {
            Ok(status) => assert!(status.success(), "cc does not compile {file}"),
            Err(error) => {
                gw_testing::left_out("cc", error);
                return None;
            }
        }
    }
    Some(folder)
}

/// A process that runs an ignored test with the fakes in a folder, and its cache beside them.
fn inside(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", &format!("nvidia::{test}"), "--nocapture"]);
    command.env("LD_LIBRARY_PATH", folder).env("GW_CACHE", folder.join("cache"));
    command.env_remove("GW_NVRTC").env_remove("GW_DEVICE");
    command
}

#[test]
fn transfers_of_all_sizes_arrive() {
    with_fakes("inside::transfers", &[]);
}

#[test]
fn memory_is_pooled() {
    with_fakes("inside::memory", &[("FAKE_MEMORY", "1000000")]);
    with_fakes("inside::memory", &[("FAKE_MEMORY", "1000000"), ("FAKE_POOLS", "0")]);
}

#[test]
fn kernels_are_compiled_cached_and_launched() {
    with_fakes("inside::kernels", &[("GW_DEVICE", "1")]);
}

#[test]
fn a_warm_start_leaves_the_compiler_alone() {
    // The fake compiler ends a process that loads it against the will of the test.
    let forbidden: &[(&str, &str)] = &[("FAKE_NO_LOADING", "1")];
    with_fakes_in_turn(&[("inside::cold", &[]), ("inside::warm", forbidden)]);
}

/// A process that is killed at any call by which it changes the cache leaves one that the next process goes on with.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_killed_process_leaves_a_cache_in_order() {
    use gw_testing::tracer::{Kill, points, trace};
    use std::process::Stdio;

    let Some(folder) = fakes() else { return };
    let cache = folder.path().join("cache");
    let traced = |kill| {
        let _ = std::fs::remove_dir_all(&cache);
        std::fs::create_dir(&cache).unwrap();
        let mut command = inside("inside::cached", folder.path());
        trace(command.stdout(Stdio::null()).stderr(Stdio::null()), &cache, kill)
    };
    let files = || {
        let names = std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let Some(whole) = traced(Kill::Never) else { return gw_testing::left_out("ptrace", "no process can be traced") };
    assert_eq!(whole.code, Some(0));
    let expected = files();
    assert!(!expected.is_empty() && whole.calls.len() >= 3 * expected.len(), "{:?}", whole.calls);
    let kills = points(&whole.calls, gw_testing::usually(8, usize::MAX));
    println!("kernels: {} calls, {} kills", whole.calls.len(), kills.len());
    for kill in kills {
        let killed = traced(kill).unwrap();
        assert_eq!(killed.code, None, "{kill:?}");
        let output = inside("inside::cached", folder.path()).output().unwrap();
        assert!(output.status.success(), "{kill:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(files(), expected, "{kill:?}: {:?}", killed.calls.last());
        let warm = inside("inside::warm", folder.path()).env("FAKE_NO_LOADING", "1").output().unwrap();
        assert!(warm.status.success(), "{kill:?}: {}", String::from_utf8_lossy(&warm.stderr));
    }
}

#[test]
fn kernels_are_compiled_ahead() {
    with_fakes("inside::ahead", &[]);
}

/// With the real compiler, where there is one: a process may end while kernels are compiled that nobody waits for.
#[test]
fn a_process_ends_while_kernels_are_compiled() {
    let Some(nvrtc) = std::env::var_os("GW_NVRTC") else { return gw_testing::left_out("NVRTC", "GW_NVRTC is not set") };
    let nvrtc = nvrtc.to_string_lossy();
    with_fakes("inside::leaving", &[("GW_NVRTC", &*nvrtc)]);
}

#[test]
fn the_device_repeats_kernels() {
    with_fakes("inside::repeats", &[]);
}

#[test]
fn an_old_driver_repeats_nothing() {
    with_fakes("inside::no_repeats", &[("FAKE_VERSION", "12020")]);
}

#[test]
fn many_threads_share_a_device() {
    with_fakes("inside::threads", &[]);
}

#[test]
fn a_kernel_is_told_to_end() {
    with_fakes("inside::told", &[]);
}

#[test]
fn a_kernel_that_does_not_end_is_given_up() {
    with_fakes("inside::given_up", &[]);
}

#[test]
fn a_driver_without_a_gpu_is_an_error() {
    with_fakes("inside::no_device", &[("FAKE_NO_DEVICE", "1")]);
}

/// Tests that need the fakes.
mod inside {
    use super::*;

    fn open() -> NvidiaDevice {
        NvidiaDevice::open().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Bytes that tell where they are from.
    fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
        (0..bytes as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
    }

    fn fetched(device: &NvidiaDevice, from: Address, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        device.download(&mut data, from).unwrap();
        data
    }

    fn adder(device: &NvidiaDevice) -> impl Fn(Address, u64) + '_ {
        let unit = Unit { name: "add".into(), source: "add one".into(), block: 256 };
        let kernel = device.compile(&unit).unwrap();
        move |address, count| {
            let arguments = [address.0.to_le_bytes(), count.to_le_bytes()].concat();
            let launch = Launch { grid: 1, block: 256, cooperative: false };
            device.launch(&kernel, launch, &arguments).unwrap();
        }
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn transfers() {
        let device = open();
        let add = adder(&device);
        const K: usize = 1 << 10;
        const M: usize = 1 << 20;
        let sizes =
            [1, 3, 4 * K, 64 * K, 64 * K + 1, 2 * M - 1, 2 * M, 2 * M + 1, 4 * M, 5 * M, 8 * M - 1, 8 * M, 17 * M + 7];
        for bytes in sizes {
            let block = device.allocate(bytes).unwrap();
            let data = pattern(bytes, bytes as u64);
            device.upload(block, &data).unwrap();
            // The kernel runs after the upload and before the download.
            add(block, bytes as u64);
            let expected: Vec<u8> = data.iter().map(|byte| byte.wrapping_add(1)).collect();
            assert!(fetched(&device, block, bytes) == expected, "{bytes} bytes");
            device.release(block);
        }
        // Many small uploads without a wait in between go round the buffers several times; transfers of other sizes
        // mix in.
        let piece = 100 * K + 1;
        let blocks: Vec<Address> = (0..300).map(|_| device.allocate(piece).unwrap()).collect();
        let large = device.allocate(9 * M).unwrap();
        for (i, &block) in blocks.iter().enumerate() {
            device.upload(block, &pattern(piece, i as u64)).unwrap();
            match i % 70 {
                10 => assert!(fetched(&device, block, 70 * K) == pattern(70 * K, i as u64), "{i}"),
                30 => assert!(fetched(&device, block, 100) == pattern(100, i as u64), "{i}"),
                40 => device.upload(large, &pattern(9 * M, 1)).unwrap(),
                50 => assert!(fetched(&device, large, 9 * M) == pattern(9 * M, 1), "{i}"),
                _ => {}
            }
        }
        for (i, &block) in blocks.iter().enumerate() {
            assert!(fetched(&device, block, piece) == pattern(piece, i as u64), "{i}");
        }
        // Fills and copies keep their place among the others.
        device.fill(large, 0x0403_0201, 4, 1000).unwrap();
        device.copy(large.offset(4000), large, 4000).unwrap();
        device.fill(large, 0xffff_ff09, 1, 2).unwrap();
        assert_eq!(fetched(&device, large, 8000)[..5], [9, 9, 3, 4, 1]);
        assert_eq!(fetched(&device, large.offset(7996), 4), [1, 2, 3, 4]);
        assert!(matches!(device.fill(large, 0, 2, 1), Err(DeviceError::Call { .. })));

        let before = device.usage();
        device.upload(large, &[]).unwrap();
        device.upload(large, &[1; 100]).unwrap();
        fetched(&device, large, 0);
        fetched(&device, large, 100);
        fetched(&device, large, 9 * M);
        device.wait().unwrap();
        let after = device.usage();
        assert_eq!((after.uploaded - before.uploaded, after.downloaded - before.downloaded), (100, 100 + 9 * M as u64));
        assert_eq!(after.waits - before.waits, 3);
        assert!(after.transfer_seconds > before.transfer_seconds);
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn memory() {
        let device = open();
        assert_eq!(device.free_bytes(), Ok(1_000_000));
        let first = device.allocate(500_000).unwrap();
        assert_eq!(first.0 % 256, 0);
        assert!(device.free_bytes().unwrap() < 500_001);
        // What is released can be had again at once, and counts as free.
        device.release(first);
        assert_eq!(device.free_bytes(), Ok(1_000_000));
        assert_eq!(device.allocate(500_000), Ok(first));
        device.release(first);
        // The kept block is in the way of a larger one: it goes back to the driver first.
        let second = device.allocate(800_000).unwrap();
        let Err(DeviceError::OutOfMemory { needed, free }) = device.allocate(300_000) else {
            panic!("there is not so much memory")
        };
        assert!(needed == 300_000 && free < 200_000, "{free}");
        assert!(matches!(device.allocate(usize::MAX), Err(DeviceError::OutOfMemory { .. })));
        device.release(second);
        let empty = device.allocate(0).unwrap();
        assert_ne!(empty, device.allocate(0).unwrap());
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn kernels() {
        let device = open();
        let facts = device.facts();
        assert_eq!((facts.name.as_str(), facts.capability, facts.processors), ("Fake two", (9, 0), 132));
        assert_eq!((facts.driver.as_str(), facts.compiler.as_str()), ("13.0", "NVRTC 13.0"));
        assert_eq!((facts.bandwidth, facts.cooperative), (1024e9, true));

        let unit = |name: &str, source: &str| Unit { name: name.into(), source: source.into(), block: 512 };
        let kernel = device.compile(&unit("add", "one")).unwrap();
        assert_eq!((&*kernel.name, kernel.blocks_per_processor, kernel.registers), ("add", 4, 32));
        assert!(std::sync::Arc::ptr_eq(&kernel.handle, &device.compile(&unit("add", "one")).unwrap().handle));
        assert_eq!(device.usage().compiled, 1);
        // Another device of a later process finds it on disk.
        let other = open();
        let foreign = other.compile(&unit("add", "one")).unwrap();
        assert_eq!(other.usage().compiled, 0);

        let Err(DeviceError::Compile { kernel: name, log }) = device.compile(&unit("add", "an error")) else {
            panic!("the compiler refuses")
        };
        assert_eq!((name.as_str(), log.as_str()), ("add", "refused by the fake compiler"));
        assert!(matches!(
            device.compile(&unit("missing", "one")),
            Err(DeviceError::Call { call: "cuModuleGetFunction", .. })
        ));
        let wide = Unit { block: 4096, ..unit("add", "one") };
        assert!(device.compile(&wide).unwrap_err().to_string().contains("4096 threads"));

        let block = device.allocate(16).unwrap();
        device.fill(block, 0, 4, 4).unwrap();
        let arguments = [block.0.to_le_bytes(), 16_u64.to_le_bytes()].concat();
        let start = device.mark().unwrap();
        let launch = Launch { grid: 16, block: 512, cooperative: false };
        device.launch(&kernel, launch, &arguments).unwrap();
        device.launch(&kernel, Launch { grid: 528, cooperative: true, ..launch }, &arguments).unwrap();
        let end = device.mark().unwrap();
        assert_eq!(device.usage().launches, 2);
        assert_eq!(device.seconds(&start, &end), Ok(0.002));
        assert_eq!(fetched(&device, block, 16), [2; 16]);

        let refused =
            |kernel, launch, arguments: &[u8]| device.launch(kernel, launch, arguments).unwrap_err().to_string();
        assert!(refused(&kernel, launch, &arguments[..8]).contains("16 bytes of arguments, 8 were given"));
        assert!(
            refused(&kernel, Launch { grid: 529, cooperative: true, ..launch }, &arguments)
                .contains("as the fake driver has it")
        );
        assert!(refused(&foreign, launch, &arguments).contains("another device"));
        // Kernels and marks may outlive their device.
        drop(device);
        drop((kernel, start, end, other));
    }

    fn one() -> Unit {
        Unit { name: "add".into(), source: "one".into(), block: 512 }
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn cold() {
        let device = open();
        device.compile(&one()).unwrap();
        assert_eq!((device.usage().compiled, device.usage().cached), (1, 0));
        let steps: Vec<&str> = device.start_steps().iter().map(|step| step.what).collect();
        assert!(steps.contains(&"cuInit") && steps.contains(&"context and streams"), "{steps:?}");
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn cached() {
        let device = open();
        device.compile(&one()).unwrap();
        device.compile(&Unit { source: "another".into(), ..one() }).unwrap();
        assert_eq!(device.usage().compiled + device.usage().cached, 2);
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn warm() {
        let device = open();
        assert_eq!(device.facts().compiler, "NVRTC 13.0");
        device.compile_ahead(vec![one()]);
        device.compile(&one()).unwrap();
        assert_eq!((device.usage().compiled, device.usage().cached), (0, 1));
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn ahead() {
        let device = open();
        let unit = |number: usize| Unit { source: format!("number {number}"), ..one() };
        let wrong = Unit { source: "an error".into(), ..one() };
        device.compile_ahead((0..20).map(unit).chain([wrong.clone()]).collect());
        // Asked for from the other end, some are made already, some are being made, and some are not begun with.
        for number in (0..25).rev() {
            device.compile(&unit(number)).unwrap();
        }
        assert!(device.compile(&wrong).unwrap_err().to_string().contains("refused by the fake compiler"));
        assert_eq!((device.usage().compiled, device.usage().cached), (25, 0));
        // What was expected and never asked for does not hinder the end of the process.
        device.compile_ahead((100..110).map(unit).collect());
    }

    #[test]
    #[ignore = "needs the fake driver and the real compiler"]
    fn leaving() {
        let device = open();
        let unit = |number: usize| Unit {
            name: format!("kernel{number}"),
            source: format!(
                "#define GW_BLOCK 256\n#include \"priority.cuh\"\n#include \"radix.cuh\"\nextern \"C\" __global__ void kernel{number}() {{}}"
            ),
            block: 256,
        };
        device.compile_ahead((0..100).map(unit).collect());
        // Long enough for the compiler to be in the middle of its work, and not for all of it.
        std::thread::sleep(Duration::from_millis(300));
        std::mem::forget(device);
        println!("1 passed");
        std::process::exit(0);
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn repeats() {
        let device = open();
        let unit = |name: &str| Unit { name: name.into(), source: "one".into(), block: 512 };
        let kernel = device.compile(&unit("repeat")).unwrap();
        let blocks: Vec<Address> = (0..2).map(|_| device.allocate(16).unwrap()).collect();
        let arguments = |block: Address| [block.0.to_le_bytes(), 16_u64.to_le_bytes()].concat();
        let launch = Launch { grid: 16, block: 512, cooperative: true };
        device.fill(blocks[0], 3, 1, 16).unwrap();
        device.fill(blocks[1], 0, 1, 16).unwrap();
        device.launch_while(&kernel, launch, &arguments(blocks[0])).unwrap();
        // The same graph with other arguments, while the launch before has not begun; then another graph.
        device.launch_while(&kernel, launch, &arguments(blocks[1])).unwrap();
        device.launch_while(&kernel, Launch { cooperative: false, ..launch }, &arguments(blocks[1])).unwrap();
        assert_eq!(device.usage().launches, 3);
        assert_eq!(fetched(&device, blocks[0], 16), [5; 16]);
        assert_eq!(fetched(&device, blocks[1], 16), [10; 16]);

        let refused =
            |kernel: &Kernel, arguments: &[u8]| device.launch_while(kernel, launch, arguments).unwrap_err().to_string();
        assert!(refused(&kernel, &[0; 24]).contains("24 bytes of arguments, 32 were given"));
        // A kernel without room for the handle.
        let plain = device.compile(&unit("add")).unwrap();
        assert!(refused(&plain, &[0; 16]).contains("16 bytes of arguments, 24 were given"));
        assert!(refused(&open().compile(&unit("repeat")).unwrap(), &[0; 16]).contains("another device"));
        // What the driver refuses leaves nothing behind: the fake driver stops the test otherwise.
        assert!(refused(&plain, &[0; 8]).contains("as the fake driver has it"));
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn no_repeats() {
        let device = open();
        assert!(!device.facts().repeats);
        let unit = Unit { name: "repeat".into(), source: "one".into(), block: 512 };
        let kernel = device.compile(&unit).unwrap();
        let launch = Launch { grid: 1, block: 512, cooperative: false };
        let Err(DeviceError::Lacking(reason)) = device.launch_while(&kernel, launch, &[0; 16]) else {
            panic!("there are no conditional nodes")
        };
        assert!(reason.contains("12.4 or newer") && reason.contains("of CUDA 12.2"), "{reason}");
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn threads() {
        let device = open();
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let device = &device;
                scope.spawn(move || {
                    for round in 0..20 {
                        let bytes = 1000 << (round % 15);
                        let block = device.allocate(bytes).unwrap();
                        let data = pattern(bytes, thread * 100 + round);
                        device.upload(block, &data).unwrap();
                        assert!(fetched(device, block, bytes) == data, "{thread} {round}");
                        device.release(block);
                    }
                });
            }
        });
    }

    /// A device with an endless kernel under way, a flag that is raised soon, and the word that ends the kernel.
    fn endless(device: &NvidiaDevice) -> (Arc<AtomicBool>, Address) {
        let unit = Unit { name: "forever".into(), source: "one".into(), block: 512 };
        let kernel = device.compile(&unit).unwrap();
        let word = device.allocate(4).unwrap();
        device.fill(word, 0, 4, 1).unwrap();
        device.wait().unwrap();
        let arguments = [word.0.to_le_bytes(), 4_u64.to_le_bytes()].concat();
        device.launch(&kernel, Launch { grid: 1, block: 512, cooperative: false }, &arguments).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&stop);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            raised.store(true, Ordering::Relaxed);
        });
        (stop, word)
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn told() {
        let device = open();
        let start = Instant::now();
        let (stop, word) = endless(&device);
        device.watch(Some(stop), word);
        assert_eq!(device.download(&mut [0; 4], word), Err(DeviceError::Stopped));
        // Not before the run was stopped, and soon after it; a computer that is busy elsewhere takes its time.
        assert!(
            (Duration::from_millis(50)..Duration::from_secs(3)).contains(&start.elapsed()),
            "{:?}",
            start.elapsed()
        );
        // The next run finds the device as usual.
        device.watch(None, Address::default());
        device.fill(word, 7, 4, 1).unwrap();
        assert_eq!(fetched(&device, word, 4), [7, 0, 0, 0]);
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn given_up() {
        let device = open();
        let (stop, word) = endless(&device);
        // No word by which it could be told.
        device.watch(Some(stop), Address::default());
        let start = Instant::now();
        assert_eq!(device.wait(), Err(DeviceError::Stopped));
        assert!((Duration::from_millis(50)..Duration::from_secs(10)).contains(&start.elapsed()));
        let lost = |result: Result<(), DeviceError>| assert_eq!(result, Err(DeviceError::Lost));
        lost(device.wait());
        lost(device.upload(word, &[1]));
        lost(device.download(&mut [0], word));
        lost(device.mark().map(drop));
        lost(device.allocate(8).map(drop));
        device.release(word);
        // Nobody waits for the kernel: the fake driver refuses to destroy a stream while it runs.
        drop(device);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    #[ignore = "needs the fake driver"]
    fn no_device() {
        let Err(DeviceError::Missing(reason)) = NvidiaDevice::open() else { panic!("there is no device") };
        assert!(reason.contains("CUDA_ERROR_NO_DEVICE") && reason.contains("CUDA_VISIBLE_DEVICES"), "{reason}");
        let survey = survey();
        assert!(survey.gpus.is_empty() && survey.driver == Err(DeviceError::Missing(reason)));
        assert_eq!(survey.compiler.map(|found| found.version), Ok((13, 0)));
    }
}
