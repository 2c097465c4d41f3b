//! Where the time of a run goes, and what is compiled before it is asked for: on an emulated GPU, and for comparison on
//! the CPU.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use graphwright::results::Parts;
use graphwright::{Graph, Machine, Program};
use gw_cuda::CudaVm;
use gw_device::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, Unit, Usage};
use gw_emulator::EmulatedDevice;

/// Runs a program and returns its parts with the time that passed.
fn timed(program: &str, graph: &Graph, machine: &Machine) -> (Parts, f64) {
    let program = Program::find(program).unwrap();
    let start = Instant::now();
    let mut job = program.on(graph).machine(machine);
    if program.name() == "sssp-delta" {
        job = job.arg("delta", 4);
    }
    let outcome = job.run().unwrap_or_else(|e| panic!("{e}"));
    let whole = start.elapsed().as_secs_f64();
    outcome.verify().unwrap_or_else(|e| panic!("{e}"));
    (outcome.parts, whole)
}

#[test]
fn parts_of_a_run_do_not_overlap() {
    let graph = Graph::open("kron:7:weights=1..9").unwrap();
    let check = |program: &str, machine: &Machine| {
        // Other processes may take the processor between the parts.
        let runs: Vec<_> = (0..4).map(|_| timed(program, &graph, machine)).collect();
        for (parts, whole) in &runs {
            assert!(parts.sum() <= *whole, "{program} on {}: {parts:?} in {whole} s", machine.name());
        }
        let is_explained = |(parts, whole): &(Parts, f64)| parts.sum() > 0.5 * whole;
        assert!(runs.iter().any(is_explained), "{program} on {}: {runs:?}", machine.name());
        let parts = runs.into_iter().map(|(parts, _)| parts).next().unwrap_or_default();
        assert!(parts.compile > 0.0 && parts.run > 0.0, "{parts:?}");
        parts
    };
    for program in ["bfs", "sssp-delta", "pagerank"] {
        let parts = check(program, &Machine::open("cpu").unwrap());
        assert_eq!(parts.to_device, 0.0);
        let Some(device) = EmulatedDevice::new() else { return };
        let parts = check(program, &Machine::new(CudaVm::on(Arc::new(device)), 1));
        assert!(parts.to_device > 0.0 && parts.results_back > 0.0, "{parts:?}");
    }
}

/// An emulated device that notes which kernels were expected, and which were asked for.
struct Noting {
    device: EmulatedDevice,
    expected: Mutex<HashSet<Unit>>,
    asked: Mutex<HashSet<Unit>>,
}

impl Device for Noting {
    fn facts(&self) -> &Facts {
        self.device.facts()
    }
    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.device.allocate(bytes)
    }
    fn release(&self, address: Address) {
        self.device.release(address);
    }
    fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.device.free_bytes()
    }
    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError> {
        self.device.upload(to, from)
    }
    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        self.device.download(to, from)
    }
    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError> {
        self.device.copy(to, from, bytes)
    }
    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError> {
        self.device.fill(to, value, bytes, count)
    }
    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError> {
        self.asked.lock().unwrap().insert(unit.clone());
        self.device.compile(unit)
    }
    fn compile_ahead(&self, units: Vec<Unit>) {
        self.expected.lock().unwrap().extend(units);
    }
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.device.launch(kernel, launch, arguments)
    }
    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        self.device.launch_while(kernel, launch, arguments)
    }
    fn wait(&self) -> Result<(), DeviceError> {
        self.device.wait()
    }
    fn mark(&self) -> Result<Mark, DeviceError> {
        self.device.mark()
    }
    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError> {
        self.device.seconds(from, to)
    }
    fn usage(&self) -> Usage {
        self.device.usage()
    }
    fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address) {
        self.device.watch(stop, word);
    }
}

#[test]
fn the_kernels_of_a_run_are_expected() {
    for (program, graph) in [
        ("bfs", "kron:6"),
        ("sssp-delta", "kron:6:weights=1..9"),
        ("sssp-delta", "road:6x6:weights=1..9"),
        ("pagerank", "kron:6"),
        ("cc-fast", "kron:6"),
        ("tc", "kron:6"),
    ] {
        let Some(device) = EmulatedDevice::new() else { return };
        let noting = Arc::new(Noting { device, expected: Mutex::default(), asked: Mutex::default() });
        let machine = Machine::new(CudaVm::on(Arc::clone(&noting) as Arc<dyn Device>), 1);
        timed(program, &Graph::open(graph).unwrap(), &machine);
        let (expected, asked) = (noting.expected.lock().unwrap(), noting.asked.lock().unwrap());
        let names = |units: &mut dyn Iterator<Item = &Unit>| units.map(|u| u.name.clone()).collect::<Vec<_>>();
        // Sums, degrees and queues are kernels of their own, which no operator of the program needs.
        let own: HashSet<Unit> = gw_cuda::own_kernels().into_iter().collect();
        let missed = names(&mut asked.difference(&expected).filter(|unit| !own.contains(unit)));
        assert!(missed.is_empty(), "{program} on {graph}: {missed:?}");
        // The last operator of sssp-delta runs only where a path was too long for the type of the weights.
        let is_rare = |unit: &&Unit| program == "sssp-delta" && unit.name == "operator_op1";
        let in_vain = names(&mut expected.difference(&asked).filter(|unit| !is_rare(unit)));
        assert!(in_vain.is_empty(), "{program} on {graph}: {in_vain:?}");
    }
}

#[test]
fn a_graph_that_never_fits_is_refused_with_numbers() {
    let Some(device) = EmulatedDevice::new() else { return };
    let graph = Graph::open("kron:7").unwrap();
    let bytes = graph.out().bytes();
    let machine = Machine::new(CudaVm::on(Arc::new(device.with_memory(bytes as u64))), 1);
    let before = machine.vm().usage().unwrap();
    let error = Program::find("bfs").unwrap().on(&graph).machine(&machine).run().unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    let text = error.to_string();
    // The lists fill the device, so that the vector of parents does not fit any more.
    let size = |bytes: usize| gw_graph::memory::human_bytes(bytes as u128);
    let lists = format!("graph {}, vectors {}", size(bytes), size(4 * graph.vertices()));
    assert!(text.contains(&lists) && text.contains(&format!("which has {}", size(bytes))), "{text}");
    // Nothing was sent or compiled for a run that cannot be.
    assert_eq!(machine.vm().usage().unwrap(), before);
}
