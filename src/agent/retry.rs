//! When a failed model call is made again, and after how long.
//!
//! Owns the decision and the back-off. Refuses to know what failed: [`ErrorInfo::retryable`] is the
//! classification of whoever saw the failure.

use crate::error::ErrorInfo;

/// How failed model calls are made again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryRules {
    /// How often in a row, at most.
    pub max_attempts: u32,
    /// The wait before the first retry, in milliseconds; it doubles from one to the next.
    pub base_delay_ms: f64,
    /// The longest wait, in milliseconds, also where the provider asks for a longer one.
    pub max_delay_ms: f64,
}

impl Default for RetryRules {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            base_delay_ms: 2000.0,
            max_delay_ms: 60_000.0,
        }
    }
}

impl RetryRules {
    /// Whether a call that failed so, after this many retries, is made again.
    pub fn allows(&self, error: &ErrorInfo, attempts: u32) -> bool {
        error.retryable && attempts < self.max_attempts
    }

    /// The wait before a retry (counted from 1), in milliseconds. `random` is at least 0 and less
    /// than 1.
    ///
    /// Between half of the doubled base and all of it, so that the clients of an overloaded server
    /// do not come back together, and never at once; longer if the provider asks for it.
    pub fn delay_ms(&self, attempt: u32, error: &ErrorInfo, random: f64) -> f64 {
        let doublings = attempt.saturating_sub(1).min(30);
        let longest = (self.base_delay_ms * f64::from(1_u32 << doublings)).min(self.max_delay_ms);
        let asked = error.retry_after_ms.unwrap_or(0.0);
        (longest * (0.5 + random / 2.0))
            .max(asked)
            .min(self.max_delay_ms)
            .round()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    fn error(retry_after_ms: Option<f64>) -> ErrorInfo {
        ErrorInfo {
            retry_after_ms,
            ..*ErrorInfo::new(ErrorCode::Overloaded, "Busy.")
        }
    }

    #[test]
    fn the_wait_doubles_between_half_and_all_of_it_and_is_capped() {
        let rules = RetryRules::default();
        for (attempt, least, most) in [
            (1, 1000.0, 2000.0),
            (2, 2000.0, 4000.0),
            (3, 4000.0, 8000.0),
            (6, 30_000.0, 60_000.0),
            (4_000_000_000, 30_000.0, 60_000.0),
        ] {
            assert_eq!(rules.delay_ms(attempt, &error(None), 0.0), least);
            let almost = rules.delay_ms(attempt, &error(None), 0.999_999_9);
            assert_eq!(almost, most, "retry {attempt}");
        }
    }

    #[test]
    fn what_the_provider_asks_for_counts_up_to_the_cap() {
        let rules = RetryRules::default();
        for (asked, expected) in [
            (0.0, 1000.0),
            (500.0, 1000.0),
            (9000.0, 9000.0),
            (2_147_484_000.0, 60_000.0),
        ] {
            assert_eq!(rules.delay_ms(1, &error(Some(asked)), 0.0), expected);
        }
    }

    #[test]
    fn only_what_may_pass_is_retried_and_not_for_ever() {
        let rules = RetryRules {
            max_attempts: 2,
            ..RetryRules::default()
        };
        let refused = ErrorInfo::new(ErrorCode::Auth, "No.");
        assert!(rules.allows(&error(None), 1));
        assert!(!rules.allows(&error(None), 2));
        assert!(!rules.allows(&refused, 0));
    }
}
