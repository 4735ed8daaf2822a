import { unknownName } from '../../error/unknown-name.ts'
import type { TableName } from '../../store/public.ts'
import { findTable } from '../../store/read-database.ts'
import type { PullNote } from './item-tables.ts'
import { modelFiles, type SourceFiles } from './model-files.ts'
import { pullModels } from './pull-models.ts'
import { readPullSource, readTables } from './pull-source.ts'
import { noTables, tableText, writtenName } from './table-list.ts'

export interface Pulled {
  readonly files: SourceFiles
  readonly modelCount: number
  readonly notes: readonly PullNote[]
}

/**
 * The source text of models that serve tables of a database.
 *
 * @param tables their names, such as `films` and `shop.orders`; undefined for all
 * @throws Error for a table that does not exist, and if no model can be made
 */
export async function pull(url: string, tables: readonly string[] | undefined): Promise<Pulled> {
  const names = tables?.map(tableName)
  const { engine, schema, holds, facts } = await readPullSource(
    url,
    names === undefined ? { kind: 'all' } : { kind: 'tables', names },
  )
  const missing = names?.filter((name) => !findTable(schema, name)) ?? []
  if (missing.length > 0) throw new Error(await missingTables(url, missing))
  const { models, notes } = pullModels(schema, holds, facts)
  if (models.length === 0)
    throw new Error(
      [
        'No table can be served.',
        ...notes.map(({ text }) => text),
        ...(schema.tables.length === 0 ? [noTables] : []),
      ].join('\n'),
    )
  return { files: modelFiles(engine, models, notes), modelCount: models.length, notes }
}

/** Names the tables of the same name in other schemas, or with a similar one. */
async function missingTables(url: string, missing: readonly TableName[]): Promise<string> {
  const tables = await readTables(url)
  const names = tables.map(writtenName)
  return missing
    .map((table) => {
      const others = tables.filter(({ name }) => name === table.name).map(tableText)
      const text = `The database has no table '${tableText(table)}'`
      if (others.length === 0) return unknownName(text, tableText(table), names)
      return `${text}. Did you mean ${others.map((name) => `'${name}'`).join(' or ')}?`
    })
    .join('\n')
}

function tableName(text: string): TableName {
  const parts = text.split('.')
  return parts.length === 2
    ? { schema: parts[0], name: parts[1]! }
    : { schema: undefined, name: text }
}
