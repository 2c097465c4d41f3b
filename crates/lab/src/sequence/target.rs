//! The machines of sequences by their names: `reference`, `cpu`, `flow:3`, ...

use std::sync::OnceLock;

use graphwright::machine::{Flow, Machine, MachineKind, MachineOptions, Machines};

/// Workers of the distributed machine that sequences use.
const WORKERS: std::ops::RangeInclusive<usize> = 1..=4;

/// A machine by name.
pub struct Target {
    name: String,
    open: Box<dyn Fn() -> Result<Machine, String> + Send + Sync>,
}

/// The machines that sequences may name.
#[derive(Default)]
pub struct Targets(Vec<Target>);

impl Targets {
    /// The standard machines, each opened when it is first named. Of the distributed machine there are four, with 1 to
    /// 4 workers. A sequence gets a machine of its own, so that it can be repeated alone; a GPU is opened once.
    pub fn standard(threads: usize) -> Targets {
        let mut targets = Targets::default();
        for kind in ["reference", "cpu", "swarm"] {
            let open = move || Machines::standard().open(kind, &MachineOptions { threads });
            targets.add(kind, move || open().map_err(|error| error.to_string()));
        }
        for workers in WORKERS {
            targets.add(&format!("flow:{workers}"), move || {
                let flow = Flow::with_workers(workers).map_err(|error| error.to_string())?;
                flow.open(&MachineOptions { threads }).map_err(|error| error.to_string())
            });
        }
        let cuda: OnceLock<Result<Machine, String>> = OnceLock::new();
        targets.add("cuda", move || {
            let open = || Machines::standard().open("cuda", &MachineOptions { threads });
            cuda.get_or_init(|| open().map_err(|error| error.to_string())).clone()
        });
        targets
    }

    /// Adds a machine; it replaces one of the same name.
    pub fn add(&mut self, name: &str, open: impl Fn() -> Result<Machine, String> + Send + Sync + 'static) {
        self.0.retain(|known| known.name != name);
        self.0.push(Target { name: name.to_string(), open: Box::new(open) });
    }

    /// The names of the machines that are one of this name, or have it before a colon: `flow` stands for all workers.
    pub fn of(&self, name: &str) -> Vec<String> {
        let names = self.0.iter().map(|target| &target.name);
        names.filter(|known| known.split(':').next() == Some(name) || *known == name).cloned().collect()
    }

    /// Opens a machine.
    pub fn open(&self, name: &str) -> Result<Machine, String> {
        let target = self.0.iter().find(|target| target.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|target| &*target.name).collect();
            format!("there is no machine `{name}` for sequences; machines: {}", known.join(", "))
        })?;
        (target.open)()
    }
}
