import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type BlobPlace,
  blobPlaces,
  runCommandLine,
  spawnCommand,
  startCommandLine,
  writeService,
} from '../support/backed-up-service.ts'
import { temporaryFolder } from '../support/documentation.ts'

/** BACKUPS=50 for the long form. */
const backups = Number(process.env.BACKUPS ?? 1)
const writerCount = 4
const folder = temporaryFolder('backups')
afterAll(() => rmSync(folder, { recursive: true }))

/** Ends with the test, also with one that fails. */
async function serveCommandLine(data: string, service: string) {
  const running = await startCommandLine(data, service)
  onTestFinished(running.kill)
  return running
}

/** When a writer began its operations, and when they were acknowledged. */
interface Log {
  readonly began: number[]
  readonly acknowledged: number[]
}

const textOf = (writer: number, operation: number) => `${writer}-${operation} `.repeat(2_000)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Replaces the file of a note and sets its number, in turns, until it is told to stop. */
async function write(address: string, writer: number, log: Log, hasEnded: () => boolean) {
  const note = `${address}/notes/${writer}`
  for (let operation = 0; !hasEnded(); operation++) {
    log.began[operation] = performance.now()
    const response =
      operation % 2 === 0
        ? await fetch(`${note}/scan`, {
            method: 'POST',
            headers: { 'content-type': 'text/plain' },
            body: textOf(writer, operation),
          })
        : await fetch(note, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ note: { number: operation } }),
          })
    expect(response.status, await response.text()).toBe(200)
    log.acknowledged[operation] = performance.now()
  }
}

/** The operation that an item shows last. Fails if the item is not the state after one. */
async function lastOperation(address: string, writer: number): Promise<number> {
  const response = await fetch(`${address}/notes/${writer}`)
  const { note } = (await response.json()) as { note: { number: number; scan: object | null } }
  const scan = note.scan && (await (await fetch(`${address}/notes/${writer}/scan`)).text())
  const { number } = note
  for (const operation of [number + 1, number - 1])
    if (scan !== null && sha256(scan) === sha256(textOf(writer, operation)))
      return Math.max(number, operation)
  expect(scan, `note ${writer} with number ${number}`).toBe(null)
  return number
}

/** All that was acknowledged before the backup, and a prefix of what came meanwhile. */
async function expectPrefix(address: string, logs: readonly Log[], begin: number): Promise<number> {
  const lasts = await Promise.all(logs.map((_, writer) => lastOperation(address, writer)))
  const lastBegan = Math.max(
    begin,
    ...lasts.map((last, writer) => logs[writer]!.began[last] ?? Number.NEGATIVE_INFINITY),
  )
  for (const [writer, { acknowledged }] of logs.entries()) {
    const before = acknowledged.findLastIndex((time) => time < lastBegan)
    expect(lasts[writer], `the operations of ${writer}`).toBeGreaterThanOrEqual(before)
  }
  return lasts.reduce((sum, last) => sum + last + 1, 0)
}

