import { createRouter, model, type Router, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { foldText } from 'resourcery/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string().nullable(),
  books: toMany('book', { inverse: 'author' }),
})
const Book = model(
  'book',
  {
    title: z.string().nullable(),
    summary: z.string().optional(),
    price: z.int().optional(),
    author: toOne('author', { optional: true }),
  },
  { search: { title: 5, 'author.name': 2, summary: 1 }, aggregate: ['price'] },
)

const authors = [
  { id: 'a1', name: 'Ernest Hemingway' },
  { id: 'a2', name: 'Zoë Straße' },
  { id: 'a3', name: null },
]

const books = [
  { id: 'b01', title: 'The Old Man and the Sea', author: 'a1', price: 1 },
  { id: 'b02', title: 'Old man, young sea', summary: 'Straße am Meer', price: 2 },
  { id: 'b03', title: 'Seaside', summary: 'an old man', author: 'a2', price: 3 },
  { id: 'b04', title: "O'Brien’s 100% sea_side", author: 'a3', price: 4 },
  { id: 'b05', title: 'STRASSE', author: 'a2', price: 5 },
  { id: 'b06', title: null, summary: 'man old; sea', price: 6 },
  { id: 'b07', title: '東京 タワー ﬁn', summary: 'İstanbul', price: 7 },
  { id: 'b08', title: '', summary: '!?', price: 8 },
]

/** What a text searches for, over plain texts: each word, phrase and exclusion by itself. */
function expected(...terms: readonly string[]): readonly string[] {
  const wordsIn = (text: string) =>
    foldText(text)
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .join(' ')
  return books
    .filter(({ title, summary = '', author }) => {
      const name = authors.find(({ id }) => id === author)?.name
      const texts = [title ?? '', summary, name ?? ''].map((text) => ` ${wordsIn(text)} `)
      return terms.every((term) => {
        const isExcluded = term.startsWith('-')
        const isBeginning = term.endsWith('*')
        const words = ` ${wordsIn(term.replace(/^-/, '').replace(/\*$/, ''))}${isBeginning ? '' : ' '}`
        return texts.some((text) => text.includes(words)) !== isExcluded
      })
    })
    .map(({ id }) => id)
}

