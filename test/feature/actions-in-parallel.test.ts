import { setTimeout as wait } from 'node:timers/promises'
import { Action, action, hash, model, type Router, type RouterOptions, refuse } from 'resourcery'
import { type Server, serve } from 'resourcery/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client, ClientResponse } from '../support/client.ts'
import { policies, prepared } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

const Amount = z.object({ amount: z.int() })
const Stock = z.object({ stock: z.int() })
type Amounts = { readonly amount: number }

/** How often each action was called, whatever its outcome. */
const calls = new Map<string, number>()
const called = (name: string) => calls.set(name, (calls.get(name) ?? 0) + 1)

/** The promise that asynchronous actions await. */
let gate = Promise.resolve()

class Book extends model('book', {
  title: z.string(),
  stock: z.int().nonnegative().default(0),
  hash: hash(),
}) {
  @Action({ input: Amount, output: Stock })
  restock({ amount }: Amounts): { stock: number } {
    called('restock')
    this.stock += amount
    return { stock: this.stock }
  }

  @Action({ input: Amount, output: Stock })
  async restockLater({ amount }: Amounts): Promise<{ stock: number }> {
    called('restockLater')
    const { stock } = this
    await wait(1)
    this.stock = stock + amount
    return { stock: this.stock }
  }

  /** Its type does not say that it returns a promise. */
  @Action({ input: Amount })
  restockSomehow({ amount }: Amounts): Promise<void> {
    called('restockSomehow')
    const { stock } = this
    return wait(1).then(() => {
      this.stock = stock + amount
    })
  }

  @Action({ input: Amount })
  async restockAtGate({ amount }: Amounts): Promise<void> {
    called('restockAtGate')
    this.stock += amount
    await gate
  }

  @Action
  async failAtGate(): Promise<void> {
    this.stock = 99
    await gate
    throw refuse('conflict', 'Not now.')
  }

  @Action
  async hang(): Promise<void> {
    await new Promise(() => undefined)
  }

  take({ amount }: z.infer<typeof Amount>): void {
    if (this.stock < amount) throw refuse('conflict', `Only ${this.stock} are left.`)
    this.stock -= amount
  }

  static {
    action(this, 'take', { input: Amount, responses: { 409: 'Too few are left' } })
  }
}

