import {
  type AnyModel,
  createRouter,
  field,
  hash,
  image,
  type Middleware,
  model,
  RegistrationError,
  type RouterOptions,
  respond,
  toMany,
  toOne,
} from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Fields } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const routerOf = (models: readonly AnyModel[], options: Partial<RouterOptions> = {}) => {
  const router = createRouter({ policy: rest(), store: memory(), ...options })
  for (const model of models) router.prepare(model)
  return router
}

/** Registers a router up to its rules. */
const rulesOf = (...models: AnyModel[]) => routerOf(models).rules

const name = z.string()
const Author = model('author', { name })

describe('Registration is refused with a full sentence', () => {
  it.each<[string, () => unknown, string[]]>([
    [
      'for a relation to a model that is not registered',
      () => rulesOf(model('book', { author: toOne('writer') })),
      ["'author'", "'book'", "the unknown model 'writer'", "expected 'book'"],
    ],
    [
      'for a relation to many whose model is not registered',
      () => rulesOf(Author, model('book', { authors: toMany('writer') })),
      [
        "'writer'",
        'expected one of author, book. Every related model has to be prepared, with router.prepare().',
      ],
    ],
    [
      'for an example that no item can have for its id',
      () => rulesOf(model('book', { name }, { exampleId: 'war and peace' })),
      ["exampleId of the model 'book'", "'war and peace'", 'An id has 1 to 128 of the characters'],
    ],
    [
      'for an example that no address can name',
      () => rulesOf(model('book', { name }, { exampleId: '..' })),
      ["exampleId of the model 'book'", "'..'", 'neither'],
    ],
    [
      'for a relation whose example is no id',
      () =>
        rulesOf(Author, model('book', { author: toOne('author', { example: 'Mary Shelley' }) })),
      ["example of the field 'author' of the model 'book'", "'Mary Shelley'", 'An id has'],
    ],
    [
      'for a relation to many with an example that is no id',
      () => rulesOf(Author, model('book', { authors: toMany('author', { example: ['ada', ''] }) })),
      ["example of the field 'authors'", "the invalid id ''", 'An id has'],
    ],
    [
      'for a relation to many with an example that is no list',
      () =>
        rulesOf(Author, model('book', { authors: toMany('author', { example: 'ada' as never }) })),
      ["example of the field 'authors'", "'ada'", 'array of ids'],
    ],
    [
      'for an inverse that does not exist',
      () => rulesOf(Author, model('shop', { authors: toMany('author', { inverse: 'shop' }) })),
      ["'authors'", "'shop'", 'inverse', "'author'"],
    ],
    [
      'for an inverse that is misspelt, naming those that there are',
      () =>
        rulesOf(
          model('shop', { books: toMany('book', { inverse: 'seller' }) }),
          model('book', { shop: toOne('shop') }),
        ),
      ["'books'", "'seller'", "expected 'shop'"],
    ],
    [
      'for an inverse that leads elsewhere',
      () =>
        rulesOf(
          Author,
          model('shop', { owner: toOne('author'), books: toMany('book', { inverse: 'author' }) }),
          model('book', { author: toOne('author') }),
        ),
      ["'books'", "'shop'", 'inverse'],
    ],
    [
      'for an inverse of an inverse',
      () =>
        rulesOf(
          model('a', { all: toMany('b', { inverse: 'all' }) }),
          model('b', { all: toMany('a', { inverse: 'all' }) }),
        ),
      ['inverse'],
    ],
    [
      'for a model that declares id',
      () => rulesOf(model('book', { id: name })),
      ["'book'", "'id'"],
    ],
    [
      'for two models of one name',
      () => rulesOf(model('book', { name }), model('book', { title: name })),
      ["'book'"],
    ],
    [
      'for two models of one plural',
      () => rulesOf(model('book', { name }), model('tome', { name }, { plural: 'books' })),
      ["'book'", "'tome'", "'books'", 'plural'],
    ],
    ['for a model that is prepared twice', () => rulesOf(Author, Author), ["'author'", 'twice']],
    [
      'for a model whose plural is its name',
      () => rulesOf(model('sheep', { name })),
      ["'sheep'", 'plural'],
    ],
    [
      'for a model whose name is none',
      () => rulesOf(model('two words', { name })),
      ["'two words'", 'letters'],
    ],
    [
      'for a plural that is no name',
      () => rulesOf(model('book', { name }, { plural: 'a/b' })),
      ["'a/b'"],
    ],
    [
      'for a field whose name is none',
      () => rulesOf(model('book', { 'a b': name })),
      ["'a b'", "'book'"],
    ],
    [
      'for a field named after what every object has',
      () => rulesOf(model('book', { constructor: name })),
      ["'constructor'", "'book'"],
    ],
    [
      'for a wire name that is none',
      () => rulesOf(model('book', { title: field(name, { wire: 'a.b' }) })),
      ["'title'", "'a.b'"],
    ],
    [
      "for the wire name 'id'",
      () => rulesOf(model('book', { title: field(name, { wire: 'id' }) })),
      ["'title'", "'id'"],
    ],
    [
      'for two fields of one wire name',
      () => rulesOf(model('book', { title: name, label: field(name, { wire: 'title' }) })),
      ["'title'", "'label'", "'book'", 'wire'],
    ],
    [
      'for a field and a relation of one wire name',
      () =>
        rulesOf(Author, model('book', { title: name, author: toOne('author', { wire: 'title' }) })),
      ["'title'", "'author'"],
    ],
    [
      'for a field that is not there, as in a circle of imports',
      () => rulesOf(model('book', { title: undefined as never })),
      ["'title'", "'book'"],
    ],
    [
      'for a field that is no schema',
      () => rulesOf(model('book', { title: 'text' as never })),
      ["'title'", "'book'", 'schema'],
    ],
    [
      'for a field whose values JSON cannot hold',
      () => rulesOf(model('book', { born: z.date() })),
      ["'born'", "'book'", 'JSON'],
    ],
    [
      'for a hidden field that is read-only',
      () => rulesOf(model('book', { title: field(name, { hidden: true, readOnly: true }) })),
      ["'title'", 'hidden', 'readOnly'],
    ],
    [
      'for a read-only field that is write-only',
      () => rulesOf(model('book', { title: field(name, { readOnly: true, writeOnly: true }) })),
      ["'title'", 'readOnly', 'writeOnly'],
    ],
    [
      'for a unique field that cannot be compared',
      () => rulesOf(model('book', { tags: field(z.array(name), { unique: true }) })),
      ["'tags'", 'unique'],
    ],
    ['for an index that is no list', () => indexed('title'), ["'book'", "[['inStock', '-price']]"]],
    [
      'for an index that holds what is no name',
      () => indexed(['title', 5]),
      ["'book'", 'field names'],
    ],
    [
      'for an index over nothing',
      () => indexed([]),
      ["'book'", 'no fields', 'at least two fields'],
    ],
    [
      'for an index over one field',
      () => indexed(['-price']),
      ["'-price'", "'book'", '{ index: true }'],
    ],
    ['for an index over the id', () => indexed(['title', 'id']), ['id', "'book'", 'Remove it']],
    [
      'for an index over a field that does not exist',
      () => indexed(['title', '-cost']),
      ["'cost'", 'title, price'],
    ],
    [
      'for an index through a relation',
      () => indexed(['title', 'author.name']),
      ["'author.name'", "'author'", 'behind'],
    ],
    [
      'for an index into a struct',
      () => indexed(['title', 'size.width']),
      ["'size.width'", "'size'", 'a member'],
    ],
    ['for an index over a list', () => indexed(['title', 'tags']), ["'tags'", 'cannot be indexed']],
    [
      'for an index over a struct',
      () => indexed(['title', 'size']),
      ["'size'", 'cannot be indexed'],
    ],
    [
      'for an index over a relation to many',
      () => indexed(['title', 'editors']),
      ["'editors'", 'cannot be indexed'],
    ],
    [
      'for an index over the hash',
      () => indexed(['title', 'hash']),
      ["'hash'", 'cannot be indexed'],
    ],
    [
      'for an index that names a field twice',
      () => indexed(['price', '-price']),
      ["'price'", 'twice'],
    ],
    [
      'for two equal indexes',
      () => indexed(['title', '-price'], ['title', '-price']),
      ["'title', '-price'", 'twice'],
    ],
    [
      'for a hash by another name',
      () => rulesOf(model('book', { version: hash() })),
      ["'version'", "'hash'"],
    ],
    [
      'for a required relation that is set to null',
      () => rulesOf(Author, model('book', { author: toOne('author', { onDelete: 'set-null' }) })),
      ["'author'", 'required', 'null'],
    ],
    [
      'for a hook that is misspelt',
      () => hooked({ request: { getlist: () => undefined } as never }),
      ["'getlist'", "'getList'"],
    ],
    [
      'for a query hook that is misspelt',
      () => hooked({ query: { delete: (query: unknown) => query } as never }),
      ["'delete'", 'delete_'],
    ],
    [
      'for a hook that is no function',
      () => hooked({ request: { any: respond(401) as never } }),
      ["'any'", 'function'],
    ],
    [
      'for a phase that is misspelt',
      () => hooked({ requests: { any: () => respond(401) } } as never),
      ['requests'],
    ],
    [
      'for middleware that is a function',
      () => hooked((() => respond(401)) as never),
      ['Middleware', 'request'],
    ],
    ['for what is no model', () => rulesOf(class Book {} as never), ['model()', 'extends']],
    [
      'for a relation that names no model',
      () => rulesOf(model('book', { author: toOne(Author as never) })),
      ["'author'", "'book'", "toOne('author')"],
    ],
    [
      'for an onDelete that does not exist',
      () =>
        rulesOf(
          Author,
          model('book', { author: toOne('author', { onDelete: 'setNull' as never }) }),
        ),
      ["'setNull'", "'author'", 'set-null'],
    ],
    ['for no policy', () => createRouter({ store: memory() } as never), ['policy', 'rest()']],
    [
      'for a policy that is not made',
      () => createRouter({ policy: rest, store: memory() } as never),
      ['policy', 'rest()'],
    ],
    ['for no store', () => createRouter({ policy: rest() } as never), ['store', 'memory()']],
    [
      'for a store that is not made',
      () => routerOf([Author], { store: memory as never }),
      ['store', 'memory()'],
    ],
    [
      'for blobs that are not made',
      () => routerOf([Author], { blobs: memoryBlobs as never }),
      ['blobs', 'memoryBlobs()'],
    ],
    [
      'for a field that is called as what every object has',
      () => rulesOf(model('book', { toString: name } as never)),
      ["'toString'", "'constructor'"],
    ],
    [
      'for a basePath that is none',
      () => routerOf([Author], { basePath: 'api' }),
      ["'api'", 'slash'],
    ],
    [
      'for a basePath that ends in a slash',
      () => routerOf([Author], { basePath: '/api/' }),
      ["'/api/'"],
    ],
    [
      'for a baseUrl that is none',
      () => routerOf([Author], { baseUrl: 'books.example' }),
      ["'books.example'", 'http'],
    ],
    [
      'for a baseUrl with a path',
      () => routerOf([Author], { baseUrl: 'https://books.example/api' }),
      ['path'],
    ],
    ...[
      [null, 'null'],
      [3, '3'],
      [{}, '[object Object]'],
      [new URL('https://books.example'), 'https://books.example/'],
      [class Origin {}, 'a class'],
    ].map(([baseUrl, value]): [string, () => void, string[]] => [
      `for a baseUrl that is ${value}`,
      () => routerOf([Author], { baseUrl: baseUrl as never }),
      ['or a function that returns one', `got ${value}.`],
    ]),
  ])('%s', (_, register, words) => {
    let refusal: unknown
    try {
      register()
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(RegistrationError)
    const { message } = refusal as RegistrationError
    for (const word of words) expect(message).toContain(word)
    expect(message).toMatch(/^(?:[A-Z@]|[a-z]\w*\(\)).* .*[.!?]$/s)
  })

  it('for anything after the first request', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    const prepared = router.prepare(Author)
    await (await router.handle(new Request('http://localhost/authors'))).text()
    expect(() => router.prepare(model('book', { name }))).toThrow(RegistrationError)
    expect(() => router.use({})).toThrow(/first/)
    expect(() => prepared.use({})).toThrow(RegistrationError)
    expect(() => prepared.map((author) => author)).toThrow(RegistrationError)
  })

  it('when the router is opened, before any request', async () => {
    const router = routerOf([model('book', { author: toOne('writer') })])
    await expect(router.open()).rejects.toThrow(/'writer'/)
  })

  it('for files that another router over the same store keeps in another blob store', async () => {
    const store = memory()
    const blobs = memoryBlobs()
    const open = async (
      fields: Fields,
      blobs: ReturnType<typeof memoryBlobs>,
      modelName = 'book',
    ) => {
      const router = routerOf([model(modelName, fields)], { store, blobs })
      await router.open()
      return router
    }
    const first = await open({ name, cover: image() }, blobs)
    await open({ name, cover: image() }, blobs)
    await open({ name, logo: image() }, memoryBlobs(), 'shop')
    await expect(open({ name, cover: image() }, memoryBlobs())).rejects.toThrow(
      "keep the files of the model 'book' in different blob stores",
    )
    await first.close()
  })

  it('for a model that another router over the same store declares differently, because both send the stored text', async () => {
    const store = memory()
    const open = (fields: Fields) => {
      const router = routerOf([model('book', fields)], { store })
      return router.open().then(() => router)
    }
    const visible = await open({ name, cost: z.number().optional() })
    await expect(
      open({ name, cost: field(z.number().optional(), { hidden: true }) }),
    ).rejects.toThrow(/'book'.*mapper/)
    await expect(open({ name })).rejects.toThrow(RegistrationError)
    await open({ name, cost: field(z.number().optional(), { index: true }) })
    await visible.close()
  })

  it.each([
    [
      'an id that no client could send',
      { id: 'a b', name: 'x' },
      /'a b' cannot be loaded: An id has 1 to 128/,
    ],
    ['an id that is no text', { id: 5 as never, name: 'x' }, /An id has 1 to 128/],
    [
      'an object in a relation to one',
      { id: 'a', name: 'x', friend: { id: 'b' } },
      /'friend' must be an id or null/,
    ],
    [
      'text in a relation to many',
      { id: 'a', name: 'x', friends: 'b' },
      /'friends' must be an array of ids/,
    ],
  ])('for loading %s', async (_, item, message) => {
    const one: AnyModel = model('author', {
      name,
      friend: toOne('author', { optional: true }),
      friends: toMany('author'),
    })
    await expect(routerOf([one]).load(one, [item])).rejects.toThrow(message)
  })

  it('for loading or querying a model that is not prepared', async () => {
    const router = routerOf([Author])
    await expect(router.load(model('book', { name }), [])).rejects.toThrow(/'book'/)
    expect(() => router.query(model('book', { name }))).toThrow(/'book'/)
  })
})

