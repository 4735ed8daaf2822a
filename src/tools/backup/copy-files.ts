import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../../store/sync-path.ts'

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
