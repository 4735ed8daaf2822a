import { expect, it } from 'vitest'
import { withoutAtMembers } from './at-members.ts'

it('leaves out members that start with @, at any depth, and nothing else', () => {
  const value = { '@id': 1, a: [{ '@type': 'x', b: null }, '@c', 2], 'd@': { '@e': {} } }
  expect(withoutAtMembers(value)).toEqual({ a: [{ b: null }, '@c', 2], 'd@': {} })
})