describe('Registration accepts', () => {
  it('models that relate to each other, in any order', () => {
    const A = model('alpha', {
      gamma: toOne('gamma', { optional: true }),
      gammas: toMany('gamma', { inverse: 'alpha' }),
    })
    const B = model('gamma', {
      alpha: toOne('alpha', { optional: true }),
      alphas: toMany('alpha', { inverse: 'gamma' }),
    })
    expect(rulesOf(A, B)).toHaveLength(14)
    expect(rulesOf(B, A)).toHaveLength(14)
  })

  it("a field named 'type', which only JSON:API reserves", () => {
    expect(rulesOf(model('book', { type: name }))).toHaveLength(7)
  })

  it('indexes over several fields, hidden ones and to-one relations among them', () => {
    const fields = {
      title: name,
      cost: field(z.number(), { hidden: true }),
      author: toOne('author'),
    }
    const indexes = [['author', '-cost'] as const, ['title', 'cost', '-author'] as const]
    expect(rulesOf(Author, model('book', fields, { indexes }))).toHaveLength(14)
  })

  it('one model on two routers', () => {
    expect(rulesOf(Author)).toHaveLength(7)
    expect(rulesOf(Author)).toHaveLength(7)
  })
})

function indexed(...indexes: unknown[]) {
  const fields = {
    title: name,
    price: z.number(),
    tags: z.array(name),
    size: z.object({ width: z.number() }),
    author: toOne('author'),
    editors: toMany('author'),
    hash: hash(),
  }
  return rulesOf(Author, model('book', fields, { indexes: indexes as never }))
}

