//! Mining on an emulated GPU finds what the cores find, with the same basis, and its kernels compile for real ones.
#![cfg(feature = "cuda")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::traces::{InParts, columns, source};
use gw_device::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, Unit, Usage};
use gw_emulator::EmulatedDevice;
use gw_mine::device::{OnDevice, units};
use gw_mine::{InMemory, Invariant, Source, Templates, generate, mine, mine_with};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn device() -> Option<Arc<dyn Device>> {
    Some(Arc::new(EmulatedDevice::new()?))
}

fn on_cores(source: &mut dyn Source, templates: &Templates) -> Vec<Invariant> {
    mine(source, templates).unwrap().invariants
}

/// With the smallest segments, so that several are looked at.
fn on_device(device: &Arc<dyn Device>, source: &mut dyn Source, templates: &Templates) -> Vec<Invariant> {
    let mut checker = OnDevice::new(Arc::clone(device), source).with_segment(16_384);
    mine_with(&mut checker, templates).unwrap().invariants
}

#[test]
fn the_same_is_found_in_any_trace() {
    let Some(device) = device() else { return };
    let cases = gw_testing::usually(16, 400);
    let mut runner = TestRunner::new(Config::with_cases(cases));
    let any = (columns(1500), any::<bool>(), 0_usize..1500, 0_usize..9);
    let tested = runner.run(&any, |((mut booleans, mut numbers), first, at, column)| {
        // Falsified late, or not at all.
        if let Some(column) = booleans.get_mut(column) {
            column[at] = !column[at];
        }
        if let Some(column) = numbers.get_mut(column) {
            column[at] = -column[at] - 3.5;
        }
        let mut source = source(booleans, numbers, 1500);
        let templates = if first { Templates::first() } else { Templates::second() };
        prop_assert_eq!(on_device(&device, &mut source, &templates), on_cores(&mut source, &templates));
        Ok(())
    });
    tested.unwrap_or_else(|problem| panic!("{problem}"));
}

/// Longer than the head, more than a segment, not a multiple of a tile; one part and several; in one of them the last
/// instant alone falsifies.
#[test]
fn segments_and_parts_change_nothing() {
    let Some(device) = device() else { return };
    let planted = generate::planted(50_001, 7, 8, 3);
    let templates = Templates::second();
    let mut last = planted.trace().clone();
    if let gw_mine::Numbers::Single(columns) = &mut last.numbers {
        columns.iter_mut().step_by(2).for_each(|column| column[50_000] = -1000.0);
    }
    last.booleans[2][50_000 / 64] ^= 1 << (50_000 % 64);
    let falsified = InMemory::new(planted.variables().clone(), last);
    for whole in [planted, falsified] {
        let expected = on_cores(&mut whole.clone(), &templates);
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(on_device(&device, &mut whole.clone(), &templates), expected);
        let mut parts = InParts { whole, part: 20_032, at: 0, current: None };
        assert_eq!(on_device(&device, &mut parts, &templates), expected);
    }
}

/// Values at the very border of the tolerance are left to the cores.
#[test]
fn logarithms_and_powers_at_the_border_are_as_on_the_cores() {
    let Some(device) = device() else { return };
    let b: Vec<f64> = (0..1200).map(|i| 0.5 + f64::from(i % 37)).collect();
    let two = vec![2.0; 1200];
    for share in [1e-6, 1e-6 * (1.0 - 1e-15), 1e-6 * (1.0 + 1e-15), 0.9e-6, 1.1e-6] {
        let log: Vec<f64> = b.iter().map(|b| b.ln() * (1.0 + share)).collect();
        let square: Vec<f64> = b.iter().map(|b| b.powf(2.0) / (1.0 - share)).collect();
        let mut source = source(vec![], vec![log, b.clone(), square, two.clone()], 1200);
        let templates = Templates::second();
        let expected = on_cores(&mut source, &templates);
        assert_eq!(on_device(&device, &mut source, &templates), expected, "share {share}");
    }
}

/// A device whose logarithms and powers are off by a few units in the last place, as those of real GPUs may be.
struct Skewed(EmulatedDevice);

