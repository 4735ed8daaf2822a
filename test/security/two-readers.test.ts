import {
  type Context,
  createRouter,
  hash,
  type Middleware,
  model,
  type Router,
  respond,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import type { Condition, FieldPath, StoreReader } from 'resourcery/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  failOnFault,
  get,
  type Listing,
  plainBody,
  send,
  sendPlain,
  storeForTest,
  storeKinds,
  type TestResponse,
} from '../http/service.ts'

class Vault extends model(
  'vault',
  {
    label: z.string(),
    owner: z.string().default('me'),
    secrets: toMany('secret', { inverse: 'vault' }),
    hash: hash(),
  },
  { upsert: true },
) {}

class Secret extends model('secret', {
  text: z.string(),
  owner: z.string().default('me'),
  vault: toOne('vault', { optional: true }),
  others: toMany('vault'),
}) {}

interface Seen {
  readonly hook: 'request any' | 'request named' | 'query any' | 'query named'
  readonly context: Context
}

const json = { 'content-type': 'application/json' }
const guarded = new Set(['vault', 'secret'])

/** A service that serves its owner only, and records every hook that runs. */
function guardedBy(seen: Seen[]): Middleware {
  const note = (hook: Seen['hook']) => (context: Context) => void seen.push({ hook, context })
  const named = note('request named')
  const allow = (context: Context) =>
    context.request.headers.authorization === 'owner'
      ? undefined
      : respond(401, { 'www-authenticate': 'Basic' })
  const any = (context: Context) => {
    note('request any')(context)
    return allow(context)
  }
  return {
    request: {
      any,
      getList: named,
      getItem: named,
      create: named,
      update: named,
      replace: named,
      delete_: named,
    },
    query: {
      any: (query, context) => {
        note('query any')(context)
        return query.where('owner').equal('me')
      },
    },
  }
}

async function service(store: Store, seen: Seen[] = []): Promise<Router> {
  const router = createRouter({ policy: rest(), basePath: '/api', store, onError: failOnFault })
  router.use(guardedBy(seen))
  router.prepare(Vault)
  router.prepare(Secret)
  await router.load(Vault, [
    { id: 'v1', label: 'Mine' },
    { id: 'v2', label: 'Theirs', owner: 'them' },
  ])
  await router.load(Secret, [
    { id: 's1', text: 'One', vault: 'v1', others: ['v1', 'v2'] },
    { id: 's2', text: 'Two', vault: 'v2', owner: 'them' },
    { id: 's3', text: 'Three', vault: 'v2', others: ['v2'] },
  ])
  return router
}

const spellings = [
  '/api/vaults/v1',
  '/api/vaults/%761',
  '/api/%76aults/v1',
  '/api/%76%61%75%6c%74%73/%76%31',
  '/%61pi/vaults/v1',
  '/api/vaults/v1/',
  '/api/vaults//v1',
  '/api//vaults/v1',
  '//api/vaults/v1',
  '/api/vaults/./v1',
  '/api/./vaults/v1',
  '/./api/vaults/v1',
  '/api/vaults/x/../v1',
  '/api/secrets/../vaults/v1',
  '/api/vaults/%2e/v1',
  '/api/vaults/x/%2e%2e/v1',
  '/api/vaults/%2e%2e/vaults/v1',
  '/api/vaults%2Fv1',
  '/api%2Fvaults%2Fv1',
  '/api/vaults/v1%2F',
  '/api/vaults/v1%2Fx',
  '/api/vaults\\v1',
  '/api/vaults%5Cv1',
  '/api/Vaults/v1',
  '/API/vaults/v1',
  '/api/VAULTS/V1',
  '/api/vault/v1',
  '/api/vaults/V1',
  '/api/vaults;a=b/v1',
  '/api/vaults/v1;a=b',
  '/api/vaults/v1;',
  '/api/vaults/v1%00',
  '/api/vaults/v1%20',
  '/api/vaults/%20v1',
  '/api/vaults/v1%09',
  '/api/vaults/v1%0d%0a',
  '/api/vaults/v1.json',
  '/api/vaults/v1?',
  '/api/vaults/v1#x',
  '/api/vaults/%c0%b61',
  '/api/vaults/%ff',
  '/api/vaults/%',
  '/api/vaults/%zz',
  '/api/vaults/%25761',
  '/api/vaults/ｖ1',
  '/api/vaults/%EF%BD%961',
  '/api/vaults/v1/secrets',
  '/api/vaults/v1/relationships/secrets',
  '/api/vaults/v1/label',
  '/api/vaults/:id',
  '/api/vaults/*',
  '/api/*',
  'http://localhost/api/vaults/v1',
  'api/vaults/v1',
]

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
  'TRACE',
  'get',
  'Delete',
  'FOO',
]
const overrides: Readonly<Record<string, string>>[] = [
  {},
  { 'x-http-method-override': 'GET' },
  { 'x-http-method': 'DELETE' },
  { 'x-method-override': 'OPTIONS' },
  { 'x-original-url': '/api/open' },
  { 'x-rewrite-url': '/api/open' },
  { 'x-forwarded-prefix': '/open' },
]
const types = [
  'application/json',
  'Application/JSON; charset=utf-8',
  'application/json\tx',
  'application/json;charset=utf-7',
  'application/json, text/plain',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
]

