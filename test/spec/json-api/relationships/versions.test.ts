import { createRouter, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../../../support/stores.ts'
import { atomicType } from '../../support/atomic.ts'
import { type Client, client } from '../../support/document-client.ts'
import { expectDone, expectError } from '../../support/expecting.ts'

const Writer = model('writer', {
  name: z.string(),
  books: toMany('book', { inverse: 'writer' }),
  likes: toMany('book'),
  best: toOne('book', { optional: true }),
  hash: hash(),
})
const Book = model('book', {
  title: z.string(),
  writer: toOne('writer', { optional: true }),
  hash: hash(),
})

const shout = (writer: { readonly name: string }) => ({
  ...writer,
  shout: writer.name.toUpperCase(),
})
const writer = '/writers/w-1'
const books = `${writer}/relationships/books`
const likes = `${writer}/relationships/likes`
const named = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })

describe.each([
  ['as they are stored', false],
  ['that a mapper changes', true],
])('JSON:API 1.10: versions of relationships, of items %s', (_, mapped) => {
  describe.each(stores)('on $name', ({ make }) => {
    let api: Client
    const tagOf = async (path: string) => (await api.get(path)).headers.get('etag') ?? ''
    const linked = async (path: string) => (await api.get(path)).ids

    beforeEach(async () => {
      const router = createRouter({ policy: jsonApi(), store: await make() })
      const prepared = router.prepare(Writer)
      if (mapped) prepared.map(shout, { adds: { shout: z.string() } })
      router.prepare(Book)
      await router.load(Writer, [{ id: 'w-1', name: 'Mary' }])
      await router.load(
        Book,
        ['b-1', 'b-2', 'b-3'].map((id) => ({ id, title: id, writer: id === 'b-3' ? null : 'w-1' })),
      )
      api = client(router)
      expectDone(await api.patch(likes, named('b-1')))
    })

    const ofTheItem = [
      '',
      '?include=books',
      '?fields[writers]=name',
      '?include=best,likes&fields[books]=title',
    ]

    it.each(ofTheItem)(
      'UP6, RE2: an ETag of the item (%s) guards its relations, also inverse ones',
      async (query) => {
        expectDone(await api.post(books, named('b-3'), { 'if-match': await tagOf(writer + query) }))
        expectDone(
          await api.patch(books, named('b-1', 'b-2'), { 'if-match': await tagOf(writer + query) }),
        )
        expectDone(
          await api.delete(books, named('b-2'), { 'if-match': await tagOf(writer + query) }),
        )
        expect(await linked(books)).toEqual(['b-1'])
        const stale = await tagOf(writer + query)
        expectDone(await api.post(likes, named('b-3'), { 'if-match': stale }))
        for (const path of [books, likes])
          expectError(await api.post(path, named('b-2'), { 'if-match': stale }), 412)
        expect(await linked(likes)).toEqual(['b-1', 'b-3'])
      },
    )

    it('UP6, RE2: the version in the meta of a resource guards them too', async () => {
      const { version } = (await api.get(writer)).one.meta as { readonly version: string }
      expectDone(await api.post(books, named('b-3'), { 'if-match': `"${version}"` }))
      expectDone(await api.post(likes, named('b-3'), { 'if-match': `"${version}"` }))
      for (const path of [books, likes])
        expectError(await api.post(path, named('b-2'), { 'if-match': `"${version}"` }), 412)
    })

    it('RE2: the ETag of an inverse relation is stale as soon as one of its items relates to another owner', async () => {
      for (const query of ['', '?include=books', '?sort=-title', '?filter[title]=b-1']) {
        const stale = await tagOf(books + query)
        await api.patch('/books/b-3/relationships/writer', { data: { type: 'writers', id: 'w-1' } })
        expectError(await api.patch(books, named(), { 'if-match': stale }), 412)
        expectDone(await api.patch(books, named('b-1', 'b-2'), { 'if-match': await tagOf(books) }))
        expect(await linked(books)).toEqual(['b-1', 'b-2'])
      }
    })

    it('UP6: the ETag of an owned relation guards its item', async () => {
      for (const path of [
        likes,
        `${likes}?include=likes`,
        `${likes}?sort=-title`,
        `${writer}/relationships/best`,
      ]) {
        const tag = await tagOf(path)
        const data = { type: 'writers', id: 'w-1', attributes: { name: path } }
        expect((await api.patch(writer, { data }, { 'if-match': tag })).status).toBe(200)
        expectError(await api.patch(writer, { data }, { 'if-match': tag }), 412)
        expectError(await api.post(likes, named('b-3'), { 'if-match': tag }), 412)
      }
    })

    it('AO13: also in an operation of a batch', async () => {
      const send = (tag: string) => {
        const ref = { type: 'writers', id: 'w-1', relationship: 'books' }
        const operation = { op: 'add', ref, ...named('b-3'), meta: { ifMatch: tag } }
        return api.post(
          '/operations',
          { 'atomic:operations': [operation] },
          { 'content-type': atomicType },
        )
      }
      const [own, relation] = [await tagOf(`${writer}?include=books`), await tagOf(books)]
      expectDone(await send(relation))
      expectError(await send(relation), 412, { pointer: '/atomic:operations/0/meta/ifMatch' })
      expectDone(await send(own))
    })
  })
})
