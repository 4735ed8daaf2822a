import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { leaveRoutersUnwatched } from '../../test/support/truth/watching.ts'
import { field } from '../model/declare/field.ts'
import { type AnyModel, model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { rollup } from '../model/declare/rollup.ts'
import { createRouter } from './create-router.ts'
import { planRouters } from './plan-routers.ts'

// Watched routers have stores of their own.
leaveRoutersUnwatched()

const Book = model('book', { title: z.string() })
const Shop = model('shop', { name: z.string() })

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const openStore = (name: string) => sqlite(join(folder, name), { layout: 'tables' })
const routerOver = (store: ReturnType<typeof sqlite>, ...models: AnyModel[]) => {
  const router = createRouter({ policy: rest(), basePath: `/${models[0]!.name}`, store })
  for (const prepared of models) router.prepare(prepared)
  return router
}

it('Routers over one store are planned together, so that none abandons tables of another', async () => {
  const [store, other] = [openStore('shared.db'), openStore('other.db')]
  const books = routerOver(store, Book)
  const shops = routerOver(store, Shop, Book)
  const others = routerOver(other, Shop)
  try {
    for (const router of [books, shops]) await router.open()
    expect(await books.plan()).toMatchObject([{ kind: 'never' }])
    expect(await planRouters([books, shops])).toEqual([])
    expect(await planRouters([books, shops, others])).toMatchObject([
      { kind: 'instant' },
      { kind: 'instant', summary: "Create the table 'shops' of the model 'shop'." },
    ])
  } finally {
    await store.close()
    await other.close()
  }
})

it('Routers that declare a model differently are refused, as a start refuses them', async () => {
  const store = openStore('differing.db')
  const Hiding = model('book', { title: field(z.string(), { hidden: true }) })
  await expect(planRouters([routerOver(store, Book), routerOver(store, Hiding)])).rejects.toThrow(
    "Two routers over one store declare the model 'book' differently",
  )
  await store.close()
})

it.each(['documents', 'tables'] as const)(
  'A plan of models with rollups creates no file, and says the same again after a start (%s)',
  async (layout) => {
    const file = join(folder, `${layout} of rollups.db`)
    const store = sqlite(file, { layout })
    const Shelf = model('shelf', {
      books: toMany('volume', { inverse: 'shelf' }),
      bookCount: rollup('books', { count: true }),
    })
    const Volume = model('volume', { shelf: toOne('shelf') })
    const router = routerOver(store, Shelf, Volume)
    const computes = { summary: "Compute 'bookCount' of all items of 'shelves'." }
    expect((await router.plan())?.at(-1)).toMatchObject(computes)
    expect(existsSync(file)).toBe(false)
    await router.open()
    expect(await router.plan()).toEqual([])
    await store.close()
    expect(await routerOver(sqlite(file, { layout }), Shelf, Volume).plan()).toEqual([])
  },
)
