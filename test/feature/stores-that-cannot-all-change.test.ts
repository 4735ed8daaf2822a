import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyModel, createRouter, field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { leaveRoutersUnwatched } from '../support/truth/watching.ts'

// Watched routers have stores of their own.
leaveRoutersUnwatched()

const First = model('thing', { title: z.string(), code: z.string() })
const Second = model('thing', {
  name: field(z.string(), { was: 'title' }),
  code: field(z.string(), { unique: true }),
})

it.each(['documents', 'tables'] as const)(
  'No store is changed where the data of another one refuses the models (%s)',
  async (layout) => {
    const folder = mkdtempSync(join(tmpdir(), 'stores-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const routerOf = (thing: AnyModel) => {
      const storeIn = (name: string) => sqlite(join(folder, `${name}.db`), { layout })
      const router = createRouter({
        policy: rest(),
        stores: { north: storeIn('north'), south: storeIn('south') },
        store: () => 'north',
      })
      router.prepare(thing)
      return router
    }
    const before = routerOf(First)
    const load = (store: 'north' | 'south', codes: readonly string[]) =>
      before.inStore(store).load(
        First,
        codes.map((code, index) => ({ id: String(index), title: 'x', code })),
      )
    await load('north', ['c', 'd'])
    await load('south', ['c', 'c'])
    const after = routerOf(Second)
    await expect(after.open()).rejects.toThrow(
      /^No store was changed, because one of them cannot be:\nThe store 'south': .*'code'/,
    )
    for (const store of ['north', 'south'] as const)
      expect(await before.inStore(store).query(First).size()).toBe(2)
    await after.close()
    await before.close()
  },
)
