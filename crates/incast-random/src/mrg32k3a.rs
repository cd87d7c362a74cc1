//! MRG32k3a, the generator of ns-3, cut into streams.
//!
//! L'Ecuyer, Simard, Chen, Kelton: "An object-oriented random-number package with many long
//! streams and substreams", Operations Research 50 (2002). Two recurrences of order three,
//!
//! ```text
//! x ← (1 403 580·x₁ − 810 728·x₀) mod m₁,   m₁ = 2³² − 209
//! y ← (527 612·y₂ − 1 370 589·y₀) mod m₂,   m₂ = 2³² − 22 853
//! u = ((x − y) mod m₁) / (m₁ + 1), where 0 counts as m₁
//! ```
//!
//! Streams begin 2¹²⁷ steps apart, their substreams 2⁷⁶ steps. ns-3 takes a new stream for every
//! number where a `UniformVariable` is made for each draw. It then sees the first number of each
//! stream in turn.

/// A sequence of streams; the first number of each is drawn in turn.
#[derive(Clone, Debug)]
pub struct Mrg32k3aStreams {
    /// The state at the start of the next stream.
    x: [u64; 3],
    y: [u64; 3],
    to_next: [StateMatrix; 2],
}

type StateMatrix = [[u64; 3]; 3];

const M: [u64; 2] = [4_294_967_087, 4_294_944_443];

/// The matrix of one step, for x and for y.
const STEP: [StateMatrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [M[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [M[1] - 1_370_589, 0, 527_612]],
];

/// Exponents of two: steps from one stream to the next, and from one substream to the next.
const STREAM: u32 = 127;
const SUBSTREAM: u32 = 76;

impl Mrg32k3aStreams {
    /// Begins with stream number `first`, in substream `substream`. All six numbers of the initial
    /// state are `seed`.
    pub fn new(seed: u32, first: u64, substream: u64) -> Self {
        let to_next = [0, 1].map(|part| squared(STEP[part], STREAM, M[part]));
        let begin = |part: usize| {
            let substreams = squared(STEP[part], SUBSTREAM, M[part]);
            let seed = [u64::from(seed); 3];
            let state = advanced(seed, to_next[part], first, M[part]);
            advanced(state, substreams, substream, M[part])
        };
        Self {
            x: begin(0),
            y: begin(1),
            to_next,
        }
    }

    /// The first number of the next stream, uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        let x = apply(&STEP[0], self.x, M[0])[2];
        let y = apply(&STEP[1], self.y, M[1])[2];
        self.skip();
        let difference = if x > y { x - y } else { x + M[0] - y };
        difference as f64 * (1.0 / 4_294_967_088.0)
    }

    /// Skips one stream.
    pub fn skip(&mut self) {
        self.x = apply(&self.to_next[0], self.x, M[0]);
        self.y = apply(&self.to_next[1], self.y, M[1]);
    }
}

fn apply(matrix: &StateMatrix, state: [u64; 3], modulus: u64) -> [u64; 3] {
    matrix.map(|row| {
        let products = row.iter().zip(&state).map(|(a, b)| a * b % modulus);
        products.sum::<u64>() % modulus
    })
}

fn product(a: &StateMatrix, b: &StateMatrix, modulus: u64) -> StateMatrix {
    let column = |index: usize| [b[0][index], b[1][index], b[2][index]];
    let columns = [0, 1, 2].map(|index| apply(a, column(index), modulus));
    [0, 1, 2].map(|row| [columns[0][row], columns[1][row], columns[2][row]])
}

/// The matrix squared `times` times.
fn squared(matrix: StateMatrix, times: u32, modulus: u64) -> StateMatrix {
    (0..times).fold(matrix, |matrix, _| product(&matrix, &matrix, modulus))
}

/// The state after `count` multiplications by the matrix.
fn advanced(state: [u64; 3], matrix: StateMatrix, count: u64, modulus: u64) -> [u64; 3] {
    let (mut state, mut power) = (state, matrix);
    for bit in 0..u64::BITS {
        if count >> bit & 1 == 1 {
            state = apply(&power, state, modulus);
        }
        power = product(&power, &power, modulus);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the reference implementation with all seeds 12345: the first number of the first
    /// stream, and the start of the second stream.
    #[test]
    fn streams_are_those_of_the_reference() {
        let mut streams = Mrg32k3aStreams::new(12_345, 0, 0);
        let first = streams.uniform();
        assert!((first - 0.127_011_122_046_577).abs() < 1e-15, "{first}");
        assert_eq!(streams.x, [3_692_455_944, 1_366_884_236, 2_968_912_127]);
        assert_eq!(streams.y, [335_948_734, 4_161_675_175, 475_798_818]);
    }

    /// After five streams have been skipped or drawn from, stream 5 is next.
    #[test]
    fn streams_follow_each_other() {
        let mut streams = Mrg32k3aStreams::new(1, 0, 1);
        for _ in 0..2 {
            streams.skip();
            streams.uniform();
        }
        streams.skip();
        let fifth = streams.uniform();
        assert_eq!(fifth, Mrg32k3aStreams::new(1, 5, 1).uniform());
        assert_ne!(fifth, Mrg32k3aStreams::new(1, 5, 2).uniform());
    }

    /// 2³ single steps equal one jump of 2³ steps.
    #[test]
    fn powers_of_a_step_are_steps() {
        let one_by_one = (0..8).fold([1, 2, 3], |state, _| apply(&STEP[0], state, M[0]));
        let at_once = apply(&squared(STEP[0], 3, M[0]), [1, 2, 3], M[0]);
        assert_eq!(one_by_one, at_once);
        assert_eq!(one_by_one, advanced([1, 2, 3], STEP[0], 8, M[0]));
    }

    /// Numbers are uniform: the mean of 10 000 is within 4 standard deviations of ½; one is
    /// 1/√(12·10 000) = 0.0029.
    #[test]
    fn first_numbers_are_uniform() {
        let mut streams = Mrg32k3aStreams::new(1, 110, 1);
        let mean = (0..10_000).map(|_| streams.uniform()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.0116, "{mean}");
    }
}