const refusals = [400, 401, 404, 405, 406, 415, 501]
const body = () => plainBody('{"vault":{"label":"Changed","owner":"me"}}')

test.each(storeKinds)(
  '3.4: no spelling of an address gets past authentication, on the %s store',
  async (kind) => {
    const store = await storeForTest(kind)
    const seen: Seen[] = []
    const router = await service(store, seen)
    const everything = async () =>
      (
        await Promise.all(
          ['vaults', 'secrets'].map((plural) =>
            get(router, `/api/${plural}`, { authorization: 'owner' }),
          ),
        )
      )
        .map((response) => response.text)
        .join()
    const before = await everything()
    for (const path of spellings) {
      for (const method of methods) {
        const reads = method === 'PUT' || method === 'PATCH' || method === 'POST'
        for (const headers of overrides) {
          for (const type of reads ? types : ['application/json']) {
            seen.length = 0
            const headersWithType = { ...headers, 'content-type': type }
            const response = await sendPlain(router, {
              method,
              path,
              headers: headersWithType,
              body: reads ? body() : undefined,
            })
            const what = [method, path, headersWithType, response.status]
            if (method === 'OPTIONS' && response.status === 204) {
              // OPTIONS lists methods, and reveals no data.
              expect([what, response.text, seen.length]).toEqual([what, '', 0])
              continue
            }
            expect([what, refusals.includes(response.status)]).toEqual([what, true])
            expect(response.text).not.toContain('Mine')
            // Nothing runs after the refusal.
            expect([what, seen.filter((entry) => entry.hook !== 'request any')]).toEqual([what, []])
          }
        }
      }
    }
    expect(await everything()).toBe(before)
  },
)

test('3.4: to its owner, a spelling gets the same response as the canonical one, or not at all', async () => {
  const router = await service(await storeForTest('memory'))
  const owner = { authorization: 'owner' }
  const canonical = await sendPlain(router, { path: '/api/vaults/v1', headers: owner })
  expect(canonical.status).toBe(200)
  for (const path of spellings) {
    for (const headers of overrides) {
      const response = await sendPlain(router, { path, headers: { ...owner, ...headers } })
      if (response.status === 200) expect([path, response.text]).toEqual([path, canonical.text])
      else expect([path, [400, 404].includes(response.status)]).toEqual([path, true])
    }
  }
})

test('3.4: an item of another user is 404 in every spelling and for every method', async () => {
  const router = await service(await storeForTest('memory'))
  const headers = { authorization: 'owner', ...json }
  for (const path of spellings.map((spelling) =>
    spelling.replaceAll('v1', 'v2').replaceAll('%761', '%762').replaceAll('%31', '%32'),
  )) {
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'POST']) {
      const reads = method === 'PATCH' || method === 'POST'
      const response = await sendPlain(router, {
        method,
        path,
        headers,
        body: reads ? body() : undefined,
      })
      expect([method, path, [400, 404, 405].includes(response.status)]).toEqual([
        method,
        path,
        true,
      ])
      expect(response.text).not.toContain('Theirs')
    }
  }
})