describe.each(Object.keys(blobPlaces) as BlobPlace[])('with blobs in %s', (place) => {
  const base = join(folder, place.replaceAll(' ', '-'))
  const service = join(base, 'service.mjs')

  it('a backup that is made amid writes is a prefix of them, with all that was acknowledged before', {
    timeout: 60_000 + backups * 30_000,
  }, async () => {
    mkdirSync(base, { recursive: true })
    writeService(service, place)
    const running = await serveCommandLine(base, service)
    for (let writer = 0; writer < writerCount; writer++)
      await fetch(`${running.address}/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ note: { id: String(writer), number: -1 } }),
      })
    const logs = Array.from({ length: writerCount }, (): Log => ({ began: [], acknowledged: [] }))
    let hasEnded = false
    const writing = logs.map((log, writer) => write(running.address, writer, log, () => hasEnded))
    const begins: number[] = []
    for (let backup = 0; backup < backups; backup++) {
      await wait(200)
      begins.push(performance.now())
      const { code, output } = await runCommandLine(
        base,
        'backup',
        service,
        join(base, `backup-${backup}`),
      )
      expect(output).toMatch(/^Copied the state of /)
      expect(code).toBe(0)
    }
    hasEnded = true
    await Promise.all(writing)
    await running.stop()
    for (const [index, begin] of begins.entries()) {
      const backup = join(base, `backup-${index}`)
      const verified = await runCommandLine(base, 'restore', service, backup, '--verify')
      expect(verified.output).toContain('The backup is complete.')
      expect(verified.code).toBe(0)
      const data = join(base, `restored-${index}`)
      const restored = await runCommandLine(data, 'restore', service, backup)
      expect(restored.output).toMatch(/^Restored the state of /)
      const again = await serveCommandLine(data, service)
      const count = await expectPrefix(again.address, logs, begin)
      await again.stop()
      if (process.env.BACKUPS) console.log(`${place}: a prefix of ${count} operations`)
    }
    // Nothing is held back once a backup is made.
    expect(existsSync(join(base, 'blobs', 'held'))).toBe(false)
  })

  it('a backup that is killed leaves nothing under its name, and does not hinder the next one', {
    timeout: 90_000,
  }, async () => {
    let killed = 0
    for (let attempt = 0; killed < 2 && attempt < 20; attempt++) {
      const target = join(base, `killed-${attempt}`)
      const child = spawnCommand(base, 'backup', service, target)
      const exited = once(child, 'exit')
      // Its hold has begun by then.
      while (child.exitCode === null && !copiesItems(target)) await wait(1)
      child.kill('SIGKILL')
      await exited
      // It ended before the signal.
      if (existsSync(target)) continue
      expect(partialOf(target)).toBeDefined()
      expect(existsSync(join(base, 'blobs', 'held'))).toBe(place === 'folder')
      killed++
    }
    expect(killed).toBe(2)
    const { code, output } = await runCommandLine(base, 'backup', service, join(base, 'after'))
    expect({ code, output }).toMatchObject({ code: 0 })
  })
})

function partialOf(target: string): string | undefined {
  const { dir, base } = parse(target)
  const name = readdirSync(dir).find((entry) => entry.startsWith(`${base}.partial-`))
  return name && join(dir, name)
}

function copiesItems(target: string): boolean {
  const partial = partialOf(target)
  return partial !== undefined && existsSync(join(partial, 'items.db'))
}

it('a restore refuses what is there or in use, and keeps what it replaces', {
  timeout: 120_000,
}, async () => {
  const base = join(folder, 'refused')
  const service = join(base, 'service.mjs')
  const backup = join(base, 'backup')
  mkdirSync(base)
  writeService(service, 'folder')
  const running = await serveCommandLine(base, service)
  const body = JSON.stringify({ note: { id: 'a', number: 1 } })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${running.address}/notes`, { method: 'POST', headers, body })
  expect(await runCommandLine(base, 'backup', service, backup)).toMatchObject({ code: 0 })
  const restore = (...args: readonly string[]) =>
    runCommandLine(base, 'restore', service, backup, ...args)
  expect(await runCommandLine(base, 'backup', service, backup)).toEqual({
    code: 2,
    output: `There is something at '${backup}' already; expected a new folder.\n`,
  })
  expect(await restore()).toMatchObject({
    code: 2,
    output: expect.stringContaining('Use --overwrite to replace it'),
  })
  expect(await restore('--overwrite')).toEqual({
    code: 2,
    output: `'${join(base, 'items.db')}' is in use. Stop the service first.\n`,
  })
  const changed = JSON.stringify({ note: { number: 2 } })
  await fetch(`${running.address}/notes/a`, { method: 'PATCH', headers, body: changed })
  await running.stop()
  const restored = await restore('--overwrite')
  expect(restored.output).toContain("What was there is now '")
  expect(readdirSync(base).filter((name) => name.includes('.replaced-'))).toHaveLength(2)
  const again = await serveCommandLine(base, service)
  expect(await (await fetch(`${again.address}/notes/a`)).json()).toMatchObject({
    note: { number: 1 },
  })
  await again.stop()
})

it('a test restore names blobs that are missing or damaged, and a damaged database', {
  timeout: 120_000,
}, async () => {
  const base = join(folder, 'refused')
  const service = join(base, 'service.mjs')
  const backup = join(base, 'damaged')
  const running = await serveCommandLine(base, service)
  const text = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'the text' }
  expect(await fetch(`${running.address}/notes/a/scan`, text)).toMatchObject({ status: 200 })
  await running.stop()
  await runCommandLine(base, 'backup', service, backup)
  const verify = () => runCommandLine(base, 'restore', service, backup, '--verify')
  expect(await verify()).toMatchObject({ code: 0 })
  const blobs = join(backup, 'blobs')
  const blob = readdirSync(blobs, { recursive: true })
    .map(String)
    .find((name) => name.length > 30)!
  writeFileSync(join(blobs, blob), 'the tent')
  expect(await verify()).toMatchObject({
    code: 1,
    output: expect.stringContaining(
      "'scan' of note 'a': The bytes do not have the hash of the item.",
    ),
  })
  rmSync(join(blobs, blob))
  expect(await verify()).toMatchObject({
    code: 1,
    output: expect.stringMatching(/'scan' of note 'a': The blob '[-\da-f]+' is missing\./),
  })
  writeFileSync(join(backup, 'items.db'), 'no database'.repeat(1_000))
  expect(await verify()).toMatchObject({
    code: 1,
    output: expect.stringContaining("'items.db' is damaged: file is not a database"),
  })
})

const json = { 'content-type': 'application/json' }

/** A service with one note, whose number is 1, and a backup of it. */
async function backedUp(name: string, place: BlobPlace, ...options: readonly string[]) {
  const base = join(folder, name)
  const service = join(base, 'service.mjs')
  const backup = join(base, 'backup')
  mkdirSync(base)
  writeService(service, place)
  const running = await serveCommandLine(base, service)
  const body = JSON.stringify({ note: { id: 'a', number: 1 } })
  await fetch(`${running.address}/notes`, { method: 'POST', headers: json, body })
  await fetch(`${running.address}/notes/a/scan`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'the text',
  })
  const made = await runCommandLine(base, 'backup', service, backup, ...options)
  expect(made).toMatchObject({ code: 0 })
  const command = (...args: readonly string[]) => runCommandLine(base, ...args)
  return { base, service, backup, running, command }
}

