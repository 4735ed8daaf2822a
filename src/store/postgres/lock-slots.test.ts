import { expect, it } from 'vitest'
import { slotLocks } from './lock-slots.ts'

const table = { schema: undefined, name: 'bookings' }
const values = ['room:1', 'room:2', 'room:3'].map((value) => value as never)

it('locks the slots of several values by one statement, in their order', () => {
  const statements = slotLocks(new Set()).values(table, values, 'shared')
  expect(statements).toHaveLength(1)
  expect(statements[0]!.sql).toMatch(/= any .* order by slot for share$/)
  const slots = statements[0]!.parameters[0] as number[]
  expect(slots).toEqual(slots.toSorted((one, other) => one - other))
})

it('locks each slot by its whole key, and alone, where a server has no other locks', () => {
  const locks = slotLocks(new Set(['sharedRowLocks', 'locksOfSeveralRows']))
  const statements = [
    locks.table(table, 'shared'),
    ...locks.values(table, [...values, values[0]!], 'shared'),
  ]
  // One of the table, and one of each value, whatever is named twice.
  expect(statements).toHaveLength(4)
  for (const { sql } of statements) expect(sql).toMatch(/where slot = \$1 for update$/)
  const slots = statements.map(({ parameters }) => parameters[0] as number)
  expect(slots).toEqual(slots.toSorted((one, other) => one - other))
})
