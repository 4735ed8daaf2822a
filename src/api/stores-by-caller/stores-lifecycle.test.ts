import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyModel,
  createRouter,
  field,
  model,
  planRouters,
  RegistrationError,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { type Store, StoreOverloaded, StoreUnavailable } from 'resourcery/store'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { asUser, Note, twoStores } from '../../../test/support/two-stores.ts'

/** A store that is away until it comes back. */
function awayStore() {
  const inner = memory()
  const state = { isAway: true, error: new StoreUnavailable('connect ECONNREFUSED') as Error }
  const check = () => {
    if (state.isAway) throw state.error
  }
  const store: Store = Object.assign(Object.create(inner) as Store, {
    open: async (...call: Parameters<Store['open']>) => {
      check()
      return inner.open(...call)
    },
    find: async (...call: Parameters<Store['find']>) => {
      check()
      return inner.find(...call)
    },
  })
  return { store, state }
}

afterEach(() => {
  vi.useRealTimers()
})

it('A store that is away at the start does not keep the others closed', async () => {
  const { store, state } = awayStore()
  const { router, api, errors } = twoStores({ north: memory(), south: store })
  await router.open()
  expect(errors.map((error) => (error as Error).message)).toEqual([
    "The store 'south': connect ECONNREFUSED",
  ])
  expect((await api.get('/notes', asUser('ada@north'))).status).toBe(200)
  const refused = await api.get('/notes', asUser('bob@south'))
  expect([refused.status, refused.errors[0]!.code]).toEqual([503, 'store-unavailable'])
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.text).not.toMatch(/south|ECONN/)
  state.isAway = false
  expect((await api.get('/notes', asUser('bob@south'))).status).toBe(200)
  await router.close()
})

it('A store that was away begins its work when it is back', async () => {
  const { store, state } = awayStore()
  const { router } = twoStores({ north: memory(), south: store }, { changes: true })
  const seen: string[] = []
  router.consume('watcher', { models: [Note] }, async (changes) => {
    for (const { after } of changes) seen.push(String(after?.title))
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await router.open()
  state.isAway = false
  await vi.advanceTimersByTimeAsync(2_100)
  vi.useRealTimers()
  await router.inStore('south').items(Note).create({ title: 'back' })
  await expect.poll(() => seen).toEqual(['back'])
  await router.close()
})

it('A router does not open where all stores are away, or one has another fault', async () => {
  const away = twoStores({ north: awayStore().store, south: awayStore().store })
  await expect(away.router.open()).rejects.toThrow("The store 'north': connect ECONNREFUSED")
  const { store, state } = awayStore()
  state.error = new TypeError('the file is corrupt')
  const broken = twoStores({ north: memory(), south: store })
  await expect(broken.router.open()).rejects.toThrow('the file is corrupt')
})

it('A start that fails closes the stores that it has opened', async () => {
  const { store, state } = awayStore()
  state.error = new RegistrationError('The tables do not fit.')
  const inner = memory()
  const close = vi.fn(async () => inner.close())
  const { router } = twoStores({ north: { ...inner, close }, south: store })
  await expect(router.open()).rejects.toThrow(
    new RegistrationError("The store 'south': The tables do not fit."),
  )
  expect(close).toHaveBeenCalledTimes(1)
})

it('A backfill that fails in one store names those that the start has changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const routerOf = (book: AnyModel) => {
    const router = createRouter({
      policy: rest(),
      stores: { north: sqlite(join(folder, 'n.db')), south: sqlite(join(folder, 's.db')) },
      store: () => 'north',
    })
    router.prepare(book)
    return router
  }
  const Old = model('book', { title: z.string() })
  const before = routerOf(Old)
  await before.inStore('north').load(Old, [{ title: 'fits' }])
  await before.inStore('south').load(Old, [{ title: 'odd' }])
  await before.close()
  const after = routerOf(
    model('book', {
      title: z.string(),
      slug: field(z.string(), {
        backfill: ({ title }) => {
          if (title === 'odd') throw new Error('no slug')
          return title
        },
      }),
    }),
  )
  await expect(after.open()).rejects.toThrow(
    /^The store 'south': The backfill of the field 'slug'.*no slug.*\nStores that are in the new form already: 'north'\.$/,
  )
})

