//! From a unit to machine code: options, headers, NVRTC, and the cache of what was compiled before.

use super::cache::{Cache, Hash};
use super::driver::Version;
use super::known::Known;
use super::nvrtc::Nvrtc;
use crate::headers::HEADERS;
use crate::{DeviceError, Unit};

/// Options besides the architecture.
///
/// No fast mathematics, and products are not contracted into sums (`fmad`): results are those of the other machines,
/// operation by operation. Graph kernels wait for memory, not for multipliers. Line information costs nothing at run
/// time and lets `compute-sanitizer` and `ncu` show the source.
const OPTIONS: &[&str] = &[
    "--std=c++17",
    "--device-as-default-execution-space",
    "--extra-device-vectorization",
    "--generate-line-info",
    "--fmad=false",
];

/// Compiles for one architecture. NVRTC is loaded when something is first compiled.
pub(super) struct Compiler {
    known: Known,
    options: Vec<String>,
    /// The hash of everything that all units share.
    shared: Hash,
    cache: Cache,
    driver: Version,
}

impl Compiler {
    /// A compiler for an architecture such as `sm_90` and a driver of this version.
    pub fn new(known: Known, architecture: &str, cache: Cache, driver: Version) -> Compiler {
        let mut options = vec![format!("--gpu-architecture={architecture}")];
        options.extend(OPTIONS.iter().map(|option| option.to_string()));
        let shared = shared(known.version, &options);
        Compiler { known, options, shared, cache, driver }
    }

    /// The version, for people.
    pub fn version(&self) -> String {
        let (major, minor) = self.known.version;
        format!("NVRTC {major}.{minor}")
    }

    /// Whether the machine code of a unit is in the cache, as far as the name of a file tells.
    pub fn is_cached(&self, unit: &Unit) -> bool {
        self.cache.has(key(self.shared, unit))
    }

    /// The machine code of a unit, and whether it had to be compiled.
    pub fn cubin(&self, unit: &Unit) -> Result<(Vec<u8>, bool), DeviceError> {
        if let Some(cubin) = self.cache.get(key(self.shared, unit)) {
            return Ok((cubin, false));
        }
        let nvrtc = Nvrtc::get()?;
        let cubin = self.compile(nvrtc, unit)?;
        // Where another compiler than the noted one was found, the kernel is kept as its work.
        let loaded = Known::of(nvrtc);
        if loaded != self.known {
            loaded.note(&self.cache, self.driver);
        }
        self.cache.put(key(shared(loaded.version, &self.options), unit), &cubin);
        Ok((cubin, true))
    }

    fn compile(&self, nvrtc: &Nvrtc, unit: &Unit) -> Result<Vec<u8>, DeviceError> {
        nvrtc.compile(&unit.name, &unit.source, HEADERS, &self.options)
    }
}

/// The hash of everything that all units share.
fn shared(version: Version, options: &[String]) -> Hash {
    let (major, minor) = version;
    let shared = Hash::new().with(format!("NVRTC {major}.{minor}").as_bytes());
    let shared = options.iter().fold(shared, |hash, option| hash.with(option.as_bytes()));
    let with_header = |hash: Hash, (name, text): &(&str, &str)| hash.with(name.as_bytes()).with(text.as_bytes());
    HEADERS.iter().fold(shared, with_header)
}

/// The key of a unit in the cache.
fn key(shared: Hash, unit: &Unit) -> Hash {
    shared.with(unit.name.as_bytes()).with(unit.source.as_bytes())
}

