import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
} from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'
import { createRouter, model } from 'resourcery'
import {
  type BearerJwtOptions,
  basic,
  bearerJwt,
  type JwtClaims,
  requireScopes,
  scopesOf,
} from 'resourcery/auth'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })
const Caller = z.object({ id: z.string(), scopes: z.array(z.string()) })

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keys = keyPair()
const otherKeys = keyPair()
const issuer = 'https://id.example'
const audience = 'https://api.example'

const callerOf = (claims: JwtClaims) => ({
  id: claims.sub as string,
  scopes: [...scopesOf(claims)],
})
const common = { issuer, audience, algorithms: ['ES256'], caller: callerOf } as const

interface TokenParts {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly key?: Parameters<SignJWT['sign']>[0]
  readonly alg?: string
}

function tokenOf({ claims, header, key = keys.privateKey, alg = 'ES256' }: TokenParts = {}) {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iss: issuer, aud: audience, sub: 'jane', exp: now + 60, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg, ...header }).sign(key)
}

function service(options: Partial<BearerJwtOptions<z.input<typeof Caller>>> = {}) {
  const errors: unknown[] = []
  const seen: unknown[] = []
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: {
      authentication: [
        bearerJwt<z.input<typeof Caller>>({
          ...common,
          ...(!options.jwksUrl && { key: keys.publicKey }),
          ...options,
        } as BearerJwtOptions<z.input<typeof Caller>>),
      ],
      callerSchema: Caller,
    },
    onError: (error) => errors.push(error),
  })
  router.use({
    request: {
      any: ({ caller }) => {
        seen.push(caller)
      },
      delete_: ({ caller }) => requireScopes(caller?.scopes ?? [], ['books:read', 'books:write']),
    },
    declares: { errors: ['insufficient-scope'] },
  })
  router.prepare(Book)
  const api = client(router)
  const get = (token: string) => api.get('/books', { authorization: `Bearer ${token}` })
  return { api, get, errors, seen }
}

