//! Counters from a table of Nsight Compute: `ncu --csv --page raw --metrics ... --log-file FILE PROGRAM`.
//!
//! A row per kernel launch, below a row of names and one of units. Lines that begin with `==` are messages of the
//! profiler. Numbers have commas between thousands.

use crate::counters::{Compiled, Counters, Device, Events, Launch};
use crate::error::CriteriaError;

/// The metrics to ask for; every name was confirmed on an H200 with ncu 2025.3. Events may be left out, and the
/// criteria that need them are unknown then.
pub const METRICS: &[&str] = &[
    "gpu__time_duration.sum",
    "launch__block_size",
    "launch__grid_size",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_driver",
    "device__attribute_multiprocessor_count",
    "device__attribute_max_threads_per_multiprocessor",
    "device__attribute_max_blocks_per_multiprocessor",
    "device__attribute_max_registers_per_multiprocessor",
    "device__attribute_max_shared_memory_per_multiprocessor",
    "sm__warps_active.avg.per_cycle_active",
    "sm__cycles_active.avg",
    "sm__cycles_active.max",
    "sm__cycles_elapsed.max",
    "smsp__warp_issue_stalled_barrier_per_warp_active.pct",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "dram__bytes.sum",
    "dram__bytes.sum.pct_of_peak_sustained_elapsed",
];

/// A kernel launch of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// Name of the kernel, without its parameters.
    pub name: String,
    /// What is known of it.
    pub counters: Counters,
}

/// All kernels of the table, in the order of their launches.
pub fn read_ncu(text: &str) -> Result<Vec<Profiled>, CriteriaError> {
    let mut skipped = 0;
    let table: String = text
        .split_inclusive('\n')
        .skip_while(|line| {
            let head = line.contains("\"Kernel Name\"");
            skipped += u64::from(!head);
            !head
        })
        .filter(|line| !line.starts_with("=="))
        .collect();
    if table.is_empty() {
        return Err(CriteriaError::NoTable);
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table.as_bytes());
    let csv = |error: csv::Error| {
        let line = error.position().map_or(0, csv::Position::line) + skipped;
        CriteriaError::Csv { line, message: error.to_string() }
    };
    let heads = reader.headers().map_err(csv)?.clone();
    let mut kernels = Vec::new();
    let mut units = csv::StringRecord::new();
    for (number, record) in reader.records().enumerate() {
        let cells = record.map_err(csv)?;
        if number == 0 && cells.get(0).is_none_or(|id| id.trim().is_empty()) {
            units = cells;
            continue;
        }
        let line = cells.position().map_or(0, csv::Position::line) + skipped;
        let row = Row { heads: &heads, units: &units, cells: &cells, line, kernel: kernels.len() };
        kernels.push(row.kernel()?);
    }
    if kernels.is_empty() { Err(CriteriaError::NoKernels) } else { Ok(kernels) }
}

/// A row with what is needed to read it.
struct Row<'a> {
    heads: &'a csv::StringRecord,
    units: &'a csv::StringRecord,
    cells: &'a csv::StringRecord,
    line: u64,
    kernel: usize,
}

