//! The kernels compile, and their machine code is what they are named after. Needs NVRTC, no GPU.

use super::*;
use gw_testing::left_out;

/// The architectures whose machine code is looked at.
const ARCHITECTURE: &str = "sm_90";

fn missing_compiler() -> bool {
    match gw_device::nvidia::compiler() {
        Ok(_) => false,
        Err(error) => {
            left_out("NVRTC", error);
            true
        }
    }
}

/// Rows that stand for the others in the usual run: one per trap of the compiler.
const SAMPLE: &[&str] = &["int32 add", "fp32 fma", "fp32 rcp, log2 in turn"];

#[test]
fn arithmetic_kernels_are_pure() {
    if missing_compiler() {
        return;
    }
    let rows = table::ARITHMETIC.iter().filter(|row| gw_testing::is_nightly() || SAMPLE.contains(&row.name));
    let purity = Purity::new(ARCHITECTURE);
    for row in rows {
        let operations = arithmetic::unrolled(row);
        let found = purity.of(&arithmetic::rate_unit(row), row.codes, operations * row.instructions, operations);
        let found = found.unwrap_or_else(|| panic!("{}: {:?}", row.name, purity.complaints()));
        println!("{:24} purity {:.4}, {:.2} instructions", row.name, found.purity, found.instructions);
        if row.instructions > 0 {
            assert!(found.complete && found.purity >= 0.99, "{}: {found:?}", row.name);
        }
    }
    assert_eq!(purity.complaints(), Vec::<String>::new());
}

#[test]
fn memory_kernels_are_pure() {
    if missing_compiler() {
        return;
    }
    let purity = Purity::new(ARCHITECTURE);
    for (unit, code, count) in memories::units() {
        if !gw_testing::is_nightly() && unit.name != "constant_load" && unit.name != "store_dram" {
            continue;
        }
        let found = purity.of(&unit, &[code], count, count).unwrap();
        println!("{:24} purity {:.4}", unit.name, found.purity);
        assert!(found.complete && found.purity >= 0.95, "{}: {found:?}", unit.name);
    }
}

/// A chain of reciprocals is what the compiler undoes: the check must see that.
#[test]
fn the_check_sees_what_the_compiler_removed() {
    if missing_compiler() {
        return;
    }
    let row = table::Row { ptx: "rcp.approx.ftz.f32 A, A;", instructions: 1, name: "rcp", ..copy_of("fp32 exp2") };
    let purity = Purity::new(ARCHITECTURE);
    // Where nothing is left of the loop, there is no loop.
    let found = purity.of(&arithmetic::rate_unit(&row), row.codes, 1024, 1024);
    assert!(found.is_none_or(|found| !found.complete), "{found:?}");
    assert!(purity.complaints()[0].contains("rcp"));
}

fn copy_of(name: &str) -> table::Row {
    let table::Row { name, class, register, ptx, codes, instructions, specified } = *table::row(name);
    table::Row { name, class, register, ptx, codes, instructions, specified }
}

#[test]
fn every_kernel_compiles() {
    if missing_compiler() || !gw_testing::is_nightly() {
        return;
    }
    for unit in units() {
        gw_device::nvidia::compile_only(&unit, ARCHITECTURE).unwrap_or_else(|error| panic!("{error}\n{}", unit.source));
    }
}
