import { createRouter, model, type Router, refuse, toOne } from 'resourcery'
import { checkAccess } from 'resourcery/check'
import { jsonApi } from 'resourcery/json-api'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { accessRouter, as, loadAccessWorld } from '../support/access-world.ts'
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
      const router = createRouter({ policy, store: await make(), docs: true })
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