it.each([
  [new Error('the disk is full'), "The store 'south': the disk is full"],
  [new RegistrationError('No tables.'), "The store 'south': No tables."],
  [
    new StoreOverloaded('All connections are in use.'),
    "The store 'south': All connections are in use.",
  ],
  [new TypeError('x is undefined'), 'x is undefined'],
])('A plan that fails names the store: %s', async (error, message) => {
  const inner = memory()
  const plan = async () => {
    throw error
  }
  const south: Store = { ...inner, admin: { plan } }
  const { router } = twoStores({ north: memory(), south })
  for (const planning of [() => router.plan(), () => planRouters([router])]) {
    const failure = await planning().catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(error.constructor)
    expect((failure as Error).message).toBe(message)
  }
  await router.close()
})

it('A consumer that fails names its store', async () => {
  const { router, errors } = twoStores({ north: memory(), south: memory() }, { changes: true })
  router.consume('watcher', { models: [Note] }, async () => {
    throw new Error('no mail')
  })
  await router.open()
  await router.inStore('south').items(Note).create({ title: 'new' })
  await expect
    .poll(() => errors.map((error) => (error as Error).message))
    .toContainEqual(expect.stringMatching(/^The store 'south': The consumer 'watcher' failed/))
  await router.close()
})

it('A service is ready while one of its stores is, and says which is not', async () => {
  const { store, state } = awayStore()
  const { router } = twoStores({ north: memory(), south: store })
  const server = await serve(router, { port: 0 })
  const ready = async () => {
    const response = await fetch(`http://localhost:${server.port}/readyz`)
    const { checks } = (await response.json()) as { checks: { name: string; state: string }[] }
    return [response.status, ...checks.map((check) => `${check.name} ${check.state}`)]
  }
  try {
    expect(await ready()).toEqual([200, 'north ready', 'south unavailable'])
    state.isAway = false
    await expect
      .poll(ready, { timeout: 8_000, interval: 300 })
      .toEqual([200, 'north ready', 'south ready'])
  } finally {
    await server.close()
  }
})

it('A router closes all of its stores, whatever one of them throws', async () => {
  const closed: string[] = []
  const closing = (name: string, error?: Error): Store =>
    Object.assign(Object.create(memory()) as Store, {
      open: async () => {},
      close: async () => {
        closed.push(name)
        if (error) throw error
      },
    })
  const { router } = twoStores({
    north: closing('north', new Error('north stays')),
    south: closing('south'),
  })
  await router.open()
  await expect(router.close()).rejects.toThrow('north stays')
  expect(closed).toEqual(['north', 'south'])
})

it('A store that fails stops no work in the others', async () => {
  const { router } = twoStores({ north: memory(), south: memory() })
  let runs = 0
  router.job('tidy', { every: '1 day', at: '03:00', timeZone: 'UTC' }, async () => {
    runs++
    if (runs === 1) throw new Error('north fails')
  })
  await expect(router.runJob('tidy')).rejects.toThrow("The store 'north': north fails")
  expect(runs).toBe(2)
  await router.close()
})

it('A router that is closed while it opens opens no store again', async () => {
  const { store, state } = awayStore()
  const openNow = store.open
  let openCount = 0
  let goOn = (): void => undefined
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve
  })
  store.open = async (...call) => {
    openCount++
    await waiting
    return openNow(...call)
  }
  const { router } = twoStores({ north: memory(), south: store })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const opening = router.open()
  const closing = router.close()
  goOn()
  await Promise.allSettled([opening, closing])
  state.isAway = false
  const before = openCount
  await vi.advanceTimersByTimeAsync(10_000)
  expect(openCount).toBe(before)
})
