import { expect, it } from 'vitest'
import { connectionShares, shareSizes } from './connection-shares.ts'

it('shareSizes leaves connections for transactions and quick reads', () => {
  expect([1, 2, 3, 4, 5, 10, 20].map((count) => Object.values(shareSizes(count)))).toEqual([
    [1, 1, 1, 1, 1],
    [1, 1, 2, 1, 1],
    [1, 1, 2, 1, 1],
    [2, 1, 3, 2, 2],
    [3, 2, 4, 3, 2],
    [6, 4, 9, 7, 5],
    [12, 8, 18, 14, 9],
  ])
  for (let count = 3; count <= 50; count++) {
    const { long, longPerClient, transactions, slowPerClient } = shareSizes(count)
    expect(transactions).toBeLessThan(count)
    expect(long).toBeLessThan(transactions)
    expect(longPerClient).toBeLessThanOrEqual(long)
    expect(slowPerClient).toBeLessThan(transactions)
  }
})

it('One client leaves room for transactions and lists of others', () => {
  const { transaction, long } = connectionShares(shareSizes(10))
  for (let count = 0; count < 4; count++) {
    transaction!.enter('eve')
    if (count < 3) long!.enter('eve')
  }
  expect(transaction!.hasRoomFor('eve')).toBe(false)
  expect(long!.hasRoomFor('eve')).toBe(false)
  expect(transaction!.hasRoomFor('ann')).toBe(true)
  expect(long!.hasRoomFor('ann')).toBe(true)
})
