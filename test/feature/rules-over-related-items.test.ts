import { createRouter, dateTime, model, type Router, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'
import { loadTeamWorld, Membership, Paper, teamRouter } from '../support/team-world.ts'

const jsonApiType = 'application/vnd.api+json'
const atomicType = `${jsonApiType};ext="https://jsonapi.org/ext/atomic"`

describe.each(stores)('Access rules over related items ($name)', ({ make }) => {
  async function world(policy = rest(), options = {}) {
    const router = teamRouter(await make(), policy, { capabilities: 'items', ...options })
    await loadTeamWorld(router)
    const mediaType = policy.name === 'json-api' ? jsonApiType : undefined
    return { router, api: client(router, undefined, mediaType) }
  }

  async function dismiss(router: Router<Caller>, id: string) {
    await router.items(Membership).delete(id)
  }

  it('show a paper to the members of its team, and to those whom it is shared with', async () => {
    const { api } = await world()
    const seenBy = async (caller?: string) =>
      (await api.get('/papers?sort=title', as(caller))).ids('papers')
    expect(await seenBy('ann')).toEqual(['p1'])
    expect(await seenBy('bob')).toEqual(['p1', 'p2'])
    expect(await seenBy('cy')).toEqual(['p2'])
    expect(await seenBy('dee')).toEqual(['p1'])
    expect(await seenBy('eve')).toEqual([])
    expect((await api.get('/papers/p1', as('dee'))).status).toBe(200)
    expect((await api.get('/papers/p1', as('cy'))).status).toBe(404)
    expect((await api.get('/papers/p3', as('ann'))).status).toBe(404)
    expect((await api.get('/papers/p1')).status).toBe(401)
  })

  it('judge related items as they are stored, whoever sees them', async () => {
    const { api } = await world()
    // Bob sees neither the share by which he reads the paper nor the membership of Ann.
    expect((await api.get('/shares', as('bob'))).ids('shares')).toEqual([])
    expect((await api.get('/papers/p2', as('bob'))).status).toBe(200)
    expect((await api.get('/memberships', as('bob'))).ids('memberships')).toEqual(['m2'])
  })

  it('hold in lists of relations, linkage, included items and totals', async () => {
    const { api } = await world(jsonApi())
    const related = await api.get('/teams/red/papers', as('cy'))
    expect([related.status, related.ids('data')]).toEqual([200, []])
    expect((await api.get('/teams/red/papers', as('ann'))).ids('data')).toEqual(['p1'])
    expect((await api.get('/teams/red/relationships/papers', as('cy'))).ids('data')).toEqual([])
    const included = await api.get('/teams/red?include=papers', as('cy'))
    expect(included.text).not.toContain('p1')
    const shown = await api.get('/teams/red?include=papers', as('dee'))
    expect(shown.ids('included')).toEqual(['p1'])
    expect((await api.get('/papers?filter[team]=red', as('cy'))).ids('data')).toEqual([])
  })

  it('hold for the item before a change and after it', async () => {
    const { api } = await world()
    const patch = (id: string, paper: object, caller: string) =>
      api.patch(`/papers/${id}`, { paper }, as(caller))
    expect((await patch('p1', { title: 'X' }, 'bob')).status).toBe(403)
    expect((await patch('p1', { title: 'X' }, 'cy')).status).toBe(404)
    expect((await patch('p1', { title: 'X' }, 'ann')).status).toBe(200)
    // Ann is no member of the other team.
    expect((await patch('p1', { team: 'blue' }, 'ann')).status).toBe(403)
    expect((await patch('p2', { title: 'Y' }, 'bob')).status).toBe(200)
    // The paper keeps the share that he does not see.
    expect((await patch('p2', { shares: [] }, 'bob')).status).toBe(200)
    expect((await patch('p2', { title: 'Z' }, 'bob')).status).toBe(200)
    expect((await api.delete('/papers/p1', as('bob'))).status).toBe(403)
    expect((await api.delete('/papers/p1', as('ann'))).status).toBe(204)
  })

  it('decide who creates an item', async () => {
    const { api } = await world()
    const create = (team: string | null, caller?: string) =>
      api.post('/papers', { paper: { title: 'N', team, shares: [] } }, as(caller))
    expect((await create('red', 'ann')).status).toBe(201)
    expect((await create('red', 'bob')).status).toBe(403)
    expect((await create('blue', 'ann')).status).toBe(403)
    expect((await create(null, 'ann')).status).toBe(403)
    expect((await create('red')).status).toBe(401)
  })

  it('decide who runs an action and who changes a relationship', async () => {
    const { api } = await world(jsonApi())
    const publish = (caller: string) => api.post('/papers/p1/publish', undefined, as(caller))
    expect((await publish('bob')).status).toBe(403)
    expect((await publish('cy')).status).toBe(404)
    expect((await publish('ann')).status).toBe(200)
    const move = (caller: string, id: string) =>
      api.patch('/papers/p1/relationships/team', { data: { type: 'teams', id } }, as(caller))
    expect((await move('bob', 'red')).status).toBe(403)
    expect((await move('ann', 'blue')).status).toBe(403)
  })

  it('hide fields item by item, also from filters and sorts', async () => {
    const { api } = await world()
    const paper = async (id: string, caller: string) =>
      (await api.get(`/papers/${id}`, as(caller))).at('/paper') as Record<string, unknown>
    expect(await paper('p1', 'ann')).toMatchObject({ notes: 'note 1' })
    expect(await paper('p1', 'bob')).not.toHaveProperty('notes')
    expect((await api.get('/papers?filter[notes]=note%201', as('bob'))).ids('papers')).toEqual([])
    expect((await api.get('/papers?filter[notes]=note%201', as('ann'))).ids('papers')).toEqual([
      'p1',
    ])
    const upload = (caller: string) =>
      api.post('/papers/p1/scan', 'x', { ...as(caller), 'content-type': 'text/plain' })
    expect((await upload('ann')).status).toBe(200)
    expect((await upload('bob')).status).toBe(403)
    expect((await api.get('/papers/p1/scan', as('bob'))).status).toBe(404)
    const budget = (caller: string, id: string) =>
      api.patch(`/papers/${id}`, { paper: { budget: 7 } }, as(caller))
    expect((await budget('ann', 'p1')).status).toBe(200)
    expect((await budget('bob', 'p2')).errors[0]).toMatchObject({
      status: 403,
      source: { pointer: '/paper/budget' },
    })
  })

  it.each([
    ['plain REST', rest(), '/papers/p1'],
    ['JSON:API', jsonApi(), '/papers/p1'],
    ['JSON:API with included items', jsonApi(), '/teams/red?include=papers'],
    ['JSON:API with all members in a relation', jsonApi(), '/teams/red/papers'],
  ])('send no 304 and no cached text when a membership changes: %s', async (_, policy, path) => {
    const { router, api } = await world(policy, { capabilities: undefined })
    const known = async (caller: string, etag?: string) =>
      api.get(path, { ...as(caller), ...(etag && { 'if-none-match': etag }) })
    const role = (value: 'reader' | 'owner') =>
      router.items(Membership).update('m2', { role: value })
    // Twice, so that all caches hold the document.
    await known('bob')
    const masked = await known('bob')
    expect(masked.text).not.toContain('note 1')
    await role('owner')
    const whole = await known('bob', masked.etag)
    expect(whole.status).toBe(200)
    expect(whole.text).toContain('note 1')
    await known('bob')
    await role('reader')
    const again = await known('bob', whole.etag)
    expect(again.status).toBe(200)
    expect(again.headers.get('vary')?.toLowerCase()).toContain('authorization')
    expect(again.headers.get('cache-control')).toContain('private')
    expect(again.text).not.toContain('note 1')
    await dismiss(router, 'm2')
    const gone = await known('bob', again.etag)
    expect(gone.status).not.toBe(304)
    expect(gone.text).not.toContain('No. 1')
  })

  it('tell what the caller may do, by the memberships of now', async () => {
    const { router, api } = await world()
    const can = async (caller: string) => {
      const answer = await api.get('/papers/p1', as(caller))
      return { etag: answer.etag, can: answer.at('/meta/can') }
    }
    expect((await can('ann')).can).toEqual({
      update: true,
      delete: true,
      actions: { publish: true },
    })
    const before = await can('bob')
    expect(before.can).toEqual({ update: false, delete: false, actions: { publish: false } })
    await router.items(Membership).update('m2', { role: 'editor' })
    const after = await api.get('/papers/p1', { ...as('bob'), 'if-none-match': before.etag })
    expect(after.status).toBe(200)
    expect(after.at('/meta/can/update')).toBe(true)
    const capabilities = await api.get('/papers/capabilities', as('bob'))
    expect(capabilities.at('/operations')).toEqual({
      read: 'sometimes',
      create: 'sometimes',
      update: 'sometimes',
      delete: 'sometimes',
    })
    expect(capabilities.at('/fields/notes')).toEqual({ read: 'sometimes', write: 'sometimes' })
    const anonymous = await api.get('/papers/capabilities')
    expect(anonymous.at('/operations/read')).toBe('never')
  })

  it('count a membership that an earlier operation of a batch changed', async () => {
    const { router } = await world(jsonApi(), { capabilities: undefined })
    const api = client(router, undefined, atomicType)
    const batch = (...operations: object[]) =>
      api.post(
        '/operations',
        { 'atomic:operations': operations },
        { ...as('cy'), accept: atomicType },
      )
    const join = {
      op: 'add',
      data: {
        type: 'memberships',
        attributes: { role: 'editor' },
        relationships: {
          team: { data: { type: 'teams', id: 'red' } },
          person: { data: { type: 'people', id: 'cy' } },
        },
      },
    }
    const rename = {
      op: 'update',
      data: { type: 'papers', id: 'p1', attributes: { title: 'By Cy' } },
    }
    expect((await batch(rename)).status).toBe(404)
    expect((await batch(rename, join)).status).toBe(404)
    expect((await batch(join, rename)).status).toBe(200)
    const leave = { op: 'remove', ref: { type: 'memberships', id: 'm3' } }
    const other = {
      op: 'update',
      data: { type: 'papers', id: 'p2', attributes: { title: 'By nobody' } },
    }
    expect((await batch(leave, other)).status).toBe(404)
    expect((await batch(other, leave)).status).toBe(200)
  })

  it('count a membership that code changed in the same transaction', async () => {
    const seen: boolean[] = []
    const router: Router<Caller> = teamRouter(await make(), rest(), {}, (team) => {
      team.itemOperation(
        'join',
        async (context) => {
          const papers = router.items(Paper, { as: context })
          const isSeen = async () => (await papers.get('p1')) !== undefined
          seen.push(await isSeen())
          await context.items(Membership).create({ team: 'red', person: 'cy', role: 'reader' })
          seen.push(await isSeen())
          return ''
        },
        { output: z.string() },
      )
    })
    await loadTeamWorld(router)
    expect((await client(router).post('/teams/red/join', undefined, as('cy'))).status).toBe(200)
    expect(seen).toEqual([false, true])
  })

  it('hold for code that acts for a caller', async () => {
    const found: unknown[] = []
    const router: Router<Caller> = teamRouter(await make(), rest(), {}, (team) => {
      team.use({
        request: {
          getList: async (context) => {
            const papers = router.items(Paper, { as: context })
            found.push(
              (await papers.all()).map(({ id }) => id),
              (await papers.get('p1'))?.notes,
              await papers.count((query) => query.where('notes').equal('note 1')),
              await papers.count((query) =>
                query
                  .where('team.memberships')
                  .some((membership) => membership.where('role').equal('owner')),
              ),
            )
            return undefined
          },
        },
      })
    })
    await loadTeamWorld(router)
    const api = client(router)
    await api.get('/teams', as('bob'))
    // Bob does not see the membership of Ann, so his queries find no papers by it.
    expect(found).toEqual([['p1', 'p2'], undefined, 0, 0])
    found.length = 0
    await api.get('/teams', as('ann'))
    expect(found).toEqual([['p1'], 'note 1', 1, 1])
  })

  it('hold when a request is repeated', async () => {
    const { router, api } = await world(rest(), { idempotency: true, capabilities: undefined })
    const create = () =>
      api.post(
        '/papers',
        { paper: { title: 'No. 9', notes: 'a secret', team: 'red', shares: [] } },
        { ...as('ann'), 'idempotency-key': '"k-1"' },
      )
    expect((await create()).status).toBe(201)
    expect((await create()).text).toContain('a secret')
    await router.items(Membership).update('m1', { role: 'reader' })
    expect((await create()).text).not.toContain('a secret')
    await dismiss(router, 'm1')
    const refused = await create()
    expect([refused.status, refused.text.includes('No. 9')]).toEqual([403, false])
  })

  it('are told in words', async () => {
    const { router } = await world()
    const text = JSON.stringify(router.toOpenApi())
    expect(text).toContain(
      "'team.memberships' has an item where ('person' is the caller's 'id'), or 'shares' has an item where",
    )
    expect(text).toContain('and \'role\' is one of \\"editor\\", \\"owner\\"')
  })
})

describe.each(stores)('A rule of a model that joins, over its own items ($name)', ({ make }) => {
  it('does not count the written item, which would let its writer in', async () => {
    const Join = model('join', {
      role: z.enum(['reader', 'owner']),
      group: toOne('group'),
      user: z.string(),
    })
    const Group = model('group', {
      name: z.string(),
      joins: toMany<{ role: string; user: string }>('join', { inverse: 'group' } as never),
    })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
    })
    router.prepare(Group)
    router.prepare(Join).access(({ item, caller, anyone }) => {
      const isOwner = item.group.joins.some((join: typeof item) =>
        join.user.equal(caller.id).and(join.role.equal('owner')),
      )
      return { read: anyone, create: isOwner, update: isOwner, delete: isOwner }
    })
    await router.load(Group, [
      { id: 'red', name: 'Red' },
      { id: 'blue', name: 'Blue' },
    ])
    await router.load(Join, [
      { id: 'j1', group: 'red', user: 'ann', role: 'owner' },
      { id: 'j2', group: 'red', user: 'bob', role: 'reader' },
      { id: 'j3', group: 'red', user: 'dee', role: 'owner' },
    ])
    const api = client(router)
    const create = (caller: string, group: string) =>
      api.post('/joins', { join: { role: 'owner', group, user: caller } }, as(caller))
    const patch = (caller: string, id: string, join: object) =>
      api.patch(`/joins/${id}`, { join }, as(caller))
    expect((await create('cy', 'red')).status).toBe(403)
    expect((await create('ann', 'blue')).status).toBe(403)
    expect((await patch('bob', 'j2', { role: 'owner' })).status).toBe(403)
    expect((await patch('ann', 'j1', { group: 'blue' })).status).toBe(403)
    expect((await patch('ann', 'j2', { role: 'owner' })).status).toBe(200)
    expect((await create('ann', 'red')).status).toBe(201)
  })
})

