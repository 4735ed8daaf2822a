import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { Article, type Blog, blog, Person } from '../../support/blog.ts'
import type { Client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { walkPages } from '../../support/link-walk.ts'

describe.each(stores)('JSON:API 1.6: sparse fieldsets, on $name', ({ make }) => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await make())).api
  })

  it('SF1: fields selects the members that are sent', async () => {
    const { one } = await api.get('/api/articles/1?fields[articles]=title,author')
    expect(one.attributes).toEqual({ title: 'JSON:API paints my bikeshed!' })
    expect(Object.keys(one.relationships ?? {})).toEqual(['author'])
    expect(one).toMatchObject({ type: 'articles', id: '1' })
  })

  it('SF1: an empty value selects no fields', async () => {
    for (const { type, id, attributes, relationships } of (
      await api.get('/api/articles?fields[articles]=')
    ).many) {
      expect([type, typeof id, attributes ?? {}, relationships ?? {}]).toEqual([
        'articles',
        'string',
        {},
        {},
      ])
    }
  })

  it('SF1: a relation can be the only field, an inverse one too', async () => {
    const { many } = await api.get('/api/articles?fields[articles]=comments')
    expect(
      many.map((entry) => [entry.attributes ?? {}, Object.keys(entry.relationships ?? {})]),
    ).toEqual([
      [{}, ['comments']],
      [{}, ['comments']],
    ])
  })

  it('SF2: no other members are sent, wherever the type is in the document', async () => {
    const response = await api.get(
      '/api/articles?include=author,comments&fields[people]=name&fields[comments]=body',
    )
    for (const entry of response.included) {
      expect(Object.keys(entry.attributes ?? {})).toEqual([
        entry.type === 'people' ? 'name' : 'body',
      ])
      expect(entry.relationships ?? {}).toEqual({})
    }
    expect(response.many[0]?.attributes).toHaveProperty('created')
    const circle = await api.get(
      '/api/people/9?include=articles.author&fields[people]=age,articles',
    )
    expect(circle.one.attributes).toEqual({ age: 40 })
  })

  it('SF2: on related addresses and on what relationships include', async () => {
    expect((await api.get('/api/articles/1/author?fields[people]=age')).one.attributes).toEqual({
      age: 40,
    })
    const response = await api.get(
      '/api/articles/1/relationships/author?include=author&fields[people]=age',
    )
    expect(response.included[0]?.attributes).toEqual({ age: 40 })
  })

  it('SF3: POST, PATCH and PUT respond with these fields too', async () => {
    const data = { type: 'articles', id: 'sf3', attributes: { title: 'T', body: 'B' } }
    for (const write of [api.post('/api/articles?fields[articles]=title', { data })]) {
      const { status, one } = await write
      expect([status, one.attributes, one.relationships ?? {}]).toEqual([201, { title: 'T' }, {}])
    }
    expect(
      (await api.patch('/api/articles/sf3?fields[articles]=body', { data })).one.attributes,
    ).toEqual({ body: 'B' })
    expect(
      (await api.put('/api/articles/sf3?fields[articles]=body', { data })).one.attributes,
    ).toEqual({ body: 'B' })
    expect((await api.delete('/api/articles/sf3')).status).toBe(204)
  })

  it.each([
    ['fields[articles]', 'nope'],
    ['fields[articles]', 'title,nope'],
    ['fields[articles]', 'Title'],
    ['fields[nope]', 'title'],
    ['fields[article]', 'title'],
    ['fields', 'title'],
    ['fields[articles][title]', 'x'],
  ])('SF4: %s=%s is refused', async (parameter, value) => {
    expectError(await api.get(`/api/articles?${parameter}=${value}`), 400, { parameter })
  })
})

