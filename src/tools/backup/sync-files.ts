import { copyFile, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Makes a file, or the names in a folder, durable. */
export async function syncPath(path: string): Promise<void> {
  // Windows cannot sync folders, and syncs files only where they can be written.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Copies a file, or a folder with all that is in it, and makes the copy durable. */
export async function copyDurably(from: string, to: string): Promise<void> {
  const stats = await lstat(from)
  if (!stats.isDirectory()) {
    await copyFile(from, to)
  } else {
    await mkdir(to, { mode: stats.mode })
    for (const name of await readdir(from)) await copyDurably(join(from, name), join(to, name))
  }
  await syncPath(to)
}

/** Is there anything at the path? */
export async function isThere(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return stats !== undefined
}