impl Device for Skewed {
    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError> {
        let skewed = "static __device__ double skewed(double x) { return x - x == 0.0 ? x * (1.0 + 1.2e-15) : x; }\n";
        let source = unit.source.replace("= log(y)", "= skewed(log(y))").replace("= pow(y, z)", "= skewed(pow(y, z))");
        // Behind the headers that say what a device function is.
        let source = source.replacen("typedef GW_NUMBER Number;", &format!("{skewed}typedef GW_NUMBER Number;"), 1);
        self.0.compile(&Unit { source, ..unit.clone() })
    }
    fn facts(&self) -> &Facts {
        self.0.facts()
    }
    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.0.allocate(bytes)
    }
    fn release(&self, address: Address) {
        self.0.release(address);
    }
    fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.0.free_bytes()
    }
    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError> {
        self.0.upload(to, from)
    }
    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        self.0.download(to, from)
    }
    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError> {
        self.0.copy(to, from, bytes)
    }
    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError> {
        self.0.fill(to, value, bytes, count)
    }
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.0.launch(kernel, launch, arguments)
    }
    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.0.launch_while(kernel, launch, arguments)
    }
    fn wait(&self) -> Result<(), DeviceError> {
        self.0.wait()
    }
    fn mark(&self) -> Result<Mark, DeviceError> {
        self.0.mark()
    }
    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError> {
        self.0.seconds(from, to)
    }
    fn usage(&self) -> Usage {
        self.0.usage()
    }
    fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address) {
        self.0.watch(stop, word);
    }
}

/// Other last bits of a device's library change nothing: what they could decide, the cores decide.
#[test]
fn last_bits_of_a_library_decide_nothing() {
    let Some(emulated) = EmulatedDevice::new() else { return };
    let device: Arc<dyn Device> = Arc::new(Skewed(emulated));
    let b: Vec<f64> = (0..600).map(|i| 0.5 + f64::from(i % 37)).collect();
    let three = vec![3.0; 600];
    for tolerance in [0.0, 1e-15, 1e-6] {
        for share in [0.0, 1e-15, 1e-6, 1e-6 * (1.0 + 1e-15), 2e-6] {
            let log: Vec<f64> = b.iter().map(|b| b.ln() * (1.0 + share)).collect();
            let cube: Vec<f64> = b.iter().map(|b| b.powf(3.0) * (1.0 - share)).collect();
            let mut source = source(vec![], vec![log, b.clone(), cube, three.clone()], 600);
            let templates = Templates { tolerance, ..Templates::second() };
            let expected = on_cores(&mut source, &templates);
            let mut checker = OnDevice::new(Arc::clone(&device), &mut source);
            assert_eq!(mine_with(&mut checker, &templates).unwrap().invariants, expected, "{tolerance} {share}");
            // What the skewed library says about equal numbers is never believed.
            assert!(share > 0.0 || tolerance > 1e-15 || checker.used().rechecked >= 2);
        }
    }
}

/// Noise dies in the first instants: whole columns are never sent.
#[test]
fn columns_are_sent_only_when_somebody_asks() {
    let Some(device) = device() else { return };
    let mut noise = generate::noise(100_000, 4, 4, 5);
    let mut checker = OnDevice::new(Arc::clone(&device), &mut noise);
    assert!(mine_with(&mut checker, &Templates::second()).unwrap().invariants.is_empty());
    assert!(checker.used().sent_bytes < 100_000, "{:?}", checker.used());
    // The second time everything is there.
    let mut planted = generate::planted(40_000, 4, 4, 5);
    let mut checker = OnDevice::new(device, &mut planted);
    let first = mine_with(&mut checker, &Templates::second()).unwrap().invariants;
    let sent = checker.used().sent_bytes;
    assert_eq!(mine_with(&mut checker, &Templates::second()).unwrap().invariants, first);
    assert!(sent > 4 * 40_000 * 4 && checker.used().sent_bytes < sent / 2, "{sent}");
}

/// A device too small for all segments at once gives the old ones up; one too small for a segment is an error.
#[test]
fn little_memory_is_enough_or_told() {
    let Some(large) = device() else { return };
    let templates = Templates::second();
    let mut planted = generate::planted(70_000, 4, 6, 5);
    let expected = on_device(&large, &mut planted, &templates);
    let small: Arc<dyn Device> = Arc::new(EmulatedDevice::new().unwrap().with_memory(1_500_000));
    assert_eq!(on_device(&small, &mut planted, &templates), expected);
    let tiny: Arc<dyn Device> = Arc::new(EmulatedDevice::new().unwrap().with_memory(100_000));
    let error = mine_with(&mut OnDevice::new(tiny, &mut planted), &templates).unwrap_err();
    assert!(error.to_string().contains("bytes of device memory are needed"), "{error}");
}

#[test]
fn kernels_compile_for_gpus() {
    if let Err(reason) = gw_device::nvidia::compiler() {
        gw_testing::left_out("NVRTC", reason.to_string());
        return;
    }
    for unit in units() {
        for architecture in ["sm_90", "sm_80"] {
            gw_device::nvidia::compile_only(&unit, architecture)
                .unwrap_or_else(|error| panic!("{}: {error}", unit.name));
        }
    }
}
