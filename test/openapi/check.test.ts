import { fileURLToPath } from 'node:url'
import {
  action,
  createRouter,
  derived,
  field,
  file,
  hash,
  model,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { apiKeyFields, apiKeys, issueApiKey, issuedKey, requireScopes } from 'resourcery/auth'
import { check } from 'resourcery/check'
import { jsonApi } from 'resourcery/json-api'
import { limit } from 'resourcery/limits'
import { memory, memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { bookstore, jsonApiBookstore } from '../../examples/bookstore/bookstore.ts'
import { seed as fill } from '../../examples/bookstore/seed.ts'

const data = fileURLToPath(new URL('../../examples/bookstore/data', import.meta.url))
const runs = Number(process.env.CHECK_RUNS ?? 10)
const seed = Number(process.env.CHECK_SEED ?? 7)

it.each([bookstore, jsonApiBookstore])(
  'the bookstore responds to every generated request as its document says: %o',
  async (mount) => {
    const options = { store: memory(), blobs: memoryBlobs() }
    const [router, plain] = [mount(options), bookstore(options)]
    for (const entry of new Set([router, plain])) await entry.open()
    await fill(plain, data)
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Bookstore', version: '1' } })
    const report = await check(document, new URL(`${server.address}${router.basePath}`), {
      runs,
      seed,
    })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
    expect(report.requestCount).toBeGreaterThan(report.operationCount * 3)
  },
  60_000 + runs * 6_000,
)

it.each([rest, jsonApi])(
  'a service whose items have derived values passes: %o',
  async (policy) => {
    const router = createRouter({ policy: policy(), basePath: '/api', store: memory() })
    router.prepare(
      model(
        'part',
        {
          name: z.string(),
          price: z.int().min(0).max(1_000_000).optional(),
          label: derived({
            from: ['name', 'price', 'parent'],
            schema: z.string(),
            compute: ({ name, price, parent }) => `${name} ${price} ${parent}`,
          }),
          double: derived({
            from: ['price'],
            schema: z.int().optional(),
            compute: ({ price }: { price: number | undefined }) => price && price * 2,
            index: true,
          }),
          parent: toOne('part', { optional: true }),
        },
        { aggregate: ['double'], search: ['label'] },
      ),
    )
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Parts', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
  },
  60_000 + runs * 6_000,
)

it.each([rest, jsonApi])(
  'a service that takes items on lines passes, and gets some that it creates: %o',
  async (policy) => {
    const options = { csv: true, jsonLines: true }
    const router = createRouter({ policy: policy(options), basePath: '/api', store: memory() })
    const created: unknown[] = []
    router.prepare(model('member', { name: z.string(), rank: z.int() })).use({
      write: {
        after: ({ cause }) => {
          if (cause.kind === 'request' && cause.operation === 'CreateItem')
            created.push(cause.context.request.body)
        },
      },
    })
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Members', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
    // Hooks see no body of a line.
    expect(created).toContain(undefined)
  },
  60_000 + runs * 6_000,
)

it.each([rest, jsonApi])(
  'an empty service, without items to relate to, passes: %o',
  async (policy) => {
    const router = createRouter({ policy: policy(), basePath: '/api', store: memory() })
    router.prepare(
      model('member', { name: z.string(), tickets: toMany('ticket', { inverse: 'member' }) }),
    )
    router.prepare(
      model('ticket', {
        title: z.string(),
        member: toOne('member'),
        helper: toOne('member', { optional: true }),
        watchers: toMany('member'),
        hash: hash(),
      }),
    )
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Tickets', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
  },
  60_000 + runs * 6_000,
)

it.each([rest, jsonApi])(
  'a service whose query hooks hide related items passes: %o',
  async (policy) => {
    const router = createRouter({ policy: policy(), basePath: '/api', store: memory() })
    const Member = model('member', {
      name: z.string(),
      isHidden: field(z.boolean().optional(), { hidden: true }),
    })
    const Ticket = model('ticket', { title: z.string(), member: toOne('member'), hash: hash() })
    router
      .prepare(Member)
      .use({ query: { any: (query) => query.where('isHidden').notEqual(true) } })
    router.prepare(Ticket)
    await router.load(Member, [
      { id: 'm-1', name: 'seen', isHidden: false },
      { id: 'm-2', name: 'hidden', isHidden: true },
    ])
    await router.load(Ticket, [
      { id: 't-1', title: 'Of a member that clients see', member: 'm-1' },
      { id: 't-2', title: 'Of a hidden member', member: 'm-2' },
    ])
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Tickets', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs: 50, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
  },
  120_000,
)

it.each([
  { policy: rest, required: [] },
  { policy: jsonApi, required: [] },
  { policy: rest, required: ['write'] },
  { policy: jsonApi, required: ['write', 'batch'] },
] as const)(
  'a service with limits and keys of requests passes: $policy.name, with keys required for $required',
  async ({ policy, required }) => {
    const Member = model('member', { name: z.string() })
    const router = createRouter({
      policy: policy(),
      basePath: '/api',
      store: memory(),
      blobs: memoryBlobs(),
      idempotency: { required },
    })
    router.use(limit({ points: 1_000_000, seconds: 60, concurrent: 100 }))
    router.prepare(Member)
    router.prepare(
      model('ticket', {
        title: z.string(),
        member: toOne('member', { optional: true }),
        watchers: toMany('member'),
        scan: file(),
        hash: hash(),
      }),
    )
    await router.load(Member, [{ id: 'm-1', name: 'Ada' }])
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Tickets', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
    expect(report.requestCount).toBeGreaterThan(report.operationCount * 3)
  },
  60_000 + runs * 6_000,
)

it.each([
  [rest, 'nobody'],
  [rest, 'a reader'],
  [rest, 'a writer'],
  [jsonApi, 'a writer'],
] as const)(
  'a service with authentication passes: %o for %s',
  async (policy, caller) => {
    class Key extends model('key', { ...apiKeyFields() }) {
      issue() {
        return issueApiKey(this, 'shop')
      }

      static {
        action(this, 'issue', { output: issuedKey })
      }
    }
    const router = createRouter({
      policy: policy(),
      basePath: '/api',
      baseUrl: 'https://books.example',
      store: memory(),
      security: {
        cors: { origins: ['https://shop.example'], credentials: true },
        protectedResource: { authorizationServers: ['https://id.example'] },
        authentication: [apiKeys({ model: Key, caller: ({ id, scopes }) => ({ id, scopes }) })],
        callerSchema: z.object({ id: z.string(), scopes: z.array(z.string()) }),
      },
    })
    router.use({
      request: {
        write: ({ caller }) => {
          if (!caller) refuse('unauthorized', 'Send a key.')
          requireScopes(caller.scopes, ['write'])
        },
      },
      declares: { security: { apiKey: [] }, errors: ['unauthorized', 'insufficient-scope'] },
    })
    router.prepare(Key).use({ query: { write: (query) => query.where('name').notEqual('Mine') } })
    router.prepare(model('book', { title: z.string(), hash: hash() }))
    const scopes = caller === 'a writer' ? ['write'] : []
    const item = await router.items(Key).create({ name: 'Mine', scopes })
    const { key } = (await router.items(Key).call(item.id, 'issue')) as { key: string }
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const report = await check(router.toOpenApi(), new URL(`${server.address}/api`), {
      runs,
      seed,
      ...(caller !== 'nobody' && { headers: { authorization: `Bearer ${key}` } }),
    })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
    expect(report.successCount).toBeGreaterThan(0)
  },
  60_000 + runs * 6_000,
)

it.each([rest, jsonApi])(
  'a service that keeps versions and deleted items passes: %o',
  async (policy) => {
    const router = createRouter({
      policy: policy(),
      basePath: '/api',
      store: memory(),
      blobs: memoryBlobs(),
      idempotency: true,
      capabilities: 'items',
    })
    router.prepare(model('shelf', { name: z.string() }, { plural: 'shelves', trash: true }))
    router.prepare(
      model(
        'page',
        {
          title: field(z.string().min(2), { unique: true }),
          parts: z.array(z.object({ name: z.string() })).optional(),
          shelf: toOne('shelf', { optional: true }),
          others: toMany('page'),
          photo: file({ types: ['text/plain'] }),
          hash: hash(),
        },
        { history: { keepDays: 7 }, trash: true, requireMatch: true },
      ),
    )
    const server = await serve([router], { port: 0 })
    onTestFinished(() => server.close())
    const document = router.toOpenApi({ info: { title: 'Pages', version: '1' } })
    const report = await check(document, new URL(`${server.address}/api`), { runs, seed })
    expect(report.findings, `seed ${report.seed}`).toEqual([])
  },
  60_000 + runs * 6_000,
)
