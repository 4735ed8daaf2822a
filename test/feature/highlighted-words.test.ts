import { createRouter, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), isPublic: z.boolean() })
const Book = model(
  'book',
  {
    title: z.string(),
    summary: z.string().optional(),
    notes: z.object({ text: z.string() }).optional(),
    author: toOne('author', { optional: true }),
  },
  { search: { title: 3, 'author.name': 2, summary: 1, 'notes.text': 1 } },
)
const Shop = model('shop', { name: z.string() })

interface Body {
  readonly meta: {
    readonly highlights: readonly {
      readonly id: string
      readonly fields: readonly {
        readonly name: string
        readonly pieces: readonly { readonly text: string; readonly isMatch: boolean }[]
        readonly isExcerpt: boolean
      }[]
    }[]
  }
}

const mark = (text: string) => ({ text, isMatch: true })
const plain = (text: string) => ({ text, isMatch: false })

describe.each(stores)('A list that is searched says where words occur, on $name', ({ make }) => {
  let api: Client
  let json: Client
  beforeAll(async () => {
    const store = await make()
    const router = createRouter({ policy: rest({ csv: true }), store })
    const other = createRouter({ policy: jsonApi(), store })
    for (const one of [router, other]) {
      one.prepare(Author).access(({ item }) => ({ read: item.isPublic.equal(true) }))
      one.prepare(Book)
      one.prepare(Shop)
    }
    await router.load(Author, [
      { id: 'a1', name: 'Zoë Sea', isPublic: true },
      { id: 'a2', name: 'Hidden Sea', isPublic: false },
    ])
    await router.load(Book, [
      { id: 'b1', title: 'The Old Man and the Sea', author: 'a2' },
      { id: 'b2', title: 'Seaside', author: 'a1', notes: { text: 'by the sea' } },
      { id: 'b3', title: 'Long', summary: `${'word '.repeat(500)}seal ${'word '.repeat(500)}` },
      { id: 'b4', title: 'Nothing' },
    ])
    api = client(router)
    json = client(other, 'http://localhost', 'application/vnd.api+json')
  })
  const highlightsOf = async (query: string) => {
    const [own, jsonOwn] = [await api.get(`/books?${query}`), await json.get(`/books?${query}`)]
    expect([own.status, jsonOwn.status], own.text).toEqual([200, 200])
    const [highlights, ofJson] = [own, jsonOwn].map(({ body }) => (body as Body).meta.highlights)
    expect(ofJson).toEqual(highlights)
    return highlights!
  }

  it('in the fields of each item of the page, but not in items that the caller may not read', async () => {
    const highlights = await highlightsOf('search=sea&withHighlights=true&page[size]=2')
    expect(highlights).toEqual([
      {
        id: 'b1',
        fields: [
          { name: 'title', pieces: [plain('The Old Man and the '), mark('Sea')], isExcerpt: false },
        ],
      },
      {
        id: 'b2',
        fields: [
          { name: 'title', pieces: [mark('Seaside')], isExcerpt: false },
          { name: 'author.name', pieces: [plain('Zoë '), mark('Sea')], isExcerpt: false },
          { name: 'notes.text', pieces: [plain('by the '), mark('sea')], isExcerpt: false },
        ],
      },
    ])
  })

  it('as an excerpt of a long text, on the next page too, in the order of the list', async () => {
    const [first] = await highlightsOf('search=sea&withHighlights=true&page[size]=2&page[number]=2')
    expect(first!.id).toBe('b3')
    const { name, pieces, isExcerpt } = first!.fields[0]!
    const text = pieces.map((piece) => piece.text).join('')
    expect([name, isExcerpt, text.length <= 200]).toEqual(['summary', true, true])
    expect(pieces[1]).toEqual(mark('seal'))
    const sorted = await highlightsOf('search=sea&sort=-relevance&withHighlights=true&page[size]=9')
    expect(sorted.map(({ id }) => id)).toEqual(['b2', 'b1', 'b3'])
  })

  it('without them where the request does not ask, or searches nothing', async () => {
    expect((await api.get('/books?search=sea&page[size]=2')).text).not.toContain('highlights')
    expect((await api.get('/books?withHighlights=true&page[size]=2')).text).not.toContain(
      'highlights',
    )
    expect(await highlightsOf('search=nowhere&withHighlights=true&page[size]=2')).toEqual([])
  })

  it('refused with other values, in other media types, and where a model has no search', async () => {
    const wrong = await api.get('/books?search=sea&withHighlights=yes')
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain("'withHighlights' must be true or false; got 'yes'.")
    expect((await api.get('/shops?withHighlights=true')).status).toBe(400)
    const whole = await api.get('/books?search=sea&withHighlights=true')
    expect([whole.status, whole.text]).toEqual([400, expect.stringContaining('needs a page')])
    const csv = await api.get('/books?search=sea&withHighlights=true', { accept: 'text/csv' })
    expect(csv.status).toBe(406)
  })
})
