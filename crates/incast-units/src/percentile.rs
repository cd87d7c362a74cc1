//! The rank of a percentile among sorted values: one definition for all results.

/// The index of a percentile, in thousandths, among `count` sorted values, counted from 0, which is
/// min(n − 1, ⌊n·p⌋). A percentile is therefore always one of the values, and p50 of two values is
/// the larger. The HPCC artifact's analysis defines percentiles in the same way. `None` if there
/// are no values.
///
/// ```
/// use incast_units::percentile_index;
///
/// assert_eq!(percentile_index(1000, 990), Some(990));
/// assert_eq!(percentile_index(10, 999), Some(9));
/// // 0.57 · 100 is 56.99… in binary; thousandths are exact.
/// assert_eq!(percentile_index(100, 570), Some(57));
/// assert_eq!(percentile_index(1, 999), Some(0));
/// assert_eq!(percentile_index(0, 500), None);
/// ```
pub fn percentile_index(count: u64, permille: u64) -> Option<u64> {
    let last = count.checked_sub(1)?;
    let index = u128::from(count) * u128::from(permille) / 1000;
    Some(last.min(index as u64))
}
