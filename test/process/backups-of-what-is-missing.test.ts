import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCommandLine, startCommandLine, writeService } from '../support/backed-up-service.ts'
import { temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('backups-of-what-is-missing')
afterAll(() => rmSync(folder, { recursive: true }))

/** The data of a service with notes, of which the first one may have a file. */
async function writtenBy(
  name: string,
  { layout = 'documents', hasBlob = true }: { layout?: 'documents' | 'tables'; hasBlob?: boolean },
) {
  const base = join(folder, name)
  const service = join(base, 'service.mjs')
  mkdirSync(base)
  writeService(service, 'folder', layout)
  const running = await startCommandLine(base, service)
  for (const number of [0, 1, 2]) {
    const note = { id: `n${number}`, number }
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ note })
    await fetch(`${running.address}/notes`, { method: 'POST', headers, body })
  }
  if (hasBlob) {
    const headers = { 'content-type': 'text/plain' }
    const scan = `${running.address}/notes/n0/scan`
    const response = await fetch(scan, { method: 'POST', headers, body: 'the text' })
    expect(response.status).toBe(200)
  }
  await running.stop()
  return {
    base,
    blobs: join(base, 'blobs'),
    items: join(base, 'items.db'),
    backup: join(base, 'backup'),
    backUp: (...options: readonly string[]) =>
      runCommandLine(base, 'backup', service, join(base, 'backup'), ...options),
    restore: (...options: readonly string[]) =>
      runCommandLine(base, 'restore', service, join(base, 'backup'), ...options),
  }
}

/** The names in a folder, without what SQLite has beside a database while it reads it. */
const namesIn = (base: string) =>
  readdirSync(base).filter((name) => !/\.db-(?:wal|shm)$/.test(name))

/** Overwrites the second half of a file: its header and its schema stay whole. */
function damage(file: string) {
  const half = Math.floor(statSync(file).size / 2)
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.alloc(half, 0xa5), 0, half, half)
  closeSync(opened)
}

it.each(['documents', 'tables'] as const)(
  'a backup of %s without the blobs of its items fails, and makes no folder',
  { timeout: 60_000 },
  async (layout) => {
    const { base, blobs, backup, backUp, restore } = await writtenBy(layout, { layout })
    renameSync(blobs, join(base, 'moved'))
    const names = namesIn(base)
    expect(await backUp()).toEqual({
      code: 2,
      output: `There is nothing at '${blobs}', and items have 1 blob there. Check the path and what is mounted, or add --without-blobs.\n`,
    })
    expect(namesIn(base)).toEqual(names)

    mkdirSync(blobs)
    expect(await backUp()).toMatchObject({
      code: 1,
      output: expect.stringMatching(/The blob '[-\da-f]{36}', which an item has, is missing\.\n$/),
    })
    rmSync(backup, { recursive: true })
    rmSync(blobs, { recursive: true })
    renameSync(join(base, 'moved'), blobs)
    expect(await backUp()).toMatchObject({ code: 0 })
    expect(readdirSync(backup).sort()).toEqual(['SHA256SUMS', 'backup.json', 'blobs', 'items.db'])
    expect(await restore('--verify')).toMatchObject({ code: 0 })
  },
)

it('a service that never stored a blob is backed up without a folder of blobs', {
  timeout: 60_000,
}, async () => {
  const { blobs, backUp, restore } = await writtenBy('no-blob', { hasBlob: false })
  rmSync(blobs, { recursive: true })
  expect(await backUp()).toMatchObject({ code: 0 })
  expect(existsSync(blobs)).toBe(false)
  expect(await restore('--verify')).toMatchObject({ code: 0 })
})

it('a damaged database is not backed up, and a damaged backup is not restored', {
  timeout: 60_000,
}, async () => {
  const { base, items, backup, backUp, restore } = await writtenBy('damaged', {})
  expect(await backUp()).toMatchObject({ code: 0 })
  const whole = readFileSync(items)
  damage(join(backup, 'items.db'))
  const names = namesIn(base)
  expect(await restore('--overwrite')).toMatchObject({
    code: 2,
    output: "The backup is damaged: 'items.db' is not what was written.\nNothing was restored.\n",
  })
  expect(namesIn(base)).toEqual(names)
  expect(readFileSync(items).equals(whole)).toBe(true)

  rmSync(backup, { recursive: true })
  damage(items)
  expect(await backUp()).toMatchObject({
    code: 2,
    output: expect.stringMatching(
      /^The data of the service is damaged, and was not backed up:\n'items\.db' is damaged: /,
    ),
  })
  expect(existsSync(backup)).toBe(false)
})

it.each(['items.db', 'blobs'])(
  'a backup without its part %s is damaged',
  {
    timeout: 60_000,
  },
  async (part) => {
    const { base, backup, backUp, restore } = await writtenBy(`without-${part}`, {})
    expect(await backUp()).toMatchObject({ code: 0 })
    rmSync(join(backup, part), { recursive: true })
    const fault = `The backup is damaged: '${part}' is missing.\n`
    expect(await restore('--verify')).toMatchObject({
      code: 1,
      output: expect.stringContaining(fault),
    })
    const names = namesIn(base)
    expect(await restore('--overwrite')).toEqual({
      code: 2,
      output: `${fault}Nothing was restored.\n`,
    })
    expect(namesIn(base)).toEqual(names)

    const manifest = join(backup, 'backup.json')
    writeFileSync(manifest, '{\n"format":\n')
    expect(await restore('--verify')).toEqual({
      code: 2,
      output: `'${manifest}' is damaged, or of another version; expected the format 'resourcery-backup' in version 1, got "{\\n\\"format\\":\\n".\n`,
    })
  },
)
