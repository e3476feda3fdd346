//! Which neighbouring samples of a stage are one where it is held coarser than it was measured.
//!
//! Belongs here: numbers of groups. Must never: hold or join a sample.

/// The first sample of the group that sample `number` of a stage is joined into, where an interval is `cuts` samples.
pub(crate) const fn first_of(number: u64, level: u32, cuts: u64) -> u64 {
    match level {
        0 => number,
        _ if cuts > 1 => ((number / cuts) >> (level - 1) << (level - 1)) * cuts,
        _ => number >> level << level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_an_interval_are_joined_first() {
        for number in 0..100 {
            assert_eq!(first_of(number, 0, 10), number);
            assert_eq!(first_of(number, 1, 10), number / 10 * 10);
            assert_eq!(first_of(number, 3, 10), number / 40 * 40);
            assert_eq!(first_of(number, 3, 1), number / 8 * 8);
        }
    }
}
