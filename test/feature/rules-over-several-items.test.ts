import { createRouter, model, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Room extends model('room', { name: z.string() }) {}
class Session extends model('session', {
  start: z.int(),
  end: z.int(),
  room: toOne<Room>('room'),
}) {}

describe.each(stores)('Rules over several items on $name', ({ makeData }) => {
  const services = async () => {
    const open = await makeData()
    const routers = [open(), open()].map((store) => {
      const router = createRouter({ policy: rest(), store })
      router.prepare(Room)
      router.prepare(Session).use({
        write: {
          before: async ({ kind, next, items, refuse }) => {
            if (kind === 'delete') return
            const others = await items(Session).count((query) => {
              const inRoom = query.where('room').equal(next.room).where('id').notEqual(next.id)
              return inRoom.where('start').lessThan(next.end).where('end').greaterThan(next.start)
            })
            if (others > 0) refuse('room', 'is taken at this time')
          },
        },
      })
      onTestFinished(() => router.close())
      return router
    })
    for (const router of routers) await router.open()
    await routers[0]!.load(Room, [{ id: 'red', name: 'Red' }])
    return routers
  }

  it('hold for requests at the same time, also of two processes', async () => {
    const clients = (await services()).map((router) => client(router))
    for (let round = 0; round < 5; round++) {
      const session = { start: round * 10, end: round * 10 + 5, room: 'red' }
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) => clients[index % 2]!.post('/sessions', { session })),
      )
      const statuses = responses.map(({ status }) => status).sort()
      expect(statuses).toEqual([201, ...Array(7).fill(422)])
    }
  })
})
