import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Refuses to restore as root into a folder of another user: the service could not open what belongs
 * to root. To give it away afterwards is not safe, because that user can put links there meanwhile.
 *
 * @throws Error
 */
export async function refuseRoot(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const folder = dirname(path)
  const stats = await lstat(folder).catch(() => undefined)
  if (stats === undefined && folder !== path) return refuseRoot(folder)
  if (stats && stats.uid !== 0)
    throw new Error(
      `'${folder}' belongs to the user ${stats.uid}, and what root restores would belong to root. Run the command as that user.`,
    )
}
