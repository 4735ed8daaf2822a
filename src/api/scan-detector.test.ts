import { expect, it } from 'vitest'
import { createRouter, model } from '../index.ts'
import { rest } from '../policy/rest/rest.ts'
import { memory } from '../store/memory/memory.ts'

const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
router.prepare(model('book', {}))

it.each([
  ['/api/books', '', true],
  ['/api/books', 'page[size]=51', true],
  ['/api/books', 'page%5Bsize%5D=20&search=sea', true],
  ['/api/books', 'page[size]=20', false],
  ['/api/books', 'page%5Bsize%5D=20&sort=title', false],
  ['/api/books', '%70age[%73ize]=20', false],
  ['/api/books', 'page[size]=20&%73earch=sea', true],
  ['/api/books/1', '', false],
  ['/api/nothing', '', false],
] as const)('a request for %s with %o may read many items: %s', (path, query, expected) => {
  expect(router.isScan({ method: 'GET', path, query } as never)).toBe(expected)
})

it('takes no write for a scan', () => {
  expect(router.isScan({ method: 'POST', path: '/api/books', query: '' } as never)).toBe(false)
})

it('takes a list that is paged by itself for a small page', () => {
  const paged = createRouter({ policy: rest(), store: memory(), lists: 'paged' })
  paged.prepare(model('book', {}))
  const isScan = (query: string) => paged.isScan({ method: 'GET', path: '/books', query } as never)
  expect([isScan(''), isScan('page[size]=100'), isScan('search=sea')]).toEqual([false, true, true])
})
