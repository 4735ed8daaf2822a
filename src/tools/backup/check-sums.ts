import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../../store/sync-path.ts'
import { isThere } from './copy-files.ts'
import { type BackupPart, missingFile } from './find-damages.ts'

/** Of the form that `sha256sum --check` reads. */
const sumsName = 'SHA256SUMS'

/** Further changes are counted; each would be a line. */
const maxNamed = 20

/** Writes the SHA-256 of each file of the parts that a backup has. */
export async function writeSums(folder: string, parts: readonly string[]): Promise<void> {
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
  await syncPath(folder)
}

/** What of the parts was changed or deleted since the backup was made, in sentences. */
export async function findChanges(
  folder: string,
  parts: readonly BackupPart[],
): Promise<readonly string[]> {
  const names = parts.map(([name]) => name)
  const path = join(folder, sumsName)
  if (!(await isThere(path))) return [missingFile(sumsName)]
  const changes: string[] = []
  let count = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    if (name !== undefined && !names.some((part) => name === part || name.startsWith(`${part}/`)))
      continue
    const change = name === undefined ? damagedLine(line) : await changeOf(folder, name, sum)
    if (change === undefined) continue
    if (count++ < maxNamed) changes.push(change)
  }
  if (count > maxNamed) changes.push(`So are ${count - maxNamed} more of its files.`)
  return changes
}

function damagedLine(line: string): string {
  return `The backup is damaged: '${sumsName}' has the line '${line.slice(0, 100)}'.`
}

async function changeOf(
  folder: string,
  name: string,
  sum: string | undefined,
): Promise<string | undefined> {
  const path = join(folder, name)
  if (!(await isThere(path))) return missingFile(name)
  if ((await sumOf(path)) === sum) return undefined
  return `The backup is damaged: '${name}' is not what was written.`
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