const setNumber = async (address: string, number: number) => {
  const body = JSON.stringify({ note: { number } })
  const response = await fetch(`${address}/notes/a`, { method: 'PATCH', headers: json, body })
  expect(response.status).toBe(200)
}

async function numberIn(base: string, service: string): Promise<number> {
  const running = await serveCommandLine(base, service)
  const { note } = (await (await fetch(`${running.address}/notes/a`)).json()) as {
    note: { number: number }
  }
  await running.stop()
  return note.number
}

it('a restore does not read what SQLite left beside a file that is gone', {
  timeout: 120_000,
}, async () => {
  const { base, service, backup, running, command } = await backedUp('left', 'folder')
  await setNumber(running.address, 2)
  await running.kill()
  rmSync(join(base, 'items.db'))
  rmSync(join(base, 'blobs'), { recursive: true })
  expect(readdirSync(base)).toContain('items.db-wal')
  expect(await command('restore', service, backup)).toEqual({
    code: 2,
    output: `There is something at '${join(base, 'items.db-wal')}' already. Use --overwrite to replace it; it is kept under another name.\n`,
  })
  const restored = await command('restore', service, backup, '--overwrite')
  expect(restored).toMatchObject({
    code: 0,
    output: expect.stringMatching(/What was there is now '.*items\.db\.replaced-.*-wal'/),
  })
  expect(await numberIn(base, service)).toBe(1)
})

