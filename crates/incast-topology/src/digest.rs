//! A digest for tests that compare long tables with those of another simulator.

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923).
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The published value for one byte: "a".
#[test]
fn fnv1a_is_as_published() {
    assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
}