impl Row<'_> {
    fn column(&self, name: &str) -> Option<usize> {
        self.heads.iter().position(|head| head == name)
    }

    /// The number in a column, in units without a prefix; `None` where the column is missing or holds no number by
    /// intention (`n/a`).
    fn value(&self, name: &str) -> Result<Option<f64>, CriteriaError> {
        let Some(column) = self.column(name) else { return Ok(None) };
        let text = self.cells.get(column).unwrap_or_default().trim();
        if text.is_empty() || text.contains("n/a") || text.eq_ignore_ascii_case("nan") {
            return Ok(None);
        }
        let number: f64 = text.replace(',', "").parse().map_err(|_| CriteriaError::Value {
            line: self.line,
            column: name.to_string(),
            value: text.to_string(),
        })?;
        let factor = match self.units.get(column).unwrap_or_default() {
            "%" => 0.01,
            "ns" | "nsecond" => 1e-9,
            "us" | "usecond" => 1e-6,
            "ms" | "msecond" => 1e-3,
            unit if unit.starts_with("Kbyte") => 1e3,
            unit if unit.starts_with("Mbyte") => 1e6,
            unit if unit.starts_with("Gbyte") => 1e9,
            _ => 1.0,
        };
        Ok(Some(number * factor))
    }

    fn needed(&self, metric: &'static str) -> Result<f64, CriteriaError> {
        self.value(metric)?.ok_or(CriteriaError::Missing { kernel: self.kernel, metric })
    }

    fn kernel(&self) -> Result<Profiled, CriteriaError> {
        let name = self.column("Kernel Name").and_then(|c| self.cells.get(c)).unwrap_or_default();
        let device = Device {
            processors: self.needed("device__attribute_multiprocessor_count")? as u32,
            threads_per_processor: self.needed("device__attribute_max_threads_per_multiprocessor")? as u32,
            blocks_per_processor: self.needed("device__attribute_max_blocks_per_multiprocessor")? as u32,
            registers_per_processor: self.needed("device__attribute_max_registers_per_multiprocessor")? as u32,
            // 256 per warp on every device of capability 3.0 and above; no metric tells it.
            register_granularity: 256,
            shared_per_processor: self.needed("device__attribute_max_shared_memory_per_multiprocessor")? as u64,
            shared_reserved: self.value("launch__shared_mem_per_block_driver")?.unwrap_or(0.0) as u64,
        };
        let launch = Launch {
            block: self.needed("launch__block_size")? as u32,
            grid: self.needed("launch__grid_size")? as u64,
            dynamic_shared: self.value("launch__shared_mem_per_block_dynamic")?.unwrap_or(0.0) as u64,
        };
        let compiled = Compiled {
            registers: self.needed("launch__registers_per_thread")? as u32,
            static_shared: self.value("launch__shared_mem_per_block_static")?.unwrap_or(0.0) as u64,
        };
        let uses_shared = compiled.static_shared > 0 || launch.dynamic_shared > 0;
        Ok(Profiled {
            name: short(name).to_string(),
            counters: Counters { events: self.events(uses_shared)?, device, launch, compiled },
        })
    }

    fn events(&self, uses_shared: bool) -> Result<Events, CriteriaError> {
        let both = |loads: &str, stores: &str| -> Result<Option<f64>, CriteriaError> {
            Ok(self.value(loads)?.zip(self.value(stores)?).map(|(a, b)| a + b))
        };
        // Bytes per sector times sectors, of loads and of stores.
        let useful = |kind: &str| -> Result<Option<f64>, CriteriaError> {
            let per_sector = format!("smsp__sass_average_data_bytes_per_sector_mem_global_op_{kind}.ratio");
            let sectors = format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum");
            Ok(self.value(&per_sector)?.zip(self.value(&sectors)?).map(|(a, b)| a * b))
        };
        let pipe = |name: &str| self.value(&format!("sm__inst_executed_pipe_{name}.avg.pct_of_peak_sustained_active"));
        let shared = |name: &str| Ok::<_, CriteriaError>(self.value(name)?.filter(|_| uses_shared));
        let (alu, fma) = (pipe("alu")?, pipe("fma")?);
        Ok(Events {
            seconds: self.value("gpu__time_duration.sum")?,
            active_cycles_mean: self.value("sm__cycles_active.avg")?,
            active_cycles_max: self.value("sm__cycles_active.max")?,
            elapsed_cycles: self.value("sm__cycles_elapsed.max")?,
            warps_per_active_cycle: self.value("sm__warps_active.avg.per_cycle_active")?,
            barrier_stalls: self.value("smsp__warp_issue_stalled_barrier_per_warp_active.pct")?,
            // Lanes that a predicate switched off do no work; the first metric leaves them out, where it was asked for.
            lanes_per_instruction: match self.value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")? {
                Some(lanes) => Some(lanes),
                None => self.value("smsp__thread_inst_executed_per_inst_executed.ratio")?,
            },
            useful_bytes: useful("ld")?.zip(useful("st")?).map(|(a, b)| a + b),
            l1_requests: both(
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
            )?,
            l2_sectors: self.value("lts__t_sectors_srcunit_tex.sum")?,
            shared_ideal: shared("smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct")?,
            shared_wavefronts: shared("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")?,
            arithmetic: alu.map_or(fma, |alu| Some(fma.map_or(alu, |fma| fma.max(alu)))),
            load_store: pipe("lsu")?,
            dram_bytes: self.value("dram__bytes.sum")?,
            dram_share: self.value("dram__bytes.sum.pct_of_peak_sustained_elapsed")?,
        })
    }
}

/// `void scan<4>(const int *)` is `scan<4>`.
fn short(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    // The parameters are the last pair of parentheses of depth 0.
    let (mut depth, mut end) = (0, name.len());
    for (at, letter) in name.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    end = at;
                    break;
                }
            }
            _ => {}
        }
    }
    name[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_parameters() {
        assert_eq!(short("void scan<(int)4>(const unsigned int *, int)"), "scan<(int)4>");
        assert_eq!(short("operator_1(Arguments)"), "operator_1");
        assert_eq!(short("plain"), "plain");
    }

    #[test]
    fn what_is_no_table_is_told() {
        assert!(read_ncu("==ERROR== no permission\n").unwrap_err().to_string().contains("ncu --csv"));
        let empty = "\"ID\",\"Kernel Name\"\n\"\",\"\"\n";
        assert!(matches!(read_ncu(empty), Err(CriteriaError::NoKernels)));
        let missing = "==PROF== x\n\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\",\"k()\"\n";
        let message = read_ncu(missing).unwrap_err().to_string();
        assert!(message.contains("device__attribute_multiprocessor_count"), "{message}");
    }
}
