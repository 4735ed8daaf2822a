import { createRouter, list, model, type RouterLimits, struct, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Tag = model(
  'tag',
  { name: z.string(), posts: toMany('post', { inverse: 'tags' }) },
  { ids: 'client' },
)
const Post = model('post', {
  title: z.string(),
  editions: list(struct({ year: z.number() })),
  tags: toMany('tag'),
})

async function send(
  policy: 'plain' | 'json',
  path: string,
  body: string,
  limits: Partial<RouterLimits> = {},
) {
  const router = createRouter({
    policy: policy === 'plain' ? rest() : jsonApi(),
    store: memory(),
    limits,
  })
  router.prepare(Tag)
  router
    .prepare(Post)
    .itemOperation('mark', () => undefined, { input: z.object({ marks: z.array(z.number()) }) })
  await router.load(Post, [{ id: 'p', title: 'P', tags: [] }])
  const type =
    path === '/operations'
      ? atomic
      : policy === 'plain'
        ? 'application/json'
        : 'application/vnd.api+json'
  const headers = { 'content-type': type, accept: policy === 'plain' ? '*/*' : type }
  const response = await router.handle(
    new Request(`http://localhost${path}`, { method: 'POST', headers, body }),
  )
  return { status: response.status, document: JSON.parse(await response.text()) }
}

const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
const tooMany = { code: 'limit-exceeded', meta: { limit: 50_000 } }
const times = (count: number, text: string) => `[${Array(count).fill(text).join(',')}]`
const numbers = times(50_000, '1')

describe('A body with too many values is refused while it is parsed', () => {
  it.each([
    ['empty objects', '/posts', `{"post":{"title":"x","editions":${times(345_000, '{}')}}}`],
    ['numbers', '/posts', times(500_000, '1')],
    ['objects with a member each', '/posts', times(25_000, '{"a":1}')],
    ['the input of an action', '/posts/p/mark', `{"marks":${times(50_000, '1')}}`],
  ])('plain REST: %s', async (_, path, body) => {
    const { status, document } = await send('plain', path, body)
    expect(status).toBe(400)
    expect(document.errors).toEqual([expect.objectContaining(tooMany)])
  })

  it.each([
    ['attributes', '/posts', `{"data":{"type":"posts","attributes":{"a":${numbers}}}}`],
    [
      'a batch',
      '/operations',
      `{"atomic:operations":[{"op":"add","data":{"type":"posts","attributes":{"a":${numbers}}}}]}`,
    ],
  ])('JSON:API: %s', async (_, path, body) => {
    const { status, document } = await send('json', path, body)
    expect(status).toBe(400)
    expect(document.errors).toEqual([expect.objectContaining(tooMany)])
  })

  it('names the pointer, the limit, and the option', async () => {
    const { document } = await send('plain', '/posts', '{"post":{"title":"x","tags":["1","2"]}}', {
      maxJsonValues: 5,
    })
    expect(document.errors).toEqual([
      expect.objectContaining({
        detail:
          'The body must have at most 5 values (members and elements at all levels). Send fewer in one request.',
        source: { pointer: '/post/tags/1' },
        meta: { limit: 5 },
      }),
    ])
    expect(
      (await send('plain', '/posts', '{"post":{"title":"x","tags":[]}}', { maxJsonValues: 4 }))
        .status,
    ).toBe(201)
  })

  it('allows as many ids as a request may name, whatever their limit', async () => {
    const linkage = (count: number) =>
      JSON.stringify({
        data: Array.from({ length: count }, (_, id) => ({ type: 'tags', id: `${id}`, meta: {} })),
      })
    for (const [count, limits] of [
      [10_000],
      [30_000, { maxIdentifiers: 30_000, maxBodyBytes: 4_000_000 }],
    ] as const) {
      const { document } = await send('json', '/posts/p/relationships/tags', linkage(count), limits)
      expect(document.errors[0].code).toBe('related-missing')
    }
  })
})

describe('An object with more members than an item may have values is refused while it is parsed', () => {
  const record = (count: number) =>
    `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`
  const tooManyMembers = (limit: number, pointer: string) => [
    {
      code: 'limit-exceeded',
      meta: { limit },
      detail: `An object must have at most ${limit} members.`,
      source: { pointer },
    },
  ]

  it('plain REST, with a pointer to the object', async () => {
    const { status, document } = await send('plain', '/posts', `{"post":${record(5_001)}}`)
    expect(status).toBe(400)
    expect(document.errors).toMatchObject(tooManyMembers(5_000, '/post'))
  })

  it('JSON:API, with a pointer to the object', async () => {
    const body = `{"data":{"type":"posts","attributes":{"editions":[${record(5_001)}]}}}`
    const { status, document } = await send('json', '/posts', body)
    expect(status).toBe(400)
    expect(document.errors).toMatchObject(tooManyMembers(5_000, '/data/attributes/editions/0'))
  })

  it('as many as an item may have values are read', async () => {
    const { status } = await send('plain', '/posts', `{"post":${record(5_000)}}`)
    expect(status).toBe(422)
  })

  it('a small limit of values does not limit the members of an object', async () => {
    const { status } = await send('plain', '/posts', `{"post":${record(900)}}`, {
      maxItemValues: 10,
    })
    expect(status).toBe(422)
  })
})
