import type { Policy, Router } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import {
  get,
  type StoreKind,
  send,
  storeForTest,
  storeKinds,
  type TestResponse,
} from '../http/service.ts'
import { atomicType } from '../spec/support/atomic.ts'
import { cursorProfile } from '../spec/support/profiles.ts'
import { queries, towardsGhost } from './hidden-questions.ts'
import { secret, type World, worldOf, wrongGuess } from './hidden-world.ts'

const mediaType = 'application/vnd.api+json'

/** Protocols besides plain JSON, whose worlds are compared for single members. */
const protocols: readonly (readonly [name: string, policy: Policy, accept: string])[] = [
  ['JSON Lines', rest({ jsonLines: true }), 'application/jsonl, application/json;q=0.5'],
  ['JSON:API', jsonApi(), mediaType],
  ['JSON:API with cursors', jsonApi(), `${mediaType};profile="${cursorProfile}", ${mediaType}`],
]

/** Features of JSON:API only: relationships, related items, and pages of included relations. */
const ofRelations = [
  '/api/works/k1/editor',
  '/api/works/k1/relationships/editor',
  '/api/works/k1/relationships/helpers?withCount=true',
  '/api/works/k1/helpers?include=works&sort=-name',
  '/api/works/k1/helpers?page[size]=1&withCount=true',
  '/api/works/k1/relationships/helpers?page[size]=1&include=helpers',
  '/api/works/k9/writer',
  '/api/writers/w9',
  '/api/writers/w9/works',
  '/api/writers/w1/relationships/works?sort=-title',
  '/api/works?include=helpers&pageIncluded[helpers][size]=1&sortIncluded[helpers]=-name',
  '/api/works?include=helpers.works&filterIncluded[helpers][name][ne]=Ghost',
  '/api/works?include=writer.works.helpers&pageIncluded[writer.works][size]=1',
]

const linkage = (...ids: readonly string[]) => ({
  data: ids.map((id) => ({ type: 'writers', id })),
})
const work = (id: string, members: object) => ({ type: 'works', id, ...members })
const toWriter = (id: string | null) => ({ data: id === null ? null : { type: 'writers', id } })

/** Writes, one after the other: some to visible items, some to items that look missing. */
const writes: readonly (readonly [method: string, path: string, body: object])[] = [
  ['PATCH', '/api/works/k1', { data: work('k1', { attributes: { title: 'Changed' } }) }],
  ['PATCH', '/api/works/k1', { data: work('k1', { relationships: { writer: toWriter('w9') } }) }],
  [
    'PUT',
    '/api/works/k1',
    {
      data: work('k1', { attributes: { title: 'New' }, relationships: { writer: toWriter('w1') } }),
    },
  ],
  ['POST', '/api/works/k1/relationships/helpers', linkage('w1')],
  ['POST', '/api/works/k1/relationships/helpers', linkage('w9')],
  ['DELETE', '/api/works/k1/relationships/helpers', linkage('w9')],
  ['PATCH', '/api/works/k1/relationships/helpers', linkage('w2')],
  ['PATCH', '/api/works/k1/relationships/editor', toWriter('w9')],
  ['PATCH', '/api/works/k1/relationships/editor', toWriter('w2')],
  ['PATCH', '/api/writers/w2/relationships/works', { data: [work('k2', {}), work('k9', {})] }],
  ['PATCH', '/api/writers/w9', { data: { type: 'writers', id: 'w9', attributes: { name: 'x' } } }],
  ['DELETE', '/api/writers/w9', {}],
  ['POST', '/api/works', { data: work('k10', { attributes: { title: 'T', qzhidden: secret } }) }],
  [
    'POST',
    '/api/works',
    {
      data: work('k10', { attributes: { title: 'T' }, relationships: { writer: toWriter('w9') } }),
    },
  ],
  [
    'POST',
    '/api/works',
    {
      data: work('k10', { attributes: { title: 'T' }, relationships: { writer: toWriter('w1') } }),
    },
  ],
]

