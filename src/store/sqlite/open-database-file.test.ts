import { expect, it } from 'vitest'
import { sqlite } from './sqlite.ts'
import { sqliteBlobs } from './sqlite-blobs.ts'

it.each(['', ':memory:'])(
  'refuses %j, which would be another database for each connection',
  (file) => {
    for (const make of [sqlite, sqliteBlobs]) {
      expect(() => make(file)).toThrow(TypeError)
      expect(() => make(file)).toThrow(/give the path of one, or take memory\(\)/)
    }
  },
)
