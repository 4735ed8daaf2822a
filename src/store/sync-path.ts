import files from 'node:fs/promises'

/**
 * Makes a file, or the names in a folder, durable.
 *
 * @param open tests pass one that fails
 */
export async function syncPath(path: string, open: typeof files.open = files.open): Promise<void> {
  // Windows cannot sync folders, and syncs files only where they can be written.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
