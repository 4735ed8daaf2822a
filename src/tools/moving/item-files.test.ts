import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory, memoryBlobs } from 'resourcery/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyItems } from './copy-items.ts'
import { exportItems } from './export-items.ts'
import { importItems } from './import-items.ts'
import { fillLibrary, libraryOf, models, Novel, responsesOf, Writer } from './library.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'item-files-'))
const newStore = () => ({ store: memory(), blobs: memoryBlobs() })
const fileNamed = (name: string) => join(folder, name)

const storage = newStore()
const library = libraryOf(storage)
const whole = fileNamed('whole.jsonl')
let lines: readonly string[]

beforeAll(async () => {
  await fillLibrary(library)
  await exportItems(storage, whole, { models })
  lines = readFileSync(whole, 'utf8').split('\n').slice(0, -1)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('exportItems', () => {
  it('writes a header, a line for each item and the chunks of its files, and an end', () => {
    const starts = lines.map((line) => line.slice(0, 30))
    expect(starts.filter((start) => start.startsWith('{"model":"company"'))).toHaveLength(2)
    expect(lines[0]).toBe(
      '{"format":"resourcery items","version":1,"models":["writer","novel","company","person"]}',
    )
    const index = lines.findIndex((line) => line.includes('"id":"n1"'))
    expect(lines.slice(index - 2, index).map((line) => line.slice(0, 9))).toEqual([
      '{"blob":"',
      '{"blob":"',
    ])
    expect(lines.filter((line) => line.endsWith('"joined":true}'))).toHaveLength(2)
    expect(JSON.parse(lines.at(-1)!).end).toEqual({
      items: { writer: 2, novel: 3, company: 2, person: 3 },
      sha256: createHash('sha256')
        .update(`${lines.slice(0, -1).join('\n')}\n`)
        .digest('hex'),
    })
  })

  it('has the same hash as a copy', async () => {
    const report = await exportItems(storage, fileNamed('hash.jsonl'), { models })
    const { sha256, itemCounts } = await copyItems(storage, newStore(), { models })
    expect(report).toMatchObject({ itemCounts, resourceCount: 2, copiedBytes: 20 })
    // The lists of circles begin with other items, but are in the same order for both.
    expect(report.sha256).toBe(sha256)
  })

  it('refuses to write over a file, except on request', async () => {
    const file = fileNamed('exists.jsonl')
    writeFileSync(file, 'mine')
    await expect(exportItems(storage, file, { models })).rejects.toThrow(
      `${file} exists. Choose another name, or write over it with --overwrite (in code: overwrite: true).`,
    )
    await exportItems(storage, file, { models, overwrite: true })
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(whole, 'utf8'))
  })

  it('goes on after any byte at which it was interrupted', async () => {
    const text = readFileSync(whole)
    const file = fileNamed('resumed.jsonl')
    for (let length = 0; length <= text.length; length += 7) {
      writeFileSync(`${file}.partial`, text.subarray(0, length))
      await exportItems(storage, file, { models, overwrite: true })
      expect(readFileSync(file, 'utf8') === text.toString(), `after ${length} bytes`).toBe(true)
    }
    expect(existsSync(`${file}.partial`)).toBe(false)
  })

  it('begins anew if items have changed since it was interrupted', async () => {
    const changed = newStore()
    const router = libraryOf(changed)
    await fillLibrary(router)
    const file = fileNamed('changed.jsonl')
    const text = readFileSync(whole)
    const interrupt = () => writeFileSync(`${file}.partial`, text.subarray(0, text.length / 2))
    const exportAgain = async () => {
      interrupt()
      const report = await exportItems(changed, file, { models, overwrite: true })
      expect(report).toMatchObject({ differences: { count: 0 }, missedCount: 0 })
      const { sha256 } = await copyItems(changed, newStore(), { models })
      expect(report.sha256).toBe(sha256)
    }
    const body = JSON.stringify({ writer: { name: 'Adele' } })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/writers/a', { method: 'PATCH', body, headers })
    expect((await router.handle(request)).status).toBe(200)
    await exportAgain()
    expect(readFileSync(file, 'utf8')).toContain('Adele')
    await router.load(Writer, [{ id: '0', name: 'Zero' }])
    await exportAgain()
    expect(readFileSync(file, 'utf8')).toContain('Zero')
    const novel = new Request('http://localhost/novels/n1', { method: 'DELETE' })
    expect((await router.handle(novel)).status).toBe(204)
    await exportAgain()
    expect(readFileSync(file, 'utf8')).not.toContain('"id":"n1"')
  })

  it('writes a file that only its owner can read', async () => {
    const file = fileNamed('private.jsonl')
    expect(statSync(whole).mode & 0o777).toBe(0o600)
    writeFileSync(`${file}.partial`, readFileSync(whole).subarray(0, 500), { mode: 0o644 })
    await exportItems(storage, file, { models })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('refuses to go on with an export of other models', async () => {
    const file = fileNamed('others.jsonl')
    writeFileSync(`${file}.partial`, '{"format":"resourcery items","version":1,"models":["x"]}\n')
    await expect(exportItems(storage, file, { models })).rejects.toThrow(
      `${file}.partial is the beginning of an export of other models. Delete it.`,
    )
  })
})

describe('importItems', () => {
  it('makes the same items', async () => {
    const to = newStore()
    const report = await importItems(to, whole, { models })
    expect(report).toMatchObject({ writtenCount: 10, copiedBytes: 20, differences: { count: 0 } })
    const copy = libraryOf(to)
    expect(await responsesOf(copy)).toEqual(await responsesOf(library))
    const scan = await copy.handle(new Request('http://localhost/novels/n1/scans/1/image'))
    expect(Buffer.from(await scan.arrayBuffer())).toEqual(Buffer.from([1, 2, 3, 255]))
    expect((await importItems(to, whole, { models })).writtenCount).toBe(0)
  })

  const changes: readonly (readonly [string, (lines: string[]) => unknown, string])[] = [
    [
      'a line that is no JSON',
      (all) => all.splice(3, 1, '{oops'),
      'Line 4 of bad.jsonl: Not JSON: ',
    ],
    [
      'a line of another kind',
      (all) => all.splice(3, 1, '{"item":{}}'),
      "Line 4 of bad.jsonl: Expected an item, with 'model' and 'item'; got no model.",
    ],
    [
      'another header',
      (all) => all.splice(0, 1, '{"format":"csv"}'),
      'Line 1 of bad.jsonl: Expected the header of an export, with "format":"resourcery items".',
    ],
    [
      'a later version',
      (all) => all.splice(0, 1, all[0]!.replace('"version":1', '"version":2')),
      'Line 1 of bad.jsonl: Expected version 1 of the format; got 2.',
    ],
    [
      'an unknown model',
      (all) => all.splice(1, 1, '{"model":"writter","item":{"id":"a"}}'),
      "Line 2 of bad.jsonl: Unknown model 'writter'. Did you mean 'writer'?",
    ],
    [
      'an unknown member',
      (all) => all.splice(1, 1, '{"model":"writer","item":{"id":"a","nam":"A"}}'),
      "Line 2 of bad.jsonl: Unknown member 'nam' of the model 'writer'. Did you mean 'name'?",
    ],
    [
      'an id that is none',
      (all) => all.splice(1, 1, '{"model":"writer","item":{"id":"a/b"}}'),
      'Line 2 of bad.jsonl: Expected an id; got "a/b". An id has',
    ],
    [
      'a relation that is none',
      (all) => all.splice(1, 1, '{"model":"writer","item":{"id":"a","mentor":["z"]}}'),
      "Line 2 of bad.jsonl: 'mentor' must be an id or null.",
    ],
    [
      'a file without its bytes',
      (all) =>
        all.splice(
          all.findIndex((line) => line.startsWith('{"blob"')),
          1,
        ),
      "Line 5 of bad.jsonl: The bytes of 'text' must stand before the item.",
    ],
    [
      'fewer items',
      (all) => all.splice(-2, 1),
      "Line 13 of bad.jsonl: Expected 3 items of the model 'person'; got 2.",
    ],
    [
      'a changed value',
      (all) => all.splice(-2, 1, all.at(-2)!.replace('Two', 'Tvo').replace('One', 'Ome')),
      'Line 14 of bad.jsonl: The hash is another: the file was changed after it was written.',
    ],
    [
      'no end',
      (all) => all.pop(),
      'bad.jsonl ends after line 13 without the last line of an export',
    ],
  ]
  it.each(changes)('refuses a file with %s, and writes nothing', async (_, change, message) => {
    const file = fileNamed('bad.jsonl')
    const changed = [...lines]
    change(changed)
    writeFileSync(file, `${changed.join('\n')}\n`)
    const to = newStore()
    await expect(importItems(to, file, { models })).rejects.toThrow(message)
    expect(await libraryOf(to).query(Writer).size()).toBe(0)
  })

  it('refuses a file that is cut inside a line', async () => {
    const file = fileNamed('cut.jsonl')
    writeFileSync(file, readFileSync(whole).subarray(0, -5))
    await expect(importItems(newStore(), file, { models })).rejects.toThrow(
      `Line ${lines.length} of cut.jsonl: The line is not whole.`,
    )
  })

  it('names the item that the store cannot hold', async () => {
    const to = newStore()
    await libraryOf(to).load(Novel, [{ id: 'n9', title: 'Two', cost: 1, scans: [], author: 'z' }])
    await expect(importItems(to, whole, { models })).rejects.toThrow(
      "Cannot write the novel 'n2': another item of the target has the same 'title'.",
    )
  })
})