class Club extends model('club', {
  name: z.string(),
  bans: toMany<Ban>('ban', { inverse: 'club' }),
}) {}
class Ban extends model('ban', {
  person: z.string(),
  level: z.int().optional(),
  club: toOne<Club>('club'),
}) {}

describe.each(stores)('A rule that holds for no related item ($name)', ({ make }) => {
  async function seenBy(caller?: string) {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
    })
    router.prepare(Ban)
    router.prepare(Club).access(({ item, caller }) => ({
      read: item.bans
        .some((ban) => ban.person.equal(caller.id).and(ban.level.greaterThan(1)))
        .not(),
    }))
    await router.load(Club, [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
      { id: 'c', name: 'C' },
    ])
    await router.load(Ban, [
      { id: '1', person: 'ann', level: 5, club: 'a' },
      { id: '2', person: 'ann', club: 'b' },
    ])
    return (await client(router).get('/clubs?sort=id', as(caller))).ids('clubs')
  }

  it('holds for items without any, and not for a caller who lacks what it names', async () => {
    expect(await seenBy('ann')).toEqual(['b', 'c'])
    expect(await seenBy('bob')).toEqual(['a', 'b', 'c'])
    expect(await seenBy()).toEqual([])
  })
})

class Shop extends model('shop', {
  name: z.string(),
  sales: toMany<Sale>('sale', { inverse: 'shop' }),
}) {}
class Sale extends model('sale', {
  at: dateTime({ date: true }),
  shop: toOne<Shop>('shop'),
  refunds: toMany<Refund>('refund', { inverse: 'sale' }),
}) {}
class Refund extends model('refund', {
  at: dateTime({ date: true }),
  sale: toOne<Sale>('sale'),
}) {}

