import { createRouter, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { stores } from '../support/stores.ts'

const Team = model('team', {
  name: z.string(),
  players: toMany('player', { inverse: 'team' }),
})
const Player = model('player', {
  name: z.string(),
  team: toOne('team', { optional: true }),
})

const names = Array.from({ length: 8 }, (_, index) => `${index}`)
const update = (type: string, id: string, name: string) => ({
  op: 'update',
  data: { type, id, attributes: { name } },
})

describe.each(stores)('Batches of the same items, on $name', ({ make }) => {
  it('all succeed, whatever the order of their operations', async () => {
    const router = createRouter({ policy: jsonApi(), store: await make() })
    router.prepare(Team)
    router.prepare(Player)
    await router.load(
      Team,
      names.map((name) => ({ id: `t${name}`, name })),
    )
    await router.load(
      Player,
      names.map((name) => ({ id: `p${name}`, name })),
    )
    const send = async (operations: readonly unknown[]) => {
      const response = await router.handle(
        new Request('http://localhost/operations', {
          method: 'POST',
          headers: { 'content-type': atomicType, accept: atomicType },
          body: JSON.stringify({ 'atomic:operations': operations }),
        }),
      )
      return response.status
    }
    const batches = Array.from({ length: 16 }, (_, index) => {
      const mark = `batch ${index}`
      const players = names.map((name) => update('players', `p${name}`, mark))
      const teams = names.map((name) => update('teams', `t${name}`, mark))
      const members = {
        op: 'update',
        ref: { type: 'teams', id: `t${index % 8}`, relationship: 'players' },
        data: names.map((name) => ({ type: 'players', id: `p${name}` })),
      }
      const operations = [...players, members, ...teams]
      return index % 2 === 0 ? operations : operations.toReversed()
    })
    const statuses = await Promise.all(batches.map(send))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const players = await router.items(Player).all()
    const teams = await router.items(Team).all()
    // Each batch changes all of them, so the last one has left its mark everywhere.
    expect(new Set([...players, ...teams].map(({ name }) => name)).size).toBe(1)
    expect(new Set(players.map(({ team }) => team)).size).toBe(1)
    await router.close()
  })
})
