import { Readable } from 'node:stream'
import { type IQuery, type Middleware, model, refuse } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', { text: z.string() })

const requests = [
  ['GET', '/notes', undefined],
  ['GET', '/notes/n-1', undefined],
  ['POST', '/notes', { note: { text: 'changed' } }],
  ['PATCH', '/notes/n-1', { note: { text: 'changed' } }],
  ['PUT', '/notes/n-1', { note: { text: 'changed' } }],
  ['DELETE', '/notes/n-1', undefined],
] as const

describe.each(stores)('A hook with a common mistake still refuses, on $name', ({ make }) => {
  const guarded = async (middleware: Middleware) => {
    const reported: unknown[] = []
    const { router } = service(await make(), [], { onError: (error) => reported.push(error) })
    router.prepare(Note).use(middleware)
    await router.load(Note, [{ id: 'n-1', text: 'first' }])
    const unchanged = async () =>
      (await router.query(Note).size()) === 1 &&
      (await router.query(Note).where('text').equal('first').size()) === 1
    return { api: client(router), reported, unchanged }
  }

  it('refuse() without throw refuses', async () => {
    const { api, reported, unchanged } = await guarded({
      request: {
        any: () => {
          refuse('forbidden', 'Not you.')
        },
      },
    })
    for (const [method, path, body] of requests) {
      const response = await api.send(method, path, body)
      expect([response.status, response.errors[0]?.detail], method).toEqual([403, 'Not you.'])
    }
    expect([reported, await unchanged()]).toEqual([[], true])
  })

  it('throw refuse() refuses too, also in a promise', async () => {
    for (const any of [
      () => {
        throw refuse('forbidden', 'Not you.')
      },
      async () => refuse('forbidden', 'Not you.'),
    ]) {
      const { api } = await guarded({ request: { any } })
      expect((await api.get('/notes/n-1')).status).toBe(403)
    }
  })

  it.each([
    ['false', false],
    ['true', true],
    ['null', null],
    ['0', 0],
    ["''", ''],
    ['{}', {}],
    ['a web Response', new Response('no', { status: 401 })],
  ])(
    'a request hook that returns %s responds with 500, and the reported error names it',
    async (_, returned) => {
      for (const any of [() => returned as never, async () => returned as never]) {
        const { api, reported, unchanged } = await guarded({ request: { any } })
        for (const [method, path, body] of requests)
          expect((await api.send(method, path, body)).status).toBe(500)
        expect(reported).toHaveLength(requests.length)
        for (const error of reported)
          expect(error).toMatchObject({
            name: 'TypeError',
            message: expect.stringContaining("request hook 'any'"),
          })
        expect(await unchanged()).toBe(true)
      }
    },
  )

  it.each<[string, (stream: AsyncIterable<Uint8Array>) => unknown]>([
    [
      'a response with a status that is no number',
      (chunks) => ({ status: '200', headers: {}, body: { kind: 'stream', chunks } }),
    ],
    ['a body alone', (chunks) => ({ kind: 'stream', body: chunks })],
    ['a stream', (chunks) => chunks],
  ])('the stream of an invalid response, here %s, is closed unread', async (_, wrap) => {
    for (const isLate of [false, true]) {
      const file = new Readable({ read: () => undefined })
      let returns = 0
      const rows = () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.reject(new Error('It is not to be read.')),
          return: async () => {
            returns++
            return { done: true as const, value: undefined }
          },
        }),
      })
      for (const stream of [file, rows()]) {
        const wrong = wrap(stream)
        const { api } = await guarded({
          request: { any: () => (isLate ? Promise.resolve(wrong) : wrong) as never },
        })
        expect((await api.get('/notes/n-1')).status).toBe(500)
      }
      expect([file.destroyed, returns]).toEqual([true, 1])
    }
  })

  it('the body of a web Response is closed too', async () => {
    let cancels = 0
    const body = new ReadableStream({ cancel: () => void cancels++ })
    const { api } = await guarded({ request: { any: () => new Response(body) as never } })
    expect((await api.get('/notes/n-1')).status).toBe(500)
    expect(cancels).toBe(1)
  })

  it('a query hook that returns a promise, another query, or one of another request responds with 500', async () => {
    let otherQuery: IQuery | undefined
    const wrong: Record<string, (query: IQuery) => unknown> = {
      promise: async (query) => query.where('text').equal('nobody'),
      plan: ({ plan }) => ({ plan }),
      other: (query) => {
        otherQuery ??= query
        return otherQuery === query ? undefined : otherQuery
      },
      part: (query) => query.or((async (part: IQuery) => part) as never),
    }
    for (const any of Object.values(wrong)) {
      const { api, reported, unchanged } = await guarded({ query: { any: any as never } })
      for (const [method, path, body] of requests)
        expect((await api.send(method, path, body)).status, method).toBe(500)
      expect(reported).toHaveLength(requests.length)
      expect(await unchanged()).toBe(true)
    }
  })

  it('so do query hooks of create', async () => {
    for (const create of [async (query: IQuery) => query, () => undefined, () => true]) {
      const { api, reported, unchanged } = await guarded({ query: { create: create as never } })
      expect((await api.post('/notes', { note: { text: 'changed' } })).status).toBe(500)
      expect(reported).toMatchObject([{ message: expect.stringContaining("query hook 'create'") }])
      expect(await unchanged()).toBe(true)
    }
  })
})
