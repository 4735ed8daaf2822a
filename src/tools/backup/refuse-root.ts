import { lstat, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Refuses to restore as root below a folder, or through a link, of another user: the service could
 * not open what belongs to root. To give it away afterwards is not safe, because that user can put
 * links there meanwhile.
 *
 * @throws Error
 */
export async function refuseRoot(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  await refuseFoldersOfOthers(path)
  const existing = await nearestExisting(dirname(path))
  await refuseFoldersOfOthers(`${await realpath(existing)}/.`)
}

async function nearestExisting(folder: string): Promise<string> {
  return (await ownerOf(folder)) === undefined ? nearestExisting(dirname(folder)) : folder
}

async function refuseFoldersOfOthers(path: string): Promise<void> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const owner = await ownerOf(folder)
    if (owner !== undefined && owner !== 0)
      throw new Error(
        `'${folder}' belongs to the user ${owner}, and what root restores would belong to root. Run the command as that user.`,
      )
    if (folder === dirname(folder)) return
  }
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.uid
}