describe.each(stores)('JSON:API 1.6: sorting, on $name', ({ make }) => {
  let api: Client
  const fixture = [
    { id: 'a', title: 'b', created: '2020-01-01T00:00:00Z', rank: 2, author: 'p-2' },
    { id: 'b', title: 'a', created: '2020-01-01T00:00:00Z', rank: null, author: 'p-1' },
    { id: 'c', title: 'c', created: '2021-01-01T00:00:00Z', rank: 10, author: 'p-2' },
    { id: 'd', title: 'a', created: '2019-01-01T00:00:00Z', rank: 2 },
  ]

  beforeAll(async () => {
    const made = await blog(await make(), { isEmpty: true })
    await made.router.load(Person, [
      { id: 'p-1', name: 'Zoe' },
      { id: 'p-2', name: 'Abe' },
    ])
    await made.router.load(Article, fixture)
    api = made.api
  })

  it.each([
    ['title', 'bdac'],
    ['-title', 'cadb'],
    ['-created,title', 'cbad'],
    ['title,-created', 'bdac'],
    ['title,created', 'dbac'],
    ['rank,-title', 'badc'],
    ['-rank', 'cdab'],
    ['id', 'abcd'],
    ['-id', 'dcba'],
  ])('SO1, SO2: sort=%s', async (sort, expected) => {
    expect((await api.get(`/api/articles?sort=${sort}`)).ids.join('')).toBe(expected)
  })

  it.each([
    'nope',
    '--title',
    '',
    'title,',
    'title,nope',
    'Title',
    ' title',
    'author',
    'comments.body',
    'tags.name',
  ])('SO3: sort=%s is refused', async (sort) => {
    expectError(await api.get(`/api/articles?sort=${sort}`), 400, { parameter: 'sort' })
  })

  it('SO3: sort is refused where one resource is asked for', async () => {
    expectError(await api.get('/api/articles/a?sort=title'), 400, { parameter: 'sort' })
    expectError(await api.get('/api/articles/a/author?sort=name'), 400, { parameter: 'sort' })
  })

  it('SO4: data is in the requested order', async () => {
    type Row = {
      readonly title: string
      readonly rank: number | null
      readonly author: number | null
    }
    const row = fc.record<Row>({
      title: fc.oneof(
        fc.constantFrom('a', 'A', 'b', 'é', 'z', '\uFFFD', '😀'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
      ),
      rank: fc.option(
        fc.oneof(fc.constantFrom(-1, 0, 1), fc.double({ noNaN: true, noDefaultInfinity: true })),
      ),
      author: fc.option(fc.constantFrom(0, 1)),
    })
    const key = fc.constantFrom('title', 'rank', 'author.name', 'id')
    const keys = fc.uniqueArray(fc.record({ key, isDown: fc.boolean() }), {
      selector: (one) => one.key,
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), keys, async (rows, sort) => {
        const fixture = await blog(await make(), { isEmpty: true })
        const names = ['Zoe', 'abe']
        await fixture.router.load(
          Person,
          names.map((name, index) => ({ id: `p-${index}`, name })),
        )
        const items = rows.map(({ title, rank, author }, index) => ({
          id: `i-${10 + index}`,
          title: title.replaceAll('\0', 'n'),
          rank: rank === 0 ? 0 : rank,
          author: author === null ? null : `p-${author}`,
        }))
        await fixture.router.load(Article, items.toReversed())
        const values = items.map((item, index) => ({
          id: item.id,
          title: item.title,
          rank: item.rank,
          'author.name': names[rows[index]?.author ?? -1] ?? null,
        }))
        const expected = values.toSorted((value, other) => {
          for (const { key, isDown } of sort) {
            const order = compared(
              value[key as keyof typeof value],
              other[key as keyof typeof other],
            )
            if (order !== 0) return isDown ? -order : order
          }
          const tie = compared(value.id, other.id)
          return sort.at(-1)?.isDown ? -tie : tie
        })
        const sortParameter = sort.map(({ key, isDown }) => (isDown ? `-${key}` : key)).join()
        const response = await fixture.api.get(`/api/articles?sort=${sortParameter}`)
        expect(response.ids, sortParameter).toEqual(expected.map(({ id }) => id))
      }),
      { numRuns: 20 },
    )
  })

  it('SO5: lists are sorted by fields behind a to-one relation', async () => {
    expect((await api.get('/api/articles?sort=author.name')).ids.join('')).toBe('dacb')
    expect((await api.get('/api/articles?sort=-author.name,-title')).ids.join('')).toBe('bcad')
  })

  it('SO6: lists are sorted by id by default', async () => {
    expect((await api.get('/api/articles')).ids.join('')).toBe('abcd')
    expect((await api.get('/api/people/p-2/articles')).ids.join('')).toBe('ac')
  })

  it('SO1, PA7: related collections are sorted too', async () => {
    expect((await api.get('/api/people/p-2/articles?sort=-title')).ids.join('')).toBe('ca')
    expect((await api.get('/api/people/p-2/articles?sort=rank,title')).ids.join('')).toBe('ac')
  })
})