test('3.4: PUT, which may create, does not reach an item of another user', async () => {
  const seen: Seen[] = []
  const store = await storeForTest('memory')
  const router = await service(store, seen)
  const put = await send(router, 'PUT', '/api/vaults/v2', {
    json: { vault: { label: 'Taken over' } },
    headers: { authorization: 'owner' },
  })
  expect([404, 409]).toContain(put.status)
  expect(put.text).not.toContain('Theirs')
  const open = createRouter({ policy: rest(), store })
  open.prepare(Vault)
  open.prepare(Secret)
  expect((await get(open, '/vaults/v2')).json().vault).toMatchObject({
    label: 'Theirs',
    owner: 'them',
  })
})

test('3.4: all hooks of a request get the same rule, and the id of its path', async () => {
  const seen: Seen[] = []
  const router = await service(await storeForTest('memory'), seen)
  const headers = { authorization: 'owner', ...json }
  const requests: [string, string, string, string | undefined, number][] = [
    ['GetList', 'GET', '/api/vaults', undefined, 200],
    ['GetList', 'HEAD', '/api/%76aults', undefined, 200],
    ['GetItem', 'GET', '/api/vaults/%761', 'v1', 200],
    ['GetItem', 'HEAD', '/api/vaults/v1', 'v1', 200],
    ['GetItem', 'GET', '/api/vaults/v1%2Fx', 'v1/x', 404],
    ['CreateItem', 'POST', '/api/vaults', undefined, 201],
    ['UpdateItem', 'PATCH', '/api/vaults/v%31', 'v1', 200],
    ['ReplaceItem', 'PUT', '/api/vaults/v1', 'v1', 200],
    ['DeleteItem', 'DELETE', '/api/vaults/v1', 'v1', 204],
  ]
  for (const [operation, method, path, id, status] of requests) {
    seen.length = 0
    const reads = method === 'POST' || method === 'PATCH' || method === 'PUT'
    const response = await sendPlain(router, {
      method,
      path,
      headers,
      body: reads ? body() : undefined,
    })
    expect([method, path, response.status]).toEqual([method, path, status])
    const own = seen.filter(
      ({ context: { rule } }) => 'view' in rule && rule.view.model.name === 'vault',
    )
    expect(own.length).toBeGreaterThan(2)
    expect(new Set(own.map((entry) => entry.context)).size).toBe(1)
    expect([own[0]?.context.rule.operation, own[0]?.context.id]).toEqual([operation, id])
    const phases = own.map((entry) => entry.hook.startsWith('request'))
    expect(phases).toEqual([...phases].sort((entry, other) => Number(other) - Number(entry)))
  }
})

/** The queries of a store, in order. */
interface Question {
  readonly call: 'find' | 'list' | 'page' | 'count' | 'groups' | 'relatedPages'
  readonly model: string
  readonly condition: Condition
}

function watched(store: Store, queries: Question[]): Store {
  const reader = (from: StoreReader): StoreReader => ({
    find(model, condition) {
      queries.push({ call: 'find', model: model.name, condition })
      return from.find(model, condition)
    },
    list(model, plan) {
      queries.push({ call: 'list', model: model.name, condition: plan.condition })
      return from.list(model, plan)
    },
    page(model, plan) {
      queries.push({ call: 'page', model: model.name, condition: plan.condition })
      return from.page(model, plan)
    },
    count(model, condition) {
      queries.push({ call: 'count', model: model.name, condition })
      return from.count(model, condition)
    },
    groups(model, plan) {
      queries.push({ call: 'groups', model: model.name, condition: plan.condition })
      return from.groups(model, plan)
    },
    relatedPages(model, relation, owners, plan) {
      queries.push({
        call: 'relatedPages',
        model: relation.relatedModel.name,
        condition: plan.condition,
      })
      return from.relatedPages(model, relation, owners, plan)
    },
  })
  return {
    ...reader(store),
    open: (models) => store.open(models),
    close: () => store.close(),
    write: (work) =>
      store.write((transaction) =>
        work({
          ...reader(transaction),
          insert: (model, item) => transaction.insert(model, item),
          replace: (model, item) => transaction.replace(model, item),
          remove: (model, id) => transaction.remove(model, id),
        }),
      ),
  }
}

