import { crc32 } from 'node:zlib'
import type { ModelDescription } from '../../../model/model-description.ts'
import { toFieldPath } from '../../../query/conditions.ts'
import { createCompilation } from '../../sql/compile-condition.ts'
import { compileSearchedText } from '../../sql/compile-path.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Table } from '../../sql/table.ts'

/** An index of the words in some texts of a table (FTS5), and the tables beside it. */
export interface WordsIndex {
  /** The name of the index. Its hash tells which texts it has, so that another one has another. */
  readonly name: string
  readonly table: string
  /** The column of the id, quoted. */
  readonly id: string
  readonly paths: readonly string[]
  /** The texts of the row with this alias, in the order of the paths. */
  texts(alias: string): readonly string[]
}

/** What the names of all of its tables begin with. */
export const wordsPrefix = 'resourcery_words'

/**
 * Anew where the words of a text or the tables change: words are those of the version of Unicode
 * that Node.js has.
 */
const formatVersion = `1 ${process.versions['unicode']}`

/** The indexes that searches of these tables need, by the names of their models. */
export function wordsIndexesOf<T extends Table>(
  dialect: Dialect,
  tables: readonly T[],
  nameOf: (table: T) => string,
): ReadonlyMap<string, WordsIndex> {
  return new Map(
    tables.flatMap((table): readonly [string, WordsIndex][] => {
      const paths = searchedPaths(table.model)
      const index = paths.length > 0 && wordsIndex(dialect, table, nameOf(table), paths)
      return index ? [[table.model.name, index]] : []
    }),
  )
}

/** @returns undefined where the id is not one column of the table */
function wordsIndex(
  dialect: Dialect,
  table: Table,
  name: string,
  paths: readonly string[],
): WordsIndex | undefined {
  const [id, ...others] = table.idParts('i')
  if (id === undefined || others.length > 0 || table.sql !== dialect.quote(name)) return undefined
  const compilation = createCompilation(dialect, () => table, new Map())
  const texts = (alias: string) =>
    paths.map((path) => compileSearchedText(compilation, table, alias, toFieldPath(path)).sql)
  const definition = JSON.stringify([formatVersion, name, id, paths, texts('i')])
  const hash = crc32(definition).toString(16).padStart(8, '0')
  return { name: `${wordsPrefix}_${hash}`, table: name, id: id.slice('i.'.length), paths, texts }
}

/** The paths of the texts in the items of a model in which this or another model searches. */
export function searchedPaths({ searchedTexts }: ModelDescription): readonly string[] {
  return searchedTexts.map(({ field, members }) => [field.name, ...members].join('.')).sort()
}
