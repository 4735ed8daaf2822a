import { createRouter, model, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Case extends model('case', {
  title: z.string(),
  owner: z.string(),
  note: z.string(),
  reports: toMany<Report>('report', { inverse: 'case' }),
  reportCount: rollup('reports', { count: true, countsHidden: true }),
}) {}
class Report extends model('report', { text: z.string(), case: toOne<Case>('case') }) {}

describe.each(stores)('A batch that changes items with rollups, on $name', ({ make }) => {
  it('shows no field that a rule of the item hides, and no more than a single request does', async () => {
    const router = createRouter({
      policy: jsonApi(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
    })
    onTestFinished(() => router.close())
    router.prepare(Case).access(({ item, caller, anyone }) => {
      const read = item.owner.equal(caller.id)
      return {
        read: anyone,
        create: anyone,
        update: anyone,
        fields: { note: { read }, reportCount: { read } },
      }
    })
    router.prepare(Report).access(({ anyone }) => ({ read: anyone, create: anyone }))
    await router.items(Case).create({ id: 'c', title: 't', owner: 'bob', note: 'SECRET' })
    const api = client(router, 'http://localhost', 'application/vnd.api+json')
    const data = { type: 'cases', id: 'c', attributes: { title: 'v' } }
    const single = await api.patch('/cases/c', { data }, as('ann'))
    const batch = await api.post(
      '/operations',
      { 'atomic:operations': [{ op: 'update', data }] },
      { ...as('ann'), 'content-type': atomicType, accept: atomicType },
    )
    expect(single.at('/data/attributes')).toEqual({ title: 'v', owner: 'bob' })
    expect(batch.at('/atomic:results/0/data/attributes')).toEqual(single.at('/data/attributes'))
  })
})
