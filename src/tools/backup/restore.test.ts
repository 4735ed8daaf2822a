import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { BlobStore, DataFiles, Store } from '../../store/public.ts'
import { writeSums } from './check-sums.ts'
import type { DataSource } from './data-source.ts'
import { Renames } from './renames.ts'
import { restore } from './restore.ts'

let folder = ''
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'restore-'))
  mkdirSync(join(folder, 'backup', 'blobs'), { recursive: true })
  mkdirSync(join(folder, 'blobs'))
  writeFileSync(join(folder, 'backup', 'blobs', 'a'), 'restored')
  writeFileSync(join(folder, 'backup', 'items.db'), 'restored')
  await writeSumsAndManifest()
  writeFileSync(join(folder, 'blobs', 'a'), 'former')
  for (const suffix of ['', '-wal']) writeFileSync(join(folder, `items.db${suffix}`), 'former')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As the command does at the end. */
async function writeSumsAndManifest() {
  const backup = join(folder, 'backup')
  rmSync(join(backup, 'SHA256SUMS'), { force: true })
  const sums = await writeSums(backup, ['items.db', 'blobs'])
  const manifest = {
    format: 'resourcery-backup',
    version: 1,
    madeAt: 'now',
    blobs: 'separate',
    sums,
  }
  writeFileSync(join(backup, 'backup.json'), JSON.stringify(manifest))
}

const names = () =>
  readdirSync(folder).map((name) =>
    name.replace(/-[-\dTZ]*Z/, '-<time>').replace(/\d.*Z/, '<time>'),
  )

/** Files whose log is renamed by a function. */
function filesAt<S>(path: string, renameLog: (path: string) => void = () => {}): DataFiles<S> {
  return {
    path,
    companionSuffixes: ['-wal', '-shm'],
    at: (other) => ({ files: filesAt(other, renameLog) }) as S,
    beginCopy: () => Promise.reject(new Error('Not called.')),
    refuseUse: async () => undefined,
    findDamage: async () => [],
    renameLog: async () => renameLog(path),
  }
}

function targetWith(renameLog?: (path: string) => void): DataSource {
  return {
    items: filesAt<Store>(join(folder, 'items.db'), renameLog),
    blobs: filesAt<BlobStore>(join(folder, 'blobs')),
    blobsAre: 'separate',
  }
}

describe('restore', () => {
  it('replaces all parts, and keeps them', async () => {
    const { replaced } = await restore(join(folder, 'backup'), targetWith(), { overwrite: true })
    expect(replaced).toHaveLength(2)
    expect(names().sort()).toEqual([
      'backup',
      'blobs',
      'blobs.replaced-<time>',
      'items.db',
      'items.db.replaced-<time>',
      'items.db.replaced-<time>-wal',
    ])
    expect(readFileSync(join(folder, 'items.db'), 'utf8')).toBe('restored')
    expect(readFileSync(join(replaced[1]!), 'utf8')).toBe('former')
  })

  it.runIf(process.getuid?.() === 0)('by root is refused in a folder of another user', async () => {
    const owner = 65_534
    chownSync(folder, owner, owner)
    const restored = () => restore(join(folder, 'backup'), targetWith(), { overwrite: true })
    await expect(restored()).rejects.toThrow(`'${folder}' belongs to the user ${owner}`)
    const link = `${folder}-link`
    symlinkSync(folder, link)
    onTestFinished(() => rmSync(link))
    const byLink = {
      ...targetWith(),
      items: filesAt<Store>(join(link, 'items.db')),
      blobs: filesAt<BlobStore>(join(link, 'blobs')),
    }
    await expect(restore(join(folder, 'backup'), byLink, { overwrite: true })).rejects.toThrow(
      `'${folder}' belongs to the user ${owner}`,
    )
    expect(names()).toEqual(['backup', 'blobs', 'items.db', 'items.db-wal'])
  })

  it('names the files that were changed or deleted since the backup was made, and restores nothing', async () => {
    const backup = join(folder, 'backup')
    const sums = join(backup, 'SHA256SUMS')
    const restored = () => restore(backup, targetWith(), { overwrite: true })
    writeFileSync(join(backup, 'items.db'), 'Restored')
    rmSync(join(backup, 'blobs', 'a'))
    await expect(restored()).rejects.toThrow(
      "The backup is damaged: 'items.db' is not what was written.\nThe backup is damaged: 'blobs/a' is missing.\nNothing was restored.",
    )
    writeFileSync(join(backup, 'blobs', 'a'), 'restored')
    writeFileSync(join(backup, 'items.db'), 'restored')
    writeFileSync(join(backup, 'blobs', 'b'), 'added')
    await expect(restored()).rejects.toThrow('The backup has 1 file that it did not write.')
    rmSync(join(backup, 'blobs', 'b'))
    writeFileSync(sums, '')
    await expect(restored()).rejects.toThrow("'SHA256SUMS' is not what was written.")
    rmSync(sums)
    await expect(restored()).rejects.toThrow("'SHA256SUMS' is missing.")
    expect(names()).toEqual(['backup', 'blobs', 'items.db', 'items.db-wal'])
  })

  it('names so many of the changed files, and counts the others', async () => {
    const backup = join(folder, 'backup')
    for (let index = 0; index < 30; index++)
      writeFileSync(join(backup, 'blobs', `b${index}`), 'restored')
    await writeSumsAndManifest()
    for (let index = 0; index < 30; index++) writeFileSync(join(backup, 'blobs', `b${index}`), '')
    await expect(restore(backup, targetWith(), { overwrite: true })).rejects.toThrow(
      /^(The backup is damaged: 'blobs\/b\d+' is not what was written\.\n){20}So are 10 more of its files\./,
    )
  })

  it('leaves all as it was if it fails between two parts', async () => {
    // The copy that would get the name of the items is gone by then.
    const target = targetWith((path) => rmSync(path))
    await expect(restore(join(folder, 'backup'), target, { overwrite: true })).rejects.toThrow(
      /^ENOENT: .*items\.db\.restored-/,
    )
    expect(names()).toEqual(['backup', 'blobs', 'items.db', 'items.db-wal'])
    expect(readFileSync(join(folder, 'blobs', 'a'), 'utf8')).toBe('former')
    expect(readFileSync(join(folder, 'items.db'), 'utf8')).toBe('former')
  })
})

it('names what to rename by hand if renames cannot be undone', async () => {
  let hasFailed = false
  const renames = new Renames({
    async rename(from, to) {
      if (hasFailed) throw new Error('EROFS: read-only file system')
      await rename(from, to)
    },
  })
  const [path, replaced] = [join(folder, 'items.db'), join(folder, 'items.db.replaced')]
  await renames.rename(`${path}-wal`, `${replaced}-wal`)
  await renames.rename(path, replaced)
  hasFailed = true
  await expect(renames.undo(new Error('ENOSPC: no space left'))).rejects.toThrow(
    `The restore failed, and what was there could not be put back: ENOSPC: no space left. Rename by hand, in this order: '${replaced}' to '${path}' (EROFS: read-only file system); '${replaced}-wal' to '${path}-wal' (EROFS: read-only file system).`,
  )
  expect(existsSync(replaced)).toBe(true)
})
