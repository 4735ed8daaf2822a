import { setTimeout as wait } from 'node:timers/promises'
import { action, createRouter, field, model, type Router, refuse, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import type { ActionDetails } from 'resourcery/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Talk extends model('talk', {
  title: z.string(),
  status: z.enum(['draft', 'accepted']).default('draft'),
  sessions: toMany<Session>('session', { inverse: 'talk' }),
}) {
  get isAccepted(): boolean {
    return this.status === 'accepted'
  }

  async publish({ items }: ActionDetails) {
    this.status = 'accepted'
    await items(Note).create({ text: `${this.title} is accepted` })
  }

  static {
    action(this, 'publish')
  }
}

class Session extends model('session', {
  start: field(z.int(), { unique: true }),
  talk: toOne<Talk>('talk', { onDelete: 'cascade' }),
}) {}

const Note = model('note', { text: z.string() })

describe.each(stores)('Items in an action, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let calls: number

  beforeEach(async () => {
    calls = 0
    router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Note)
    router
      .prepare(Talk)
      .itemOperation(
        'schedule',
        async ({ item, input, items }) => {
          calls++
          item.status = 'accepted'
          const { id } = await items(Session).create({ start: input.start, talk: item.id })
          if (input.start === 13) refuse('conflict', 'Not at this hour.')
          return id
        },
        { input: z.object({ start: z.int() }) },
      )
      .itemOperation('forget', ({ items }) => {
        void items(Note).create({ text: 'nobody waits' })
      })
      .itemOperation('late', async ({ item, items }) => {
        await wait(5)
        await items(Note).create({ text: 'late' })
        item.title = 'late'
      })
    router.prepare(Session).itemOperation('rename', ({ item }) => {
      ;(item.talk as { title: string }).title = 'changed'
    })
    api = client(router)
    await router.items(Talk).create({ id: 't', title: 'Types' })
  })

  it('are stored together with the item', async () => {
    const scheduled = await api.post('/talks/t/schedule', { start: 9 })
    expect(scheduled.at('/talk/status')).toBe('accepted')
    expect((await router.items(Session).first())?.talk).toBe('t')
    expect(calls).toBe(1)
  })

  it('are not stored if the action or one of its writes is refused', async () => {
    await api.post('/talks/t/schedule', { start: 9 })
    await router.items(Talk).create({ id: 'u', title: 'Units' })
    expect((await api.post('/talks/u/schedule', { start: 9 })).status).toBe(409)
    expect((await api.post('/talks/u/schedule', { start: 13 })).status).toBe(409)
    expect((await router.items(Talk).get('u'))?.isAccepted).toBe(false)
    expect(await router.items(Session).count()).toBe(1)
  })

  it('are given to methods after their input, and to callables that wait before', async () => {
    expect((await api.post('/talks/t/publish')).at('/talk/status')).toBe('accepted')
    expect((await api.post('/talks/t/late')).at('/talk/title')).toBe('late')
    const notes = await router.items(Note).all((query) => query.sort('text'))
    expect(notes.map(({ text }) => text)).toEqual(['Types is accepted', 'late'])
  })

  it('are refused where the action does not wait for them', async () => {
    expect((await api.post('/talks/t/forget')).status).toBe(500)
    expect((await api.patch('/talks/t', { talk: { title: 'Not blocked' } })).status).toBe(200)
    expect(await router.items(Note).count()).toBe(0)
  })

  it('do not lose a change of a related item in silence', async () => {
    const { id } = await router.items(Session).create({ start: 1, talk: 't' })
    expect((await api.post(`/sessions/${id}/rename`)).status).toBe(500)
    expect((await router.items(Talk).get('t'))?.title).toBe('Types')
  })

  it('are written by several actions at once', async () => {
    const starts = Array.from({ length: 8 }, (_, index) => index + 20)
    const responses = await Promise.all(
      starts.map((start) => api.post('/talks/t/schedule', { start })),
    )
    expect(responses.map(({ status }) => status)).toEqual(starts.map(() => 200))
    expect(await router.items(Session).count()).toBe(8)
  })
})
