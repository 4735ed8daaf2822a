import { createRouter, model, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Member = model('member', { name: z.string() })
const Task = model('task', {
  title: z.string(),
  assignee: toOne('member', { optional: true, onDelete: 'restrict' }),
})

describe.each(stores)('Relations and callers ($name)', ({ make }) => {
  async function world() {
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: {
        authentication: [
          {
            name: 'gateway',
            scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
            authenticate: ({ headers: { 'x-user': id } }) =>
              id ? { caller: { id: Number(id) } } : undefined,
          },
        ],
        callerSchema: z.object({ id: z.number() }),
      },
    })
    router.prepare(Member)
    router.prepare(Task).access(({ caller }) => ({
      set: { assignee: caller.id },
      fields: { assignee: { read: caller.id.greaterThan(1) } },
    }))
    await router.load(Member, [
      { id: '1', name: 'Ann' },
      { id: '2', name: 'Bob' },
    ])
    return client(router)
  }
  const ann = { 'x-user': '1' }
  const bob = { 'x-user': '2' }

  it('set a relation from the id of a caller, which may be a number', async () => {
    const api = await world()
    const created = await api.post('/tasks', { task: { title: 'Sweep' } }, bob)
    expect(created.status).toBe(201)
    expect(created.at('/task/assignee')).toBe('2')
  })

  it('name no hidden relation that keeps an item from being deleted', async () => {
    const api = await world()
    await api.post('/tasks', { task: { title: 'Sweep' } }, bob)
    const known = await api.delete('/members/2', bob)
    expect(known.status).toBe(409)
    expect(known.text).toContain("'assignee' of tasks")
    const hidden = await api.delete('/members/2', ann)
    expect(hidden.status).toBe(409)
    expect(hidden.text).not.toContain('assignee')
    expect(hidden.errors[0]?.detail).toContain('still referenced by other items')
  })
})
