import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
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
    const running = await startCommandLine(base, service)
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
      const again = await startCommandLine(data, service)
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
    for (let kill = 0; kill < 2; kill++) {
      const target = join(base, `killed-${kill}`)
      const child = spawnCommand(base, 'backup', service, target)
      const exited = once(child, 'exit')
      while (child.exitCode === null && !hasPartial(target)) await wait(1)
      child.kill('SIGKILL')
      await exited
      if (existsSync(target)) continue
      expect(hasPartial(target)).toBe(true)
    }
    const { code, output } = await runCommandLine(base, 'backup', service, join(base, 'after'))
    expect({ code, output }).toMatchObject({ code: 0 })
  })
})

function hasPartial(target: string): boolean {
  return readdirSync(join(target, '..')).some((name) =>
    name.startsWith(`${target.split('/').at(-1)}.partial-`),
  )
}

it('a restore refuses what is there or in use, and keeps what it replaces', {
  timeout: 120_000,
}, async () => {
  const base = join(folder, 'refused')
  const service = join(base, 'service.mjs')
  const backup = join(base, 'backup')
  mkdirSync(base)
  writeService(service, 'folder')
  const running = await startCommandLine(base, service)
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
  const again = await startCommandLine(base, service)
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
  const running = await startCommandLine(base, service)
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
    output: expect.stringContaining('The database is damaged: file is not a database'),
  })
})
