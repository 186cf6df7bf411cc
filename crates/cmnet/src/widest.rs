//! Work in the widest instructions that a machine has.

use multiversion::multiversion;

/// Work that is compiled for several sets of instructions.
///
/// The trap: a closure in its place is called, not inlined, and runs the instructions that every
/// machine has; so does a `call` without `#[inline(always)]`. `cargo xtask bench search` fails then.
pub(crate) trait Work {
    type Output;
    fn call(self) -> Self::Output;
}

/// Does work in the widest instructions that the machine has, chosen at run time. The results are the
/// same on all of them.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+popcnt",
    "x86_64+avx+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
pub(crate) fn widest<W: Work>(work: W) -> W::Output {
    work.call()
}
