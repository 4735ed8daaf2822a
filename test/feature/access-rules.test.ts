import { createRouter, model, type Router } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import {
  accessRouter,
  as,
  Caller,
  loadAccessWorld,
  Speaker,
  Talk,
  token,
} from '../support/access-world.ts'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

describe.each(stores)('Access rules ($name)', ({ make }) => {
  async function world(policy?: Parameters<typeof accessRouter>[1]): Promise<{
    router: Router<Caller>
    api: Client
  }> {
    const router = accessRouter(await make(), policy)
    await loadAccessWorld(router)
    return { router, api: client(router) }
  }

  describe('of items', () => {
    it('hide items from lists, counts and their own addresses', async () => {
      const { api } = await world()
      expect((await api.get('/talks?sort=id')).ids('talks')).toEqual(['t1', 't3'])
      expect((await api.get('/talks?sort=id', as('ann'))).ids('talks')).toEqual(['t1', 't2', 't3'])
      expect((await api.get('/talks', as('x:admin'))).ids('talks')).toHaveLength(4)
      expect((await api.get('/talks?page[size]=1&withCount=true')).at('/meta/page/total')).toBe(2)
      expect((await api.get('/talks/t2')).status).toBe(404)
      expect((await api.get('/talks/t2', as('ann'))).status).toBe(200)
      const missing = await api.get('/talks/nothing')
      const hidden = await api.get('/talks/t2')
      expect(hidden.text.replaceAll('t2', 'nothing')).toBe(missing.text)
    })

    it('refuse anonymous callers with 401 and a challenge, whatever the item', async () => {
      const { api } = await world()
      for (const id of ['t1', 't2', 'nothing']) {
        const response = await api.patch(`/talks/${id}`, { talk: { title: 'X' } })
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      }
      expect((await api.post('/talks', { talk: { title: 'X' } })).status).toBe(401)
      expect((await api.post('/talks/t1/accept')).status).toBe(401)
      expect((await api.delete('/talks/t1')).status).toBe(401)
    })

    it('refuse with 403 what may be seen and not changed, and with 404 what is hidden', async () => {
      const { api } = await world()
      const change = { talk: { title: 'X' } }
      const changed = await api.patch('/talks/t3', change, as('ann'))
      expect([changed.status, changed.errors[0]?.detail]).toEqual([
        403,
        'You may see this talk, but not change it.',
      ])
      expect((await api.patch('/talks/t4', change, as('ann'))).status).toBe(404)
      expect((await api.patch('/talks/t2', change, as('ann'))).status).toBe(200)
      const deleted = await api.delete('/talks/t2', as('ann'))
      expect([deleted.status, deleted.errors[0]?.detail]).toEqual([
        403,
        'You may see this talk, but not delete it.',
      ])
      expect((await api.delete('/talks/t2', as('x:admin'))).status).toBe(204)
      expect((await api.post('/talks/t1/accept', undefined, as('ann'))).status).toBe(403)
      expect((await api.post('/talks/t4/accept', undefined, as('x:admin'))).status).toBe(200)
    })

    it('set what the service sets at creation, and refuse other values', async () => {
      const { api } = await world()
      const created = await api.post('/talks', { talk: { id: 'n1', title: 'New' } }, as('ann'))
      expect(created.status).toBe(201)
      expect(created.at('/talk/speaker')).toBe('ann')
      const other = await api.post('/talks', { talk: { title: 'New', speaker: 'bob' } }, as('ann'))
      expect(other.status).toBe(403)
      expect(other.errors[0]?.source).toEqual({ pointer: '/talk/speaker' })
      const moved = await api.patch('/talks/n1', { talk: { speaker: 'bob' } }, as('ann'))
      expect(moved.status).toBe(403)
    })

    it('hold for a field that a replacement clears by leaving it out', async () => {
      const Page = model('page', {
        title: z.string(),
        status: z.string().default('draft'),
        notes: z.string().optional(),
        rank: z.int().default(0),
      })
      const router = createRouter({
        policy: rest(),
        store: await make(),
        security: { authentication: [token], callerSchema: Caller },
      })
      router.prepare(Page).access(({ item, anyone }) => ({
        fields: {
          notes: { read: anyone, write: item.status.equal('draft') },
          rank: { read: anyone, write: item.status.equal('draft') },
        },
      }))
      await router.load(Page, [
        { id: 'a', title: 'A', notes: 'n' },
        { id: 'b', title: 'B' },
      ])
      const api = client(router)
      const published = (id: string) =>
        api.put(`/pages/${id}`, { page: { title: 'X', status: 'published' } })
      expect((await published('a')).status).toBe(403)
      expect((await api.get('/pages/a')).at('/page/notes')).toBe('n')
      expect((await published('b')).status).toBe(200)
      expect((await api.put('/pages/a', { page: { title: 'X' } })).at('/page/notes')).toBe(
        undefined,
      )
    })

    it('hold for related items: includes, linkage and sorts', async () => {
      const { api } = await world(jsonApi())
      const included = await api.get('/speakers?include=talks&sort=id')
      const ids = (included.body as { included: { id: string }[] }).included.map(({ id }) => id)
      expect(ids.sort()).toEqual(['t1', 't3'])
      expect((await api.get('/speakers/ann/talks')).ids('data')).toEqual(['t1'])
      expect((await api.get('/speakers/ann/relationships/talks')).ids('data')).toEqual(['t1'])
      expect((await api.get('/speakers/ann/talks', as('ann'))).ids('data')).toEqual(['t1', 't2'])
    })
  })

  describe('of fields, by the caller alone', () => {
    it('make a field unknown to others', async () => {
      const { api } = await world()
      expect((await api.get('/talks/t1', as('x:admin'))).at('/talk/score')).toBe(5)
      expect((await api.get('/talks/t1')).at('/talk/score')).toBeUndefined()
      for (const query of ['filter[score]=5', 'sort=score', 'fields[talks]=score']) {
        expect((await api.get(`/talks?${query}`, as('x:admin'))).status).toBe(200)
        const refused = await api.get(`/talks?${query}`, as('ann'))
        const unknown = await api.get(`/talks?${query.replaceAll('score', 'skore')}`, as('ann'))
        expect(refused.status).toBe(400)
        expect(refused.text.replaceAll('score', 'skore')).toBe(unknown.text)
      }
      const written = await api.patch('/talks/t2', { talk: { score: 1 } }, as('ann'))
      expect(written.status).toBe(422)
      expect(written.errors[0]?.code).toBe('unknown-member')
    })

    it('leave it out of the document that these callers get', async () => {
      const { api } = await world()
      const admin = await api.get('/openapi.json', as('x:admin'))
      const ann = await api.get('/openapi.json', as('ann'))
      expect(admin.text).toContain('score')
      expect(ann.text).not.toContain('score')
      expect(ann.headers.get('cache-control')).toContain('private')
      expect(ann.headers.get('vary')?.toLowerCase()).toContain('authorization')
    })

    it('give versions of what is shown, which If-Match accepts', async () => {
      const { api } = await world()
      const seen = await api.get('/talks/t2', as('ann'))
      const whole = await api.get('/talks/t2', as('x:admin'))
      expect(seen.etag).not.toBe(whole.etag)
      expect(seen.etag.startsWith(`"${seen.at('/talk/hash')}.`)).toBe(true)
      const headers = { ...as('ann'), 'if-match': seen.etag }
      expect(
        (await api.get('/talks/t2', { ...as('ann'), 'if-none-match': seen.etag })).status,
      ).toBe(304)
      expect((await api.patch('/talks/t2', { talk: { title: 'X' } }, headers)).status).toBe(200)
      expect((await api.patch('/talks/t2', { talk: { title: 'Y' } }, headers)).status).toBe(412)
    })

    it('keep the value when the item is replaced', async () => {
      const { api } = await world()
      const replaced = await api.put('/talks/t2', { talk: { title: 'X', slot: 's2' } }, as('ann'))
      expect(replaced.status).toBe(200)
      expect((await api.get('/talks/t2', as('x:admin'))).at('/talk/score')).toBe(3)
    })
  })

  describe('of fields, by the item', () => {
    it('leave the member out where the rule does not hold', async () => {
      const { api } = await world()
      const list = await api.get('/talks?sort=id', as('ann'))
      expect(
        (list.body as { talks: { notes?: string }[] }).talks.map(({ notes }) => notes),
      ).toEqual(['a', 'b', undefined])
      expect((await api.get('/speakers/ann', as('bob'))).at('/speaker/email')).toBeUndefined()
      expect((await api.get('/speakers/ann', as('ann'))).at('/speaker/email')).toBe(
        'ann@example.org',
      )
    })

    it('hide the value from filters, sorts and cursors, here and through relations', async () => {
      const { api } = await world()
      expect((await api.get('/talks?filter[notes]=c', as('ann'))).ids('talks')).toEqual([])
      expect((await api.get('/talks?filter[notes][isNull]=true', as('ann'))).ids('talks')).toEqual([
        't3',
      ])
      expect((await api.get('/talks?sort=-notes', as('ann'))).ids('talks')).toEqual([
        't2',
        't1',
        't3',
      ])
      const email = 'filter[speaker.email]=bob@example.org'
      expect((await api.get(`/talks?${email}`, as('ann'))).ids('talks')).toEqual([])
      expect((await api.get(`/talks?${email}`, as('bob'))).ids('talks')).toEqual(['t3'])
      let next: string | undefined = '/talks?sort=notes&page[size]=1'
      const ids: string[] = []
      while (next !== undefined) {
        const page: Awaited<ReturnType<Client['get']>> = await api.get(next, as('ann'))
        ids.push(...page.ids('talks'))
        next = page.link('next')
      }
      expect(ids).toEqual(['t3', 't1', 't2'])
    })

    it('refuse writes of a field with a pointer, and keep it when the item is replaced', async () => {
      const { api } = await world()
      const refused = await api.patch('/speakers/ann', { speaker: { email: 'x@y.z' } }, as('ann'))
      expect(refused.status).toBe(403)
      expect(refused.errors[0]).toMatchObject({
        detail: "You may not set 'email'.",
        source: { pointer: '/speaker/email' },
      })
      const same = await api.patch(
        '/speakers/ann',
        { speaker: { email: 'ann@example.org' } },
        as('ann'),
      )
      expect(same.status).toBe(200)
      expect((await api.put('/speakers/ann', { speaker: { name: 'A' } }, as('ann'))).status).toBe(
        200,
      )
      expect((await api.get('/speakers/ann', as('ann'))).at('/speaker/email')).toBe(
        'ann@example.org',
      )
      const status = await api.patch('/talks/t2', { talk: { status: 'accepted' } }, as('ann'))
      expect(status.status).toBe(403)
    })

    it('ignore null for a value that the caller does not see only where the document has null', async () => {
      const Member = model(
        'member',
        { name: z.string(), email: z.string().optional(), pin: z.string() },
        { ids: 'client' },
      )
      const router = createRouter({
        policy: rest(),
        store: await make(),
        security: { authentication: [token], callerSchema: Caller },
      })
      router.prepare(Member).access(({ item, anyone }) => {
        const guard = { read: item.name.equal('open'), write: item.name.equal('open') }
        return {
          read: anyone,
          create: anyone,
          update: anyone,
          delete: anyone,
          fields: { email: guard, pin: guard },
        }
      })
      await router.load(Member, [{ id: 'a', name: 'closed', email: 'e@example.org', pin: '1' }])
      const api = client(router)
      const member = { name: 'closed' }
      const replaced = await api.put('/members/a', { member: { ...member, email: null } })
      const faults = (of: typeof replaced) =>
        of.errors.map(({ code, source }) => `${code} ${source?.pointer}`)
      expect(faults(replaced)).toEqual(['forbidden /member/email', 'invalid-member /member/email'])
      const pin = await api.patch('/members/a', { member: { pin: null } })
      expect(faults(pin)).toContain('forbidden /member/pin')
      expect((await api.patch('/members/a', { member: { email: null } })).status).toBe(200)
      expect((await api.put('/members/a', { member })).status).toBe(200)
      expect((await router.items(Member).get('a'))?.email).toBe('e@example.org')
    })
  })

  describe('at other doors', () => {
    it('give a repeated request what its caller sees now', async () => {
      const router = accessRouter(await make(), undefined, { idempotency: true })
      await loadAccessWorld(router)
      const api = client(router)
      const send = () =>
        api.patch('/talks/t2', { talk: { title: 'X' } }, { ...as('ann'), 'idempotency-key': 'k1' })
      const first = await send()
      const again = await send()
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(again.text).toBe(first.text)
      expect(again.text).not.toContain('score')
    })

    it('hold for files', async () => {
      const { api } = await world()
      const upload = { ...as('ann'), 'content-type': 'text/plain' }
      expect((await api.put('/speakers/ann/photo', 'bytes', upload)).status).toBe(405)
      expect((await api.post('/speakers/ann/photo', 'bytes', upload)).status).toBe(200)
      expect((await api.get('/speakers/ann/photo', as('ann'))).status).toBe(200)
      const seen = await api.get('/speakers/ann/photo', as('bob'))
      const empty = await api.get('/speakers/bob/photo', as('bob'))
      expect([seen.status, seen.text.replaceAll('ann', 'bob')]).toEqual([404, empty.text])
      const other = { ...as('bob'), 'content-type': 'text/plain' }
      expect((await api.post('/speakers/ann/photo', 'bytes', other)).status).toBe(403)
    })

    it('let a caller send back an item as it got it', async () => {
      const router = accessRouter(await make(), undefined, { capabilities: 'items' })
      await loadAccessWorld(router)
      const api = client(router)
      await router.loadResource(
        Speaker,
        { id: 'bob', path: 'photo' },
        { bytes: Buffer.from('x'), contentType: 'text/plain' },
      )
      for (const [path, who] of [
        ['/talks/t2', 'ann'],
        ['/speakers/bob', 'bob'],
      ] as const) {
        const { body } = await api.get(path, as(who))
        expect((await api.put(path, body as object, as(who))).errors).toEqual([])
        expect((await api.patch(path, body as object, as(who))).status).toBe(200)
      }
    })

    it('hold for batches', async () => {
      const { api } = await world(jsonApi())
      const update = (id: string, attributes: object) => ({
        'atomic:operations': [{ op: 'update', data: { type: 'talks', id, attributes } }],
      })
      const headers = (who: string) => ({
        ...as(who),
        'content-type': atomicType,
        accept: atomicType,
      })
      const changed = await api.post('/operations', update('t2', { title: 'X' }), headers('ann'))
      expect(changed.status).toBe(200)
      expect(changed.text).not.toContain('score')
      const refused = await api.post('/operations', update('t3', { title: 'X' }), headers('ann'))
      expect(refused.status).toBe(403)
      const hidden = await api.post('/operations', update('t4', { title: 'X' }), headers('ann'))
      expect(hidden.status).toBe(404)
      const removal = { op: 'remove', ref: { type: 'talks', id: 't2' } }
      const kept = await api.post('/operations', { 'atomic:operations': [removal] }, headers('ann'))
      expect([kept.status, kept.errors[0]?.detail]).toEqual([
        403,
        'You may see this talk, but not delete it.',
      ])
    })

    it('hold for code in the name of a caller, and not for code of the service', async () => {
      const router = accessRouter(await make())
      let seen: unknown[] = []
      let all = 0
      router.use({
        around: async (context, next) => {
          seen = await router.items(Talk, { as: context }).all((query) => query.sort('id'))
          all = await router.items(Talk).count()
          return next()
        },
      })
      await loadAccessWorld(router)
      await client(router).get('/talks', as('ann'))
      expect(seen.map((talk) => (talk as Talk).notes)).toEqual(['a', 'b', undefined])
      expect(JSON.stringify(seen)).not.toContain('score')
      expect(all).toBe(4)
    })
  })
})