describe('A bearer token that is a JWT', () => {
  it('gives the caller of its claims, whatever the case of the scheme', async () => {
    const { api, get, seen } = service()
    const token = await tokenOf({ claims: { scope: 'books:read books:write' } })
    expect((await get(token)).status).toBe(200)
    await api.get('/books', { authorization: `bearer  ${token}` })
    const caller = { id: 'jane', scopes: ['books:read', 'books:write'] }
    expect(seen).toEqual([caller, caller])
  })

  const now = Math.floor(Date.now() / 1000)
  it.each<[string, TokenParts, string]>([
    ['has expired', { claims: { exp: now - 10 } }, 'expired'],
    ['has no expiry', { claims: { exp: undefined } }, "The claim 'exp'"],
    ['is not valid yet', { claims: { nbf: now + 60 } }, "The claim 'nbf'"],
    ['is of another issuer', { claims: { iss: 'https://evil.example' } }, "The claim 'iss'"],
    ['is for another service', { claims: { aud: 'https://other.example' } }, "The claim 'aud'"],
    ['has no audience', { claims: { aud: undefined } }, "The claim 'aud'"],
    ['is signed by somebody else', { key: otherKeys.privateKey }, 'signature'],
    [
      'is signed with another algorithm',
      { alg: 'HS256', key: new TextEncoder().encode('x'.repeat(32)) },
      'algorithm',
    ],
    [
      'uses the public key as a secret',
      {
        alg: 'HS256',
        key: createSecretKey(
          Buffer.from(keys.publicKey.export({ type: 'spki', format: 'pem' }) as string),
        ),
      },
      'algorithm',
    ],
    ['has no caller for the schema', { claims: { sub: undefined } }, 'expected other values of id'],
  ])('is refused where it %s', async (_, parts, detail) => {
    const { get, seen, errors } = service()
    const response = await get(await tokenOf(parts))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(response.errors).toMatchObject([
      { code: 'invalid-credentials', detail: expect.stringContaining(detail) },
    ])
    expect([seen, errors]).toEqual([[], []])
  })

  it.each([
    ['nothing', ''],
    ['no JWT', 'abc'],
    ['three empty parts', '..'],
    ['no JSON', 'a.b.c'],
    ['five parts', 'a.b.c.d.e'],
    ['a space', 'a.b.c d'],
    ['a quote', 'a.b."c'],
    [
      'the algorithm none',
      `${btoa('{"alg":"none"}')}.${btoa(`{"iss":"${issuer}","aud":"${audience}","sub":"x","exp":9999999999}`)}.`,
    ],
  ])('is refused where it is %s', async (_, token) => {
    const { get, errors } = service()
    const response = await get(token.replaceAll('=', ''))
    expect([response.status, errors]).toEqual([401, []])
  })

  it('is refused where the function for its caller knows none', async () => {
    const { get, errors } = service({ caller: () => undefined })
    const response = await get(await tokenOf())
    expect([response.status, response.errors[0]?.detail]).toEqual([
      401,
      'The claims of the token describe no caller of this service.',
    ])
    expect(errors).toEqual([])
  })

  it('is 500 where the function for its caller throws, and its error is reported', async () => {
    const { get, errors } = service({
      caller: (claims) => ({ id: (claims.realm as { id: string }).id, scopes: [] }),
    })
    const response = await get(await tokenOf())
    expect([response.status, response.text]).toEqual([500, expect.not.stringContaining('realm')])
    expect(errors).toEqual([expect.any(TypeError)])
  })

  it('must have the type that the options say', async () => {
    const { get } = service({ typ: 'at+jwt' })
    expect((await get(await tokenOf())).status).toBe(401)
    expect((await get(await tokenOf({ header: { typ: 'at+jwt' } }))).status).toBe(200)
  })

  it('may be signed with a secret', async () => {
    const secret = createSecretKey(Buffer.from('a'.repeat(32)))
    const { get } = service({ algorithms: ['HS256'], key: secret })
    expect((await get(await tokenOf({ alg: 'HS256', key: secret }))).status).toBe(200)
    expect((await get(await tokenOf())).status).toBe(401)
  })

  it('is refused where its algorithm does not fit the key', async () => {
    const { get, errors } = service({ algorithms: ['ES256', 'ES384', 'RS256', 'EdDSA'] })
    const [, ...rest] = (await tokenOf()).split('.')
    for (const alg of ['ES384', 'RS256', 'EdDSA']) {
      const head = Buffer.from(JSON.stringify({ alg })).toString('base64url')
      expect((await get([head, ...rest].join('.'))).status, alg).toBe(401)
    }
    expect(errors).toEqual([])
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    expect(() => service({ algorithms: ['RS256'], key: publicKey })).toThrow(/at least 2048 bits/)
  })

  it('needs the scopes of a hook: 403 with all that are needed', async () => {
    const { api } = service()
    const token = await tokenOf({ claims: { scope: 'books:read' } })
    const response = await api.delete('/books/1', { authorization: `Bearer ${token}` })
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="books:read books:write"',
    )
    expect(response.errors).toMatchObject([
      { code: 'insufficient-scope', detail: "The credential lacks the scope 'books:write'." },
    ])
  })
})

