import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../../store/sync-path.ts'
import { countOf } from '../../text/message-text.ts'
import { isThere } from './copy-files.ts'
import { type BackupPart, missingFile } from './find-damages.ts'

/** Of the form that `sha256sum --check` reads. */
const sumsName = 'SHA256SUMS'

/** Further changes are counted; each would be a line. */
const maxNamed = 20

/**
 * Writes the SHA-256 of each file of the parts that a backup has.
 * @returns that of what it wrote
 */
export async function writeSums(folder: string, parts: readonly string[]): Promise<string> {
  const path = join(folder, sumsName)
  const sums = await open(path, 'wx', 0o600)
  try {
    for (const part of parts)
      if (await isThere(join(folder, part)))
        for await (const name of filesOf(folder, part))
          await sums.write(`${await sumOf(join(folder, name))}  ${name}\n`)
  } finally {
    await sums.close()
  }
  await syncPath(path)
  return sumOf(path)
}

/**
 * What of the parts was changed, deleted or added since the backup was made, in sentences.
 * @param sums what {@link writeSums} returned
 */
export async function findChanges(
  folder: string,
  parts: readonly BackupPart[],
  sums: string,
): Promise<readonly string[]> {
  const path = join(folder, sumsName)
  if (!(await isThere(path))) return [missingFile(sumsName)]
  if ((await sumOf(path)) !== sums) return [changedFile(sumsName)]
  const changes: string[] = []
  let changeCount = 0
  let presentCount = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const sum = line.slice(0, 64)
    const name = line.slice(66)
    if (!parts.some(([part]) => name === part || name.startsWith(`${part}/`))) continue
    const isPresent = await isThere(join(folder, name))
    if (isPresent) presentCount++
    if (isPresent && (await sumOf(join(folder, name))) === sum) continue
    if (changeCount++ < maxNamed) changes.push(isPresent ? changedFile(name) : missingFile(name))
  }
  if (changeCount > maxNamed) changes.push(`So are ${changeCount - maxNamed} more of its files.`)
  const added = (await countFiles(folder, parts)) - presentCount
  if (added > 0) changes.push(`The backup has ${countOf(added, 'file')} that it did not write.`)
  return changes
}

function changedFile(name: string): string {
  return `The backup is damaged: '${name}' is not what was written.`
}

async function countFiles(folder: string, parts: readonly BackupPart[]): Promise<number> {
  let count = 0
  for (const [part] of parts) for await (const _ of filesOf(folder, part)) count++
  return count
}

async function* filesOf(folder: string, name: string): AsyncGenerator<string> {
  const stats = await lstat(join(folder, name))
  if (!stats.isDirectory()) yield name
  else
    for (const inner of await readdir(join(folder, name)))
      yield* filesOf(folder, `${name}/${inner}`)
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
