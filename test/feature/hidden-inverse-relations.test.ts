import { type AccessCallback, createRouter, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', {
  name: z.string(),
  owned: toMany('paper', { inverse: 'owner' }),
  watched: toMany('paper', { inverse: 'watchers' }),
  hash: hash(),
})
class Paper extends model('paper', {
  title: z.string(),
  owner: toOne('person', { optional: true }),
  watchers: toMany('person'),
}) {}
const Caller = z.object({ id: z.string() })
type Rules = AccessCallback<Paper, z.output<typeof Caller>>

const byCaller: Rules = ({ caller, anyone }) => {
  const read = caller.id.equal('admin')
  return { fields: { owner: { read, write: anyone }, watchers: { read, write: anyone } } }
}
const byItem: Rules = ({ item, caller, anyone }) => {
  const read = item.title.equal('open').or(caller.id.equal('admin'))
  return { fields: { owner: { read, write: anyone }, watchers: { read, write: anyone } } }
}

describe.each(stores)(
  'The inverse of a relation that a caller does not see ($name)',
  ({ make }) => {
    async function world(rules: Rules) {
      const router = createRouter({
        policy: jsonApi(),
        store: await make(),
        security: {
          authentication: [
            {
              name: 'gateway',
              scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
              authenticate: ({ headers: { 'x-user': id } }) =>
                id ? { caller: { id } } : undefined,
            },
          ],
          callerSchema: Caller,
        },
      })
      router.prepare(Person)
      router.prepare(Paper).access(rules)
      await router.load(Person, [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Bob' },
      ])
      await router.load(Paper, [
        { id: 'p1', title: 'closed', owner: 'ann', watchers: ['ann'] },
        { id: 'p2', title: 'open', owner: 'ann', watchers: ['ann', 'bob'] },
      ])
      return client(router, 'http://localhost', 'application/vnd.api+json')
    }
    const admin = { 'x-user': 'admin' }
    const rulesets = [
      { by: 'the caller', rules: byCaller, seen: [] },
      { by: 'the item', rules: byItem, seen: ['p2'] },
    ]

    it.each(rulesets)('leads to no item that hides it, by $by', async ({ rules, seen }) => {
      const api = await world(rules)
      for (const path of [
        '/people/ann/owned',
        '/people/ann/watched',
        '/people/ann/relationships/owned',
        '/people/ann/relationships/watched',
        '/people/ann/owned?sort=-title',
        '/people/ann/watched?page[size]=5',
      ]) {
        expect((await api.get(path)).ids('data'), path).toEqual(seen)
        expect((await api.get(path, admin)).ids('data').toSorted(), path).toEqual(['p1', 'p2'])
      }
      for (const include of ['owned', 'watched', 'owned&filterIncluded[owned][title][ne]=x']) {
        const included = await api.get(`/people/ann?include=${include}`)
        expect(included.status === 200 ? (included.at('/included') ?? []) : []).toHaveLength(
          seen.length,
        )
      }
      for (const filter of ['owned', 'watched']) {
        const path = (id: string) => `/people?filter[${filter}]=${id}`
        expect((await api.get(path('p1'))).ids('data')).toEqual([])
        expect((await api.get(path('p2'))).ids('data')).toHaveLength(
          seen.length === 0 ? 0 : filter === 'owned' ? 1 : 2,
        )
        expect((await api.get(path('p1'), admin)).ids('data')).toEqual(['ann'])
      }
    })

    it('changes no link that the caller does not see, and adds none twice', async () => {
      const api = await world(byItem)
      const papers = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'papers', id })) })
      const links = async () =>
        (await api.get('/people/ann/relationships/watched', admin)).ids('data')
      expect((await api.patch('/people/ann/relationships/watched', papers())).status).toBe(204)
      expect(await links()).toEqual(['p1'])
      expect((await api.post('/people/ann/relationships/watched', papers('p1'))).status).toBe(204)
      expect(await links()).toEqual(['p1'])
      const watchers = await api.get('/papers/p1/relationships/watchers', admin)
      expect(watchers.ids('data')).toEqual(['ann'])
    })
  },
)
