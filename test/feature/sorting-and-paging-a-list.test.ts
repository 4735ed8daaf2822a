import { hash, model } from 'resourcery'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client, ClientResponse } from '../support/client.ts'
import { counted } from '../support/counted.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import {
  allFilms,
  Country,
  countries,
  Film,
  films,
  Genre,
  genres,
  models,
  Studio,
  studios,
} from './films.ts'

const numbered = (...numbers: number[]) => numbers.map((number) => `f-${number}`)

describe.each(stores)('GetList rule 1: sorting and paging, on $name', ({ make }) => {
  let api: Client
  let storeCalls: string[]

  beforeAll(async () => {
    const watched = counted(await make())
    const fixture = service(watched.store, models, { basePath: '/api' })
    await fixture.router.load(Country, countries)
    await fixture.router.load(Studio, studios)
    await fixture.router.load(Genre, genres)
    await fixture.router.load(Film, films.toReversed())
    api = fixture.api
    storeCalls = watched.calls
  })

  it('sorts by id when the request has no sort', async () => {
    expect((await api.get('/api/films')).ids('films')).toEqual(allFilms)
  })

  it.each([
    ['title', [6, 3, 4, 5, 2, 1]],
    ['-title', [1, 2, 5, 4, 3, 6]],
    ['year', [6, 1, 2, 5, 3, 4]],
    ['-year', [4, 3, 5, 2, 1, 6]],
    // Equal items come by id, in the direction of the last key: the list is reversed as a whole.
    ['rating', [5, 6, 4, 1, 2, 3]],
    ['-rating', [3, 2, 1, 4, 6, 5]],
    ['restored', [4, 6, 2, 5, 1, 3]],
    ['-restored', [3, 1, 5, 2, 6, 4]],
    ['-restored,id', [1, 3, 2, 5, 4, 6]],
    ['released', [4, 5, 6, 1, 2, 3]],
    ['minutes,-title', [5, 4, 6, 2, 3, 1]],
    ['size.width,-year', [4, 5, 6, 2, 1, 3]],
    ['size.frame.code', [2, 4, 5, 6, 1, 3]],
    ['studio.name', [6, 3, 4, 2, 5, 1]],
    ['-studio.name,title', [1, 5, 2, 3, 4, 6]],
    ['studio.country.name,-id', [6, 5, 2, 1, 4, 3]],
    ['-studio.country.population,year', [3, 4, 1, 2, 6, 5]],
    ['sequelOf.title,-id', [6, 5, 3, 2, 1, 4]],
    ['-id', [6, 5, 4, 3, 2, 1]],
  ])('sort=%s returns %j: null is the smallest, ties are ordered by id', async (sort, expected) => {
    const response = await api.get(`/api/films?sort=${sort}`)
    expect([response.status, response.ids('films')]).toEqual([200, numbered(...expected)])
  })

  const walk = async (first: string, rel: string): Promise<readonly ClientResponse[]> => {
    const pages: ClientResponse[] = []
    let next: string | undefined = first
    while (next && pages.length < 20) {
      const page: ClientResponse = await api.get(next)
      expect(page.status, next).toBe(200)
      pages.push(page)
      next = page.link(rel)
    }
    return pages
  }

  const sorts = [
    '',
    'title',
    '-year',
    'rating',
    '-rating',
    'restored',
    'studio.name',
    '-studio.country.name,restored',
  ]
  const starts = [
    'page[number]=1&page[size]=2',
    'page[offset]=0&page[limit]=2',
    'page[size]=2',
    'page[size]=4',
    'page[size]=6',
  ]

  it.each(
    sorts.flatMap((sort) => starts.map((start) => ({ sort: sort && `&sort=${sort}`, start }))),
  )(
    'follows next of $start$sort to the end and prev back: each item exactly once',
    async ({ sort, start }) => {
      const whole = (await api.get(`/api/films?${sort}`)).ids('films')
      const forth = await walk(`/api/films?${start}${sort}`, 'next')
      expect(forth.flatMap((page) => page.ids('films'))).toEqual(whole)
      const back = await walk(`/api/films?${start}${sort}`, 'next').then((pages) =>
        pages.at(-1)?.link('prev'),
      )
      const before = back ? await walk(back, 'prev') : []
      expect(before.toReversed().flatMap((page) => page.ids('films'))).toEqual(
        forth.slice(0, -1).flatMap((page) => page.ids('films')),
      )
      expect(forth[0]?.link('prev')).toBeUndefined()
      expect(forth.at(-1)?.link('next')).toBeUndefined()
    },
  )

  it('keeps filter and sort in the links of pages', async () => {
    const pages = await walk('/api/films?filter[title][ne]=M&sort=-title&page[size]=2', 'next')
    expect(pages.map((page) => page.ids('films'))).toEqual([
      numbered(1, 5),
      numbered(4, 3),
      numbered(6),
    ])
    expect(pages[0]?.link('next')).toContain('sort=-title')
  })

  it('links to the first page, from every page', async () => {
    for (const query of ['page[number]=2&page[size]=2', 'page[offset]=3&page[limit]=2']) {
      const first = (await api.get(`/api/films?${query}`)).link('first')
      expect(first).toMatch(/^\/api\/films\?/)
      expect((await api.get(first ?? '')).ids('films')).toEqual(numbered(1, 2))
    }
    const [, second] = await walk('/api/films?page[size]=2', 'next')
    expect((await api.get(second?.link('first') ?? '')).ids('films')).toEqual(numbered(1, 2))
  })

  it('reads between two cursors', async () => {
    const [first, , third] = await walk('/api/films?page[size]=2', 'next')
    const after = new URL(first?.link('next') ?? '', 'http://localhost').searchParams.get(
      'page[after]',
    )
    const before = new URL(third?.link('prev') ?? '', 'http://localhost').searchParams.get(
      'page[before]',
    )
    const response = await api.get(`/api/films?page[after]=${after}&page[before]=${before}`)
    expect(response.ids('films')).toEqual(numbered(3, 4))
  })

  it('responds with an empty page beyond the last item', async () => {
    for (const query of ['page[number]=9&page[size]=2', 'page[offset]=100']) {
      const response = await api.get(`/api/films?${query}`)
      expect([response.status, response.body]).toEqual([200, { films: [] }])
      expect(response.link('next')).toBeUndefined()
    }
  })

  it('keeps its position by cursor while items before it are added and deleted', async () => {
    const { router, api: own } = service(await make(), models)
    await router.load(
      Film,
      [1, 3, 5, 7].map((number) => ({ id: `f-${number}`, year: 1900 + number })),
    )
    const next = (await own.get('/films?sort=year&page[size]=2')).link('next') ?? ''
    await own.delete('/films/f-1')
    await own.delete('/films/f-3')
    await own.post('/films', { film: { id: 'f-2', year: 1902 } })
    expect((await own.get(next)).ids('films')).toEqual(numbered(5, 7))
  })

  it('adds the total as meta.page.total with withCount=true, on pages and on the whole list', async () => {
    const total = async (query: string) =>
      (await api.get(`/api/films?${query}`)).at('/meta/page/total')
    expect(await total('withCount=true&page[size]=2')).toBe(6)
    expect(await total('withCount=true&page[number]=9')).toBe(6)
    expect(await total('withCount=true')).toBe(6)
    expect(await total('withCount=true&page[size]=1&filter[year][gt]=1930')).toBe(4)
    expect(await total('withCount=true&filter[title]=Nothing')).toBe(0)
    expect(await total('withCount=false&page[size]=2')).toBeUndefined()
  })

  it('links to the last page when the total is counted', async () => {
    const page = await api.get('/api/films?withCount=true&page[number]=1&page[size]=4')
    expect((await api.get(page.link('last') ?? '')).ids('films')).toEqual(numbered(5, 6))
    const slice = await api.get('/api/films?withCount=true&page[offset]=0&page[limit]=4')
    expect((await api.get(slice.link('last') ?? '')).ids('films')).toEqual(numbered(5, 6))
  })

  it('counts only with withCount', async () => {
    storeCalls.length = 0
    for (const query of [
      '',
      'page[number]=1',
      'page[size]=2',
      'page[offset]=1&page[limit]=2&sort=title',
    ]) {
      expect((await api.get(`/api/films?${query}`)).at('/meta')).toBeUndefined()
    }
    expect(storeCalls.filter((entry) => entry.startsWith('count'))).toEqual([])
  })

  it('sends only the members selected by fields, keyed by plural, with the id', async () => {
    const response = await api.get('/api/films?fields[films]=title,minutes,studio&filter[id]=f-1')
    expect(response.body).toEqual({
      films: [{ id: 'f-1', title: 'Metropolis', minutes: 153, studio: 's-1' }],
    })
    const both = await api.get(
      '/api/films/f-1?fields[films]=year&fields[studios]=name&include=studio',
    )
    expect(both.body).toEqual({
      film: { id: 'f-1', year: 1927 },
      studios: [{ id: 's-1', name: 'UFA' }],
    })
  })

  it('never sends hidden and write-only members in a list, nor inverse relations', async () => {
    const response = await api.get('/api/films?filter[id]=f-1')
    const hash = response.at('/films/0/hash')
    expect(response.body).toEqual({
      films: [
        {
          id: 'f-1',
          title: 'Metropolis',
          year: 1927,
          rating: 8.3,
          restored: true,
          released: '1927-01-10',
          seenAt: '2024-05-01T12:00:00Z',
          format: 'silent',
          minutes: 153,
          size: { width: 35, frame: { code: 'full' } },
          tags: ['city', 'robot'],
          scores: [1, 2.5],
          studio: 's-1',
          genres: ['g-1'],
          sequelOf: null,
          hash,
        },
      ],
    })
    expect(hash).toEqual(expect.any(String))
  })

  describe('cannot', () => {
    it.each([
      [
        'a parameter that does not exist',
        'colour=red',
        'colour',
        ['colour', 'filter', 'sort', 'page', 'fields', 'include', 'withCount'],
      ],
      ['a parameter in another spelling', 'Sort=title', 'Sort', ['sort']],
      ['a parameter twice', 'sort=title&sort=year', 'sort', []],
      ['a sort by an unknown field', 'sort=title,director', 'sort', ['director', 'title', 'year']],
      ['a sort by a hidden field', 'sort=-costPrice', 'sort', ['costPrice', 'title']],
      ['a sort by a write-only field', 'sort=password', 'sort', ['password', 'title']],
      ['a sort by an array', 'sort=tags', 'sort', ['tags']],
      ['a sort by a struct', 'sort=size', 'sort', ['size']],
      ['a sort by a relation to many', 'sort=genres', 'sort', ['genres']],
      ['a sort through a relation to many', 'sort=genres.name', 'sort', ['genres']],
      ['a sort by a field whose sort is switched off', 'sort=notes', 'sort', ['notes']],
      ['a sort by nothing', 'sort=title,,year', 'sort', []],
      ['a sort by more fields than allowed', `sort=${'title,'.repeat(20)}year`, 'sort', ['8']],
      ['a page of no items', 'page[size]=0', 'page[size]', ['1000']],
      ['a page of fewer than no items', 'page[size]=-5', 'page[size]', ['-5']],
      ['a page of more than 1 000 items', 'page[size]=1001', 'page[size]', ['1000']],
      ['a slice of more than 1 000 items', 'page[limit]=1001', 'page[limit]', ['1000']],
      ['a page number of zero', 'page[number]=0', 'page[number]', ['0']],
      ['a page number that is none', 'page[number]=two', 'page[number]', ['two']],
      ['an offset below zero', 'page[offset]=-1', 'page[offset]', ['-1']],
      [
        'a member of page that does not exist',
        'page[start]=1',
        'page[start]',
        ['page[start]', 'page[size]', 'page[after]', 'page[offset]'],
      ],
      ['a page without a member', 'page=2', 'page', ['page[size]']],
      ['a cursor that was never given out', 'page[after]=abc', 'page[after]', []],
      ['a cursor that is empty', 'page[before]=', 'page[before]', []],
      [
        'fields of an unknown collection',
        'fields[movies]=title',
        'fields[movies]',
        ['movies', 'films', 'studios'],
      ],
      ['fields keyed by the singular', 'fields[film]=title', 'fields[film]', ['fields[films]']],
      [
        'an unknown field of a collection',
        'fields[films]=title,director',
        'fields[films]',
        ['director', 'title'],
      ],
      [
        'a hidden field of a collection',
        'fields[films]=costPrice',
        'fields[films]',
        ['costPrice', 'title'],
      ],
      ['fields without a collection', 'fields=title', 'fields', ['fields[films]']],
      [
        'an unknown relation included',
        'include=director',
        'include',
        ['director', 'studio', 'genres'],
      ],
      [
        'an unknown relation of an included item',
        'include=studio.owner',
        'include',
        ['owner', 'country', 'films'],
      ],
      ['a plain field included', 'include=title', 'include', ['title', 'studio']],
      [
        'withCount by anything but true or false',
        'withCount=perhaps',
        'withCount',
        ['perhaps', 'true', 'false'],
      ],
    ])(
      '%s: 400 that names the parameter and lists the alternatives',
      async (_, query, parameter, words) => {
        const response = await api.get(`/api/films?${query}`)
        expect(response.status).toBe(400)
        expect(response.errors.map((error) => error.source)).toEqual([{ parameter }])
        for (const word of words) expect(response.errors[0]?.detail).toContain(word)
      },
    )

    it.each([
      'page[number]=1&page[after]=x',
      'page[number]=1&page[offset]=0',
      'page[size]=1&page[limit]=1',
      'page[after]=x&page[offset]=2',
    ])(
      'two kinds of pagination together: %s is 400, and the error names a parameter of page',
      async (query) => {
        const response = await api.get(`/api/films?${query}`)
        expect(response.status).toBe(400)
        expect(response.errors[0]?.source?.parameter).toMatch(/^page\[/)
      },
    )

    it('have errors reported one by one: all are reported at once', async () => {
      const query =
        'colour=red&filter[director]=x&filter[year]=old&sort=title,director&page[size]=0&include=director&fields[films]=director&withCount=perhaps'
      const response = await api.get(`/api/films?${query}`)
      expect(response.status).toBe(400)
      expect(response.errors.map((error) => error.source?.parameter).toSorted()).toEqual(
        [
          'colour',
          'filter[director]',
          'filter[year]',
          'sort',
          'page[size]',
          'include',
          'fields[films]',
          'withCount',
        ].toSorted(),
      )
      for (const error of response.errors) expect(error.status).toBe(400)
    })

    it('use a cursor of one sort for another', async () => {
      const next = (await api.get('/api/films?sort=title&page[size]=2')).link('next') ?? ''
      for (const sort of ['sort=-title', 'sort=year', 'sort=title,year', '']) {
        const response = await api.get(next.replace('sort=title', sort).replace('?&', '?'))
        expect([response.status, response.errors[0]?.source], sort).toEqual([
          400,
          { parameter: 'page[after]' },
        ])
      }
    })

    it('have a query string that is not percent-encoded UTF-8', async () => {
      for (const query of ['filter[title]=%E4', 'sort=%', 'filter[title=M', '%FF=1']) {
        expect((await api.get(`/api/films?${query}`)).status, query).toBe(400)
      }
    })
  })
})

describe.each(stores)('Limits of pages, on $name', ({ make }) => {
  const Number_ = model('number', { value: z.int(), hash: hash() })
  const items = Array.from({ length: 1_100 }, (_, index) => ({
    id: `n-${String(index).padStart(4, '0')}`,
    value: index % 7,
  }))
  let api: Client

  beforeAll(async () => {
    const { router, api: client } = service(await make(), [Number_])
    await router.load(Number_, items)
    api = client
  })

  it('pages hold 20 items by default', async () => {
    for (const query of ['page[number]=1', 'page[offset]=0'])
      expect((await api.get(`/numbers?${query}`)).ids('numbers')).toHaveLength(20)
  })

  it('pages hold 1 000 items at most', async () => {
    expect((await api.get('/numbers?page[size]=1000')).ids('numbers')).toHaveLength(1_000)
    expect((await api.get('/numbers?page[size]=1001')).status).toBe(400)
  })

  it('without page, GetList streams the whole collection', async () => {
    const response = await api.get('/numbers')
    expect(response.ids('numbers')).toEqual(items.map((item) => item.id))
    expect(response.headers.get('link')).toBeNull()
  })

  it('pages through a list full of ties by cursor: each item exactly once', async () => {
    const seen: string[] = []
    let next: string | undefined = '/numbers?sort=-value&page[size]=99'
    while (next) {
      const page: ClientResponse = await api.get(next)
      seen.push(...page.ids('numbers'))
      next = page.link('next')
    }
    expect(seen).toEqual((await api.get('/numbers?sort=-value')).ids('numbers'))
    expect(new Set(seen).size).toBe(items.length)
  })

  it('are options', async () => {
    const { router, api: own } = service(await make(), [Number_], {
      limits: { defaultPageSize: 3, maxPageSize: 5 },
    })
    await router.load(Number_, items.slice(0, 10))
    expect((await own.get('/numbers?page[number]=1')).ids('numbers')).toHaveLength(3)
    expect((await own.get('/numbers?page[size]=5')).ids('numbers')).toHaveLength(5)
    expect((await own.get('/numbers?page[size]=6')).errors[0]?.detail).toContain('5')
  })
})

describe.each(stores)(
  'GetList rule 1: results are streamed rather than loaded whole, on $name',
  ({ make }) => {
    const Line = model('line', { text: z.string() })
    const lines = Array.from({ length: 2_000 }, (_, index) => ({
      id: `l-${String(index).padStart(4, '0')}`,
      text: 'x'.repeat(500),
    }))

    const watched = async () => {
      // Read item by item, so that they can be counted.
      const { fastPaths: _, ...store } = await make()
      const seen = { items: 0, ended: false }
      const { router } = service(
        {
          ...store,
          list: async function* (model, plan) {
            try {
              for await (const batch of store.list(model, plan)) {
                for (let start = 0; start < batch.length; start += 10) {
                  const part = batch.slice(start, start + 10)
                  seen.items += part.length
                  yield part
                }
              }
            } finally {
              seen.ended = true
            }
          },
        },
        [Line],
      )
      await router.load(Line, lines)
      return { router, seen }
    }

    it('reads from the store only as fast as the client reads', async () => {
      const { router, seen } = await watched()
      const response = await router.handle(new Request('http://localhost/lines'))
      const reader = response.body?.getReader()
      await reader?.read()
      await new Promise(setImmediate)
      expect(seen.items).toBeLessThan(lines.length)
      let bytes = 0
      for (let part = await reader?.read(); part?.value; part = await reader?.read())
        bytes += part.value.length
      expect(seen.items).toBe(lines.length)
      expect(bytes).toBeGreaterThan(900_000)
    })

    it('stops reading from the store when the client leaves', async () => {
      const { router, seen } = await watched()
      const response = await router.handle(new Request('http://localhost/lines'))
      const reader = response.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      await expect.poll(() => seen.ended).toBe(true)
      expect(seen.items).toBeLessThan(lines.length)
    })

    it('is one well-formed document, however long', async () => {
      const { router } = await watched()
      const response = await router.handle(new Request('http://localhost/lines'))
      const { lines: sentLines } = (await response.json()) as { lines: { id: string }[] }
      expect(sentLines.map((line) => line.id)).toEqual(lines.map((line) => line.id))
    })
  },
)
