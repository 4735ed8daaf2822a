import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blobFolder } from './blob-folder.ts'
import { endAbandonedHold, holdDeletions } from './deletion-hold.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hold-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** No process has this id: it is above the limit of every system. */
const deadPid = 2 ** 30

/** A folder that a process left, which ran so long ago. */
function leave(name: string, owner: string, secondsAgo = 0): string {
  const folder = join(root, name)
  mkdirSync(folder)
  writeFileSync(join(folder, '.process'), owner)
  writeFileSync(join(folder, 'blob'), 'bytes')
  const time = Date.now() / 1_000 - secondsAgo
  utimesSync(join(folder, '.process'), time, time)
  return folder
}

const ended = [
  ['a process of this machine that has ended', `${hostname()} ${deadPid} id`, 0],
  ['a process that has not run for a minute', `${hostname()} ${process.pid} id`, 61],
  ['another machine that has not run for a minute', `another-machine ${deadPid} id`, 61],
] as const
const kept = [
  ['a running process', `${hostname()} ${process.pid} id`, 50],
  ['another machine', `another-machine ${deadPid} id`, 50],
] as const

it.each(ended)('ends the hold of %s', async (_, owner, secondsAgo) => {
  const held = leave('held', owner, secondsAgo)
  const temporary = leave('held-1', owner, secondsAgo)
  await endAbandonedHold(root)
  expect([existsSync(held), existsSync(temporary)]).toEqual([false, false])
})

it.each(kept)('keeps the hold of %s, and refuses a second one', async (_, owner, secondsAgo) => {
  leave('held', owner, secondsAgo)
  leave('held-1', owner, secondsAgo)
  await endAbandonedHold(root)
  expect(readdirSync(root)).toEqual(['held', 'held-1'])
  await expect(holdDeletions(root)).rejects.toThrow(
    `Another backup of '${root}' is running, or was killed on another machine less than a minute ago. Wait until it has ended, or for a minute, and back up again.`,
  )
  expect(readdirSync(root)).toEqual(['held', 'held-1'])
})

it('lets one of several processes end what was abandoned', async () => {
  leave('held', `${hostname()} ${deadPid} id`)
  await Promise.all(Array.from({ length: 8 }, () => endAbandonedHold(root)))
  expect(readdirSync(root)).toEqual([])
})

it('lists the blobs that were deleted meanwhile, and deletes them at its end', async () => {
  const hold = await holdDeletions(root)
  writeFileSync(join(root, 'held', 'a'), 'bytes')
  const paths = Object.fromEntries(await hold.list())
  expect(paths['a']).toBe(join(root, 'held', 'a'))
  await hold.refuseEnded()
  await hold.end()
  expect(readdirSync(root)).toEqual([])
})

it('says that the hold of a backup was ended, and leaves the one that followed', async () => {
  const copy = await blobFolder(root, () => undefined).beginCopy()
  utimesSync(join(root, 'held', '.process'), 0, 0)
  await endAbandonedHold(root)
  const target = join(root, 'copy')
  const message = `Another process has deleted blobs of '${root}' that the backup needs, because this one had not run for a minute. Back up again.`
  await expect(copy.copyTo(target)).rejects.toThrow(message)
  rmSync(target, { recursive: true })

  const next = await holdDeletions(root)
  const owner = readFileSync(join(root, 'held', '.process'), 'utf8')
  await expect(copy.copyTo(target)).rejects.toThrow(message)
  await copy.end()
  expect(readFileSync(join(root, 'held', '.process'), 'utf8')).toBe(owner)
  await next.end()
})

it('fails where it cannot read what was deleted, and ends once it can', async () => {
  const hold = await holdDeletions(root)
  const [held, aside] = [join(root, 'held'), join(root, 'aside')]
  renameSync(held, aside)
  // A file in the place of the folder cannot be read as one: ENOTDIR.
  writeFileSync(held, '')
  await expect(hold.list()).rejects.toThrow('ENOTDIR')
  await expect(hold.refuseEnded()).rejects.toThrow('ENOTDIR')
  await expect(hold.end()).rejects.toThrow('ENOTDIR')
  rmSync(held)
  renameSync(aside, held)
  await hold.end()
  expect(readdirSync(root)).toEqual([])
})
