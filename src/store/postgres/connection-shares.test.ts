import { expect, it } from 'vitest'
import { shareSizes } from './connection-shares.ts'

it('shareSizes leaves connections for transactions and quick reads', () => {
  expect([1, 2, 3, 4, 5, 10, 20].map((count) => Object.values(shareSizes(count)))).toEqual([
    [1, 1, 1, 1],
    [1, 1, 2, 1],
    [1, 1, 2, 1],
    [2, 1, 3, 2],
    [3, 2, 4, 2],
    [6, 4, 9, 5],
    [12, 8, 18, 9],
  ])
  for (let count = 3; count <= 50; count++) {
    const { long, longPerClient, transactions } = shareSizes(count)
    expect(transactions).toBeLessThan(count)
    expect(long).toBeLessThan(transactions)
    expect(longPerClient).toBeLessThanOrEqual(long)
  }
})
