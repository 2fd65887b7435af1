//! Makes a transcript acceptable to the model that is called next.