/** Rules in JavaScript. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is checked there
type LooseRules = (symbols: any) => unknown

describe('A declaration of access rules', () => {
  const router = () =>
    createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs(), ...callers })
  const callers = { security: { authentication: [token], callerSchema: Caller } }
  const roles = ['admin', 'user'] as const
  const EnumCaller = z.object({
    id: z.string(),
    role: z.enum(roles),
    rank: z.enum(roles).nullable(),
    kind: z.union([z.literal('person'), z.literal('robot')]),
    roles: z.array(z.enum(roles)).default([]),
    home: z.object({ floor: z.literal(1) }).optional(),
  })
  const openedWithEnums = async (rules: LooseRules) => {
    const own = createRouter({
      policy: rest(),
      store: memory(),
      security: {
        authentication: [basic({ users: { ann: 'secret' }, caller: () => ({}) as never })],
        callerSchema: EnumCaller,
      },
    })
    own.prepare(model('note', { text: z.string() })).access(rules as never)
    await own.open()
  }

  it.each<[string, LooseRules, string]>([
    [
      'equal',
      ({ caller }) => ({ read: caller.role.equal('admn') }),
      '\'role\' of the caller with "admn"; expected one of admin, user',
    ],
    ['notEqual', ({ caller }) => ({ read: caller.role.notEqual('admn') }), 'admin, user'],
    ['anyOf', ({ caller }) => ({ read: caller.role.anyOf(['user', 'admn']) }), 'admin, user'],
    ['an enum or null', ({ caller }) => ({ read: caller.rank.equal('admn') }), 'admin, user'],
    ['a union of literals', ({ caller }) => ({ read: caller.kind.equal('cat') }), 'person, robot'],
    ['contains', ({ caller }) => ({ read: caller.roles.contains('admn') }), 'admin, user'],
    ['containsAny', ({ caller }) => ({ read: caller.roles.containsAny(['admn']) }), 'admin, user'],
    ['a nested literal', ({ caller }) => ({ read: caller.home.floor.equal(2) }), 'expected 1'],
    [
      'a part of a rule of a field',
      ({ item, caller }) => ({
        fields: { text: { write: item.text.equal('x').or(caller.role.equal('admn').not()) } },
      }),
      'admin, user',
    ],
  ])(
    'refuses a value that the schema of the caller does not list: %s',
    async (_, rules, message) => {
      await expect(openedWithEnums(rules)).rejects.toThrow(message)
    },
  )

  it('accepts the values that the schema of the caller lists, and parts of them', async () => {
    await openedWithEnums(({ item, caller }) => ({
      read: caller.role.equal('admin').or(caller.rank.equal('user'), caller.rank.equal(null)),
      create: caller.roles.containsAll(['admin', 'user']).or(caller.role.startsWith('ad')),
      update: caller.home.floor.equal(1).or(caller.kind.anyOf(['robot']), caller.id.equal('x')),
      delete: item.text.equal(caller.role),
    }))
  })

  const opened = async (rules: LooseRules) => {
    const own = router()
    own.prepare(Speaker)
    own.prepare(Talk).access(rules as never)
    await own.open()
  }

  it('may make conditions that they do not use, as code of several models does', async () => {
    const shared = ({ item, caller }: Parameters<LooseRules>[0]) => ({
      isOwn: item.speaker.equal(caller.id),
      isDraft: item.status.equal('draft'),
    })
    await opened((symbols) => ({ read: shared(symbols).isOwn }))
    const isClosed = Math.random() >= 0
    await opened((symbols) => ({
      read: shared(symbols)?.isOwn ?? symbols.nobody,
      ...(isClosed && { delete: symbols.nobody }),
      ...(isClosed && { update: symbols.nobody }),
      // Texts and comments join nothing: a && b
      fields: { title: { read: symbols.item.title.notEqual('a || b') } },
    }))
  })

  it.each<[string, LooseRules, RegExp]>([
    ['an unknown field', ({ item }) => ({ read: item.titel.equal('x') }), /'titel'.*Did you mean/],
    [
      'a value of another type',
      ({ item }) => ({ read: item.score.equal('x') }),
      /expected a number/,
    ],
    [
      'an unknown member of the caller',
      ({ item, caller }) => ({ read: item.id.equal(caller.name) }),
      /'name' of the caller/,
    ],
    [
      'an unknown action',
      ({ nobody }) => ({ actions: { publish: nobody } }),
      /'publish', which the model does not have; expected 'accept'/,
    ],
    [
      'a misspelled action',
      ({ nobody }) => ({ actions: { acept: nobody } }),
      /'acept', which the model does not have. Did you mean 'accept'/,
    ],
    ['an unknown rule', ({ nobody }) => ({ remove: nobody }), /'remove'/],
    ['what is no condition', () => ({ read: true }), /must be a condition/],
    [
      'a misspelled symbol',
      ({ noboby }) => ({ read: noboby }),
      /no 'noboby'. Did you mean 'nobody'/,
    ],
    [
      'conditions that && joins',
      ({ item, caller }) => ({
        read: item.status.equal('draft') && item.speaker.equal(caller.id),
      }),
      /a function with '&&', which keeps only one of two conditions. Join conditions by and\(\)/,
    ],
    [
      'conditions that || joins, also where other rules have them',
      ({ item, caller }) => {
        const own = item.speaker.equal(caller.id)
        const isDraft = item.status.equal('draft')
        return { read: own || isDraft, update: own, delete: isDraft }
      },
      /a function with '\|\|'/,
    ],
    [
      'a condition that ? takes for true',
      ({ item, anyone, nobody }) => ({ read: item.status.equal('draft') ? anyone : nobody }),
      /a condition about 'item.status' that is part of no rule/,
    ],
    [
      'a condition that if takes for true',
      ({ caller, anyone }) => {
        if (caller.id.equal('x')) return { read: anyone }
        return {}
      },
      /a condition about 'caller.id' that is part of no rule/,
    ],
    [
      'a comparison with the caller as a whole',
      ({ item, caller }) => ({ read: item.speaker.equal(caller) }),
      /compares with 'caller' as a whole. Name a member, such as 'caller.id'/,
    ],
    ['a rule without a value', () => ({ read: undefined }), /'read' without a value/],
    ['a rule that is null', () => ({ delete: null }), /'delete' without a value/],
    ['a null', () => ({ set: { title: null } }), /'set.title' without a value/],
    ['an asynchronous function', async ({ nobody }) => ({ read: nobody }), /async/],
    [
      'no value of an enum',
      ({ item }) => ({ read: item.status.notEqual('opne') }),
      /one of draft, accepted/,
    ],
    [
      'two fields of the item',
      ({ item }) => ({ read: item.title.equal(item.notes) }),
      /Compare a field with a value/,
    ],
    [
      'an inverse relation by the item',
      ({ item, caller }) => ({
        fields: { reviewers: { read: item.id.equal(caller.id) }, talks: {} },
      }),
      /'talks'/,
    ],
    [
      'a number that is compared with the time',
      ({ item, now }) => ({ read: item.score.lessThan(now) }),
      /'score' is compared with now, but .*'integer'; expected a date or a date-time/,
    ],
    [
      'a text that is compared with the time',
      ({ item, now }) => ({ read: item.title.lessThan(now) }),
      /'title' is compared with now/,
    ],
    [
      'an id that is compared with the time',
      ({ item, now }) => ({ read: item.speaker.equal(now) }),
      /'speaker' is compared with now, but it is an id/,
    ],
    [
      'the caller that is compared with the time',
      ({ caller, now }) => ({ read: caller.id.lessThan(now) }),
      /'id' of the caller with now/,
    ],
    [
      'a list with the time',
      ({ item, now }) => ({ read: item.reviewers.contains(now) }),
      /contains\(\) .* cannot take now/,
    ],
    [
      'a part of a text that is the time',
      ({ item, now }) => ({ read: item.title.startsWith(now) }),
      /startsWith\(\) .* cannot take now/,
    ],
    ['the time as a value to set', ({ now }) => ({ set: { title: now } }), /a member of 'caller'/],
    ...['read', 'create', 'delete'].map((name): [string, LooseRules, RegExp] => [
      `the item before a change in '${name}'`,
      ({ before }) => ({ [name]: before.title.equal('x') }),
      new RegExp(`'before' in '${name}', where nothing changes`),
    ]),
    [
      'the item before a change in a rule of who reads a field',
      ({ before }) => ({ fields: { score: { read: before.title.equal('x') } } }),
      /'before' in 'fields.score.read'/,
    ],
    [
      'the item before a change in a rule of an action',
      ({ before }) => ({ actions: { accept: before.title.equal('x') } }),
      /'before' in 'actions.accept'/,
    ],
    [
      'the item before a change that is compared with the outcome',
      ({ item, before }) => ({ update: item.title.equal(before.title) }),
      /Compare a field with a value/,
    ],
    [
      'an unknown field of the item before a change',
      ({ before }) => ({ update: before.titel.equal('x') }),
      /'titel'.*Did you mean/,
    ],
    ['what cannot be set', ({ item }) => ({ set: { title: item.notes } }), /a member of 'caller'/],
    ['a set value of another type', () => ({ set: { score: 'x' } }), /'score'.*expected a number/],
    ['a set value outside an enum', () => ({ set: { status: 'opne' } }), /one of draft, accepted/],
  ])('refuses %s', async (_, rules, message) => {
    await expect(opened(rules as never)).rejects.toThrow(message)
  })

  it('needs callers where it names them', async () => {
    const own = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    own.prepare(Speaker).access(({ signedIn }) => ({ read: signedIn }))
    own.prepare(Talk)
    await expect(own.open()).rejects.toThrow(/security: \{ authentication, callerSchema \}/)
    const other = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    other.prepare(Speaker)
    other.prepare(Talk).access((({ caller, anyone }: never) => ({
      create: anyone,
      set: { speaker: (caller as { id: string }).id },
    })) as never)
    await expect(other.open()).rejects.toThrow(/security: \{ authentication, callerSchema \}/)
  })

  it('leaves the lists of the service as they are', async () => {
    const statuses = ['accepted']
    await opened((({ item }: { item: { status: { anyOf(list: string[]): unknown } } }) => ({
      read: item.status.anyOf(statuses),
    })) as never)
    expect(Object.isFrozen(statuses)).toBe(false)
  })

  it('holds for no item without a value, where it orders values', async () => {
    const own = router()
    own.prepare(Speaker)
    own.prepare(Talk).access(({ item }) => ({
      read: item.slot.lessThan('s2').or(item.slot.greaterThan('s1').not()),
    }))
    await loadAccessWorld(own)
    expect((await client(own).get('/talks')).ids('talks')).toEqual(['t1'])
  })

  it('asks nothing of an anonymous caller, not even what it lacks', async () => {
    const own = router()
    own.prepare(Speaker).access(({ caller }) => ({ read: caller.id.isNull() }))
    own.prepare(Talk)
    expect((await client(own).get('/speakers')).status).toBe(401)
  })

  it('is frozen data', async () => {
    let expression: unknown
    await opened(({ item, caller }) => {
      const read = item.speaker.equal(caller.id)
      expression = read.expression
      return { read }
    })
    expect(Object.isFrozen(expression)).toBe(true)
    expect(JSON.parse(JSON.stringify(expression))).toEqual({
      kind: 'compare',
      operator: 'equal',
      left: { kind: 'item', path: ['speaker'] },
      right: { kind: 'caller', path: ['id'] },
    })
  })

  it('gives ownerless items to nobody, also where a comparison is negated', async () => {
    const own = router()
    own.prepare(Speaker)
    own.prepare(Talk).access(({ item, caller }) => ({
      read: item.speaker
        .equal(caller.id)
        .or(item.speaker.equal(caller.id).not().and(item.title.equal('x'))),
    }))
    await loadAccessWorld(own)
    expect((await client(own).get('/talks')).status).toBe(401)
    expect((await client(own).get('/talks', as('ann'))).ids('talks')).toEqual(['t1', 't2'])
  })
})
