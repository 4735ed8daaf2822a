import { createRouter, model, type Router } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', { text: z.string() })
const Order = model('order', { text: z.string() })

describe.each(stores)('Code that never ends in a transaction, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let errors: unknown[]
  let release: () => void
  let hanging: Promise<void>
  let late: Promise<unknown>

  beforeEach(async () => {
    errors = []
    hanging = new Promise((resolve) => {
      release = resolve
    })
    router = createRouter({
      policy: rest(),
      store: await make(),
      timeouts: { hookMs: 300 },
      onError: (error) => errors.push(error),
    })
    router.prepare(Note)
    const hang = async (use: () => Promise<unknown>) => {
      await hanging
      late = use()
      late.catch(() => undefined)
      await late
    }
    router
      .prepare(Order)
      .use({
        write: {
          before: ({ next, items }) =>
            next?.text === 'before' ? hang(() => items(Note).create({ text: 'late' })) : undefined,
          after: ({ item }) =>
            item?.text === 'after'
              ? hang(() => router.items(Note).create({ text: 'late' }))
              : undefined,
        },
      })
      .itemOperation('hang', async ({ items }) => {
        await items(Note).create({ text: 'first' })
        await hang(() => router.items(Note).create({ text: 'late' }))
      })
    api = client(router)
    await router.items(Order).create({ id: 'o', text: 'quiet' })
  })

  const hung = {
    'a hook before a write': () => api.post('/orders', { order: { text: 'before' } }),
    'a hook after a write': () => api.patch('/orders/o', { order: { text: 'after' } }),
    'an action that has used items': () => api.post('/orders/o/hang'),
  }

  it.each(Object.entries(hung))('is ended: %s', async (_, send) => {
    const response = send()
    const other = api.post('/notes', { note: { text: 'other' } })
    expect((await response).status).toBe(503)
    expect((await response).errors[0]!.code).toBe('hook-timeout')
    expect((await response).headers.get('retry-after')).not.toBeNull()
    expect((await other).status).toBe(201)
    expect(errors.map((error) => (error as Error).name)).toEqual(['HookTimeout'])
    release()
    await hanging
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(late).rejects.toThrow('This code was ended because it did nothing for too long')
    expect((await api.patch('/orders/o', { order: { text: 'free' } })).status).toBe(200)
    expect((await router.items(Note).all()).map(({ text }) => text)).toEqual(['other'])
  })

  it('is ended in transaction(), and what it has written is undone', async () => {
    const transaction = router.transaction(async (items) => {
      await items(Note).create({ text: 'first' })
      await hanging
    })
    await expect(transaction).rejects.toThrow('did nothing with items for 300 ms')
    expect(await router.items(Note).count()).toBe(0)
  })

  it('goes on for longer than that while it uses items', async () => {
    await router.transaction(async (items) => {
      for (let index = 0; index < 6; index++) {
        await new Promise((resolve) => setTimeout(resolve, 80))
        await items(Note).create({ text: `${index}` })
      }
    })
    expect(await router.items(Note).count()).toBe(6)
  })
})

describe.each(stores)('A hook after the commit that never ends, on $name', ({ make }) => {
  it('delays the response for a while, is reported, and the change stays', async () => {
    const errors: unknown[] = []
    const calls: string[] = []
    const router = createRouter({
      policy: rest(),
      store: await make(),
      timeouts: { hookMs: 200 },
      onError: (error) => errors.push(error),
    })
    let fail: (error: Error) => void
    const hanging = new Promise<void>((_, reject) => {
      fail = reject
    })
    router.use({
      write: {
        afterCommit: ({ item }) => {
          calls.push(`first ${item?.text}`)
          return item?.text === 'hang' ? hanging : undefined
        },
      },
    })
    router
      .prepare(Note)
      .use({ write: { afterCommit: ({ item }) => void calls.push(`next ${item?.text}`) } })
    router.prepare(Order)
    const api = client(router)
    const response = api.post('/notes', { note: { text: 'hang' } })
    await expect.poll(() => calls.includes('first hang')).toBe(true)
    expect((await api.post('/orders', { order: { text: 'other' } })).status).toBe(201)
    expect((await response).status).toBe(201)
    await expect.poll(() => calls.includes('next hang')).toBe(true)
    expect((await router.items(Note).all()).map(({ text }) => text)).toEqual(['hang'])
    expect(calls).toEqual(['first hang', 'first other', 'next hang'])
    expect(errors.map((error) => (error as Error).name)).toEqual(['CommitHookTimeout'])
    fail!(new Error('failed late'))
    await expect.poll(() => errors.map(String)).toContain('Error: failed late')
  })
})
