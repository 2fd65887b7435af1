//! `createScript`.