it('a test restore without blobs checks the items, and says so', { timeout: 120_000 }, async () => {
  const { service, backup, running, command } = await backedUp(
    'without',
    'folder',
    '--without-blobs',
  )
  await running.stop()
  expect(await command('restore', service, backup, '--verify', '--without-blobs')).toEqual({
    code: 0,
    output: expect.stringContaining(
      'note: 1\nDid not check the bytes of 1 file: blobs are left out.\nThe backup is complete.\n',
    ),
  })
  expect(await command('restore', service, backup, '--verify')).toMatchObject({
    code: 2,
    output: expect.stringContaining('Add --without-blobs if you restore the blobs by other means.'),
  })
})

it.each([
  ['blobs in the file of the items', 'the file of the items', []],
  ['blobs elsewhere', 'folder', ['--without-blobs']],
] as const)(
  'a backup by the address of the file fits the module, with %s',
  {
    timeout: 120_000,
  },
  async (_, place, options) => {
    const name = `address-${place.replaceAll(' ', '-')}`
    const { base, service, running, command } = await backedUp(name, place)
    await running.stop()
    const backup = join(base, 'by-address')
    const address = `sqlite:${join(base, 'items.db')}`
    expect(await command('backup', address, backup)).toMatchObject({
      code: 0,
      output:
        place === 'the file of the items'
          ? expect.not.stringContaining('none were')
          : expect.stringContaining('so none were copied'),
    })
    const verified = await command('restore', service, backup, '--verify', ...options)
    expect(verified).toMatchObject({ code: 0 })
    const restored = await command('restore', service, backup, '--overwrite', ...options)
    expect(restored).toMatchObject({ code: 0 })
    expect(await command('restore', address, backup, '--overwrite')).toMatchObject({ code: 0 })
    expect(await numberIn(base, service)).toBe(1)
  },
)

it.each(['documents', 'tables'] as const)(
  'a restore ends the positions of changes in %s, by module and by address',
  { timeout: 120_000 },
  async (layout) => {
    const base = join(folder, `log-of-${layout}`)
    const service = join(base, 'service.mjs')
    const backup = join(base, 'backup')
    mkdirSync(base)
    writeService(service, 'the file of the items', layout)
    const positionOf = async () => {
      const running = await serveCommandLine(base, service)
      const { next } = (await (await fetch(`${running.address}/notes/changes`)).json()) as {
        next: string
      }
      await running.stop()
      return next
    }
    const readFrom = async (position: string) => {
      const running = await serveCommandLine(base, service)
      const response = await fetch(`${running.address}/notes/changes?since=${position}`)
      await running.stop()
      return response.json()
    }
    const isRefused = { status: 400, errors: [{ code: 'invalid-position' }] }
    expect(await readFrom(await positionOf())).toMatchObject({ changes: [] })
    expect(await runCommandLine(base, 'backup', service, backup)).toMatchObject({ code: 0 })
    for (const target of [service, `sqlite:${join(base, 'items.db')}`]) {
      const before = await positionOf()
      expect(await runCommandLine(base, 'restore', target, backup, '--overwrite')).toMatchObject({
        code: 0,
      })
      expect(await readFrom(before)).toMatchObject(isRefused)
    }
  },
)

it('a test restore names damage of a file of blobs', { timeout: 120_000 }, async () => {
  const { service, backup, running, command } = await backedUp('damaged-blobs', 'another file')
  await running.stop()
  const file = join(backup, 'blobs')
  const bytes = readFileSync(file)
  writeFileSync(
    file,
    Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 1)]),
  )
  expect(await command('restore', service, backup, '--verify')).toMatchObject({
    code: 1,
    output: expect.stringContaining("'blobs' is damaged: "),
  })
})