/// Compiles a unit for an architecture such as `sm_90`. Needs NVRTC but no GPU, and leaves the cache alone.
///
/// ```no_run
/// use gw_device::Unit;
/// let source = "extern \"C\" __global__ void nothing() {}".to_string();
/// let unit = Unit { name: "nothing".to_string(), source, block: 256 };
/// let cubin = gw_device::nvidia::compile_only(&unit, "sm_90")?;
/// # Ok::<(), gw_device::DeviceError>(())
/// ```
pub fn compile_only(unit: &Unit, architecture: &str) -> Result<Vec<u8>, DeviceError> {
    let nvrtc = Nvrtc::get()?;
    Compiler::new(Known::of(nvrtc), architecture, Cache::none(), (0, 0)).compile(nvrtc, unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compiler, or a visible word that the test did not run. With `GW_NVRTC` set it must be there.
    fn nvrtc() -> Option<&'static Nvrtc> {
        match Nvrtc::get() {
            Ok(nvrtc) => Some(nvrtc),
            Err(error) if std::env::var_os("GW_NVRTC").is_none() => {
                eprintln!("not tested: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn unit(body: &str) -> Unit {
        let source = format!(
            "struct Arguments {{ unsigned long long count; float* values; }};\n\
             float twice(float x) {{ return x + x; }}\n\
             extern \"C\" __global__ void scale(const __grid_constant__ Arguments a) {{\n    {body}\n}}\n"
        );
        Unit { name: "scale".to_string(), source, block: 256 }
    }

    const GOOD: &str =
        "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < a.count) a.values[i] = twice(a.values[i]);";

    #[test]
    fn units_compile_without_a_gpu() {
        let Some(_) = nvrtc() else { return };
        for architecture in ["sm_80", "sm_90"] {
            let cubin = compile_only(&unit(GOOD), architecture).unwrap();
            assert_eq!(&cubin[..4], b"\x7fELF", "{architecture}");
        }
        // The file and line of an error are those of the unit.
        let Err(DeviceError::Compile { kernel, log }) = compile_only(&unit("a.values[0] = missing;"), "sm_90") else {
            panic!("an error is expected")
        };
        assert_eq!(kernel, "scale");
        assert!(log.contains("scale.cu(4): error: identifier \"missing\" is undefined"), "{log}");
        let unknown = compile_only(&unit(GOOD), "sm_1").unwrap_err().to_string();
        assert!(unknown.contains("gpu-architecture"), "{unknown}");
        let zero = compile_only(&unit("\0"), "sm_90").unwrap_err().to_string();
        assert!(zero.contains("zero byte"), "{zero}");
    }

    #[test]
    fn a_product_and_a_sum_are_rounded_twice() {
        let Some(_) = nvrtc() else { return };
        let cubin = compile_only(&unit("a.values[0] = a.values[1] * a.values[2] + a.values[3];"), "sm_90").unwrap();
        let contracted =
            compile_only(&unit("a.values[0] = __fmaf_rn(a.values[1], a.values[2], a.values[3]);"), "sm_90").unwrap();
        // One instruction more, so other code: where products were contracted, both would be the same.
        assert_ne!(text_section(&cubin), text_section(&contracted));
    }

    /// The bytes of the section with the kernel's code in an ELF file.
    fn text_section(elf: &[u8]) -> Vec<u8> {
        let number = |at: usize, bytes: usize| elf[at..at + bytes].iter().rev().fold(0, |n, &b| n << 8 | b as usize);
        let (table, size, count, names) = (number(40, 8), number(58, 2), number(60, 2), number(62, 2));
        let field = |section: usize, at: usize| number(table + section * size + at, 8);
        let names = field(names, 24);
        let is_text = |&section: &usize| {
            let name = names + number(table + section * size, 4);
            elf[name..].starts_with(b".text.scale\0")
        };
        let text = (0..count).find(is_text).expect("the kernel has code");
        elf[field(text, 24)..field(text, 24) + field(text, 32)].to_vec()
    }

    #[test]
    fn a_warm_start_compiles_nothing() {
        let Some(nvrtc) = nvrtc() else { return };
        let folder = tempfile::tempdir().unwrap();
        let compiler = |architecture| Compiler::new(Known::of(nvrtc), architecture, Cache::at(folder.path()), (13, 0));
        let (cold, compiled) = compiler("sm_90").cubin(&unit(GOOD)).unwrap();
        assert!(compiled);
        assert_eq!(compiler("sm_90").cubin(&unit(GOOD)).unwrap(), (cold.clone(), false));
        // Another architecture or source is another kernel.
        assert!(compiler("sm_80").cubin(&unit(GOOD)).unwrap().1);
        assert!(compiler("sm_90").cubin(&unit("")).unwrap().1);
        // A damaged file is made again, and stays.
        for entry in folder.path().read_dir().unwrap().flatten() {
            std::fs::write(entry.path(), "damaged").unwrap();
        }
        assert!(compiler("sm_90").cubin(&unit(GOOD)).unwrap().1);
        assert_eq!(compiler("sm_90").cubin(&unit(GOOD)).unwrap(), (cold, false));
        assert!(compiler("sm_90").version().starts_with("NVRTC "));
    }
}
