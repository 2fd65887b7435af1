//! JSON Schema subset: checks and coerces tool arguments.
