import { createRouter, model, type Policy, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Tag = model('tag', { name: z.string(), posts: toMany('post', { inverse: 'tags' }) })
const scores = z.record(z.string(), z.record(z.string(), z.object({ score: z.number() })))
const Post = model('post', {
  title: z.string(),
  words: z.array(z.string()).optional(),
  size: z.object({ width: z.number() }).optional(),
  marks: z.record(z.string(), z.array(z.number())).optional(),
  tags: toMany('tag'),
})

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']
/** Names of three letters: as many as fit into a body. */
const names = letters
  .flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  .slice(0, 125_000)
const longName = 'k'.repeat(1_000_000)
const members = `{${names.map((name) => `"${name}":1`).join(',')}}`
const numbers = `[${Array(500_000).fill(1).join(',')}]`
const identifiers = (type: string) =>
  `[${names.slice(0, 40_000).map((id) => `{"type":"${type}","id":"${id}"}`)}]`

async function responseOf(
  policy: Policy,
  method: string,
  path: string,
  type: string,
  body: string,
) {
  const errors: unknown[] = []
  const router = createRouter({
    policy,
    store: memory(),
    limits: {
      maxBodyBytes: 4_000_000,
      maxJsonValues: 1_000_000,
      maxItemValues: 1_000_000,
      maxIdentifiers: 200_000,
    },
    onError: (e) => errors.push(e),
  })
  router.prepare(Tag)
  router.prepare(Post).itemOperation('score', () => undefined, { input: z.object({ scores }) })
  await router.load(Tag, [{ id: 't', name: 'T' }])
  await router.load(Post, [{ id: 'p', title: 'P', tags: ['t'] }])
  const headers = { 'content-type': type }
  const response = await router.handle(
    new Request(`http://localhost${path}`, { method, headers, body }),
  )
  expect(errors).toEqual([])
  return { status: response.status, document: JSON.parse((await response.text()) || '{}') }
}

describe('a body with a hundred thousand errors is refused with some of them, and the search stops early', () => {
  it.each([
    ['unknown members', 'POST', '/posts', `{"post":${members}}`, 422],
    ['no text in an array', 'POST', '/posts', `{"post":{"title":"x","words":${numbers}}}`, 422],
    [
      'unknown members of a struct',
      'POST',
      '/posts',
      `{"post":{"title":"x","size":${members}}}`,
      422,
    ],
    ['no identifiers', 'POST', '/posts', `{"post":{"title":"x","tags":${numbers}}}`, 400],
    ['missing items', 'PATCH', '/posts/p', `{"post":{"tags":["${names.join('","')}"]}}`, 422],
  ])('plain REST: %s', async (_, method, path, body, status) => {
    const response = await responseOf(rest(), method, path, 'application/json', body)
    expect([response.status, response.document.errors.length]).toEqual([status, 50])
  })

  const post = (inner: string) => `{"data":{"type":"posts",${inner}}}`
  it.each([
    ['unknown attributes', 'POST', '/posts', post(`"attributes":${members}`), 422],
    ['unknown relationships', 'POST', '/posts', post(`"relationships":${members}`), 422],
    [
      'no text in an array',
      'POST',
      '/posts',
      post(`"attributes":{"title":"x","words":${numbers}}`),
      422,
    ],
    ['no identifiers', 'POST', '/posts', post(`"relationships":{"tags":{"data":${numbers}}}`), 400],
    [
      'another type',
      'POST',
      '/posts',
      post(`"relationships":{"tags":{"data":${identifiers('posts')}}}`),
      409,
    ],
    [
      'missing items',
      'PATCH',
      '/posts/p/relationships/tags',
      `{"data":${identifiers('tags')}}`,
      404,
    ],
    [
      'missing items',
      'POST',
      '/posts/p/relationships/tags',
      `{"data":${identifiers('tags')}}`,
      404,
    ],
    [
      'missing items',
      'PATCH',
      '/tags/t/relationships/posts',
      `{"data":${identifiers('posts')}}`,
      404,
    ],
    ['no identifiers', 'DELETE', '/tags/t/relationships/posts', `{"data":${numbers}}`, 400],
  ])('JSON:API: %s: %s %s', async (_, method, path, body, status) => {
    const { document, ...response } = await responseOf(
      jsonApi(),
      method,
      path,
      'application/vnd.api+json',
      body,
    )
    expect([response.status, document.errors.length]).toEqual([status, 50])
    expect(document.meta.omitted).toBeGreaterThanOrEqual(900)
    expect(document.meta.omitted).toBeLessThan(3_000)
  })

  it('and no error repeats a long name in full', async () => {
    const body = JSON.stringify({
      post: { title: 'x', marks: { [longName]: Array(1_000).fill('x') } },
    })
    const { status, document } = await responseOf(
      rest(),
      'POST',
      '/posts',
      'application/json',
      body,
    )
    expect([status, document.errors.length]).toEqual([422, 50])
    expect(document.errors[0].source.pointer).toBe('/post/marks')
    expect(JSON.stringify(document).length).toBeLessThan(100_000)
  })

  it.each([
    [
      'unfit values',
      {
        [longName]: Object.fromEntries(names.slice(0, 1_000).map((name) => [name, { score: 'x' }])),
      },
    ],
    [
      'members that do not exist',
      {
        [longName]: Object.fromEntries(
          names.slice(0, 1_000).map((name) => [name, { score: 1, no: 1 }]),
        ),
      },
    ],
  ])('also in the input of an action: %s', async (_, scores) => {
    const body = JSON.stringify({ scores })
    const { status, document } = await responseOf(
      rest(),
      'POST',
      '/posts/p/score',
      'application/json',
      body,
    )
    expect([status, document.errors.length]).toEqual([422, 50])
    expect(document.errors[0].source.pointer).toBe('/scores')
    expect(JSON.stringify(document).length).toBeLessThan(100_000)
  })

  it('a member that does not exist may be removed', async () => {
    const body = `{"data":${identifiers('posts')}}`
    expect(
      (
        await responseOf(
          jsonApi(),
          'DELETE',
          '/tags/t/relationships/posts',
          'application/vnd.api+json',
          body,
        )
      ).status,
    ).toBe(204)
  })
})
