import { expect, it } from 'vitest'
import { sqlite } from './sqlite.ts'
import { sqliteBlobs } from './sqlite-blobs.ts'

it.each(['', ':memory:'])(
  'the file %j is refused, because each connection would have its own database',
  (file) => {
    for (const make of [sqlite, sqliteBlobs]) {
      expect(() => make(file)).toThrow(TypeError)
      expect(() => make(file)).toThrow(/Pass the path of a file, or use memory\(\)/)
    }
  },
)

it.each([
  ['sqlite:/srv/shop.db', '/srv/shop.db'],
  ['sqlite://data/shop.db', 'data/shop.db'],
])('the address %j is refused, because SQLite would make a folder of its name', (address, path) => {
  for (const make of [sqlite, sqliteBlobs]) {
    expect(() => make(address)).toThrow(TypeError)
    expect(() => make(address)).toThrow(
      `'${address}' is an address, which only commands take; expected the path of a file: '${path}'.`,
    )
  }
})