const parallel = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make))
const statuses = (responses: readonly { readonly status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe.each(policies)('Under $name,', (kind) => {
  describe.each(stores)('on $name,', ({ make }) => {
    let router: Router
    let api: Client
    let reported: unknown[]

    const invoke = (
      name: string,
      input: unknown = {},
      headers = {},
      id = 'b-1',
    ): Promise<ClientResponse> => api.post(`/books/${id}/${name}`, kind.input(input), headers)
    const stock = async () => kind.item(await api.get('/books/b-1')).stock

    const start = async (options: Partial<Pick<RouterOptions, 'timeouts'>>) => {
      const onError = (error: unknown) => reported.push(error)
      ;({ router, api } = prepared(kind, await make(), [Book], { ...options, onError }))
      await router.load(Book, [
        { id: 'b-1', title: 'Dune' },
        { id: 'b-2', title: 'Solaris' },
      ])
    }

    beforeEach(async () => {
      reported = []
      calls.clear()
      gate = Promise.resolve()
      await start({})
    })

    it.each(['restock', 'restockLater', 'restockSomehow'])(
      '100 parallel %s {amount: 1} add up to 100',
      async (name) => {
        const responses = await parallel(100, () => invoke(name, { amount: 1 }))
        expect(statuses(responses)).toEqual({ 200: 100 })
        expect(await stock()).toBe(100)
        const results = responses.map((response) =>
          name === 'restockSomehow' ? 0 : (kind.output(response) as Amounts & Stocks).stock,
        )
        if (name !== 'restockSomehow') expect(new Set(results).size).toBe(100)
      },
    )

    it('a synchronous action runs once for each request, an asynchronous one seldom more often', async () => {
      await parallel(100, () => invoke('restock', { amount: 1 }))
      await parallel(100, () => invoke('restockLater', { amount: 1 }))
      expect(calls.get('restock')).toBe(100)
      expect(calls.get('restockLater')).toBe(100)
    })

    it('actions of both kinds and other writes on one item lose no change', async () => {
      const responses = await Promise.all([
        ...Array.from({ length: 40 }, () => invoke('restock', { amount: 1 })),
        ...Array.from({ length: 10 }, () => invoke('restockLater', { amount: 100 })),
        ...Array.from({ length: 10 }, () => invoke('restockSomehow', { amount: 10_000 })),
      ])
      const done = (from: number, to: number) =>
        responses.slice(from, to).filter(({ status }) => status === 200).length
      expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
      expect(await stock()).toBe(done(0, 40) + 100 * done(40, 50) + 10_000 * done(50, 60))
      expect(done(0, 40)).toBe(40)
    })

    it('nothing is sold twice: of 30 requests for 1 of 10, 20 are refused', async () => {
      await invoke('restock', { amount: 10 })
      const responses = await parallel(30, () => invoke('take', { amount: 1 }))
      expect(statuses(responses)).toEqual({ 200: 10, 409: 20 })
      expect(await stock()).toBe(0)
    })

    it.each(['restock', 'restockLater', 'restockSomehow'])(
      'C17, C18: of 20 parallel %s with the same If-Match, exactly one succeeds',
      async (name) => {
        const { etag } = await api.get('/books/b-1')
        const responses = await parallel(20, () =>
          invoke(name, { amount: 1 }, { 'if-match': etag }),
        )
        expect(statuses(responses)).toEqual({ 200: 1, 412: 19 })
        expect(await stock()).toBe(1)
      },
    )

    it('an asynchronous action runs again when the item has changed meanwhile', async () => {
      const open = closedGate()
      const waiting = invoke('restockAtGate', { amount: 1 })
      await until(() => calls.get('restockAtGate') === 1)
      await invoke('restock', { amount: 10 })
      open()
      expect((await waiting).status).toBe(200)
      expect(await stock()).toBe(11)
      expect(calls.get('restockAtGate')).toBe(2)
    })

    it('an action whose client leaves blocks nobody who waits for the item, and stores nothing', async () => {
      await invoke('restockAtGate', { amount: 0 })
      const open = closedGate()
      const client = new AbortController()
      const request = new Request('http://localhost/books/b-1/restockAtGate', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 100 }),
        signal: client.signal,
      })
      const abandoned = router.handle(request)
      await until(() => calls.get('restockAtGate') === 2)
      const next = invoke('restockLater', { amount: 1 })
      client.abort()
      expect((await next).status).toBe(200)
      open()
      await abandoned
      expect([await stock(), reported]).toEqual([1, []])
    })

    it('an asynchronous action does not run again when the item changed and changed back meanwhile', async () => {
      const open = closedGate()
      const waiting = invoke('restockAtGate', { amount: 1 })
      await until(() => calls.get('restockAtGate') === 1)
      await invoke('restock', { amount: 10 })
      await invoke('restock', { amount: -10 })
      open()
      expect((await waiting).status).toBe(200)
      expect([await stock(), calls.get('restockAtGate')]).toEqual([1, 1])
    })

    it('with If-Match it does not run again: 412', async () => {
      const open = closedGate()
      const { etag } = await api.get('/books/b-1')
      const waiting = invoke('restockAtGate', { amount: 1 }, { 'if-match': etag })
      await until(() => calls.get('restockAtGate') === 1)
      await invoke('restock', { amount: 10 })
      open()
      expect((await waiting).status).toBe(412)
      expect([await stock(), calls.get('restockAtGate')]).toEqual([10, 1])
    })

    it('the response is 404 when the item is deleted meanwhile', async () => {
      const open = closedGate()
      const waiting = invoke('restockAtGate', { amount: 1 })
      await until(() => calls.get('restockAtGate') === 1)
      await api.delete('/books/b-1')
      open()
      expect((await waiting).status).toBe(404)
      expect((await api.get('/books/b-1')).status).toBe(404)
    })

    it('it gives up with 409 when the item changes during every attempt, and stores nothing', async () => {
      let isOver = false
      const disturbing = (async () => {
        while (!isOver) {
          await invoke('restock', { amount: 1 })
          await new Promise(setImmediate)
        }
      })()
      const slow = await api.post('/books/b-1/restockLater', kind.input({ amount: 1_000_000 }))
      isOver = true
      await disturbing
      const remaining = (await stock()) as number
      expect([200, 409]).toContain(slow.status)
      expect(remaining >= 1_000_000).toBe(slow.status === 200)
      expect(calls.get('restockLater')).toBeLessThanOrEqual(10)
    })

    it('a rejection changes nothing, and keeps what others wrote meanwhile', async () => {
      const open = closedGate()
      const waiting = invoke('failAtGate')
      await invoke('restock', { amount: 3 })
      open()
      expect((await waiting).status).toBe(409)
      expect(await stock()).toBe(3)
    })

    it('an action that waits blocks no other write: of other items, of the same one, or of new ones', async () => {
      const open = closedGate()
      const waiting = invoke('restockAtGate', { amount: 1 })
      await until(() => calls.get('restockAtGate') === 1)
      for (let count = 0; count < 20; count++) {
        expect((await invoke('restock', { amount: 1 }, {}, 'b-2')).status).toBe(200)
        expect((await invoke('restock', { amount: 1 })).status).toBe(200)
      }
      expect((await api.post('/books', newBook(kind.name))).status).toBe(201)
      expect((await api.delete('/books/b-2')).status).toBe(204)
      open()
      expect((await waiting).status).toBe(200)
      expect(await stock()).toBe(21)
    })

    it('an action that never settles responds with 500, and releases the lock of the item', async () => {
      await start({ timeouts: { actionMs: 100 } })
      const hanging = await invoke('hang')
      expect([hanging.status, hanging.errors[0]?.code]).toEqual([500, 'internal-error'])
      expect(String(reported[0])).toContain("'hang'")
      expect((await invoke('restockAtGate', { amount: 1 })).status).toBe(200)
    })

    it('a request that waits too long for its turn gets 429', async () => {
      await start({ timeouts: { actionMs: 100 } })
      const open = closedGate()
      const [hanging, waiting] = await Promise.all([
        invoke('hang'),
        invoke('hang'),
        invoke('restock', { amount: 1 }),
      ])
      open()
      expect(hanging.status).toBe(500)
      expect([429, 500]).toContain(waiting.status)
      if (waiting.status === 429) expect(waiting.headers.get('retry-after')).toBe('1')
      expect((await invoke('restockLater', { amount: 1 })).status).toBe(200)
      expect(await stock()).toBe(2)
    })
  })
})

