//! Incremental parser for the arguments of a tool call.
