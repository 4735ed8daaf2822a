import { createRouter, list, model, type RouterLimits, struct, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Tag = model('tag', { name: z.string() }, { ids: 'client' })
const wide = z.object(Object.fromEntries([...'abcdefgh'].map((name) => [name, z.string()])))

/**
 * @returns a function that sends a request, and says how often the values of posts were validated
 */
async function service(policy: 'plain' | 'json', limits: Partial<RouterLimits> = {}) {
  let validated = 0
  const counted = z.preprocess((value) => {
    validated++
    return value
  }, z.record(z.string(), z.number()).optional())
  const Post = model('post', {
    title: z.string(),
    marks: counted,
    editions: list(struct({ year: z.number() })),
    cells: z.array(wide).optional(),
    tags: toMany('tag'),
  })
  const router = createRouter({
    policy: policy === 'plain' ? rest() : jsonApi(),
    store: memory(),
    limits,
  })
  router.prepare(Tag)
  router
    .prepare(Post)
    .itemOperation('mark', () => undefined, { input: z.object({ marks: z.array(z.number()) }) })
  await router.load(
    Tag,
    Array.from({ length: 50 }, (_, at) => ({ id: `t${at}`, name: 'T' })),
  )
  await router.load(Post, [{ id: 'p', title: 'P', marks: counts(30), editions: [], tags: [] }])
  validated = 0
  return async (method: string, path: string, body: unknown) => {
    const json = policy === 'plain' ? 'application/json' : 'application/vnd.api+json'
    const type = path === '/operations' ? `${json};ext="https://jsonapi.org/ext/atomic"` : json
    const headers = { 'content-type': type, accept: policy === 'plain' ? '*/*' : type }
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    const response = await router.handle(request)
    return {
      status: response.status,
      errors: JSON.parse((await response.text()) || '{}').errors,
      validated,
    }
  }
}

const counts = (count: number, first = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${first + at}`, 1]))
const refused = (pointer: string, limit: number, what = 'An item') => ({
  status: 400,
  validated: 0,
  errors: [
    expect.objectContaining({
      code: 'limit-exceeded',
      detail: `${what} must have at most ${limit} values (members and elements at all levels).`,
      source: { pointer },
      meta: { limit },
    }),
  ],
})

describe('The values of one item are bounded before anything validates them', () => {
  it('counts members and elements at all levels, and refuses the one beyond the limit', async () => {
    const send = await service('plain', { maxItemValues: 10 })
    const post = { title: 'x', editions: [{ year: 1 }, { year: 2 }] }
    expect((await send('POST', '/posts', { post: { ...post, marks: counts(3) } })).status).toBe(201)
    const fresh = await service('plain', { maxItemValues: 10 })
    expect(await fresh('POST', '/posts', { post: { ...post, marks: counts(4) } })).toEqual(
      refused('/post/marks', 10),
    )
  })

  it('does not count the ids of relations', async () => {
    const tags = Array.from({ length: 50 }, (_, at) => `t${at}`)
    const send = await service('plain', { maxItemValues: 10 })
    expect(
      (await send('POST', '/posts', { post: { title: 'x', editions: [], tags } })).status,
    ).toBe(201)
  })

  it('holds for PUT and PATCH, and for attributes of JSON:API', async () => {
    const plain = await service('plain')
    for (const method of ['PUT', 'PATCH'])
      expect(
        await plain(method, '/posts/p', { post: { title: 'x', editions: Array(5_000).fill({}) } }),
      ).toEqual(refused('/post/editions', 5_000))
    const json = await service('json')
    const attributes = { title: 'x', cells: Array(5_000).fill({}) }
    expect(await json('POST', '/posts', { data: { type: 'posts', attributes } })).toEqual(
      refused('/data/attributes/cells', 5_000),
    )
  })

  it('holds for the input of an action', async () => {
    const plain = await service('plain', { maxItemValues: 10 })
    const what = 'The input of an action'
    expect(await plain('POST', '/posts/p/mark', { marks: Array(9).fill(1) })).toEqual(
      refused('', 10, what),
    )
    expect((await plain('POST', '/posts/p/mark', { marks: Array(8).fill(1) })).status).toBeLessThan(
      300,
    )
    const json = await service('json', { maxItemValues: 10 })
    expect(await json('POST', '/posts/p/mark', { meta: { marks: Array(9).fill(1) } })).toEqual(
      refused('/meta', 10, what),
    )
  })

  it('holds for each operation of a batch, and not for all of them together', async () => {
    const json = await service('json', { maxItemValues: 10 })
    const add = (size: number) => ({
      op: 'add',
      data: { type: 'posts', attributes: { title: 'x', editions: [], marks: counts(size) } },
    })
    expect(
      (await json('POST', '/operations', { 'atomic:operations': [add(7), add(7)] })).status,
    ).toBe(200)
    const fresh = await service('json', { maxItemValues: 10 })
    expect(await fresh('POST', '/operations', { 'atomic:operations': [add(7), add(8)] })).toEqual(
      refused('/atomic:operations/1/data/attributes/marks', 10),
    )
  })

  it('yields to the event loop between the operations of a batch, also when one of them waits for its schema', async () => {
    let turns = 0
    const slow = (value: unknown) => {
      const deadline = performance.now() + 7
      while (performance.now() < deadline);
      return value === 0
    }
    let during: number[] = []
    const seen = z.number().refine((value) => {
      during.push(turns)
      return slow(value)
    })
    const Job = model('job', {
      name: z
        .string()
        .refine(async () => true)
        .optional(),
      size: seen,
    })
    const router = createRouter({ policy: jsonApi(), store: memory() })
    router.prepare(Job)
    await router.load(Job, [])
    const add = (attributes: unknown) => ({ op: 'add', data: { type: 'jobs', attributes } })
    const wrong = Array.from({ length: 5 }, () => add({ size: 1 }))
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const body = JSON.stringify({ 'atomic:operations': [add({ name: 'x', size: 0 }), ...wrong] })
    let ended = false
    const nextTick = () => {
      turns++
      if (!ended) setImmediate(nextTick)
    }
    setImmediate(nextTick)
    during = []
    const headers = { 'content-type': type, accept: type }
    const response = await router.handle(
      new Request('http://localhost/operations', { method: 'POST', headers, body }),
    )
    ended = true
    expect(response.status).toBe(422)
    expect(new Set(during.slice(0, 6)).size).toBe(6)
  })

  it('lets no item grow beyond the limit by repeated PATCH, and allows changes of items that the service wrote', async () => {
    const limit = 40
    const send = await service('plain', { maxItemValues: limit })
    const patch = (post: unknown) => send('PATCH', '/posts/p', { post })
    expect((await patch({ marks: counts(5, 30) })).status).toBe(200)
    expect(await patch({ marks: counts(5, 35) })).toEqual({
      ...refused('/post/marks', limit),
      validated: expect.any(Number),
    })
    const tight = await service('plain', { maxItemValues: 20 })
    expect((await tight('PATCH', '/posts/p', { post: { title: 'y' } })).status).toBe(200)
    expect((await tight('PATCH', '/posts/p', { post: { marks: { m0: null } } })).status).toBe(200)
  })
})
