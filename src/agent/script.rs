//! The scripted model: turns given beforehand, as the bytes of a real stream.