function asksForId(condition: Condition): boolean {
  return (
    condition.kind === 'compare' &&
    condition.operator === 'equal' &&
    condition.path.names.join('.') === 'id'
  )
}

/** Does every item that satisfies the condition satisfy the guard? */
function isGuarded(condition: Condition): boolean {
  switch (condition.kind) {
    case 'never':
      return true
    case 'and':
      return condition.conditions.some(isGuarded)
    case 'or':
      return condition.conditions.every(isGuarded)
    case 'compare':
      return (
        condition.operator === 'equal' &&
        condition.value === 'me' &&
        condition.path.names.join('.') === 'owner'
      )
    default:
      return false
  }
}

const targets: Readonly<Record<string, string>> = {
  vault: 'vault',
  others: 'vault',
  secrets: 'secret',
}

/** The path segments into a guarded model without its guard. */
function unguardedSteps(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'always':
    case 'never':
      return []
    case 'and':
    case 'or':
      return condition.conditions.flatMap(unguardedSteps)
    case 'not':
      return unguardedSteps(condition.condition)
    case 'search':
      return condition.fields.flatMap(({ path }) => unguardedStepsOf(path))
    default:
      return unguardedStepsOf(condition.path)
  }
}

function unguardedStepsOf({ names, guards = [] }: FieldPath): readonly string[] {
  return names.flatMap((name, index) => {
    const target = targets[name]
    if (target === undefined || !guarded.has(target)) return []
    return guards.some((guard) => guard.depth === index + 1 && isGuarded(guard.condition))
      ? []
      : [names.join('.')]
  })
}

