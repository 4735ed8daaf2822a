import { describe, expect, it } from 'vitest'
import { operationIdOf } from './operation-id.ts'
import type { Method } from './rule.ts'

describe('the id of an operation', () => {
  it.each<[Method, string, string]>([
    ['POST', '/books', 'postBooks'],
    ['GET', '/books', 'getBooks'],
    ['POST', '/books/:id', 'postBooksItemById'],
    ['DELETE', '/books/:id', 'deleteBooksItemById'],
    ['POST', '/books/import', 'postImportForBooks'],
    ['POST', '/books/:id/discount', 'postDiscountForBooksItemById'],
    ['POST', '/books/:id/check-out', 'postCheckOutForBooksItemById'],
    ['POST', '/books/:id/cover/png/512', 'postCoverPng512ForBooksItemById'],
    [
      'GET',
      '/bookCategories/:id/relationships/parent',
      'getRelationshipsParentForBookCategoriesItemById',
    ],
    ['GET', '/books/:id/editions/:index/scan', 'getEditionsByIndexScanForBooksItemById'],
  ])('of %s %s is %s', (method, path, id) => {
    expect(operationIdOf({ method, path })).toBe(id)
  })

  it('is the one it was registered under, if it was', () => {
    expect(
      operationIdOf({ method: 'POST', path: '/books/:id/reserve', operationId: 'reserveForBook' }),
    ).toBe('reserveForBook')
  })

  it('holds 64 letters and digits at most, and stays its own when it is cut', () => {
    const word = 'x'.repeat(60)
    const [one, other] = ['a', 'b'].map((end) =>
      operationIdOf({ method: 'GET', path: `/${word}/:id/${word}${end}` }),
    )
    expect(one).toMatch(/^[a-z][A-Za-z0-9]{63}$/)
    expect(one).not.toBe(other)
  })
})
