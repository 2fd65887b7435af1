//! The laws of the event stream, and the checker that enforces them.
