import { beforeEach, describe, expect, it } from 'vitest'
import { counted } from '../../../support/counted.ts'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const times = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index))
const path = (length: number) =>
  times(length, (index) => (index % 2 ? 'articles' : 'author')).join('.')
const paths = (count: number) => times(count, () => 'tags').join(',')
const deep = (depth: number) => `${'not('.repeat(depth - 1)}eq(rank,'1')${')'.repeat(depth - 1)}`

/** Requests by size: the limit itself is accepted, one more is refused. */
const limited: readonly [
  what: string,
  limit: number,
  parameter: string,
  query: (count: number) => string,
][] = [
  ['relations in a row to include', 4, 'include', (count) => `include=${path(count)}`],
  ['paths to include', 20, 'include', (count) => `include=${paths(count)}`],
  ['relations in a row to sort by', 4, 'sort', (count) => `sort=${'parent.'.repeat(count)}name`],
  ['relations in a row to filter by', 4, '', (count) => `filter[${'parent.'.repeat(count)}name]=x`],
  [
    'keys to sort by',
    8,
    'sort',
    (count) => `sort=${times(count, (index) => (index % 2 ? 'name' : '-pages')).join(',')}`,
  ],
  [
    'comparisons',
    50,
    'filter',
    (count) => `filter=or(${times(count - 1, () => "eq(name,'x')").join(',')})`,
  ],
  [
    'comparisons within one another',
    16,
    'filter',
    (count) => `filter=${deep(count).replaceAll("rank,'1'", "name,'x'")}`,
  ],
  [
    'values of a comparison',
    500,
    'filter[name][in]',
    (count) => `filter[name][in]=${times(count, String).join(',')}`,
  ],
  [
    'wildcards',
    16,
    'filter[name][like]',
    (count) => `filter[name][like]=${encodeURIComponent('%a'.repeat(count))}`,
  ],
  [
    'characters of a pattern',
    100,
    'filter[name][like]',
    (count) => `filter[name][like]=${'x'.repeat(count)}`,
  ],
  [
    'characters of all patterns together',
    200,
    'filter',
    (count) =>
      `filter=or(${[99, 99, count - 198].map((length) => `like(name,'${'x'.repeat(length)}')`).join(',')})`,
  ],
  ['items of a page', 1_000, 'page[size]', (count) => `page[size]=${count}`],
  ['items of a page by offset', 1_000, 'page[limit]', (count) => `page[limit]=${count}`],
  ['items ahead of a page', 1_000_000, 'page[offset]', (count) => `page[offset]=${count}`],
]

describe.each(stores)('JSON:API 1.5 to 1.7: limits, on $name', ({ make }) => {
  let api: Client
  let storeCalls: readonly string[]

  beforeEach(async () => {
    const watched = counted(await make())
    const writes = watched.calls
    const { router, api: client } = await blog({
      ...watched.store,
      write: (work) => {
        writes.push('write')
        return watched.store.write(work)
      },
    })
    await router.open()
    writes.length = 0
    api = client
    storeCalls = writes
  })

  it.each(limited)(
    'IN10, QP3, PA9: more %s than %i are refused before the store is read, with the limit in the error',
    async (what, limit, parameter, query) => {
      const address = what.includes('include') ? '/api/articles' : '/api/sections'
      const response = await api.get(`${address}?${query(limit + 1)}`)
      const name =
        parameter === '' ? decodeURIComponent(query(limit + 1).split('=')[0]!) : parameter
      expectError(response, 400, { parameter: name })
      expect([response.errors[0]?.meta?.limit, response.errors[0]?.detail]).toEqual([
        limit,
        expect.stringContaining(String(limit)),
      ])
      expect(storeCalls).toEqual([])
      expect(
        (await api.get(`${address}?${query(limit)}`)).status,
        'the limit itself is accepted',
      ).toBe(200)
      expect(storeCalls).not.toEqual([])
    },
  )

  it('AO23: more than 100 operations are refused before the store is read', async () => {
    const operations = times(101, () => 'x').map((name) => ({
      op: 'add',
      data: { type: 'tags', attributes: { name } },
    }))
    const response = await api.operate(operations)
    expectError(response, 400, { pointer: '/atomic:operations' })
    expect(response.errors[0]?.meta).toEqual({ limit: 100 })
    expect(storeCalls).toEqual([])
  })

  it('ER3: a body that is too large, or nested too deep, is refused before the store is read', async () => {
    const tag = (name: unknown) => ({ data: { type: 'tags', attributes: { name } } })
    expectError(await api.post('/api/tags', tag('x'.repeat(1_100_000))), 413)
    const nested = JSON.stringify(tag(0)).replace('0', '['.repeat(80) + ']'.repeat(80))
    const response = await api.post('/api/tags', nested)
    expect([response.status, response.errors[0]?.code, response.errors[0]?.meta?.limit]).toEqual([
      400,
      'limit-exceeded',
      64,
    ])
    expect(storeCalls).toEqual([])
  })
})
