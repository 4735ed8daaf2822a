import { expect, it } from 'vitest'
import { indexTerms } from './index-terms.ts'

it.each([
  ['CREATE INDEX i on t (a)', ['a']],
  ['create unique index "a (b)" on "t" ("a" asc, b DESC)', ['"a"', 'b']],
  [
    `CREATE INDEX i ON t(iif(a glob 'x, (y', substr(a, 1, 19), a) asc, b collate nocase desc) where c in (1, 2)`,
    [`iif(a glob 'x, (y', substr(a, 1, 19), a)`, 'b'],
  ],
])('finds the columns and expressions of %s', (sql, terms) => {
  expect(indexTerms(sql)).toEqual(terms)
})