describe('The keys of an issuer', () => {
  let server: Server
  let url: string
  let requests = 0
  let respond: () => { status: number; body: string }
  afterEach(() => {
    vi.useRealTimers()
  })
  /** The clock alone, so that sockets go on. */
  const pass = (ms: number) => {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(now + ms)
  }
  const tokenWith = (kid: string, pair = keys) =>
    tokenOf({ header: { kid }, key: pair.privateKey, claims: { exp: 9_999_999_999 } })
  const succeed = async (...pairs: ReturnType<typeof keyPair>[]) => {
    const body = await jwks(...pairs)
    respond = () => ({ status: 200, body })
    requests = 0
  }
  const fail = () => {
    respond = () => ({ status: 500, body: '' })
    requests = 0
  }
  const warnings = () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    return warn.mock.calls
  }
  const jwks = async (...pairs: ReturnType<typeof keyPair>[]) =>
    JSON.stringify({
      keys: await Promise.all(
        pairs.map(async ({ publicKey }, index) => ({
          ...(await exportJWK(publicKey)),
          kid: `key-${index}`,
          alg: 'ES256',
        })),
      ),
    })

  beforeAll(async () => {
    server = createServer((_, response) => {
      requests++
      const { status, body } = respond()
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('are read once, and again for a key that is new', async () => {
    const first = await jwks(keys)
    respond = () => ({ status: 200, body: first })
    requests = 0
    const { get } = service({ jwksUrl: url })
    const tokens = await Promise.all([0, 1].map(() => tokenOf({ header: { kid: 'key-0' } })))
    const responses = await Promise.all(tokens.map(get))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect((await get(await tokenOf({ header: { kid: 'unknown' } }))).status).toBe(401)
    expect(requests).toBe(1)
  })

  it.each([
    ['answers with an error', () => ({ status: 500, body: '' })],
    ['answers with no keys', () => ({ status: 200, body: '<html>' })],
    ['answers with other JSON', () => ({ status: 200, body: '[]' })],
  ])('that %s make a 503 that is reported, until they can be read', async (_, failing) => {
    respond = failing
    const { api, get, errors, seen } = service({ jwksUrl: url })
    const token = await tokenOf({ header: { kid: 'key-0' } })
    const response = await get(token)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(response.errors[0]?.code).toBe('authentication-unavailable')
    expect(errors).toMatchObject([{ message: `The keys at '${url}' cannot be read.` }])
    expect((await api.get('/books')).status).toBe(200)
    const body = await jwks(keys)
    respond = () => ({ status: 200, body })
    pass(1_000)
    expect((await get(token)).status).toBe(200)
    expect(seen).toMatchObject([undefined, { id: 'jane' }])
  })

  it('are asked for once in a pause that doubles, whatever tokens come', async () => {
    fail()
    const { get } = service({ jwksUrl: url })
    const garbage = await tokenWith('unknown')
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const before = requests
      const all = await Promise.all(Array.from({ length: 10 }, () => get(garbage)))
      for (let index = 0; index < 10; index++) all.push(await get(garbage))
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([503]))
      expect(requests).toBe(before + 1)
      expect(all.at(-1)!.headers.get('retry-after')).toBe(String(pauseMs / 1_000))
      pass(pauseMs)
    }
  })

  it('stay valid while the issuer is away, for as long as an option says', async () => {
    const warned = warnings()
    await succeed(keys)
    const { get } = service({ jwksUrl: url, jwksMaxAgeMs: 60_000, jwksMaxStaleMs: 600_000 })
    const token = await tokenWith('key-0')
    expect((await get(token)).status).toBe(200)
    fail()
    // The set is old, and the first request sees that it cannot be read.
    for (const ms of [61_000, 5_000, 500_000]) {
      pass(ms)
      for (let index = 0; index < 5; index++) expect((await get(token)).status).toBe(200)
    }
    await expect.poll(() => requests).toBe(3)
    await expect.poll(() => warned.length).toBe(2)
    expect(warned[0]).toEqual([
      expect.stringContaining(`The keys at '${url}' cannot be read: Expected 200 OK`),
      { code: 'RESOURCERY_KEYS' },
    ])
    // It may know the key by now, so a token with another key is not refused for good.
    expect((await get(await tokenWith('key-1', otherKeys))).status).toBe(503)
    pass(40_000)
    expect((await get(token)).status).toBe(503)
    await succeed(keys)
    pass(60_000)
    expect((await get(token)).status).toBe(200)
  })

  it('are read in the background before they are old', async () => {
    await succeed(keys)
    const { get } = service({ jwksUrl: url, jwksMaxAgeMs: 100_000 })
    const token = await tokenWith('key-0')
    await get(token)
    pass(74_000)
    expect((await get(token)).status).toBe(200)
    expect(requests).toBe(1)
    pass(2_000)
    for (let index = 0; index < 5; index++) expect((await get(token)).status).toBe(200)
    await expect.poll(() => requests).toBe(2)
    pass(74_000)
    expect((await get(token)).status).toBe(200)
    expect(requests).toBe(2)
  })

  it('that the issuer has withdrawn are refused when the set is old', async () => {
    await succeed(keys)
    const { get } = service({ jwksUrl: url, jwksMaxAgeMs: 1_000 })
    const token = await tokenWith('key-0')
    expect((await get(token)).status).toBe(200)
    await succeed(otherKeys)
    pass(1_001)
    expect((await get(token)).status).toBe(401)
    expect((await get(await tokenWith('key-0', otherKeys))).status).toBe(200)
  })

  it('that cannot be reached, or do not answer in time, make a 503', async () => {
    const token = await tokenOf({ header: { kid: 'key-0' } })
    const closed = service({ jwksUrl: 'http://127.0.0.1:1/jwks' })
    expect((await closed.get(token)).status).toBe(503)
    const hanging = createServer(() => undefined).listen(0, '127.0.0.1')
    await new Promise((resolve) => hanging.once('listening', resolve))
    const { port } = hanging.address() as AddressInfo
    const slow = service({ jwksUrl: `http://127.0.0.1:${port}/jwks`, jwksTimeoutMs: 50 })
    expect((await slow.get(token)).status).toBe(503)
    hanging.closeAllConnections()
    hanging.close()
  })
})

describe('The options of bearerJwt()', () => {
  const base = { ...common, key: keys.publicKey }
  const shortSecret = createSecretKey(Buffer.from('short'))

  it.each<[string, object, string]>([
    ['no issuer', { issuer: '' }, "The option 'issuer'"],
    ['no audience', { audience: [] }, "The option 'audience'"],
    ['no algorithm', { algorithms: [] }, "The option 'algorithms'"],
    ['the algorithm none', { algorithms: ['none'] }, "The option 'algorithms'"],
    ['no caller', { caller: undefined }, "The option 'caller'"],
    ['no key', { key: undefined }, "either the option 'jwksUrl' or 'key'"],
    ['two kinds of keys', { jwksUrl: 'https://x.example' }, "either the option 'jwksUrl' or 'key'"],
    [
      'keys that are too old before they are old',
      { jwksMaxAgeMs: 1_000, jwksMaxStaleMs: 999 },
      "must be at least 'jwksMaxAgeMs', 1000; got 999",
    ],
    ['http', { key: undefined, jwksUrl: 'http://id.example/jwks' }, 'must be an https: URL'],
    [
      'a secret algorithm with public keys',
      { key: undefined, jwksUrl: 'https://id.example/jwks', algorithms: ['RS256', 'HS256'] },
      "must not accept 'HS256'",
    ],
    ['a secret algorithm with one', { algorithms: ['HS512'] }, "must not accept 'HS512'"],
    ['a private key', { key: keys.privateKey }, "The option 'key'"],
    ['a text as key', { key: 'secret' }, "The option 'key'"],
    ['a short secret', { key: shortSecret, algorithms: ['HS256'] }, 'at least 32 bytes'],
    [
      'a secret for signatures of key pairs',
      { key: createSecretKey(Buffer.alloc(32)) },
      "cannot verify 'ES256' with a secret",
    ],
    ['an unknown option', { audiences: 'x' }, "Did you mean 'audience'?"],
  ])('must not have %s', (_, options, message) => {
    expect(() => bearerJwt({ ...base, ...options } as never)).toThrow(message)
  })

  it('may have a key in PEM', () => {
    const pem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
    expect(() => bearerJwt({ ...base, key: createPublicKey(createPrivateKey(pem)) })).not.toThrow()
  })
})

describe('Scopes', () => {
  it.each<[JwtClaims, string[]]>([
    [{ scope: 'a b  c' }, ['a', 'b', 'c']],
    [{ scp: ['a', 7, 'b'] }, ['a', 'b']],
    [{ scp: 'a' }, ['a']],
    [{ scope: 7 }, []],
    [{}, []],
  ])('of %j are %j', (claims, scopes) => {
    expect(scopesOf(claims)).toEqual(scopes)
  })

  it('that no token can have are a mistake of the service', () => {
    expect(() => requireScopes([], ['a b'])).toThrow(TypeError)
    expect(() => requireScopes([], ['a"b'])).toThrow(TypeError)
  })
})

describe('Basic authentication', () => {
  const operators = basic({
    users: { ops: 'pass:word', jürgen: 'straße' },
    caller: (id) => ({ id, scopes: [] }),
  })
  const seen: unknown[] = []
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: { authentication: [operators], callerSchema: Caller },
  })
  router.prepare(Book).use({
    request: {
      read: ({ caller }) => {
        seen.push(caller?.id)
      },
    },
  })
  const get = (credential: string) =>
    client(router).get('/books', {
      authorization: `Basic ${Buffer.from(credential).toString('base64')}`,
    })

  it('knows users by name and password, which may have colons and any characters', async () => {
    expect((await get('ops:pass:word')).status).toBe(200)
    expect((await get('jürgen:straße')).status).toBe(200)
    expect(seen).toEqual(['ops', 'jürgen'])
  })

  it.each(['ops:wrong', 'ops:', 'ops', ':', '', 'nobody:pass:word', 'ops:pass:word\n'])(
    'refuses %j with a challenge',
    async (credential) => {
      const response = await get(credential)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="api", charset="UTF-8"')
    },
  )

  it('is checked at registration', () => {
    const caller = () => ({})
    expect(() => basic({ users: {}, caller })).toThrow('with at least one')
    expect(() => basic({ users: { 'a:b': 'c' }, caller })).toThrow('must not contain a colon')
    expect(() => basic({ users: { a: '' }, caller })).toThrow('must be a string, and not empty')
  })
})
