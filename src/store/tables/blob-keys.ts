import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import { rowSql } from '../sql/row-value.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import type { ColumnField, RelationalColumn } from './relational-layout.ts'
import { readResources } from './resource-values.ts'
import type { SqlDatabase } from './sql-database.ts'

/** How many rows one statement looks at. Those without resources are not sent. */
const rangeSize = 10_000

/**
 * The blob keys in a table, from the columns that may have resources. Rows are read by ranges of
 * the id, so that no statement takes long.
 */
export async function* readBlobKeys(
  engine: Engine,
  database: Pick<SqlDatabase, 'read'>,
  table: ItemTable,
): AsyncGenerator<readonly string[]> {
  const columns = table.layout.columns.filter(({ field }) => mayHaveResources(field))
  if (columns.length === 0) return
  for (let after: string | undefined; ; ) {
    const parameters = after === undefined ? [] : [after]
    const sql = rangeSql(engine, table, columns, after !== undefined)
    const [result] = await database.read([{ sql, parameters }])
    const rows = result!.rows
    const keys = rows.slice(0, -1).flatMap((row) => keysIn(table, columns, row))
    if (keys.length > 0) yield keys
    // The last row has the end of the range: no id if there is none.
    const end = rows.at(-1)![0]
    if (end === null) return
    after = String(table.idCodec.decode(end))
    await yieldToEventLoop()
  }
}

/** The rows of a range that have a value in these columns, and a row with the last id. */
function rangeSql(
  { dialect }: Engine,
  { sql, key, idCodec, codecOf }: ItemTable,
  columns: readonly RelationalColumn[],
  isAfter: boolean,
): string {
  const { quote, placeholder } = dialect
  const names = columns.map(({ name }) => quote(name))
  const after = idCodec.form.operand(placeholder(1))
  // In one order throughout: that of a column may be another than that of the ids.
  const id = key.of('t')
  const where = isAfter ? ` where ${rowSql(id)} > ${after}` : ''
  const selected = [...new Set([...key.columns, ...names])].join(', ')
  const range = `select ${selected} from ${sql} t${where} order by ${id.join(', ')} limit ${rangeSize}`
  const values = columns.map(({ field, name }) => codecOf(field).select(`r.${quote(name)}`))
  const isSet = names.map((name) => `r.${name} is not null`).join(' or ')
  const reversed = key.of('e').map((column) => `${column} desc`)
  const last = `(select ${key.select('e')} from r e order by ${reversed.join(', ')} limit 1)`
  return `with r as (${range}) select ${[key.select('r'), ...values].join(', ')} from r where ${isSet} union all select ${[last, ...columns.map(() => 'null')].join(', ')}`
}

function keysIn(
  { layout, codecOf }: ItemTable,
  columns: readonly RelationalColumn[],
  [, ...row]: readonly unknown[],
): readonly string[] {
  const values = columns.flatMap(({ field }, index) =>
    row[index] === null
      ? []
      : [[field.name, readResources(field, codecOf(field).decode(row[index]))]],
  )
  const resources = resourcesIn(layout.model, Object.fromEntries(values))
  return [...resources.values()].map((resource) => StoredResource.blobKeyOf(resource))
}

function mayHaveResources(field: ColumnField): boolean {
  return (
    field.kind === 'resource' || (field.kind === 'value' && field.nestedResources !== undefined)
  )
}
