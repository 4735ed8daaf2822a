import {
  createRouter,
  model,
  type Policy,
  type Router,
  type RouterOptions,
  refuse,
  toOne,
} from 'resourcery'
import { checkAccess } from 'resourcery/check'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { accessRouter, as, Caller, loadAccessWorld, token } from '../support/access-world.ts'
import { stores } from '../support/stores.ts'

const callers = [
  { name: 'admin', headers: as('x:admin') },
  { name: 'ann', headers: as('ann') },
  { name: 'anonymous', headers: {} },
]

async function checked(router: Pick<Router, 'basePath' | 'respond' | 'open' | 'close'>) {
  const server = await serve(router as Router, { port: 0 })
  onTestFinished(() => server.close())
  const base = new URL(server.address)
  const documents = callers.map(async (caller) => {
    const response = await fetch(new URL('/openapi.json', base), { headers: caller.headers })
    return { caller, document: (await response.json()) as object }
  })
  return checkAccess(await Promise.all(documents), base, { seed: 5 })
}

it.each(['', ' ', 'Bearer '])(
  'A check of access refuses the empty credential %j',
  async (value) => {
    const documents = [
      { caller: { name: 'admin', headers: { authorization: value } }, document: {} },
    ]
    await expect(checkAccess(documents, new URL('http://localhost'))).rejects.toThrow(
      /'authorization' of 'admin' is empty/,
    )
  },
)

describe.each(stores)('A check of access ($name)', ({ make }) => {
  it.each([rest(), jsonApi()])(
    'finds that access rules hold at all doors',
    async (policy) => {
      const router = accessRouter(await make(), policy)
      await loadAccessWorld(router)
      const { findings, hiddenItemCount } = await checked(router)
      expect(findings).toEqual([])
      expect(hiddenItemCount).toBeGreaterThan(1)
    },
    120_000,
  )

  it.each([rest(), jsonApi()])(
    'finds a hook that hides items at their addresses alone',
    async (policy) => {
      class Note extends model('note', {
        title: z.string(),
        about: toOne('note', { optional: true }),
      }) {}
      const router = createRouter({ policy, store: await make(), docsPage: true })
      router.prepare(Note).use({
        request: {
          getItem: ({ id, request }) => {
            if (id === 'n2' && !request.headers.authorization) refuse('not-found', 'No such note.')
          },
        },
      })
      await router.load(Note, [
        { id: 'n1', title: 'One', about: 'n2' },
        { id: 'n2', title: 'Two' },
        { id: 'n3', title: 'Three', about: 'n1' },
      ])
      const { findings } = await checked(router)
      const kinds = findings.map(({ kind, caller, subject }) => `${kind} as ${caller}: ${subject}`)
      expect(kinds).toContain('hidden-item-shown as anonymous: /notes')
      expect(kinds).toContain('hidden-item-shown as anonymous: /notes/{id}')
      expect(kinds).toContain('hidden-item-detectable as anonymous: getNotes')
    },
  )
})

/** Responds to queries of all callers as to an admin. */
function leaking(router: Router, query: string): Pick<Router, 'basePath' | 'respond'> {
  return {
    basePath: router.basePath,
    respond: (request) =>
      router.respond(
        decodeURIComponent(request.query).startsWith(query)
          ? { ...request, headers: { ...request.headers, ...as('x:admin') } }
          : request,
      ),
  }
}