/** Null is the smallest; numbers compare by size, text by code point. */
function compared(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null) return -1
  if (other === null) return 1
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

describe.each(stores)('JSON:API 1.6: paging, on $name', ({ make }) => {
  let fixture: Blog
  let api: Client
  const numbers = Array.from({ length: 45 }, (_, index) => 10 + index)
  const all = numbers.map((number) => `n-${number}`)

  beforeAll(async () => {
    fixture = await blog(await make(), {
      isEmpty: true,
      limits: { defaultPageSize: 7, maxPageSize: 30 },
    })
    await fixture.router.load(Person, [
      { id: 'p-1', name: 'One' },
      { id: 'p-2', name: 'Two' },
    ])
    await fixture.router.load(
      Article,
      numbers.map((number) => ({
        id: `n-${number}`,
        title: `T${number % 5}`,
        rank: number % 3,
        author: 'p-1',
      })),
    )
    api = fixture.api
  })

  it('PA1: without page, the response is the whole collection', async () => {
    const response = await api.get('/api/articles')
    expect(response.ids).toEqual(all)
    for (const name of ['first', 'last', 'prev', 'next'])
      expect(response.link(name)).toBeUndefined()
  })

  it('PA1: a page without a size has the default size', async () => {
    expect((await api.get('/api/articles?page[number]=1')).ids).toEqual(all.slice(0, 7))
    expect((await api.get('/api/articles?page[size]=30')).ids).toEqual(all.slice(0, 30))
  })

  it('PA2, PA3: the links of a page are in the top-level links', async () => {
    const response = await api.get('/api/articles?page[number]=2&page[size]=10')
    expect(response.ids).toEqual(all.slice(10, 20))
    expect((await api.get(response.link('first') ?? '')).ids).toEqual(all.slice(0, 10))
    expect((await api.get(response.link('prev') ?? '')).ids).toEqual(all.slice(0, 10))
    expect((await api.get(response.link('next') ?? '')).ids).toEqual(all.slice(20, 30))
  })

  it.each(['page[number]=1&page[size]=20', 'page[offset]=0&page[limit]=20', 'page[size]=20'])(
    'PA4: %s: the first page has no prev, the last no next',
    async (start) => {
      const first = await api.get(`/api/articles?${start}`)
      expect(first.link('prev')).toBeUndefined()
      expect(first.link('next')).toBeDefined()
      const second = await api.get(first.link('next') ?? '')
      expect(second.link('prev')).toBeDefined()
      const last = await api.get(second.link('next') ?? '')
      expect(last.ids).toEqual(all.slice(40))
      expect(last.link('next')).toBeUndefined()
      expect((await api.get(last.link('prev') ?? '')).ids).toEqual(all.slice(20, 40))
    },
  )

  it('PA4: a list that fits on its page has neither next nor prev', async () => {
    const response = await api.get('/api/people?page[size]=2')
    expect(response.ids).toEqual(['p-1', 'p-2'])
    expect([response.link('prev'), response.link('next')]).toEqual([undefined, undefined])
  })

  it.each(['page[size]=6', 'page[number]=1&page[size]=6', 'page[offset]=0&page[limit]=6'])(
    'PA5: %s: paging by -title is paging by title, reversed',
    async (start) => {
      const up = (await walkPages(api, `/api/articles?sort=title,id&${start}`)).flat()
      const down = (await walkPages(api, `/api/articles?sort=-title,-id&${start}`)).flat()
      expect(up).toHaveLength(45)
      expect(down).toEqual(up.toReversed())
    },
  )

  it.each([
    ['page[number]=3&page[size]=5', 10, 15],
    ['page[offset]=3&page[limit]=4', 3, 7],
    ['page[limit]=4', 0, 4],
    ['page[offset]=40', 40, 47],
    ['page[number]=100&page[size]=5', 45, 45],
  ])('PA6: %s', async (page, from, to) => {
    const response = await api.get(`/api/articles?${page}`)
    expect([response.status, response.ids]).toEqual([200, all.slice(from, to)])
  })

  it.each(['page[size]=8', 'page[number]=1&page[size]=8', 'page[offset]=0&page[limit]=8'])(
    'PA7: related resources are paged: %s',
    async (start) => {
      expect((await walkPages(api, `/api/people/p-1/articles?${start}`)).flat()).toEqual(all)
      const none = await api.get(`/api/people/p-2/articles?${start}`)
      expect([none.status, none.ids]).toEqual([200, []])
    },
  )

  it.each(['page[size]=8', 'page[number]=1&page[size]=8', 'page[offset]=0&page[limit]=8'])(
    'PA7: the linkage of a relationship is paged: %s',
    async (start) => {
      const pages = await walkPages(api, `/api/people/p-1/relationships/articles?${start}`)
      expect(pages.flat()).toEqual(all)
      expect(pages).toHaveLength(6)
    },
  )

  it('PA8: following next visits each item exactly once, and prev leads back', async () => {
    const sort = fc.constantFrom(
      '',
      'title',
      '-title',
      'rank,-title',
      '-rank',
      'author.name',
      '-id',
    )
    const size = fc.integer({ min: 1, max: 30 })
    const start = fc.oneof(
      size.map((size) => `page[size]=${size}`),
      size.map((size) => `page[number]=1&page[size]=${size}`),
      size.map((size) => `page[offset]=0&page[limit]=${size}`),
    )
    await fc.assert(
      fc.asyncProperty(sort, start, async (sort, start) => {
        const sortQuery = sort && `&sort=${sort}`
        const whole = (await api.get(`/api/articles?${sortQuery.slice(1)}`)).ids
        const pages = await walkPages(api, `/api/articles?${start}${sortQuery}`)
        expect(pages.flat()).toEqual(whole)
        let next: string | undefined = `/api/articles?${start}${sortQuery}`
        let last = next
        while (next) {
          last = next
          next = (await api.get(next)).link('next')
        }
        expect((await walkPages(api, last, 'prev')).toReversed().flat()).toEqual(whole)
      }),
      { numRuns: 15 },
    )
  })

  it.each([
    'page[number]=1&page[size]=2',
    'page[offset]=0&page[limit]=2',
    'page[number]=1&page[size]=2&fields[tags]=name',
  ])(
    'PA8, FE1: beyond the limit of %s, cursors continue, and no link is refused',
    async (start) => {
      const near = (await blog(await make(), { limits: { maxOffset: 3 } })).api
      for (const number of [1, 2, 3, 4, 5, 6, 7])
        await near.post('/api/tags', {
          data: { type: 'tags', id: `n-${number}`, attributes: { name: `${number % 2}` } },
        })
      for (const sort of ['', '&sort=-name']) {
        const whole = (await near.get(`/api/tags?${sort.slice(1)}`)).ids
        expect((await walkPages(near, `/api/tags?${start}${sort}`)).flat()).toEqual(whole)
        const { links } = (await near.get(`/api/tags?${start}${sort}&withCount=true`)).document as {
          links: object
        }
        expect(Object.keys(links)).not.toContain('last')
      }
      const { links } = (await near.get(`/api/tags?${start}&withCount=true&filter[name]=1`))
        .document as {
        links: object
      }
      expect(Object.keys(links)).toContain('last')
    },
  )

  it('PA8: filter, fields, include and sort stay in the links of a page', async () => {
    const start =
      '/api/articles?filter[rank]=1&sort=-title&fields[articles]=title&include=author&page[size]=4'
    const first = await api.get(start)
    const second = await api.get(first.link('next') ?? '')
    const whole = await api.get('/api/articles?filter[rank]=1&sort=-title')
    expect([...first.ids, ...second.ids]).toEqual(whole.ids.slice(0, 8))
    expect(Object.keys(second.many[0]?.attributes ?? {})).toEqual(['title'])
    expect(second.at('/included')).toBeDefined()
  })

  it.each([
    ['page[size]', '0'],
    ['page[size]', '-1'],
    ['page[size]', 'x'],
    ['page[size]', ''],
    ['page[size]', '1.5'],
    ['page[size]', '1e9'],
    ['page[size]', '31'],
    ['page[size]', '999999999999999999999'],
    ['page[number]', '0'],
    ['page[number]', 'x'],
    ['page[limit]', '0'],
    ['page[limit]', '31'],
    ['page[offset]', '-1'],
    ['page[after]', 'garbage'],
    ['page[before]', ''],
    ['page', '2'],
    ['page', '[object Object]'],
    ['page[foo]', '1'],
    ['page[size][x]', '1'],
    ['page[]', '1'],
  ])('PA9: %s=%s is refused', async (parameter, value) => {
    expectError(await api.get(`/api/articles?${parameter}=${value}`), 400, { parameter })
    expectError(
      await api.get(`/api/people/p-1/relationships/articles?${parameter}=${value}`),
      400,
      { parameter },
    )
  })

  it('PA9: page is refused where one resource is asked for', async () => {
    expectError(await api.get('/api/articles/n-10?page[size]=1'), 400, { parameter: 'page[size]' })
  })

  it('CP19, PA7: the total is sent on request', async () => {
    expect(
      (await api.get('/api/articles?page[size]=2&withCount=true')).at('/meta/page/total'),
    ).toBe(45)
    expect((await api.get('/api/articles?page[size]=2')).at('/meta/page/total')).toBeUndefined()
    expect(
      (await api.get('/api/articles?filter[rank]=0&withCount=true')).at('/meta/page/total'),
    ).toBe(15)
  })
})