describe.each(stores)('Lists are searched for words, on $name', ({ make }) => {
  let api: Client
  let json: Client
  let router: Router
  beforeAll(async () => {
    const store: Store = await make()
    const rest = service(store, [Author, Book])
    router = rest.router
    api = rest.api
    const other = createRouter({ policy: jsonApi(), store })
    other.prepare(Author)
    other.prepare(Book)
    json = client(other, 'http://localhost', 'application/vnd.api+json')
    await router.load(Author, authors)
    await router.load(Book, books)
  })
  const ids = async (query: string) => {
    const [own, other] = [await api.get(`/books?${query}`), await json.get(`/books?${query}`)]
    expect([own.status, other.status], own.text).toEqual([200, 200])
    expect(other.ids('data')).toEqual(own.ids('books'))
    return own.ids('books')
  }
  const search = (text: string) => ids(`search=${encodeURIComponent(text)}`)

  it.each<[string, readonly string[]]>([
    ['sea', ['sea*']],
    ['old sea', ['old', 'sea*']],
    ['sea old', ['sea', 'old*']],
    ['"old man"', ['old man']],
    ['"old man', ['old man']],
    ['"old man" hem', ['old man', 'hem*']],
    ['man -"old man"', ['man*', '-old man']],
    ['sea -side -hemingway', ['sea*', '-side', '-hemingway']],
    ['-sea', ['-sea']],
    ['old-man', ['old man*']],
    ['HEMING', ['heming*']],
    ['zoe', ['zoe*']],
    ['strasse', ['strasse*']],
    ['Straße am', ['strasse', 'am*']],
    ["o'brien", ['o brien*']],
    ['obrien', ['obrien*']],
    ['100%', ['100*']],
    ['sea_si', ['sea si*']],
    ['ea', ['ea*']],
    ['東', ['東*']],
    ['タワー FIN', ['タワー', 'fin*']],
    ['istan', ['istan*']],
    ["'; drop table book; --", ['drop', 'table', 'book*']],
  ])('search=%s', async (text, terms) => {
    expect(await search(text)).toEqual(expected(...terms))
  })

  it('stands beside filters, sorts, pages, counts, sums and facets', async () => {
    expect(await ids('search=old&filter[price][gt]=1&sort=-price')).toEqual(['b06', 'b03', 'b02'])
    const page = await api.get(
      '/books?search=old&sort=-price&page[size]=2&withCount=true&withAggregates=sum(price)&withFacets=price',
    )
    expect(page.ids('books')).toEqual(['b06', 'b03'])
    expect(page.at('/meta/page/total')).toBe(4)
    expect(page.at('/meta/aggregates')).toEqual({ 'sum(price)': 12 })
    expect(page.at('/meta/facets/price')).toHaveLength(4)
    const groups = await api.get('/books/groups?groupBy=price&search=old')
    expect(groups.at('/groups'), groups.text).toHaveLength(4)
  })

  it('sorts by relevance, the best first, with ids for ties, in pages of any kind', async () => {
    // The weight of the title is 5, of the author's name 2, of the summary 1.
    const best = await ids('search=old+man+sea&sort=-relevance')
    expect(best).toEqual(['b02', 'b01', 'b03', 'b06'])
    expect(await ids('search=old+man+sea&sort=relevance')).toEqual(['b06', 'b03', 'b01', 'b02'])
    expect(await ids('search=old+man+sea&sort=-relevance,price')).toEqual([
      ...['b01', 'b02', 'b03', 'b06'],
    ])
    expect(await ids('search=strasse&sort=-relevance')).toEqual(['b05', 'b03', 'b02'])
    expect(await ids('search=-sea&sort=-relevance,id')).toEqual(['b03', 'b05', 'b07', 'b08'])
    for (const order of ['-relevance', 'relevance', '-relevance,price', 'price,-relevance']) {
      const whole = await ids(`search=old&sort=${order}`)
      const query = `search=old&sort=${order}&page[size]=1`
      const paged: string[] = []
      let next: string | undefined = `/books?${query}&page[after]=`
      let response = await api.get(`/books?${query}`)
      while (response.status === 200) {
        paged.push(...response.ids('books'))
        next = response.link('next')
        if (next === undefined) break
        response = await api.get(next.replace('http://localhost', ''))
      }
      expect(paged, response.text).toEqual(whole)
      const numbered = await ids(`search=old&sort=${order}&page[number]=2&page[size]=2`)
      expect(numbered).toEqual(whole.slice(2, 4))
    }
  })

  it.each([
    ['sort=-relevance', 1, "Only a list with 'search' can be sorted by 'relevance'."],
    ['search=&sort=-relevance', 1, "'search' must have at least one word; got ''."],
    ['search=&sort=-relevance,titel', 2, 'titel'],
    ['search=old&sort=-relevanc', 1, 'relevanc'],
  ])('refuses %s with %i problems', async (query, count, detail) => {
    for (const sender of [api, json]) {
      const response = await sender.get(`/books?${query}`)
      expect(response.status).toBe(400)
      expect(response.errors).toHaveLength(count)
      expect(response.text).toContain(detail)
    }
  })

  it('refuses cursors of another search, whose relevance is another', async () => {
    const first = await api.get('/books?search=old&sort=-relevance&page[size]=1')
    const next = first
      .link('next')!
      .replace('http://localhost', '')
      .replace('search=old', 'search=man')
    const response = await api.get(next)
    expect(response.status).toBe(400)
    expect(response.errors[0]?.code).toBe('invalid-cursor')
  })

  it('searches related lists, and lists asked for with QUERY', async () => {
    for (const path of ['/authors/a2/books', '/authors/a2/relationships/books']) {
      const related = await json.get(`${path}?search=str`)
      expect(related.ids('data'), related.text).toEqual(['b03', 'b05'])
    }
    const response = await api.send('QUERY', '/books', 'search=hemingway', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(response.ids('books')).toEqual(['b01'])
  })

  it('finds an item by the new name of a related one', async () => {
    const changed = await api.patch('/authors/a3', { author: { name: 'Flann' } })
    expect(changed.status).toBe(200)
    expect(await search('flann')).toEqual(['b04'])
    await api.patch('/authors/a3', { author: { name: null } })
    expect(await search('flann')).toEqual([])
  })

  it.each([
    ['search=', "'search' must have at least one word; got ''."],
    ['search=%20%21%3F', "'search' must have at least one word; got ' !?'."],
    ['search=-', "'search' must have at least one word; got '-'."],
    [`search=${'a+'.repeat(50)}`, "'search' must have at most 16 words."],
    [`search=${'a'.repeat(201)}`, "'search' must have at most 200 characters."],
    ['search[title]=a', "Write 'search=…' without brackets."],
    ['search=a&search=b', "'search' appears more than once. Send it once."],
  ])('refuses %s', async (query, detail) => {
    for (const sender of [api, json]) {
      const response = await sender.get(`/books?${query}`)
      expect(response.status).toBe(400)
      expect(response.text).toContain(JSON.stringify(detail).slice(1, -1))
    }
  })

  it.each([
    ['REST', rest],
    ['JSON:API', jsonApi],
  ] as const)('does not find what mappers hide, under %s', async (_, policy) => {
    const router = createRouter({ policy: policy(), store: await make() })
    const Writer = model('writer', { name: z.string(), alias: z.string().optional() })
    const Text = model(
      'text',
      { title: z.string(), notes: z.string().optional(), writer: toOne('writer') },
      { search: ['title', 'notes', 'writer.name', 'writer.alias'] },
    )
    router.prepare(Writer).map(({ alias: _, ...shown }) => shown, { hides: ['alias'] })
    router.prepare(Text).map(({ notes: _, ...shown }) => shown, { hides: ['notes'] })
    const writer = await router.items(Writer).create({ name: 'Mary', alias: 'Zorro' })
    await router.items(Text).create({ title: 'Tale', notes: 'Secret', writer: writer.id })
    const api = client(router)
    const path = policy === rest ? '/texts' : '/data'
    const found = async (words: string) =>
      (await api.get(`/texts?search=${words}`)).at(path) as readonly unknown[]
    expect(await found('tale')).toHaveLength(1)
    expect(await found('mary')).toHaveLength(1)
    for (const hidden of ['secret', 'sec', 'zorro']) expect(await found(hidden)).toEqual([])
    const document = JSON.stringify(router.toOpenApi())
    expect(document).toContain('Words that occur in `title`, `writer.name`,')
    await router.close()
  })

  it('is unknown where a model declares nothing to search', async () => {
    const response = await api.get('/authors?search=zoe')
    expect(response.status).toBe(400)
    expect(response.text).toContain("'search'")
  })
})

describe.each(stores)('Searches of many words in many relations, on $name', ({ make }) => {
  const person = toOne('person', { optional: true })
  const words = Array.from('abcdefghijklmno', (letter) => `frequent${letter}`)
  const Work = model(
    'work',
    {
      title: z.string(),
      first: person,
      second: person,
      third: person,
      fourth: person,
      fifth: person,
      sixth: person,
    },
    {
      search: [
        'title',
        'first.name',
        'second.name',
        'third.name',
        'fourth.name',
        'fifth.name',
        'sixth.name',
      ],
    },
  )
  const Person = model('person', { name: z.string() })

  it('finds what has all of them, whichever of them an index is asked for', async () => {
    const { api, router } = service(await make(), [Person, Work])
    const some = words.slice(0, -1).join(' ')
    const people = [
      { id: 'p1', name: words.join(' ') },
      { id: 'p2', name: 'rare' },
      { id: 'p3', name: some },
    ]
    await router.load(Person, people)
    await router.load(Work, [
      { id: 'w1', title: 'rare', first: 'p1' },
      { id: 'w2', title: 'other', fourth: 'p1', sixth: 'p2' },
      { id: 'w3', title: words.join(' '), sixth: 'p2' },
      { id: 'w4', title: words.at(-1)!, second: 'p2', third: 'p3' },
      { id: 'w5', title: 'rare', first: 'p3' },
      { id: 'w6', title: 'other', first: 'p1' },
      { id: 'w7', title: 'rarely', first: 'p2' },
    ])
    const ids = async (text: string, more = '') => {
      const query = `search=${encodeURIComponent(text)}&withCount=true${more}`
      const response = await api.get(`/works?${query}`)
      expect(response.status, response.text).toBe(200)
      expect(response.at('/meta/page/total')).toBe(response.ids('works').length)
      return response.ids('works')
    }
    const all = ['w1', 'w2', 'w3', 'w4']
    expect(await ids(`${words.join(' ')} "rare"`)).toEqual(all)
    expect(await ids(`"rare" ${words.join(' ')}`)).toEqual(all)
    expect((await ids(`"rare" ${words.join(' ')}`, '&sort=-relevance')).toSorted()).toEqual(all)
    expect(await ids(`rare ${some} -${words.at(-1)}`)).toEqual(['w5'])
    expect(await ids(`${words.join(' ')} -"rare"`)).toEqual(['w6'])
  })
})

describe('What only some readers may read', () => {
  const Person = model('person', { name: z.string(), email: z.string() })
  const Talk = model(
    'talk',
    { title: z.string(), speaker: toOne('person') },
    { search: ['title', 'speaker.email'] },
  )
  it('cannot be searched', () => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: {
        authentication: [
          {
            name: 'token',
            scheme: { type: 'http', scheme: 'bearer' },
            authenticate: () => undefined,
          },
        ],
        callerSchema: z.object({ id: z.string() }),
      },
    })
    router.prepare(Person).access(({ caller, item }) => ({
      fields: { email: { read: item.id.equal(caller.id) } },
    }))
    router.prepare(Talk)
    expect(() => router.toOpenApi()).toThrow(
      "'speaker.email' in the option 'search' of the model 'talk' cannot be searched: not every reader of 'person' may read 'email'.",
    )
  })
})
