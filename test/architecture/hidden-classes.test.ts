import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sourceFiles } from './imports.ts'

// What V8 gives a hidden class of its own, in the old space, keeps what it refers to until the next
// full collection: a whole request, if a request made it. See docs/adr/0097.

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** Object literals with getters that are made once for each process, router or connection. */
const gettersMadeRarely = [
  'adapter/workers/primary-server.ts',
  'api/prepared-router.ts',
  'api/router-over-store.ts',
  'api/stores-by-caller/registered-on-all.ts',
  'operation/resource/image-process.ts',
  'store/sqlite/connection.ts',
  'store/sqlite/driver.ts',
]

/**
 * Generator functions that are made once for each store or source, and those of tables in memory,
 * which are no place for a service that has to be fast.
 */
const generatorsMadeRarely = [
  'store/files/file-blobs-on-disk.ts',
  'store/memory/memory-blobs.ts',
  'store/memory/memory-table.ts',
  'store/memory/memory.ts',
  'store/memory/overlay.ts',
  'store/postgres/postgres-blobs.ts',
  'store/s3/s3-blobs.ts',
  'store/sqlite/scan-pool.ts',
  'store/sqlite/sqlite-blobs.ts',
  'store/sqlite/sqlite.ts',
  'tools/moving/file-source.ts',
]

/** Getters of a class stand less far to the right. */
const getterOfLiteral = /^ {4,}get \w+\(/m

/** Methods of a class stand less far to the right, and have no `function`. */
const innerGenerator = /^(?: +(?:.*\W)?function\*| {4,}(?:async )?\*[#\w])/m

it('objects with getters that requests make are instances of classes', () => {
  expect(filesWith(getterOfLiteral)).toEqual(gettersMadeRarely)
})

it('generator functions are not made by requests', () => {
  expect(filesWith(innerGenerator)).toEqual(generatorsMadeRarely)
})

function filesWith(pattern: RegExp): readonly string[] {
  return sourceFiles(root)
    .filter((file) => !/^(?:testing|contracts)\/|\.testing\.ts$/.test(file))
    .filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
    .toSorted()
}
