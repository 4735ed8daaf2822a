import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sourceFiles } from './imports.ts'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** Object literals with getters that are made once for each process, router or connection. */
const madeRarely = [
  'api/create-router.ts',
  'api/prepared-router.ts',
  'operation/resource/image-process.ts',
  'store/sqlite/connection.ts',
  'store/sqlite/driver.ts',
]

/** Getters of a class stand less far to the right. */
const getterOfLiteral = /^ {4,}get \w+\(/m

// V8 gives each such literal a hidden class of its own, which keeps what the getter refers to until
// the next full collection. A list of 20 items took twice the time.
it('objects with getters that requests make are instances of classes', () => {
  const files = sourceFiles(root)
    .filter((file) => !file.endsWith('.testing.ts'))
    .filter((file) => getterOfLiteral.test(readFileSync(join(root, file), 'utf8')))
  expect(files.toSorted()).toEqual(madeRarely)
})