const operations = {
  'atomic:operations': [
    { op: 'update', data: work('k2', { attributes: { title: 'In a batch' } }) },
    {
      op: 'add',
      ref: { type: 'works', id: 'k2', relationship: 'helpers' },
      data: [{ type: 'writers', id: 'w2' }],
    },
    {
      op: 'remove',
      ref: { type: 'works', id: 'k2', relationship: 'helpers' },
      data: [{ type: 'writers', id: 'w9' }],
    },
  ],
}

/**
 * The part of a response that a client could compare. Versions and encrypted cursors differ between
 * worlds by chance.
 */
function comparable({ status, headers, text }: TestResponse): string {
  const others = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'content-length')
    .sort()
  return `${status}\n${JSON.stringify(others)}\n${text}`
    .replaceAll(/"(hash|version)":"[\w-]{20,}"/g, '"$1":"…"')
    .replaceAll(/\["etag","[^\]]*"\]/g, '["etag","…"]')
    .replaceAll(
      /(?<=page(?:%5B|\[)(?:after|before)(?:%5D|\])=s|"cursor":"s)[\w-]+/g,
      (cursor) => `…${cursor.length}`,
    )
}

const pairs: readonly (readonly [what: string, World, World])[] = [
  [
    'the values of hidden members',
    { value: secret, ghost: 'Ghost' },
    { value: wrongGuess, ghost: 'Ghost' },
  ],
  [
    'the name of an item that middleware hides',
    { value: secret, ghost: 'Ghost' },
    { value: secret, ghost: 'Anna' },
  ],
]

describe.each(storeKinds)(
  '3.2: two worlds that differ in hidden data, on the %s store',
  (kind: StoreKind) => {
    describe.each(pairs)('in %s', (_, first, second) => {
      const worlds = async (policy: Policy): Promise<readonly [Router, Router]> => [
        await worldOf(await storeForTest(kind), first, {}, policy),
        await worldOf(await storeForTest(kind), second, {}, policy),
      ]

      test.each(protocols)('respond to every read alike in %s', async (name, policy, accept) => {
        const [one, other] = await worlds(policy)
        const own = name.startsWith('JSON:API') ? ofRelations : []
        let answered = 0
        for (const target of [...queries, ...own, ...towardsGhost('Ghost')]) {
          const responses = [
            await get(one, target, { accept }),
            await get(other, target, { accept }),
          ]
          expect([target, comparable(responses[0]!)]).toEqual([target, comparable(responses[1]!)])
          expect(responses[0]!.text).not.toMatch(new RegExp(`${secret}|${wrongGuess}|"id":"w9"`))
          if (responses[0]!.status === 200) answered++
        }
        expect(answered).toBeGreaterThan(queries.length)
      })

      test('respond to every write alike under JSON:API, and every read after it', async () => {
        const [one, other] = await worlds(jsonApi())
        const sendRequest = async (
          method: string,
          path: string,
          body: object,
          type = mediaType,
        ) => {
          const sending = { headers: { accept: type, 'content-type': type }, json: body }
          const responses = [
            comparable(await send(one, method, path, sending)),
            comparable(await send(other, method, path, sending)),
          ]
          expect([method, path, responses[0]]).toEqual([method, path, responses[1]])
          return responses[0]!
        }
        const statuses = new Set<string>()
        for (const [method, path, body] of writes)
          statuses.add((await sendRequest(method, path, body)).slice(0, 3))
        statuses.add(
          (await sendRequest('POST', '/api/operations', operations, atomicType)).slice(0, 3),
        )
        expect([...statuses].toSorted()).toEqual(['200', '201', '204', '404', '422'])
        for (const target of [...queries, ...ofRelations]) {
          const responses = [
            comparable(await get(one, target)),
            comparable(await get(other, target)),
          ]
          expect([target, responses[0]]).toEqual([target, responses[1]])
        }
      })
    })
  },
)
