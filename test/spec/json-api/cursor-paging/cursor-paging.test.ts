import { beforeAll, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { Article, type Blog, blog, Person, Tag } from '../../support/blog.ts'
import {
  type Client,
  type DocumentResponse,
  hrefOf,
  mediaType,
} from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { walkLinks, walkPages } from '../../support/link-walk.ts'
import { cursorProfile, maxSizeExceeded, unsupportedSort } from '../../support/profiles.ts'

const accept = { accept: `${mediaType}; profile="${cursorProfile}"` }

describe.each(stores)('JSON:API 1.13: the Cursor Pagination profile, on $name', ({ make }) => {
  let fixture: Blog
  let api: Client
  const numbers = Array.from({ length: 23 }, (_, index) => 10 + index)
  const all = numbers.map((number) => `n-${number}`)
  const tags = Array.from({ length: 12 }, (_, index) => `t-${20 - index}`)

  const filled = async (): Promise<Blog> => {
    const filled = await blog(await make(), {
      isEmpty: true,
      limits: { defaultPageSize: 5, maxPageSize: 10 },
    })
    await filled.router.load(Person, [{ id: 'p-1', name: 'One' }])
    await filled.router.load(
      Tag,
      tags.map((id) => ({ id, name: id })),
    )
    await filled.router.load(
      Article,
      numbers.map((number) => ({
        id: `n-${number}`,
        title: `T${number % 3}`,
        rank: number % 4 === 0 ? null : number % 4,
        author: 'p-1',
        tags: number === 10 ? tags : [],
      })),
    )
    return filled
  }

  beforeAll(async () => {
    fixture = await filled()
    api = fixture.api
  })

  const sendRequest = (query: string, path = '/api/articles'): Promise<DocumentResponse> =>
    api.get(`${path}?${query}`, accept)
  const cursorIn = (link: string | undefined, name: string): string =>
    encodeURIComponent(new URL(link ?? '', 'http://x').searchParams.get(`page[${name}]`) ?? '')

  it.each([
    cursorProfile,
    `${cursorProfile}/`,
    `${cursorProfile}/`.replace('https', 'http'),
    cursorProfile.replace('https', 'http'),
  ])('CN11: the profile is accepted as %s', async (uri) => {
    const response = await api.get('/api/articles', { accept: `${mediaType}; profile="${uri}"` })
    expect(response.ids).toEqual(all.slice(0, 5))
    expect(response.headers.get('content-type')).toContain('cursor-pagination')
  })

  it('CN5, DS10, DS45: the profile is named in the header, in jsonapi and in the self link', async () => {
    const response = await sendRequest('page[size]=3')
    expect(response.headers.get('content-type')).toContain(`profile="${cursorProfile}"`)
    expect(response.at('/jsonapi/profile')).toEqual([cursorProfile])
    expect(response.at('/links/self/type')).toContain(cursorProfile)
    expect(response.at('/links/self/type')).toMatch(/^application\/vnd\.api\+json/)
  })

  it('CN11: it pages a list, even without a page parameter', async () => {
    const response = await sendRequest('')
    expect(response.ids).toEqual(all.slice(0, 5))
    expect((await walkPages(api, '/api/articles', 'next', accept)).flat()).toEqual(all)
  })

  it.each(['title', '-title', 'rank', '-rank,title', 'author.name', '-author.name,-rank'])(
    'CP1: sort=%s: paging is complete and stable, also with ties',
    async (sort) => {
      const whole = (await api.get(`/api/articles?sort=${sort}`)).ids
      for (const size of [1, 4, 10]) {
        const pages = await walkPages(
          api,
          `/api/articles?sort=${sort}&page[size]=${size}`,
          'next',
          accept,
        )
        expect(pages.flat()).toEqual(whole)
      }
    },
  )

  it('CP2: linkage can be paged through completely', async () => {
    const owned = await walkPages(
      api,
      '/api/articles/n-10/relationships/tags?page[size]=5',
      'next',
      accept,
    )
    expect(owned.flat().toSorted()).toEqual(tags.toSorted())
    expect(owned.map((page) => page.length)).toEqual([5, 5, 2])
    const inverse = await walkPages(
      api,
      '/api/people/p-1/relationships/articles?page[size]=9',
      'next',
      accept,
    )
    expect(inverse.flat().toSorted()).toEqual(all)
    const related = await walkPages(api, '/api/articles/n-10/tags?page[size]=5', 'next', accept)
    expect(related.flat().toSorted()).toEqual(tags.toSorted())
  })

  it('FE1, FE7: every link works under the profile too', async () => {
    const visited = await walkLinks(
      api,
      [
        '/api/people',
        '/api/tags?page[size]=10',
        '/api/articles?sort=title&page[size]=10&include=author',
      ],
      accept,
    )
    expect(visited.size).toBeGreaterThan(30)
  })

  it.each(['0', '-1', '1.5', 'x', '', '1e1', '0x5', '+5', '٣', ' 5'])(
    'CP4: page[size]=%j is refused',
    async (size) => {
      expectError(await sendRequest(`page[size]=${encodeURIComponent(size)}`), 400, {
        parameter: 'page[size]',
      })
    },
  )

  it('CP5: a size over the maximum is refused, and the error names the maximum', async () => {
    for (const response of [
      await sendRequest('page[size]=11'),
      await sendRequest('page[size]=99999999999999999999'),
      await sendRequest('page[size]=11', '/api/articles/n-10/relationships/tags'),
    ]) {
      expectError(response, 400, { parameter: 'page[size]' })
      expect(response.at('/errors/0/meta/page/maxSize')).toBe(10)
      expect(hrefOf(response.errors[0]?.links?.type)).toBe(maxSizeExceeded)
    }
    expect((await sendRequest('page[size]=10')).ids).toHaveLength(10)
  })

  it('CP3: an unsupported sort is refused with the error type of the profile', async () => {
    for (const sort of ['words', 'details', 'tags', '-comments']) {
      const response = await sendRequest(`page[size]=2&sort=${sort}`)
      expectError(response, 400, { parameter: 'sort' })
      expect(hrefOf(response.errors[0]?.links?.type)).toBe(unsupportedSort)
    }
  })

  it('CP6, CP7: all pages but the last are full', async () => {
    const sizes = (await walkPages(api, '/api/articles', 'next', accept)).map((page) => page.length)
    expect(sizes).toEqual([5, 5, 5, 5, 3])
    const others = (await walkPages(api, '/api/articles?page[size]=7', 'next', accept)).map(
      (page) => page.length,
    )
    expect(others).toEqual([7, 7, 7, 2])
  })

  it('CP8: an invalid cursor, or one of another sort, is refused', async () => {
    const cursor = cursorIn((await sendRequest('page[size]=3')).link('next'), 'after')
    expect(cursor).not.toBe('')
    for (const name of ['after', 'before']) {
      const parameter = `page[${name}]`
      expectError(await sendRequest(`${parameter}=garbage`), 400, { parameter })
      expectError(await sendRequest(`${parameter}=`), 400, { parameter })
      expectError(await sendRequest(`${parameter}=${cursor.slice(0, -4)}`), 400, { parameter })
      expectError(await sendRequest(`${parameter}=${cursor}x`), 400, { parameter })
      expectError(await sendRequest(`sort=-title&${parameter}=${cursor}`), 400, { parameter })
    }
  })

  it('CP9: after a cursor, the page begins with the next item', async () => {
    const first = await sendRequest('page[size]=4')
    const second = await api.get(first.link('next') ?? '', accept)
    expect(second.ids).toEqual(all.slice(4, 8))
  })

  it('CP10: before a cursor, the page ends with the previous item', async () => {
    const third = (
      await api.get((await sendRequest('page[size]=10')).link('next') ?? '', accept)
    ).link('prev')
    const cursor = cursorIn(third, 'before')
    expect((await sendRequest(`page[size]=4&page[before]=${cursor}`)).ids).toEqual(all.slice(6, 10))
    expect((await sendRequest(`page[size]=10&page[before]=${cursor}`)).ids).toEqual(
      all.slice(0, 10),
    )
  })

  /** The cursor of the item at this index, which ends a page of that size. */
  const cursorAt = async (index: number, sort = ''): Promise<string> =>
    cursorIn((await sendRequest(`page[size]=${index + 1}${sort}`)).link('next'), 'after')

  it('CP9, CP10: pages before and after a cursor match the list', async () => {
    const cursor = await cursorAt(4)
    expect((await sendRequest(`page[size]=3&page[after]=${cursor}`)).ids).toEqual(all.slice(5, 8))
    expect((await sendRequest(`page[size]=3&page[before]=${cursor}`)).ids).toEqual(all.slice(1, 4))
    expect((await sendRequest(`page[size]=10&page[before]=${cursor}`)).ids).toEqual(all.slice(0, 4))
  })

  it('CP9, CP10: nothing is before the first item or after the last', async () => {
    const first = await sendRequest(`page[before]=${await cursorAt(0)}`)
    expect([first.status, first.at('/data')]).toEqual([200, []])
    const own = await filled()
    const lastPage = await own.api.get(
      `/api/articles?page[size]=10&page[after]=${await cursorFor(own.api, 20)}`,
      accept,
    )
    expect(lastPage.ids).toEqual(all.slice(21))
    const cursor = await cursorFor(own.api, 21)
    expect((await own.api.delete(`/api/articles/${all[22]}`)).status).toBe(204)
    const after = await own.api.get(`/api/articles?page[after]=${cursor}`, accept)
    expect([after.status, after.at('/data'), after.at('/links/next')]).toEqual([200, [], null])
  })

  /** The cursor of the item at this index, found by following next. */
  const cursorFor = async (own: Client, index: number): Promise<string> => {
    let page = await own.get('/api/articles?page[size]=1', accept)
    for (let step = 0; step < index; step++) page = await own.get(page.link('next') ?? '', accept)
    return cursorIn(page.link('next'), 'after')
  }

  it('CP14: the cursor of an item refers to this item', async () => {
    const { many } = await sendRequest('page[size]=8')
    for (const [index, one] of many.entries()) {
      const { page } = (one.meta ?? {}) as { page?: { cursor?: string } }
      if (page?.cursor === undefined) continue
      const cursor = encodeURIComponent(page.cursor)
      expect((await sendRequest(`page[size]=1&page[after]=${cursor}`)).ids).toEqual(
        all.slice(index + 1, index + 2),
      )
      expect((await sendRequest(`page[size]=1&page[before]=${cursor}`)).ids).toEqual(
        index ? [all[index - 1]] : [],
      )
    }
  })

  it('CP9: also when the item of the cursor is deleted', async () => {
    const own = await filled()
    const first = await own.api.get('/api/articles?page[size]=4', accept)
    expect((await own.api.delete('/api/articles/n-13')).status).toBe(204)
    expect((await own.api.get(first.link('next') ?? '', accept)).ids).toEqual(all.slice(4, 8))
  })

  it('CP11: without a cursor, the page begins with the first item', async () => {
    expect((await sendRequest('page[size]=2')).ids).toEqual(all.slice(0, 2))
    expect((await sendRequest('page[size]=2&sort=-id')).ids).toEqual(all.toReversed().slice(0, 2))
  })

  it('CP12: a range lies between two cursors', async () => {
    const [from, to] = [await cursorAt(1), await cursorAt(8)]
    const range = await sendRequest(`page[after]=${from}&page[before]=${to}`)
    // Seven are more than the default of five: a range has the maximum size by default.
    expect([range.status, range.ids]).toEqual([200, all.slice(2, 8)])
    expect(range.at('/meta/page/rangeTruncated') ?? false).toBe(false)
    const truncated = await sendRequest(`page[after]=${from}&page[before]=${to}&page[size]=3`)
    expect(truncated.ids).toEqual(all.slice(2, 5))
    expect(truncated.at('/meta/page/rangeTruncated')).toBe(true)
    expect((await sendRequest(`page[after]=${to}&page[before]=${from}`)).at('/data')).toEqual([])
  })

  it('CP15, CP16: prev and next are always there, and null exactly where there is no page', async () => {
    const path = '/api/articles?page[size]=10'
    let response = await api.get(path, accept)
    expect(response.at('/links')).toMatchObject({ prev: null })
    for (let count = 0; response.link('next') && count < 5; count++) {
      response = await api.get(response.link('next') ?? '', accept)
      expect(response.link('prev')).toBeDefined()
      expect(response.ids.length).toBeGreaterThan(0)
    }
    expect(response.ids).toEqual(all.slice(20))
    expect(response.at('/links')).toMatchObject({ next: null })
  })

  it('CP15, CP16: also for a single page, an empty list, and linkage', async () => {
    for (const path of [
      '/api/people',
      '/api/events',
      '/api/articles?filter[title]=None',
      '/api/articles/n-11/relationships/tags',
      '/api/articles/n-11/tags',
      '/api/articles/n-10/relationships/tags?page[size]=10',
    ]) {
      const response = await api.get(path, accept)
      expect(response.status, path).toBe(200)
      expect(response.at('/links'), path).toHaveProperty('prev', null)
      expect(response.at('/links'), path).toHaveProperty('next')
    }
    const exact = await api.get('/api/articles?page[size]=8&filter[title]=T1', accept)
    expect([exact.ids.length, exact.at('/links/next'), exact.at('/links/prev')]).toEqual([
      8,
      null,
      null,
    ])
  })

  it('CP16: following prev from the end reads the list backwards, to null', async () => {
    let last = '/api/articles?sort=title&page[size]=6'
    for (let next: string | undefined = last; next; ) {
      last = next
      next = (await api.get(next, accept)).link('next')
    }
    const pages = await walkPages(api, last, 'prev', accept)
    const whole = (await api.get('/api/articles?sort=title')).ids
    expect(
      pages
        .filter((page) => page.length > 0)
        .toReversed()
        .flat(),
    ).toEqual(whole)
  })

  it('CP17, CP18: first is always there and leads to the first page; last is not, because it would need a count', async () => {
    const pages = await walkPages(api, '/api/articles?page[size]=5&sort=-rank', 'next', accept)
    let next: string | undefined = '/api/articles?page[size]=5&sort=-rank'
    while (next !== undefined) {
      const page: DocumentResponse = await api.get(next, accept)
      expect((await api.get(page.link('first') ?? '', accept)).ids).toEqual(pages[0])
      expect(page.link('last')).toBeUndefined()
      next = page.link('next')
    }
    // The store checks both sides of a cursor, so that prev and next never lead to an empty page.
    expect(pages.every((ids) => ids.length > 0)).toBe(true)
    expect(
      (await walkPages(api, '/api/articles?page[size]=5&sort=-rank', 'prev', accept)).every(
        (ids) => ids.length > 0,
      ),
    ).toBe(true)
  })

  it('CP19: the total is sent on request', async () => {
    expect((await sendRequest('withCount=true')).at('/meta/page/total')).toBe(23)
    expect((await sendRequest('')).at('/meta/page/total')).toBeUndefined()
  })

  it('CP20: items that are added and deleted meanwhile cause no duplicates and no gaps', async () => {
    const own = await filled()
    const seen: string[] = []
    let next: string | undefined = '/api/articles?sort=title&page[size]=3'
    for (let page = 0; next && page < 30; page++) {
      const response: DocumentResponse = await own.api.get(next, accept)
      seen.push(...response.ids)
      next = response.link('next')
      if (page > 3) continue
      const id = `new-${page}`
      const data = { type: 'articles', id, attributes: { title: page % 2 ? 'A' : 'Z' } }
      expect((await own.api.post('/api/articles', { data })).status).toBe(201)
      expect((await own.api.delete(`/api/articles/${response.ids[0]}`)).status).toBe(204)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => id.startsWith('n-')).toSorted()).toEqual(all)
  })

  it('CN5: responses that are not paged by cursors do not name the profile', async () => {
    const response = await api.get('/api/articles')
    expect(response.headers.get('content-type')).toBe(mediaType)
  })
})