describe.each(stores)('Query hooks over related items ($name)', ({ make }) => {
  it('hide items by what their related items hold', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Ban)
    router.prepare(Club).use({
      query: {
        any: (query, { request }) =>
          query.not((club) =>
            club
              .where('bans')
              .some((ban) => ban.where('person').equal(request.headers['x-user'] ?? '')),
          ),
      },
    })
    await router.load(Club, [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ])
    await router.load(Ban, [{ id: '1', person: 'ann', club: 'a' }])
    const api = client(router)
    expect((await api.get('/clubs', { 'x-user': 'ann' })).ids('clubs')).toEqual(['b'])
    expect((await api.get('/clubs/a', { 'x-user': 'ann' })).status).toBe(404)
    expect((await api.get('/clubs/a', { 'x-user': 'bob' })).status).toBe(200)
    expect(
      await router
        .query(Club)
        .where('bans')
        .some((ban) => ban.where('club.name').equal('A'))
        .size(),
    ).toBe(1)
  })

  it('compare them with values in the form of code, through several relations', async () => {
    const [early, late] = [new Date('2024-01-01T00:00:00.5Z'), new Date('2025-01-01T00:00:00Z')]
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Shop).use({
      query: {
        any: (query, { request }) =>
          request.headers['x-refunded']
            ? query
                .where('sales')
                .some((sale) =>
                  sale.where('refunds').some((refund) => refund.where('at').greaterThan(early)),
                )
            : query.where('sales').some((sale) => sale.where('at').equal(early)),
      },
    })
    router.prepare(Sale)
    router.prepare(Refund)
    await router.load(
      Shop,
      ['a', 'b'].map((id) => ({ id, name: id })),
    )
    await router.load(Sale, [
      { id: '1', at: early, shop: 'a' },
      { id: '2', at: late, shop: 'b' },
    ])
    await router.load(Refund, [
      { id: '1', at: early, sale: '1' },
      { id: '2', at: late, sale: '2' },
    ])
    const api = client(router)
    const refunded = { 'x-refunded': 'yes' }
    expect((await api.get('/shops')).ids('shops')).toEqual(['a'])
    expect((await api.get('/shops', refunded)).ids('shops')).toEqual(['b'])
    expect((await api.get('/shops/b')).status).toBe(404)
    expect((await api.get('/shops/b', refunded)).status).toBe(200)
  })
})