function hooked(middleware: Middleware) {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(Author).use(middleware)
  return router.rules
}

describe('A cursor secret', () => {
  const routerWith = (cursorSecret: unknown) =>
    createRouter({
      policy: rest(),
      store: memory(),
      security: cursorSecret === undefined ? {} : { cursorSecret: cursorSecret as string },
    })

  it('is refused where it can be guessed, and the error does not show it', () => {
    for (const secret of ['', 'x', 'hunter2', 's'.repeat(31)]) {
      expect(() => routerWith(secret)).toThrow(RegistrationError)
      expect(() => routerWith(secret)).toThrow(
        `at least 32 bytes, for example from \`openssl rand -hex 32\`; got ${secret.length}.`,
      )
    }
    expect(() => routerWith('hunter2')).not.toThrow('hunter2')
    expect(() => routerWith(12345678901234567890n)).toThrow(RegistrationError)
  })

  it('needs at least 32 bytes, and is optional', () => {
    for (const secret of ['s'.repeat(32), 'ü'.repeat(16), undefined])
      expect(() => routerWith(secret)).not.toThrow()
  })
})

describe('Registration ends when the router opens', () => {
  it.each<[string, (router: ReturnType<typeof routerOf>) => Promise<unknown>]>([
    ['open()', (router) => router.open()],
    ['load()', (router) => router.load(Author, [{ id: 'a', name: 'Ada' }])],
    [
      'a request',
      async (router) => (await router.handle(new Request('http://localhost/authors'))).text(),
    ],
  ])('by %s', async (_, open) => {
    const router = routerOf([Author])
    await open(router)
    const message =
      'The router is open: open(), load() or a first request opened it. Register everything before.'
    expect(() => router.prepare(model('book', { name }))).toThrow(new RegistrationError(message))
    expect(() => router.use({})).toThrow(new RegistrationError(message))
  })
})
