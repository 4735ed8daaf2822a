import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../test/support/bytes.ts'
import { fileBlobs } from './files/file-blobs.ts'
import { sqlite, sqliteBlobs } from './sqlite/sqlite.ts'

let root: string
let umask: number

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-files-'))
  // The default of most systems: new files are readable for everybody.
  umask = process.umask(0o022)
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true })
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The modes of all files and folders below the root, by path. */
function modes(): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(root.length + 1), modeOf(path)]
    }),
  )
}

describe.skipIf(process.platform === 'win32')('Only the owner can read new files', () => {
  it('of databases of items and of blobs, and the files that SQLite adds', async () => {
    const store = sqlite(join(root, 'new', 'items.db'))
    const blobs = sqliteBlobs(join(root, 'new', 'blobs.db'))
    await store.open([])
    await blobs.open()
    await blobs.write(inPieces(bytesOf(1_000)))
    expect(modes()).toEqual({
      new: '700',
      ...Object.fromEntries(
        ['items.db', 'blobs.db'].flatMap((name) =>
          ['', '-wal', '-shm'].map((suffix) => [`new/${name}${suffix}`, '600']),
        ),
      ),
    })
    await store.close()
    await blobs.close()
  })

  it('of blobs in a folder, during the upload and after it', async () => {
    const blobs = fileBlobs(join(root, 'new', 'blobs'))
    await blobs.open()
    async function* slow(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf(600_000)
      await expect
        .poll(() => Object.keys(modes()).filter((path) => /incoming\/./.test(path)).length)
        .toBe(1)
      expect(new Set(Object.values(modes()))).toEqual(new Set(['700', '600']))
      yield bytesOf(10)
    }
    await blobs.write(slow())
    for (const [path, mode] of Object.entries(modes()))
      expect([path, mode]).toEqual([path, statSync(join(root, path)).isFile() ? '600' : '700'])
    await blobs.close()
  })

  it('and existing files keep their mode', async () => {
    const file = join(root, 'shared.db')
    writeFileSync(file, '')
    chmodSync(file, 0o640)
    const store = sqlite(file)
    await store.open([])
    expect(modeOf(file)).toBe('640')
    await store.close()
  })
})
