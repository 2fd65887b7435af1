// Reads a section of a wasm module.

/** A reader over the content of the first section with this id. */
export function section(bytes, id) {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const found = reader.byte();
    const length = reader.number();
    if (found === id) return reader;
    reader.take(length);
  }
  throw new Error(`the module has no section ${id}`);
}

class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128 number. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
