import { hash, model } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { policies } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

const members = { name: z.string(), owner: z.string(), note: z.string().optional(), hash: hash() }
const Genre = model('genre', members)
const Kind = model('kind', members)

describe.each(stores)('Equal items of two models ($name)', ({ make }) => {
  describe.each(policies)('under $name', (policy) => {
    it('have different versions, also where a caller sees only a part', async () => {
      const router = policy.router(await make(), {
        security: { authentication: [token], callerSchema: Caller },
      })
      const api = policy.client(router)
      for (const prepared of [Genre, Kind])
        router.prepare(prepared).access(({ item, caller, anyone }) => ({
          read: anyone,
          delete: anyone,
          fields: { note: { read: item.owner.equal(caller.id) } },
        }))
      for (const loaded of [Genre, Kind])
        await router.load(loaded, [{ id: '1', name: 'The same', owner: '1', note: 'hidden' }])
      // The first is the owner of the note, the second sees what is left.
      for (const caller of [as('1'), as('2'), as()]) {
        const [genre, kind] = [
          await api.get('/genres/1', caller),
          await api.get('/kinds/1', caller),
        ]
        expect(policy.item(kind)).toEqual(policy.item(genre))
        expect(kind.etag).not.toBe(genre.etag)
        const known = await api.get('/kinds/1', { ...caller, 'if-none-match': genre.etag })
        expect(known.status).toBe(200)
        const refused = await api.delete('/kinds/1', { ...caller, 'if-match': genre.etag })
        expect(refused.status).toBe(412)
      }
    })
  })
})
