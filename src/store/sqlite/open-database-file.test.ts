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
