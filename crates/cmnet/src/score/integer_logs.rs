//! Logarithms of all small integers, from those of the primes.

use super::nats::Nats;

/// ln(n) for small n as sums over prime factors.
#[derive(Clone, Debug)]
pub struct IntegerLogs {
    logs: Vec<Nats>,
}

impl IntegerLogs {
    /// A table up to `largest`.
    pub fn up_to(largest: u64) -> Self {
        let size = largest.max(1) as usize + 1;
        let mut factor: Vec<u32> = vec![0; size];
        let mut logs = vec![Nats::ZERO; size];
        for n in 2..size {
            if factor[n] == 0 {
                for multiple in (n..size).step_by(n) {
                    if factor[multiple] == 0 {
                        factor[multiple] = n as u32;
                    }
                }
                logs[n] = Nats::ln_prime(n as u64);
            } else {
                logs[n] = logs[factor[n] as usize] + logs[n / factor[n] as usize];
            }
        }
        Self { logs }
    }

    /// ln(n); 0 stands for the step before a product that begins at a multiple of q.
    pub fn ln(&self, n: u64) -> Nats {
        self.logs[n as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_sieve_agree() {
        let logs = IntegerLogs::up_to(5000);
        assert!((1..=5000).all(|n| logs.ln(n) == Nats::ln_integer(n)));
    }
}
