import { crc32 } from 'node:zlib'
import type { SearchedText } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import { plainText } from '../../model/value-type.ts'
import { anyOfSql } from '../sql/logic.ts'
import type { SearchIndex } from '../sql/search-index.ts'
import type { Engine } from './engine.ts'
import { columnOf, type RelationalLayout } from './relational-layout.ts'
import {
  findColumn,
  hasKeys,
  type IndexSchema,
  type TableSchema,
} from './schema/database-schema.ts'
import { withoutDomains } from './schema/database-type.ts'
import { shortName } from './short-name.ts'
import type { WordIndexes } from './word-indexes.ts'

/** The index over the words of a model's own texts. */
export interface WordIndex {
  /** What its engine knows of such indexes. */
  readonly indexes: WordIndexes
  readonly name: string
  readonly table: TableName
  /** Dotted names of the texts. */
  readonly paths: readonly string[]
  /** The columns that it is over. */
  readonly columns: readonly string[]
  /** The texts of a row, of the whole table or of an alias. */
  texts(alias?: string): readonly string[]
}

/**
 * The index over the texts of a model in which any model searches; undefined where there are none,
 * or where the engine has no such indexes.
 * @param existing the table, unless it is new
 */
export function wordIndexOf(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): WordIndex | undefined {
  const { words, maxNameBytes } = engine
  const { model, table } = layout
  if (words.kind !== 'withTables' || (existing && !hasKeys(existing))) return undefined
  const { indexes } = words
  const searched = model.searchedTexts.filter((text) => isIndexable(layout, existing, text))
  if (searched.length === 0 || searched.length > indexes.maxTexts) return undefined
  const texts = (alias?: string) => searched.map((text) => textSql(engine, layout, text, alias))
  const hash = crc32([indexes.version(), ...texts()].join())
    .toString(16)
    .padStart(8, '0')
  return {
    indexes,
    name: shortName(`${table.name}_words_${hash}_idx`, maxNameBytes),
    table: existing?.schema === undefined ? table : { ...table, schema: existing.schema },
    paths: searched.map(({ field, members }) => [field.name, ...members].join('.')),
    columns: [...new Set(searched.map(({ field }) => columnOf(layout, field).name))],
    texts,
  }
}

/** Was an index made by this or another version for words? */
export function isWordIndex({ name, method }: IndexSchema): boolean {
  return method === 'gin' && /_words_[0-9a-f]{8}_idx$/.test(name)
}

/** How conditions use the index, if the table has it and it was built to its end. */
export function searchIndexOf(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema,
): SearchIndex | undefined {
  const index = wordIndexOf(engine, layout, existing)
  const isBuilt = existing.indexes.some(({ name, isValid }) => name === index?.name && isValid)
  if (!index || !isBuilt) return undefined
  const { indexes } = index
  return {
    kind: 'conditions',
    paths: new Set(index.paths),
    mayOccur: (alias, paths, needle) =>
      anyOfSql(
        index
          .texts(alias)
          .filter((_, position) => paths.includes(index.paths[position]!))
          .map((text) => indexes.mayOccur(index.table.schema, text, needle)),
      ),
    fence: indexes.fence,
    forbidsParallelism: indexes.forbidsParallelism,
  }
}

/** Columns of other types have texts that may differ with the settings of a connection. */
const textTypes: ReadonlySet<string> = new Set(['text', 'character varying'])

function isIndexable(
  layout: RelationalLayout,
  existing: TableSchema | undefined,
  { field, members }: SearchedText,
): boolean {
  const { name, type } = columnOf(layout, field)
  const column = existing && findColumn(existing, name)
  if (!column) return type === (members.length === 0 ? 'text' : 'json')
  const base = withoutDomains(column.type)
  if (base.kind !== 'base') return false
  return members.length === 0 ? textTypes.has(base.name) : base.name === 'jsonb'
}

function textSql(
  { dialect }: Engine,
  layout: RelationalLayout,
  { field, members }: SearchedText,
  alias: string | undefined,
): string {
  const quoted = dialect.quote(columnOf(layout, field).name)
  const column = alias === undefined ? quoted : `${alias}.${quoted}`
  return members.length === 0 ? column : dialect.value(column, members, plainText)
}
