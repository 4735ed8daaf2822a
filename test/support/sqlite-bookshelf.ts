import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { field } from '../../src/model/declare/field.ts'
import { model } from '../../src/model/declare/model.ts'
import { toMany, toOne } from '../../src/model/declare/relation.ts'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { layoutOf, newTableFacts, tableOf } from '../../src/store/sql/layout.ts'
import type { DocumentTable, TableOf } from '../../src/store/sql/table.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'

/** Models with a field of each kind that matters to compilers and indexes. */
export const [author, book, genre] = describeModels([
  model('author', {
    name: z.string(),
    books: toMany('book', { inverse: 'author' }),
  }),
  model(
    'book',
    {
      title: z.string(),
      language: z.string(),
      price: field(z.number(), { index: true }),
      pageCount: field(z.int().optional(), { index: true, wire: 'pages' }),
      isbn: field(z.string().optional(), { unique: true }),
      inStock: field(z.boolean().optional(), { hidden: true }),
      tags: z.array(z.string()).optional(),
      size: z.object({ width: z.number() }).optional(),
      author: toOne('author', { optional: true }),
      genres: toMany('genre'),
    },
    {
      indexes: [
        ['inStock', '-price'],
        ['inStock', 'language', 'author'],
        ['price', '-pageCount'],
      ],
    },
  ),
  model('genre', { name: z.string(), books: toMany('book', { inverse: 'genres' }) }),
]) as readonly [ModelDescription, ModelDescription, ModelDescription]

export const bookshelf: readonly ModelDescription[] = [author, book, genre]

/** The tables of these models, as in a file without NULL in required columns. */
export const bookshelfTable: TableOf<DocumentTable> = (of) => tables.get(of)!

const tables = new Map(
  bookshelf.map((of): [ModelDescription, DocumentTable] => {
    const layout = layoutOf(sqliteDialect, of)
    return [of, tableOf(sqliteDialect, layout, newTableFacts(layout))]
  }),
)

/** A path for a database, removed with the test. */
export function temporaryFile(name = 'test.db'): string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}
