import {
  Action,
  action,
  audio,
  createRouter,
  field,
  file,
  hash,
  image,
  list,
  model,
  RegistrationError,
  type RouterOptions,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { apiKeys, basic, bearerJwt } from 'resourcery/auth'
import { check } from 'resourcery/check'
import { fileBlobs } from 'resourcery/files'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { copyItems, exportItems, importItems } from 'resourcery/moving'
import { serve } from 'resourcery/node'
import { toOpenApi } from 'resourcery/openapi'
import { postgresBlobs } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { s3Blobs } from 'resourcery/s3'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** Called as from JavaScript, without a compiler that finds the mistake. */
type Loose = (options: Record<string, unknown>) => unknown

const parts = { policy: rest(), store: memory() }
const prepared = () => createRouter({ ...parts }).prepare(model('note', { text: z.string() }))
class Note extends model('note', { text: z.string() }) {
  pin(): void {}
}
const s3 = {
  endpoint: 'http://127.0.0.1:9',
  bucket: 'b',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
}

const postgresUrl = 'postgres://127.0.0.1:9/b'

const functions: readonly [owner: string, call: Loose, wrong: string, meant: string][] = [
  ['createRouter()', (more) => createRouter({ ...parts, ...more }), 'basepath', 'basePath'],
  [
    "the option 'limits' of createRouter()",
    (limits) => createRouter({ ...parts, limits }),
    'maxPagesize',
    'maxPageSize',
  ],
  [
    "the option 'info' of createRouter()",
    (info) => createRouter({ ...parts, info: info as never }),
    'titel',
    'title',
  ],
  [
    'model()',
    (options) => model('note', { text: z.string() }, options),
    'requireMatches',
    'requireMatch',
  ],
  ['field()', (options) => field(z.string(), options), 'readonly', 'readOnly'],
  ['toOne()', (options) => toOne('author', options as object), 'onDeleted', 'onDelete'],
  ['toMany()', (options) => toMany('author', options as object), 'invers', 'inverse'],
  ['file()', file, 'maxByte', 'maxBytes'],
  ['hash()', hash as Loose, 'colum', 'column'],
  ['image()', image, 'variant', 'variants'],
  ['the variants of image()', (variants) => image({ variants } as object), 'size', 'sizes'],
  ['audio()', audio, 'type', 'types'],
  ['struct()', (options) => struct({ a: z.string() }, options), 'optionl', 'optional'],
  ['list()', (options) => list(z.string(), options), 'desc', 'description'],
  ['@Action', (options) => Action(options as { input?: undefined }), 'inptu', 'input'],
  ['action()', (options) => action(Note, 'pin', options as object), 'outputs', 'output'],
  [
    'itemOperation()',
    (options) => prepared().itemOperation('pin', () => undefined, options),
    'response',
    'responses',
  ],
  ['map()', (options) => prepared().map((item) => item, options), 'hide', 'hides'],
  [
    'the declaration of middleware',
    (declares) => {
      const router = createRouter({ ...parts })
      router.use({ declares })
      router.prepare(model('note', { text: z.string() }))
      return router.rules
    },
    'error',
    'errors',
  ],
  ['bearerJwt()', (options) => bearerJwt(options as never), 'issuers', 'issuer'],
  ['apiKeys()', (options) => apiKeys(options as never), 'models', 'model'],
  ['basic()', (options) => basic(options as never), 'user', 'users'],
  [
    "the option 'security' of createRouter()",
    (security) => createRouter({ ...parts, security }),
    'defaultacess',
    'defaultAccess',
  ],
  [
    "the option 'security.cors' of createRouter()",
    (cors) => createRouter({ ...parts, security: { cors: cors as never } }),
    'origin',
    'origins',
  ],
  ['rest()', rest, 'jsonLine', 'jsonLines'],
  ['jsonApi()', jsonApi, 'errorDocUrl', 'errorDocsUrl'],
  ['sqlite()', (options) => sqlite('x.db', options), 'durablity', 'durability'],
  ['sqliteBlobs()', (options) => sqliteBlobs('x.db', options), 'durabilty', 'durability'],
  ['fileBlobs()', (options) => fileBlobs('x', options), 'Durability', 'durability'],
  ['s3Blobs()', (options) => s3Blobs({ ...s3, ...options }), 'timeoutMS', 'timeoutMs'],
  [
    'postgresBlobs()',
    (options) => postgresBlobs(postgresUrl, options),
    'maxConnection',
    'maxConnections',
  ],
  ...[
    copyItems.bind(null, { store: memory() }, { store: memory() }),
    exportItems.bind(null, { store: memory() }, 'x.jsonl'),
    importItems.bind(null, { store: memory() }, 'x.jsonl'),
  ].map((move): (typeof functions)[number] => [
    `${move.name.slice('bound '.length)}()`,
    (options) => move({ models: [Note], ...options }),
    'overwrites',
    'overwrite',
  ]),
  ['toOpenApi()', (options) => toOpenApi([], options), 'server', 'servers'],
  ['check()', (options) => check({}, new URL('http://127.0.0.1:9'), options), 'run', 'runs'],
  ['serve()', (options) => serve(createRouter(parts), options), 'onerror', 'onError'],
  [
    "the option 'limits' of serve()",
    (limits) => serve(createRouter(parts), { limits }),
    'stalledWrite',
    'stalledWriteTimeoutMs',
  ],
]

describe('An unknown option', () => {
  it.each(functions)(
    'is refused by %s, which suggests the nearest one',
    async (owner, call, wrong, meant) => {
      const refused = await outcomeOf(() => call({ [wrong]: true }))
      expect(refused).toBeInstanceOf(RegistrationError)
      expect((refused as Error).message).toBe(
        `Unknown option '${wrong}' of ${owner}. Did you mean '${meant}'?`.replace(/^./, (letter) =>
          letter.toUpperCase(),
        ),
      )
    },
  )

  it('is refused with a list of all options, where none is near', async () => {
    const refused = await outcomeOf(() => (rest as Loose)({ pretty: true }))
    expect((refused as Error).message).toBe(
      "Unknown option 'pretty' of rest(); expected one of jsonLines, csv.",
    )
  })
})

const numbers: readonly [name: string, call: (value: never) => unknown, tooSmall: number][] = [
  ['maxBytes', (maxBytes) => image({ maxBytes }), 0],
  ['blobGraceMs', (blobGraceMs) => createRouter({ ...parts, blobGraceMs }), -1],
  ['actionMs', (actionMs) => createRouter({ ...parts, timeouts: { actionMs } }), -1],
  ['maxCacheBytes', (maxCacheBytes) => createRouter({ ...parts, maxCacheBytes }), -1],
  ['largeTableRows', (largeTableRows) => sqlite('x.db', { largeTableRows }), -1],
  ['partBytes', (partBytes) => s3Blobs({ ...s3, partBytes }), 0],
  ['timeoutMs', (timeoutMs) => s3Blobs({ ...s3, timeoutMs }), -1],
  ['maxConnections', (maxConnections) => postgresBlobs(postgresUrl, { maxConnections }), 0],
  ['maxWaiting', (maxWaiting) => postgresBlobs(postgresUrl, { maxWaiting }), -1],
  ...['acquireTimeoutMs', 'connectTimeoutMs', 'idleTimeoutMs', 'statementTimeoutMs'].map(
    (name): [string, (value: never) => unknown, number] => [
      name,
      (value) => postgresBlobs(postgresUrl, { [name]: value }),
      0,
    ],
  ),
  ['runs', (runs) => check({}, new URL('http://127.0.0.1:9'), { runs }), 0],
  ['port', (port) => serve(createRouter(parts), { port }), -1],
  [
    'shutdownTimeoutMs',
    (shutdownTimeoutMs) => serve(createRouter(parts), { shutdownTimeoutMs }),
    -1,
  ],
  ...[
    'headersTimeoutMs',
    'requestTimeoutMs',
    'uploadTimeoutMs',
    'stalledWriteTimeoutMs',
    'maxHeaderBytes',
    'maxConnections',
  ].map((name): [string, (value: never) => unknown, number] => [
    name,
    (value) => serve(createRouter(parts), { limits: { [name]: value } }),
    0,
  ]),
  ...['defaultPageSize', 'maxPageSize', 'maxBodyBytes'].map(
    (name): [string, (value: never) => unknown, number] => [
      name,
      (value) => createRouter({ ...parts, limits: { [name]: value } }),
      0,
    ],
  ),
  ...['maxFilterNodes', 'maxSortKeys', 'maxOperations'].map(
    (name): [string, (value: never) => unknown, number] => [
      name,
      (value) => createRouter({ ...parts, limits: { [name]: value } }),
      -1,
    ],
  ),
]

describe('Several faults of options', () => {
  it('are reported at once, each in a line of its own', async () => {
    const refused = await outcomeOf(() =>
      createRouter({ ...parts, basepath: '/api', blobGraceMs: -1, docsPage: 'yes' } as never),
    )
    expect(refused).toBeInstanceOf(RegistrationError)
    expect((refused as Error).message.split('\n')).toEqual([
      expect.stringMatching(/^Unknown option 'basepath'.*Did you mean 'basePath'\?$/),
      expect.stringMatching(/^The option 'blobGraceMs' of createRouter\(\) must be an integer/),
      expect.stringMatching(/^The option 'docsPage' of createRouter\(\) must be true or false/),
    ])
  })
})

describe('An invalid number', () => {
  it.each(numbers)('is refused as %s', async (name, call, tooSmall) => {
    for (const value of [tooSmall, Number.NaN, Number.POSITIVE_INFINITY, 1.5, '10', null]) {
      const refused = await outcomeOf(() => call(value as never))
      expect([String(value), refused]).toEqual([String(value), expect.any(RegistrationError)])
      expect((refused as Error).message).toContain(`The option '${name}' of`)
    }
  })

  it('is refused as a page size above the maximum page size', async () => {
    for (const limits of [{ defaultPageSize: 2_000 }, { defaultPageSize: 11, maxPageSize: 10 }]) {
      const refused = await outcomeOf(() => createRouter({ ...parts, limits }))
      expect((refused as Error).message).toMatch(
        /^The limit 'defaultPageSize' \(\d+\) of createRouter\(\) must be at most 'maxPageSize' \(\d+\)\.$/,
      )
    }
  })

  it('as the maximum page size lowers the default page size', async () => {
    expect(
      await outcomeOf(() => createRouter({ ...parts, limits: { maxPageSize: 10 } })),
    ).not.toBeInstanceOf(Error)
  })

  it('is not reported for an undefined option', async () => {
    expect(
      await outcomeOf(() =>
        createRouter({ ...parts, limits: { defaultPageSize: undefined } as object }),
      ),
    ).toBeUndefined()
  })
})

describe('A service that cannot be opened', () => {
  const Wrong = model('note', { about: toOne('nobody') })

  it('is not served: serve() rejects with the reason, and listens nowhere', async () => {
    const router = createRouter({ ...parts })
    router.prepare(Wrong)
    const refused = await outcomeOf(() => serve(router))
    expect(refused).toBeInstanceOf(RegistrationError)
    expect((refused as Error).message).toContain("'nobody'")
  })

  it('is opened before anything listens, one after the other', async () => {
    const opened: string[] = []
    const serviceAt = (basePath: string) => ({
      basePath,
      open: async () => void opened.push(basePath),
      respond: async () => ({ status: 204, headers: {}, body: { kind: 'empty' } }) as const,
    })
    const server = await serve([serviceAt('/a'), serviceAt('/b')])
    expect(opened).toEqual(['/a', '/b'])
    await server.close()
  })
})

/** The message of the refusal; undefined where it is accepted. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

describe('An invalid value of an option', () => {
  const wrong: readonly [name: string, call: () => unknown, message: string][] = [
    [
      'a misspelt word',
      () => model('note', { text: z.string() }, { ids: 'service' as never }),
      "The option 'ids' of model() must be 'either' or 'server' or 'client'; got 'service'.",
    ],
    [
      'a durability that there is not',
      () => sqlite('never-made.db', { durability: 'fast' as never }),
      "The option 'durability' of sqlite() must be 'full' or 'normal'; got 'fast'.",
    ],
    [
      'a word for a flag',
      () => createRouter({ ...parts, requireMatch: 'yes' as never }),
      "The option 'requireMatch' of createRouter() must be true or false; got 'yes'.",
    ],
    [
      'a function for the hooks of a phase, which would guard nothing',
      () => {
        const router = createRouter(parts)
        router
          .use({ request: (() => undefined) as never })
          .prepare(model('note', { text: z.string() }))
        return router.rules
      },
      'The request hooks of middleware must be an object by operation, such as { any: (context) => … }; got a function.',
    ],
  ]
  it.each(wrong)('is refused with a full sentence: %s', (_, call, message) => {
    expect(call).toThrow(new RegistrationError(message))
  })
})

it('an error code that the catalog does not have is refused in a declaration', () => {
  const router = createRouter({ policy: rest(), store: memory() })
  // @ts-expect-error as from JavaScript
  router.use({ declares: { errors: ['unauthorised'] } })
  router.prepare(model('note', { text: z.string() }))
  expect(() => router.rules).toThrow(
    new RegistrationError("Unknown error code 'unauthorised'. Did you mean 'unauthorized'?"),
  )
})

it('former options of createRouter() are refused with their new names, all at once', () => {
  const options: object = {
    ...parts,
    caller: z.object({ id: z.string() }),
    access: 'closed',
    callerSchema: z.object({ id: z.string() }),
  }
  expect(() => createRouter(options as RouterOptions)).toThrow(
    new RegistrationError(
      "Options of createRouter() have new names: 'caller' is now 'security.callerSchema', 'access' is now 'security.defaultAccess', 'callerSchema' is now 'security.callerSchema'.",
    ),
  )
})

it('a misspelled layout of SQLite is refused with the names of both', () => {
  const options: object = { layout: 'table' }
  expect(() => sqlite('never-opened.db', options)).toThrow(
    "The option 'layout' of sqlite() must be 'documents' or 'tables'; got 'table'.",
  )
})

describe('Options that a service would lose without a word', () => {
  const lost: [string, object, string][] = [
    [
      'a misspelled name that is inherited',
      { ...parts, security: Object.create({ defaultAcess: 'closed' }) },
      "Unknown option 'defaultAcess' of the option 'security' of createRouter(). Did you mean 'defaultAccess'?",
    ],
    [
      'a misspelled value that is inherited',
      { ...parts, security: Object.create({ defaultAccess: 'Closed' }) },
      "The option 'defaultAccess' of the option 'security' of createRouter() must be 'open' or 'closed'; got 'Closed'.",
    ],
    [
      'a promise of options',
      { ...parts, security: Promise.resolve({ defaultAccess: 'closed' }) },
      "The options of the option 'security' of createRouter() must be an object with their names; got a promise. Await it first.",
    ],
    [
      'a map of options',
      { ...parts, security: new Map([['defaultAccess', 'closed']]) },
      "The options of the option 'security' of createRouter() must be an object with their names; got a Map.",
    ],
    [
      'a tenant that is null',
      { ...parts, security: { tenant: null } },
      "The option 'security.tenant' of createRouter() needs callers. Set security: { authentication, callerSchema } too.",
    ],
    ...[null, false, 0].map((protectedResource): [string, object, string] => [
      `metadata of tokens that are ${protectedResource}`,
      { ...parts, security: { protectedResource } },
      "The option 'security.protectedResource' of createRouter() needs the options 'security.authentication' and 'baseUrl': it publishes where this service is, and how to get a token for it.",
    ]),
  ]
  it.each(lost)('are refused: %s', (_, options, message) => {
    expect(() => createRouter(options as RouterOptions)).toThrow(new RegistrationError(message))
  })
})

describe("The option 'info' of createRouter()", () => {
  it('needs a title and a version, and may have extensions', () => {
    const create = (info: object) => () => createRouter({ ...parts, info: info as never })
    expect(create({ title: 'Notes' })).toThrow("The option 'version' of the option 'info'")
    expect(create({ title: 1, version: '1' })).toThrow("The option 'title' of the option 'info'")
    expect(create({ title: 'Notes', version: '1', 'x-audience': 'public' })).not.toThrow()
  })
})
