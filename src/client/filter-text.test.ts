import { expect, test } from 'vitest'
import { filterText } from './filter-text.ts'

test.each([
  [{}, ''],
  [{ title: undefined, price: { lt: undefined } }, ''],
  [{ title: "O'Brien" }, "eq(title,'O''Brien')"],
  [{ price: 9.5, inStock: true }, 'and(eq(price,9.5),eq(inStock,true))'],
  [{ price: { gte: 5, lt: 9 } }, 'and(gte(price,5),lt(price,9))'],
  [{ isbn: null, pages: { isNull: false } }, 'and(isNull(isbn),not(isNull(pages)))'],
  [{ id: { in: ['a', 'b'] } }, "in(id,'a','b')"],
  [{ 'author.name': { startsWith: 'Jane' } }, "startsWith(author.name,'Jane')"],
  [{ at: { gt: new Date(0) } }, "gt(at,'1970-01-01T00:00:00.000Z')"],
  [{ OR: [{ a: 1 }, { b: 2, c: 3 }] }, 'or(eq(a,1),and(eq(b,2),eq(c,3)))'],
  [{ AND: [{ a: 1 }, { a: { ne: 2 } }] }, 'and(eq(a,1),ne(a,2))'],
  [{ NOT: { a: 1, b: 2 } }, 'not(and(eq(a,1),eq(b,2)))'],
  [{ OR: [{}, {}], NOT: {}, a: 1 }, 'eq(a,1)'],
])('the filter %j is %s', (filter, text) => {
  expect(filterText(filter)).toBe(text)
})