describe.each(stores)('JSON:API 1.6: filtering, on $name', ({ make }) => {
  let api: Client

  beforeAll(async () => {
    api = (await blog(await make())).api
  })

  it.each([
    ['filter[title]=Alone', ['2']],
    ['filter[title][contains]=bikeshed', ['1']],
    ['filter[rank][gte]=1', ['1', '2']],
    ['filter[rank][gt]=1', ['1']],
    ['filter[body][isNull]=true', ['2']],
    ['filter[title]=Nothing', []],
    ["filter=or(eq(title,'Alone'),gt(rank,1))", ['1', '2']],
  ])('FI1, DS12: %s', async (filter, expected) => {
    const response = await api.get(`/api/articles?${filter}`)
    expect([response.status, response.at('/data') !== null, response.ids]).toEqual([
      200,
      true,
      expected,
    ])
  })

  it('FI2: lists are filtered by fields behind a relation', async () => {
    expect((await api.get('/api/articles?filter[author.name]=Dan')).ids).toEqual(['1'])
    expect(
      (await api.get('/api/comments?filter[article.author.name]=Dan&filter[author.name]=Yehuda'))
        .ids,
    ).toEqual(['5'])
  })

  it.each([
    ['filter[nope]', '1'],
    ['filter[title][nope]', '1'],
    ['filter[author.nope]', '1'],
    ['filter[rank]', 'x'],
    ['filter[created]', 'yesterday'],
    ['filter', 'or('],
    ['filter', ''],
    ['filter[title][eq][x]', '1'],
  ])('FI3: %s=%s is refused', async (parameter, value) => {
    expectError(await api.get(`/api/articles?${parameter}=${value}`), 400, { parameter })
  })

  it('FI1: related collections are filtered too', async () => {
    expect((await api.get('/api/articles/1/comments?filter[body][startsWith]=I')).ids).toEqual([
      '12',
    ])
  })
})
