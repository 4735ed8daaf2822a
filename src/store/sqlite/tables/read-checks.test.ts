import { expect, it } from 'vitest'
import { checksOf } from './read-checks.ts'

const columns = ['Rating', 'state', 'my column']

it('finds the checks of columns and of the table', () => {
  const sql = `create table films (
    rating integer not null default (1) CHECK (rating between 1 and 5),
    state text check(state in ('a', 'it''s (b)')), -- check (none)
    [my column] text constraint "short ""one""" check (length("my column") <= 3),
    /* check (none) */ check ((rating > -1
      -- (half)
      or state = ')') and state <> 'x')
  )`
  expect(checksOf(sql, columns)).toEqual([
    { name: 'rating between 1 and 5', expression: 'rating between 1 and 5', columns: ['Rating'] },
    {
      name: "state in ('a', 'it''s (b)')",
      expression: "state in ('a', 'it''s (b)')",
      columns: ['state'],
    },
    { name: 'short "one"', expression: 'length("my column") <= 3', columns: ['my column'] },
    {
      name: "(rating > -1 or state = ')') and state <> 'x'",
      expression: "(rating > -1 or state = ')') and state <> 'x'",
      columns: ['Rating', 'state'],
    },
  ])
})

it('finds none where a text or a name has the word', () => {
  expect(checksOf(`create table t ("check" text default 'check (1)')`, ['check'])).toEqual([])
})
