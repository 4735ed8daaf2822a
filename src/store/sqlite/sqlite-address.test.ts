import { expect, it } from 'vitest'
import { sqliteFileAt } from './sqlite-address.ts'

it.each([
  ['sqlite:data/shop.db', 'data/shop.db'],
  ['sqlite://data/shop.db', 'data/shop.db'],
  ['sqlite:/srv/shop.db', '/srv/shop.db'],
  ['sqlite:///srv/shop.db', '/srv/shop.db'],
  ['data/shop.db', undefined],
  ['postgres://localhost/shop', undefined],
])('%s names the file %s', (address, file) => {
  expect(sqliteFileAt(address)).toBe(file)
})
