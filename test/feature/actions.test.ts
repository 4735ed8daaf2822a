import { Action, action, field, hash, model, type Router, refuse, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { expectPointersInto } from '../support/pointers.ts'
import { policies, prepared } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

const Percent = z.object({ percent: z.number().min(0).max(100) })
const Title = z.object({ title: z.string() })
const Note = z.object({ text: z.string().default('none'), loud: z.boolean().optional() })
const Id = z.object({ id: z.string() })

class Author extends model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
}) {
  @Action
  adopt(): void {
    Object.assign(this, { name: 'x', books: [{ id: 'b-1' }] })
  }
}

class Genre extends model('genre', { name: z.string() }) {}

class Book extends model('book', {
  title: z.string().trim().min(1).max(40),
  price: z.number().nonnegative(),
  stock: z.int().nonnegative().default(0),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  isbn: field(z.string().optional(), { unique: true }),
  tags: z.array(z.string()).default([]),
  size: z.object({ width: z.number(), height: z.number().optional() }).optional(),
  rank: z.union([z.int(), z.string().transform(Number).pipe(z.int())]).optional(),
  costPrice: field(z.number().nonnegative().optional(), { hidden: true }),
  author: toOne('author'),
  editor: toOne('author', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
}) {
  @Action({ input: Percent, description: 'Lowers the price' })
  discount({ percent }: { percent: number }): void {
    this.price *= 1 - percent / 100
  }

  @Action({
    input: z.object({ amount: z.int() }),
    output: z.object({ stock: z.int(), soldOut: z.boolean().default(false) }),
  })
  restock({ amount }: { amount: number }): { stock: number } {
    this.stock += amount
    return { stock: this.stock }
  }

  @Action(Title)
  async rename({ title }: { title: string }): Promise<void> {
    await new Promise(setImmediate)
    this.title = title
  }

  @Action({ input: Note, output: z.object({ text: z.string(), loud: z.boolean() }) })
  note({ text, loud = false }: { text: string; loud?: boolean | undefined }): {
    text: string
    loud: boolean
  } {
    return { text, loud }
  }

  @Action
  giveAway(): void {
    this.price = 0
  }

  @Action()
  look(): void {}

  @Action({ input: Id })
  attribute({ id }: { id: string }): void {
    this.author = { id }
  }

  @Action({ input: z.object({ ids: z.array(z.string()) }) })
  classify({ ids }: { ids: string[] }): void {
    this.genres = ids.map((id) => ({ id }))
  }

  @Action({ output: z.object({ byline: z.string(), class: z.string(), relations: z.string() }) })
  describe(): { byline: string; class: string; relations: string } {
    const { author, editor, genres } = this
    return {
      byline: `${this.title} by ${author.name}`,
      class: this instanceof Book ? 'Book' : 'none',
      relations: JSON.stringify({ editor, genres: genres.map((genre) => genre.name) }),
    }
  }

  @Action
  orphan(): void {
    Object.assign(this, { author: null, title: '', costPrice: -1 })
  }

  @Action({ input: z.object({ isbn: z.string() }) })
  register({ isbn }: { isbn: string }): void {
    this.isbn = isbn
  }

  @Action
  touchEverything(): void {
    this.title = `  ${this.title}!  `
    this.tags.push('touched')
    this.size = Object.assign({ width: 1 }, { depth: 9 })
    this.pageCount = undefined
    this.rank = 7
  }

  @Action
  breakOff(): void {
    this.price = 1
    throw new Error('the secret reason')
  }

  @Action
  async breakOffLater(): Promise<void> {
    this.price = 1
    await new Promise(setImmediate)
    throw new Error('the secret reason')
  }

  @Action({ responses: { 409: 'The book is free already' } })
  refuseIt(): void {
    this.price = 1
    throw refuse('conflict', 'The book is free already.')
  }

  /** A member of the class alone. */
  readonly notes: string[] = []

  @Action
  remember(): void {
    this.notes.push('looked at')
    this.price = 2
  }

  @Action
  async invent(): Promise<void> {
    await Promise.resolve()
    Object.assign(this, { price: 1, titel: 'Dune II' })
  }

  @Action
  steal(): void {
    Object.assign(this, { id: 'other' })
  }

  @Action
  forge(): void {
    this.hash = 'forged'
  }

  @Action({ output: z.object({ stock: z.int() }) })
  lie(): { stock: number } {
    this.price = 1
    return { stock: 0.5 }
  }

  raise({ percent }: z.infer<typeof Percent>): void {
    this.price *= 1 + percent / 100
  }

  async count(): Promise<{ stock: number }> {
    return { stock: this.stock }
  }

  unmarked(): void {
    this.price = 0
  }

  static {
    action(this, 'raise', Percent)
    action(this, 'count', { output: z.object({ stock: z.int() }) })
  }
}

const models = [Author, Genre, Book]
const book = {
  id: 'b-1',
  title: 'Dune',
  price: 10,
  stock: 5,
  pageCount: 412,
  isbn: '1',
  tags: ['sand'],
}

describe.each(policies)('Under $name,', (kind) => {
  describe.each(stores)('on $name,', ({ make }) => {
    let router: Router
    let api: Client
    let reported: unknown[]

    const invoke = (
      name: string,
      input?: unknown,
      headers?: Readonly<Record<string, string>>,
    ): Promise<ClientResponse> =>
      api.post(`/books/b-1/${name}`, input === undefined ? undefined : kind.input(input), headers)
    const read = async () => kind.item(await api.get('/books/b-1'))

    beforeEach(async () => {
      reported = []
      ;({ router, api } = prepared(kind, await make(), models, {
        onError: (error) => reported.push(error),
      }))
      await router.load(Author, [
        { id: 'a-1', name: 'Frank Herbert' },
        { id: 'a-2', name: 'Ursula K. Le Guin' },
      ])
      await router.load(Genre, [
        { id: 'g-1', name: 'Desert' },
        { id: 'g-2', name: 'Space' },
      ])
      await router.load(Book, [
        { ...book, costPrice: 3, author: 'a-1', genres: ['g-1'] },
        { id: 'b-2', title: 'The Dispossessed', price: 8, isbn: '2', author: 'a-2' },
      ])
    })

    it('ItemMethodApiOperation exists for each method of the model marked @Action, and for no other', async () => {
      const all = router.rules.filter((rule) => rule.operation === 'ItemMethodApiOperation')
      expect(all.map(({ path }) => path)).toContain('/authors/:id/adopt')
      const actions = all.filter(({ path }) => path !== '/authors/:id/adopt')
      expect(
        actions.every(({ method, path }) => method === 'POST' && path.startsWith('/books/:id/')),
      ).toBe(true)
      const names = actions.map(({ path }) => path.slice('/books/:id/'.length))
      expect(names).toEqual(
        expect.arrayContaining(['discount', 'rename', 'giveAway', 'look', 'raise', 'count']),
      )
      expect(names).not.toContain('unmarked')
      expect((await invoke('unmarked')).status).toBe(404)
    })

    it('it reads the item, converts it to the model type, calls the method, and stores the updated item', async () => {
      const before = await read()
      const response = await invoke('discount', { percent: 10 })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, kind.mediaType])
      expect(kind.item(response)).toEqual({ ...before, price: 9 })
      expect(await read()).toEqual({ ...before, price: 9 })
      const described = kind.output(await invoke('describe'))
      expect(described).toMatchObject({ class: 'Book' })
    })

    it('the method sees relations as objects', async () => {
      const described = kind.output(await invoke('describe')) as Record<string, string>
      expect(described.byline).toBe('Dune by Frank Herbert')
      expect(JSON.parse(described.relations!)).toEqual({ editor: null, genres: ['Desert'] })
    })

    it('a method that a static block marks is an action too, synchronous or asynchronous', async () => {
      expect(kind.item(await invoke('raise', { percent: 50 })).price).toBe(15)
      expect(kind.output(await invoke('count'))).toEqual({ stock: 5 })
    })

    it('an action with an output responds with it, as its schema returns it', async () => {
      const response = await invoke('restock', { amount: 2 })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, kind.mediaType])
      expect(kind.output(response)).toEqual({ stock: 7, soldOut: false })
      expect((await read()).stock).toBe(7)
    })

    it('the response has the ETag of the changed item', async () => {
      const before = (await api.get('/books/b-1')).etag
      const changed = await invoke('discount', { percent: 10 })
      expect(changed.etag).not.toBe(before)
      expect(changed.etag).toBe((await api.get('/books/b-1')).etag)
      const counted = await invoke('restock', { amount: 2 })
      expect(counted.etag).toBe((await api.get('/books/b-1')).etag)
      expect(counted.etag).not.toBe(changed.etag)
    })

    it.each(['look', 'note', 'count'])(
      'an action that changes nothing keeps the ETag (%s)',
      async (name) => {
        const before = (await api.get('/books/b-1')).etag
        expect((await invoke(name)).etag).toBe(before)
        expect((await api.get('/books/b-1')).etag).toBe(before)
      },
    )

    it('the response has the requested fields and included items', async () => {
      const response = await api.post(
        '/books/b-1/giveAway?fields[books]=price,author&include=author',
      )
      expect(kind.item(response)).toEqual({ id: 'b-1', price: 0, author: 'a-1' })
      expect(response.text).toContain('Frank Herbert')
      expect((await api.post('/books/b-1/giveAway?include=nobody')).status).toBe(400)
      const output = await api.post('/books/b-1/restock?include=author', kind.input({ amount: 1 }))
      expect([output.status, output.errors[0]?.code]).toEqual([400, 'unknown-parameter'])
    })

    it('lists the members of the input', async () => {
      const told = async (name: string, input: object) =>
        (await invoke(name, input)).errors[0]?.detail
      expect(await told('discount', { percent: 1, rate: 1 })).toBe(
        "Unknown member 'rate' in the input of 'discount'; expected 'percent'.",
      )
      expect(await told('giveAway', { rate: 1 })).toBe(
        "Unknown member 'rate' in the input of 'giveAway'; expected none.",
      )
    })

    describe('the input is validated before the method is called', () => {
      it.each<[string, unknown, readonly [string, string][]]>([
        ['discount', { percent: 101 }, [['invalid-input', '/percent']]],
        ['discount', { percent: '10' }, [['invalid-input', '/percent']]],
        ['discount', { percent: null }, [['invalid-input', '/percent']]],
        ['discount', {}, [['invalid-input', '']]],
        [
          'discount',
          { percent: -1, rate: 1 },
          [
            ['invalid-input', '/percent'],
            ['unknown-member', '/rate'],
          ],
        ],
        [
          'discount',
          { percent: 1, id: 'b-2', hash: 'x' },
          [
            ['unknown-member', '/id'],
            ['unknown-member', '/hash'],
          ],
        ],
        [
          'classify',
          { ids: ['g-1', 2, 3] },
          [
            ['invalid-input', '/ids/1'],
            ['invalid-input', '/ids/2'],
          ],
        ],
        ['giveAway', { percent: 1 }, [['unknown-member', '/percent']]],
      ])('%s with %j is 422 with the errors %j', async (name, input, errors) => {
        const before = await read()
        const response = await invoke(name, input)
        expect(response.status).toBe(422)
        const pointers = response.errors.map((error) => [error.code, error.source?.pointer])
        expect(pointers).toEqual(errors.map(([code, pointer]) => [code, kind.inputAt + pointer]))
        expectPointersInto(kind.input(input), response)
        expect(await read()).toEqual(before)
      })

      it.each([
        ['discount', 'x'],
        ['discount', []],
        ['discount', null],
        ['giveAway', 5],
        ['giveAway', []],
      ])('%s with %j, which is not an object, is refused', async (name, input) => {
        const response = await invoke(name, input)
        expect([400, 422]).toContain(response.status)
        expectPointersInto(kind.input(input), response)
      })

      it('without a body, a required input is an error, and an optional one gets its defaults', async () => {
        const response = await invoke('discount')
        expect([response.status, response.errors[0]?.code]).toEqual([400, 'empty-body'])
        expect(kind.output(await invoke('note'))).toEqual({ text: 'none', loud: false })
        expect(kind.output(await invoke('note', {}))).toEqual({ text: 'none', loud: false })
        expect(kind.output(await invoke('note', { loud: true }))).toEqual({
          text: 'none',
          loud: true,
        })
      })

      it('an action without input runs without a body, with an empty body, and with an empty object', async () => {
        for (const body of [undefined, '', kind.input({}), '{}'])
          expect((await api.post('/books/b-1/giveAway', body)).status).toBe(200)
      })

      it('a body that is not JSON, or has another media type, is refused as everywhere', async () => {
        const codeOf = async (body: string, headers = {}) =>
          (await api.post('/books/b-1/giveAway', body, headers)).errors[0]?.code
        expect(await codeOf('{')).toBe('malformed-json')
        expect(await codeOf(`{"meta":{},"meta":{}}`)).toBe('malformed-json')
        expect(await codeOf('x=1', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(
          'unsupported-media-type',
        )
        expect(await codeOf('{}', { 'content-encoding': 'gzip' })).toBe('unsupported-encoding')
        expect(await codeOf(`"${'x'.repeat(1_100_000)}"`)).toBe('body-too-large')
        expect(await codeOf('{}', { accept: 'text/html' })).toBe('not-acceptable')
      })
    })

    describe('the changed item is validated as a whole', () => {
      it('an invalid item is 422 and not stored, and hidden members are not named', async () => {
        const before = await read()
        const response = await invoke('orphan', {})
        expect(response.status).toBe(422)
        expect(response.errors.map((error) => error.code)).toEqual([
          'invalid-outcome',
          'invalid-outcome',
          'invalid-outcome',
        ])
        expect(response.text).toContain("'title'")
        expect(response.text).toContain("'author'")
        expect(response.text).not.toMatch(/cost/i)
        expectPointersInto(kind.input({}), response)
        expect(await read()).toEqual(before)
        expect(reported).toEqual([])
      })

      it('the error says why the item is invalid', async () => {
        const response = await invoke('restock', { amount: -6 })
        expect([response.status, response.errors[0]?.code]).toEqual([422, 'invalid-outcome'])
        expect(response.errors[0]?.detail).toContain("'stock'")
        expect(response.errors[0]?.source?.pointer).toBe(kind.inputAt)
        expect((await read()).stock).toBe(5)
      })

      it('changed members are parsed by their schemas, unknown members are dropped', async () => {
        const { pages: _, ...before } = await read()
        const after = kind.item(await invoke('touchEverything'))
        expect(after).toEqual({
          ...before,
          title: 'Dune!',
          tags: ['sand', 'touched'],
          size: { width: 1 },
          rank: 7,
        })
        expect(await read()).toEqual(after)
      })

      it('a relation is changed by assigning an object with its id', async () => {
        expect(kind.item(await invoke('attribute', { id: 'a-2' })).author).toBe('a-2')
        expect(kind.item(await invoke('classify', { ids: ['g-2', 'g-1', 'g-2'] })).genres).toEqual([
          'g-2',
          'g-1',
        ])
        expect(kind.item(await invoke('classify', { ids: [] })).genres).toEqual([])
      })

      it('and the other side of the relation changes with it', async () => {
        await invoke('attribute', { id: 'a-2' })
        const byLeGuin = await api.get('/books?filter[author]=a-2')
        expect(byLeGuin.text).toContain('Dune')
        const { text } = await api.get('/authors/a-2?include=books')
        expect(text).toContain('Dune')
      })

      it('a relation to a missing item is refused', async () => {
        const response = await invoke('attribute', { id: 'nobody' })
        const status = kind.name === 'JSON:API' ? 404 : 422
        expect([response.status, response.errors[0]?.source?.pointer]).toEqual([
          status,
          kind.inputAt,
        ])
        expect(response.errors[0]?.detail).toContain("'nobody'")
        expect((await read()).author).toBe('a-1')
      })

      it('a unique value that another item has is 409', async () => {
        const response = await invoke('register', { isbn: '2' })
        expect([response.status, response.errors[0]?.code]).toEqual([409, 'value-taken'])
        expect((await read()).isbn).toBe('1')
        expect((await invoke('register', { isbn: '3' })).status).toBe(200)
      })

      it.each(['steal', 'forge'])(
        'the id and the hash cannot be assigned: %s fails, and changes nothing',
        async (name) => {
          const before = await api.get('/books/b-1')
          expect((await invoke(name)).status).toBe(500)
          expect((await api.get('/books/b-1')).text).toBe(before.text)
          expect(reported).toHaveLength(1)
        },
      )
    })

    describe('a method that throws changes nothing', () => {
      it.each(['breakOff', 'breakOffLater'])(
        '%s is an opaque 500, and is reported',
        async (name) => {
          const before = await read()
          const response = await invoke(name)
          expect([response.status, response.errors[0]?.code]).toEqual([500, 'internal-error'])
          expect(response.text).not.toContain('secret')
          expect(String(reported[0])).toContain('the secret reason')
          expect(await read()).toEqual(before)
        },
      )

      it('an ApiError is sent as it is', async () => {
        const response = await invoke('refuseIt')
        expect([response.status, response.errors[0]?.code, response.errors[0]?.detail]).toEqual([
          409,
          'conflict',
          'The book is free already.',
        ])
        expect((await read()).price).toBe(10)
        expect(reported).toEqual([])
      })

      it('a member that the model does not have, or holds elsewhere, is 500, and is reported', async () => {
        const before = (await api.get('/books/b-1')).text
        expect((await invoke('invent')).status).toBe(500)
        const { author } = await read()
        expect(author).toBe('a-1')
        expect((await api.post('/authors/a-2/adopt')).status).toBe(500)
        expect(reported.map(String)).toEqual([
          "TypeError: The action 'invent' of 'book' sets 'titel', which is not a member of the model. Did you mean 'title'?",
          "TypeError: The action 'adopt' of 'author' sets 'books', which the items of 'book' hold. Change 'author' of these with items(…).update(), or 'books' with items(…).update() of this item.",
        ])
        expect((await api.get('/books/b-1')).text).toBe(before)
        expect((await invoke('remember')).status).toBe(200)
        expect((await read()).price).toBe(2)
      })

      it('an output that does not match its schema responds with 500', async () => {
        const response = await invoke('lie')
        expect([response.status, response.errors[0]?.code]).toEqual([500, 'internal-error'])
        expect(String(reported[0])).toContain("'lie'")
        expect((await read()).price).toBe(10)
      })
    })

    describe('If-Match is checked', () => {
      it('C18: with the ETag of the item the action runs, with an older one it is 412', async () => {
        const { etag } = await api.get('/books/b-1')
        const first = await invoke('discount', { percent: 10 }, { 'if-match': etag })
        expect(first.status).toBe(200)
        const second = await invoke('discount', { percent: 10 }, { 'if-match': etag })
        expect([second.status, second.errors[0]?.source?.header]).toEqual([412, 'If-Match'])
        expect((await read()).price).toBe(9)
        expect((await invoke('discount', { percent: 10 }, { 'if-match': first.etag })).status).toBe(
          200,
        )
        expect((await invoke('rename', { title: 'x' }, { 'if-match': etag })).status).toBe(412)
      })

      it('a missing item and a wrong input are reported first (C11)', async () => {
        const stale = { 'if-match': '"old"' }
        expect(
          (await api.post('/books/none/discount', kind.input({ percent: 1 }), stale)).status,
        ).toBe(404)
        expect((await invoke('discount', { percent: -1 }, stale)).status).toBe(422)
        expect((await invoke('refuseIt', undefined, stale)).status).toBe(412)
      })
    })

    it('an unknown id is 404, whatever the body', async () => {
      for (const input of [{ percent: 10 }, { percent: -1 }, {}]) {
        const response = await api.post('/books/none/discount', kind.input(input))
        expect([response.status, response.errors[0]?.code]).toEqual([404, 'not-found'])
      }
    })

    it('another method is 405 with the exact Allow, which OPTIONS has too', async () => {
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
        const response = await api.send(method, '/books/b-1/discount')
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
      }
      const options = await api.options('/books/b-1/discount')
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'OPTIONS, POST'])
    })

    it('a path below an action is 404', async () => {
      expect((await api.post('/books/b-1/discount/more', kind.input({ percent: 1 }))).status).toBe(
        404,
      )
      expect((await api.post('/books/b-1/Discount', kind.input({ percent: 1 }))).status).toBe(404)
    })
  })
})

describe('A body with a hundred thousand errors', () => {
  it.each(policies)('is refused quickly with a short response, under $name', async (kind) => {
    const { router } = prepared(kind, await stores[0]!.make(), models, {
      limits: { maxJsonValues: 1_000_000, maxItemValues: 1_000_000 },
    })
    const api = client(router)
    await router.load(Author, [{ id: 'a-1', name: 'Frank Herbert' }])
    await router.load(Book, [{ ...book, author: 'a-1' }])
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1])),
    )
    const numbers = JSON.stringify({ ids: Array.from({ length: 200_000 }, () => 1) })
    for (const [name, input] of [
      ['discount', many],
      ['giveAway', many],
      ['classify', numbers],
    ] as const) {
      const response = await api.post(`/books/b-1/${name}`, input)
      expect([response.status, response.errors.length]).toEqual([422, 50])
      expect(response.text.length).toBeLessThan(20_000)
    }
  })
})
