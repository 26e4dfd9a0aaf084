//! The few functions of OpenSSL's EVP that are measured.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

#[link(name = "crypto")]
unsafe extern "C" {
    fn EVP_MD_fetch(library: *mut c_void, name: *const c_char, properties: *const c_char) -> *mut c_void;
    fn EVP_MD_CTX_new() -> *mut c_void;
    fn EVP_DigestInit_ex(context: *mut c_void, digest: *const c_void, engine: *mut c_void) -> c_int;
    fn EVP_DigestUpdate(context: *mut c_void, data: *const c_void, bytes: usize) -> c_int;
    fn EVP_DigestFinal_ex(context: *mut c_void, digest: *mut u8, bytes: *mut c_uint) -> c_int;
    fn OSSL_PROVIDER_load(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn OpenSSL_version(kind: c_int) -> *const c_char;
}

/// One algorithm with a context that is used again for each message. Lives as long as the process.
pub(crate) struct OpenSsl {
    context: *mut c_void,
    digest: *mut c_void,
}

impl OpenSsl {
    /// `None` when OpenSSL has no such algorithm.
    pub(crate) fn new(name: &str) -> Option<OpenSsl> {
        let name = CString::new(name).ok()?;
        // SAFETY: names are C strings; null stands for the default library and properties.
        unsafe {
            OSSL_PROVIDER_load(ptr::null_mut(), c"default".as_ptr());
            OSSL_PROVIDER_load(ptr::null_mut(), c"legacy".as_ptr());
            let digest = EVP_MD_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
            (!digest.is_null()).then(|| OpenSsl { context: EVP_MD_CTX_new(), digest })
        }
    }

    pub(crate) fn digest(&mut self, message: &[u8]) -> [u8; 64] {
        let mut bytes = [0; 64];
        // SAFETY: context and digest come from OpenSSL; the longest digest of EVP has 64 bytes.
        let done = unsafe {
            EVP_DigestInit_ex(self.context, self.digest, ptr::null_mut())
                & EVP_DigestUpdate(self.context, message.as_ptr().cast(), message.len())
                & EVP_DigestFinal_ex(self.context, bytes.as_mut_ptr(), ptr::null_mut())
        };
        assert_eq!(done, 1);
        bytes
    }
}

pub(crate) fn version() -> String {
    // SAFETY: returns a static C string.
    unsafe { std::ffi::CStr::from_ptr(OpenSSL_version(0)) }.to_string_lossy().into_owned()
}
