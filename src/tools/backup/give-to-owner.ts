import { chown, lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Gives restored files to the user of what they replace, or of the folder that they get into: a
 * restore by root would else leave files that the service cannot open.
 */
export async function giveToOwner(restored: string, place: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await lstat(place).catch(() => lstat(dirname(place)))
  await giveAll(restored, uid, gid)
}

async function giveAll(path: string, uid: number, gid: number): Promise<void> {
  await chown(path, uid, gid)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await giveAll(join(path, name), uid, gid)
}
