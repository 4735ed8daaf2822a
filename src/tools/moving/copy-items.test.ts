import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { field, model } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { sqlite } from 'resourcery/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { Store } from '../../store/store.ts'
import { StoreUnavailable } from '../../store/store-failures.ts'
import { copyItems } from './copy-items.ts'
import {
  arrayOf,
  fillLibrary,
  libraryOf,
  models,
  Novel,
  responsesOf,
  Writer,
} from './library.testing.ts'

const newStore = () => ({ store: memory(), blobs: memoryBlobs() })

async function newLibrary() {
  const storage = newStore()
  const router = libraryOf(storage)
  await fillLibrary(router)
  return { storage, router }
}

describe('copyItems', () => {
  it('copies items with hidden members, relations in both directions and files', async () => {
    const from = await newLibrary()
    const to = newStore()
    const report = await copyItems(from.storage, to, { models })
    expect(report).toEqual({
      itemCounts: { writer: 2, novel: 3, company: 2, person: 3 },
      writtenCount: 10,
      resourceCount: 2,
      copiedBytes: 20,
      conflicts: { count: 0, first: [] },
      differences: { count: 0, first: [] },
      missedCount: 0,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const copy = libraryOf(to)
    expect(await responsesOf(copy)).toEqual(await responsesOf(from.router))
    const [novel] = await arrayOf(copy.query(Novel).where('id').equal('n2').exec())
    expect(novel).toMatchObject({ cost: 2.5, similar: ['n1', 'n2'] })
    const text = await copy.handle(new Request('http://localhost/novels/n1/text'))
    expect([text.headers.get('content-disposition'), await text.text()]).toEqual([
      expect.stringContaining('one.txt'),
      'Once upon a time',
    ])
  })

  it('goes on where an earlier copy was interrupted', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    const stop = new Error('stopped')
    const interrupted = copyItems(storage, to, {
      models,
      onProgress: () => {
        throw stop
      },
    })
    await expect(interrupted).rejects.toBe(stop)
    const { writtenCount, differences } = await copyItems(storage, to, { models })
    expect([writtenCount, differences.count]).toEqual([8, 0])
    expect((await copyItems(storage, to, { models })).writtenCount).toBe(0)
  })

  it('names items that the target has with other content, and leaves them alone', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    const copy = libraryOf(to)
    await copy.load(Writer, [{ id: 'a', name: 'Another Ada' }])
    const report = await copyItems(storage, to, { models })
    const ada = { count: 1, first: [{ model: 'writer', id: 'a' }] }
    expect(report).toMatchObject({ writtenCount: 9, conflicts: ada, differences: ada })
    expect(await arrayOf(copy.query(Writer).where('id').equal('a').exec())).toMatchObject([
      { name: 'Another Ada' },
    ])
  })

  it('names items with relations of which the target has other ones', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    await copyItems(storage, to, { models })
    const copy = libraryOf(to)
    const body = JSON.stringify({ writer: { mentor: 'a' } })
    const headers = { 'content-type': 'application/json' }
    const patch = new Request('http://localhost/writers/a', { method: 'PATCH', body, headers })
    expect((await copy.handle(patch)).status).toBe(200)
    const report = await copyItems(storage, to, { models })
    expect(report).toMatchObject({ writtenCount: 0, conflicts: { count: 1 } })
    await copyItems(storage, to, { models, overwrite: true })
    expect(await arrayOf(copy.query(Writer).where('id').equal('a').exec())).toMatchObject([
      { mentor: 'z' },
    ])
  })

  it('empties relations on request that the target has and the source has not', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    await copyItems(storage, to, { models })
    const copy = libraryOf(to)
    const body = JSON.stringify({ writer: { mentor: 'a' } })
    const headers = { 'content-type': 'application/json' }
    const patch = new Request('http://localhost/writers/z', { method: 'PATCH', body, headers })
    expect((await copy.handle(patch)).status).toBe(200)
    const zoe = { count: 1, first: [{ model: 'writer', id: 'z' }] }
    const report = await copyItems(storage, to, { models })
    expect(report).toMatchObject({ conflicts: zoe, differences: zoe })
    const overwritten = await copyItems(storage, to, { models, overwrite: true })
    expect(overwritten).toMatchObject({ conflicts: { count: 0 }, differences: { count: 0 } })
  })

  it('keeps files whose items were committed before the connection was lost', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    const lost = new StoreUnavailable('The connection was lost.')
    const losing = {
      ...to,
      store: {
        ...to.store,
        write: async (...parameters: Parameters<Store['write']>) => {
          await to.store.write(...parameters)
          throw lost
        },
      } as Store,
    }
    const novelCount = () => libraryOf(to).query(Novel).size()
    while ((await novelCount()) === 0)
      await expect(copyItems(storage, losing, { models })).rejects.toBe(lost)
    const report = await copyItems(storage, to, { models })
    expect(report).toMatchObject({ resourceCount: 2, copiedBytes: 0, differences: { count: 0 } })
  })

  it('deletes files whose items were not written', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    await libraryOf(to).load(Novel, [{ id: 'n0', title: 'Two', cost: 1, author: 'z' }])
    await expect(copyItems(storage, to, { models })).rejects.toThrow("the same 'title'")
    expect(await arrayOf(to.blobs.list())).toEqual([])
  })

  it('copies files again that items of the target have lost', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    await copyItems(storage, to, { models })
    const loseBlob = async () => to.blobs.delete([(await arrayOf(to.blobs.list()))[0]!.key])
    await loseBlob()
    const report = await copyItems(storage, to, { models })
    expect(report).toMatchObject({ writtenCount: 1, conflicts: { count: 0 } })
    expect(report).toMatchObject({ resourceCount: 2, differences: { count: 0 } })
    expect(await arrayOf(to.blobs.list())).toHaveLength(2)
    const copy = libraryOf(to)
    const body = JSON.stringify({ novel: { similar: ['n1'] } })
    const headers = { 'content-type': 'application/json' }
    const patch = new Request('http://localhost/novels/n1', { method: 'PATCH', body, headers })
    expect((await copy.handle(patch)).status).toBe(200)
    await loseBlob()
    const again = await copyItems(storage, to, { models })
    expect(again).toMatchObject({ writtenCount: 1, conflicts: { count: 1 } })
    expect(await arrayOf(copy.query(Novel).where('id').equal('n1').exec())).toMatchObject([
      { similar: ['n1'] },
    ])
  })

  it('writes over such items on request, and deletes their files', async () => {
    const from = await newLibrary()
    const to = newStore()
    await copyItems(from.storage, to, { models })
    const content = { bytes: Buffer.from('The end'), contentType: 'text/plain' }
    await from.router.loadResource(Novel, { id: 'n1', path: 'text' }, content)
    const report = await copyItems(from.storage, to, { models, overwrite: true })
    expect(report).toMatchObject({ writtenCount: 1, copiedBytes: 11, differences: { count: 0 } })
    expect(await responsesOf(libraryOf(to))).toEqual(await responsesOf(from.router))
    expect((await arrayOf(to.blobs.list())).length).toBe(2)
  })

  it('counts items that the store does not list', async () => {
    const { storage } = await newLibrary()
    const { list } = storage.store
    const forgetful = {
      ...storage.store,
      async *list(...parameters: Parameters<Store['list']>) {
        for await (const batch of list(...parameters)) {
          const items = batch.filter(({ id }) => id !== 'n3')
          if (items.length > 0) yield items
        }
      },
    } as Store
    const report = await copyItems({ ...storage, store: forgetful }, newStore(), { models })
    expect(report).toMatchObject({ missedCount: 1 })
  })

  it('changes nothing in a store that older models have made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'older-models-'))
    const store = sqlite(join(folder, 'books.db'))
    const older = model('book', { title: z.string() })
    await store.open(describeModels([older]))
    await store.close()
    const from = { store: sqlite(join(folder, 'books.db')) }
    const newer = model('book', { title: field(z.string(), { unique: true }) })
    await expect(copyItems(from, newStore(), { models: [newer] })).rejects.toThrow(
      'The store to read does not fit the models, and opening it would change it: ',
    )
    expect(await from.store.admin!.plan!(describeModels([older]))).toEqual([])
    await copyItems(from, newStore(), { models: [older] })
    await from.store.close()
    rmSync(folder, { recursive: true })
  })

  it('names the item whose unique value another one of the target has', async () => {
    const { storage } = await newLibrary()
    const to = newStore()
    await libraryOf(to).load(Novel, [{ id: 'n0', title: 'One', cost: 1, author: 'z' }])
    await expect(copyItems(storage, to, { models })).rejects.toThrow(
      "Cannot write the novel 'n1': another item of the target has the same 'title'.",
    )
  })

  it('names the file whose bytes are missing or damaged', async () => {
    const { storage } = await newLibrary()
    const blobs = await arrayOf(storage.blobs.list())
    const damaged = {
      ...storage,
      blobs: { ...storage.blobs, read: async () => bytesOf('Once upon a crime') },
    }
    await expect(copyItems(damaged, newStore(), { models })).rejects.toThrow(
      "Cannot copy 'text' of the novel 'n1'. Expected 16 bytes; got 17.",
    )
    const to = newStore()
    const forgetful = { ...to, blobs: { ...to.blobs, read: async () => undefined } }
    await expect(copyItems(storage, forgetful, { models })).rejects.toThrow(
      "The copy of 'text' of the novel 'n1' is not whole. The target does not have its bytes.",
    )
    await storage.blobs.delete(blobs.map(({ key }) => key))
    await expect(copyItems(storage, newStore(), { models })).rejects.toThrow(
      "Cannot copy 'text' of the novel 'n1'. The source does not have its bytes.",
    )
    await expect(copyItems(storage, { store: memory() }, { models })).rejects.toThrow(
      "Cannot copy 'text' of the novel 'n1'. The target has no blob store.",
    )
  })
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