describe('A check of access, of relations to items that only some callers may see,', () => {
  const CostCentre = model('costCentre', { code: z.string() })
  const Doctor = model('doctor', { name: z.string(), costCentre: toOne('costCentre') })
  const Visit = model('visit', { title: z.string(), doctor: toOne('doctor') })

  async function clinic(policy: Policy): Promise<Router> {
    const router = createRouter({
      policy,
      store: memory(),
      docsPage: true,
      security: { authentication: [token], callerSchema: Caller, defaultAccess: 'closed' },
    })
    router.prepare(CostCentre).access(({ caller }) => ({ read: caller.roles.contains('admin') }))
    router.prepare(Doctor).access(({ anyone }) => ({ read: anyone }))
    router.prepare(Visit).access(({ anyone }) => ({ read: anyone }))
    await router.load(CostCentre, [
      { id: 'c1', code: 'K1' },
      { id: 'c2', code: 'K2' },
    ])
    await router.load(Doctor, [
      { id: 'd1', name: 'Ann', costCentre: 'c2' },
      { id: 'd2', name: 'Bob', costCentre: 'c1' },
      { id: 'd3', name: 'Cy', costCentre: 'c2' },
    ])
    await router.load(Visit, [
      { id: 'v1', title: 'One', doctor: 'd1' },
      { id: 'v2', title: 'Two', doctor: 'd2' },
      { id: 'v3', title: 'Three', doctor: 'd3' },
    ])
    return router as Router
  }

  it.each([rest(), jsonApi()])(
    'finds nothing where paths through them tell nothing',
    async (policy) => {
      const { findings } = await checked(await clinic(policy))
      expect(findings).toEqual([])
    },
  )

  it.each([
    ['filter[costCentre.code]', 'getDoctors'],
    ['include=costCentre', 'getDoctors'],
    ['sort=costCentre.code', 'getDoctors'],
    ['include=doctor.costCentre', 'getVisits'],
    ['sort=-doctor.costCentre.id', 'getVisits'],
  ])('finds that %s tells something', async (query, subject) => {
    for (const policy of [rest(), jsonApi()]) {
      const router = await clinic(policy)
      const { findings } = await checked({
        ...leaking(router, query),
        open: () => router.open(),
        close: () => router.close(),
      })
      const known = findings.filter(({ kind }) => kind === 'hidden-field-known')
      expect(known.map((finding) => [finding.subject, finding.message])).toContainEqual([
        subject,
        expect.stringContaining(`'${query}`),
      ])
      expect(known.map(({ caller }) => caller)).not.toContain('admin')
    }
  })
})

describe('A check of access, of what lists add up,', () => {
  const Sale = model(
    'sale',
    { shop: z.string(), isPublic: z.boolean(), margin: z.int() },
    { aggregate: ['shop', 'margin'] },
  )

  async function shops(
    policy: Policy,
    paging: Pick<RouterOptions, 'lists' | 'limits'> = {},
  ): Promise<Router> {
    const router = createRouter({
      ...paging,
      policy,
      store: memory(),
      docsPage: true,
      security: { authentication: [token], callerSchema: Caller, defaultAccess: 'closed' },
    })
    router.prepare(Sale).access(({ caller, item }) => ({
      read: item.isPublic.equal(true).or(caller.roles.contains('admin')),
      fields: { margin: { read: caller.roles.contains('admin') } },
    }))
    await router.load(Sale, [
      { id: 's1', shop: 'north', isPublic: true, margin: 1 },
      { id: 's2', shop: 'north', isPublic: false, margin: 2 },
      { id: 's3', shop: 'south', isPublic: true, margin: 4 },
    ])
    return router as Router
  }

  it.each([rest(), jsonApi()])('finds nothing where callers see what they may', async (policy) => {
    const { findings } = await checked(await shops(policy))
    expect(findings).toEqual([])
  })

  it.each([rest(), jsonApi()])('counts no groups of which a page shows some', async (policy) => {
    const paging = { lists: 'paged', limits: { defaultPageSize: 1 } } as const
    const { findings } = await checked(await shops(policy, paging))
    expect(findings).toEqual([])
  })

  it.each([
    ['withAggregates=count', 'count-differs', 'getSales', rest()],
    ['groupBy=shop&withAggregates=count', 'count-differs', 'getGroupsForSales', jsonApi()],
    ['groupBy=margin', 'hidden-field-known', 'getGroupsForSales', rest()],
    [
      'groupBy=shop&withAggregates=sum(margin)',
      'hidden-field-known',
      'getGroupsForSales',
      jsonApi(),
    ],
    ['withFacets=margin', 'hidden-field-known', 'getSales', rest()],
  ])('finds that %s tells something', async (query, kind, subject, policy) => {
    const router = await shops(policy)
    const { findings } = await checked({
      ...leaking(router, query),
      open: () => router.open(),
      close: () => router.close(),
    })
    expect(findings.map((each) => [each.kind, each.subject])).toContainEqual([kind, subject])
    expect(findings.map(({ caller }) => caller)).not.toContain('admin')
  })
})
