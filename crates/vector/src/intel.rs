//! Whether the CPU is one of Intel's.

use std::sync::LazyLock;

/// True on CPUs of Intel, whose vector and SHA units differ so much from AMD's that other kernels win.
pub fn is_intel() -> bool {
    // Asked once: in a virtual machine the instruction takes microseconds.
    static IS_INTEL: LazyLock<bool> = LazyLock::new(|| {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let vendor = std::arch::x86_64::__cpuid(0);
            [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        false
    });
    *IS_INTEL
}