describe.each(storeKinds)(
  '3.4: every query to the %s store contains the guard of its model',
  (kind) => {
    const reads = [
      '/api/vaults',
      '/api/vaults?page[size]=1',
      '/api/vaults?page[size]=1&page[number]=2&withCount=true',
      '/api/vaults?withCount=true',
      '/api/vaults/v1',
      '/api/vaults/v2',
      '/api/vaults/v1?include=secrets',
      '/api/vaults?include=secrets.vault,secrets.others',
      '/api/vaults?include=secrets&fields[secrets]=text',
      '/api/vaults?include=secrets&pageIncluded[secrets][size]=1&sortIncluded[secrets]=-vault.owner',
      '/api/vaults?include=secrets&filterIncluded[secrets][vault.label][ne]=Mine',
      '/api/secrets?include=vault.secrets,others&pageIncluded[others][size]=5&pageIncluded[vault.secrets][size]=5',
      '/api/secrets?include=others&filterIncluded[others][owner]=them&sortIncluded[others]=-label',
      '/api/vaults?filter=or(eq(owner,%27them%27),ne(owner,%27me%27))',
      '/api/vaults?filter=not(eq(owner,%27me%27))',
      '/api/vaults?filter[owner]=them',
      '/api/secrets',
      '/api/secrets/s1',
      '/api/secrets/s3?include=vault,others',
      '/api/secrets?include=vault.secrets,others.secrets',
      '/api/secrets?fields[secrets]=vault',
      '/api/secrets?filter[vault.label]=Theirs',
      '/api/secrets?filter[vault.label][ne]=Mine&withCount=true',
      '/api/secrets?filter=or(eq(vault.owner,%27them%27),not(eq(vault.label,%27Mine%27)))',
      '/api/secrets?filter[vault]=v2',
      '/api/secrets?filter[vault][isNull]=true',
      '/api/secrets?filter[vault.id][startsWith]=v',
      '/api/secrets?filter[others][any]=v2',
      '/api/secrets?sort=vault.label&page[size]=1',
      '/api/secrets?sort=-vault.owner,text',
    ]

    const guardsIn = (queries: readonly Question[]) => {
      for (const { call, model, condition } of queries) {
        expect([call, model, isGuarded(condition), condition]).toEqual([
          call,
          model,
          true,
          condition,
        ])
      }
    }

    test.each(reads)('GET %s', async (target) => {
      const queries: Question[] = []
      const router = await service(watched(await storeForTest(kind), queries))
      queries.length = 0
      const response = await get(router, target, { authorization: 'owner' })
      expect([200, 404]).toContain(response.status)
      expect(queries.length).toBeGreaterThan(0)
      guardsIn(queries)
      expect(response.text).not.toMatch(/Theirs|Two|"v2"|"s2"|"them"/)
      const list = target.split(/[/?]/)[2]!
      // The filters match both items: only the guard excludes one.
      if (
        response.status === 200 &&
        /filter\[owner\]|owner,%27them%27\),ne|not\(eq\(owner/.test(target)
      )
        expect(response.json<Listing>()[list]).toEqual([])
    })

    test.each(reads.filter((target) => /filter|sort/.test(target)))(
      'and of every model on the paths of GET %s',
      async (target) => {
        const queries: Question[] = []
        const router = await service(watched(await storeForTest(kind), queries))
        queries.length = 0
        await get(router, target, { authorization: 'owner' })
        // Included items are read by the ids in items that passed the guard.
        const [first] = queries
        expect(first && unguardedSteps(first.condition)).toEqual([])
      },
    )

    const writes: [string, string, unknown, number][] = [
      ['POST', '/api/vaults', { vault: { label: 'New' } }, 201],
      ['POST', '/api/secrets', { secret: { text: 'New', vault: 'v1', others: ['v1'] } }, 201],
      ['POST', '/api/secrets', { secret: { text: 'New', vault: 'v2' } }, 422],
      ['POST', '/api/secrets', { secret: { text: 'New', others: ['v2'] } }, 422],
      ['PATCH', '/api/vaults/v1', { vault: { label: 'Changed' } }, 200],
      ['PATCH', '/api/vaults/v2', { vault: { label: 'Changed' } }, 404],
      ['PATCH', '/api/secrets/s1', { secret: { vault: 'v2' } }, 422],
      ['PATCH', '/api/secrets/s1', { secret: { vault: null, others: [] } }, 200],
      ['PATCH', '/api/secrets/s2', { secret: { owner: 'me' } }, 404],
      ['PUT', '/api/vaults/v1', { vault: { label: 'Changed' } }, 200],
      ['PUT', '/api/vaults/v3', { vault: { label: 'Made' } }, 201],
      ['PUT', '/api/secrets/s2', { secret: { text: 'Mine now' } }, 404],
      ['DELETE', '/api/secrets/s1', undefined, 204],
      ['DELETE', '/api/secrets/s2', undefined, 404],
      ['DELETE', '/api/vaults/v2', undefined, 404],
    ]

    test.each(writes)('%s %s with %j', async (method, target, json, status) => {
      const queries: Question[] = []
      const router = await service(watched(await storeForTest(kind), queries))
      queries.length = 0
      const sending = { json, headers: { authorization: 'owner' } }
      const response: TestResponse = await send(router, method, target, sending)
      expect(response.status).toBe(status)
      // Referring items are updated after a deletion, and new ids are checked, whoever owns the
      // items; every other query is restricted to the owner.
      const isMending = ({ call }: Question) =>
        method === 'DELETE' && status === 204 && call === 'page'
      const isTaken = ({ call, condition }: Question) =>
        method === 'POST' && call === 'find' && asksForId(condition)
      guardsIn(queries.filter((query) => !isMending(query) && !isTaken(query)))
      expect(response.text).not.toMatch(/Theirs|Two/)
    })
  },
)