type Stocks = { readonly stock: number }

describe.each(stores)('Over real sockets, on $name,', ({ make }) => {
  let server: Server | undefined
  afterEach(() => server?.close())

  it('100 parallel restock {amount: 1} under either policy add up to 200', async () => {
    const store = await make()
    const routers = policies.map(
      (kind) => prepared(kind, store, [Book], { basePath: `/${kind.name.at(-1)}` }).router,
    )
    await routers[0]!.load(Book, [{ id: 'b-1', title: 'Dune' }])
    server = await serve(routers, { port: 0 })
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json' }
      return fetch(`${server!.address}${path}`, { method: 'POST', headers, ...init })
    }
    const responses = await Promise.all(
      policies.flatMap((kind) =>
        Array.from({ length: 100 }, () =>
          send(`/${kind.name.at(-1)}/books/b-1/restock`, { body: JSON.stringify({ amount: 1 }) }),
        ),
      ),
    )
    expect(statuses(responses)).toEqual({ 200: 200 })
    const read = await send('/T/books/b-1', { method: 'GET' })
    expect(await read.json()).toMatchObject({ book: { stock: 200 } })
  })
})

function newBook(policy: string): unknown {
  return policy === 'JSON:API'
    ? { data: { type: 'books', attributes: { title: 'New' } } }
    : { book: { title: 'New' } }
}

function closedGate(): () => void {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  return open
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(1)
}
