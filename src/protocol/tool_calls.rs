//! Follows the pieces of tool calls on wires that identify them loosely.
