//! The generator of pseudo-random numbers that Java's library specifies.
//!
//! Belongs here: what must be drawn as Vdbench draws it, since it is the same in each of its runs. Must never appear
//! here: what is drawn for a run's I/O.

/// A linear congruential generator of 48 bits: x' = 25214903917 x + 11.
pub(crate) struct JavaRandom(u64);

const FACTOR: u64 = 25_214_903_917;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self((seed ^ FACTOR) & MASK)
    }

    /// The upper 31 bits of the next state.
    const fn bits(&mut self) -> u64 {
        self.0 = (self.0.wrapping_mul(FACTOR).wrapping_add(11)) & MASK;
        self.0 >> 17
    }

    /// A number below `bound`, which is at least 1 and at most 2^31.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = (bound as u64).clamp(1, 1 << 31);
        if bound.is_power_of_two() {
            return to_index((bound * self.bits()) >> 31);
        }
        loop {
            let bits = self.bits();
            // What is left over above the last whole multiple is drawn again.
            if bits - bits % bound + (bound - 1) < 1 << 31 {
                return to_index(bits % bound);
            }
        }
    }
}

fn to_index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_java() {
        // Printed by Java 17 for new Random(0).nextInt(n).
        let printed = [
            (10, [0, 8, 9, 7, 5]),
            (4, [2, 3, 0, 2, 2]),
            (1000, [360, 948, 29, 447, 515]),
        ];
        for (bound, numbers) in printed {
            let mut draw = JavaRandom::seeded(0);
            let drawn = [(); 5].map(|()| draw.below(bound));
            assert_eq!(drawn, numbers);
        }
    }
}
