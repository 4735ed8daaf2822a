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
