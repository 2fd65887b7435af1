// Text files in the page's own folder of the origin private file system: no server and no other page sees them.

const FOLDER = "notes";
const BLOCK_BYTES = 64;
/** Between blocks, so that people can watch the progress of files this small. */
const BLOCK_PAUSE_MS = 80;

/** Told after every block. */
export type OnBlock = (done: number, total: number) => void;

export async function listFiles(): Promise<{ name: string; bytes: number }[]> {
  const files = [];
  for await (const handle of (await folder()).values()) {
    if (handle instanceof FileSystemFileHandle) {
      files.push({ name: handle.name, bytes: (await handle.getFile()).size });
    }
  }
  return files.sort((one, other) => one.name.localeCompare(other.name));
}

export async function readFile(name: string): Promise<string> {
  try {
    const handle = await (await folder()).getFileHandle(name);
    return await (await handle.getFile()).text();
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") throw new Error(`There is no note "${name}".`);
    throw error;
  }
}

/** Writes in blocks. An abort leaves the file as it was. Returns its size. */
export function writeFile(
  name: string,
  text: string,
  mode: "replace" | "append",
  signal: AbortSignal,
  onBlock: OnBlock,
): Promise<number> {
  // Two writers of one file, in this tab or another, would lose one's work.
  return navigator.locks.request(`${FOLDER}/${name}`, { signal }, async () => {
    const handle = await (await folder()).getFileHandle(name, { create: true });
    const size = mode === "append" ? (await handle.getFile()).size : 0;
    const file = await handle.createWritable({ keepExistingData: mode === "append" });
    const bytes = new TextEncoder().encode(size > 0 ? `\n${text}` : text);
    try {
      await file.seek(size);
      for (let done = 0; done < bytes.length; ) {
        signal.throwIfAborted();
        const block = bytes.subarray(done, done + BLOCK_BYTES);
        await file.write(block);
        done += block.length;
        onBlock(done, bytes.length);
        if (done < bytes.length) await new Promise((resolve) => setTimeout(resolve, BLOCK_PAUSE_MS));
      }
      await file.close();
    } catch (error) {
      await file.abort();
      throw error;
    }
    return size + bytes.length;
  });
}

async function folder(): Promise<FileSystemDirectoryHandle> {
  const isSupported =
    "storage" in navigator &&
    "getDirectory" in navigator.storage &&
    "locks" in navigator &&
    "createWritable" in FileSystemFileHandle.prototype;
  if (!isSupported) {
    throw new Error(
      "Notes need private files (OPFS), which this browser does not give to this page. They need a current browser, https or localhost, and no private window.",
    );
  }
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}
