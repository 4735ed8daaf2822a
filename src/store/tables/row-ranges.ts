import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { rowSql } from '../sql/row-value.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'
import type { KeyColumns } from './key-columns.ts'
import type { SqlDatabase } from './sql-database.ts'

/** Which values of a table are read. */
export interface RowSelection {
  /** The rows: a quoted table, or a query in parentheses. */
  readonly sql: string
  readonly key: KeyColumns
  /** Quoted, with the codec of each. */
  readonly columns: readonly (readonly [name: string, codec: ColumnCodec])[]
  /** The rows that are sent, in columns of `r`: the others are only looked at. */
  readonly where: string
  /** How many rows one statement looks at. */
  readonly rangeSize: number
}

/**
 * Reads values of all rows by ranges of the id, so that no statement takes long. A batch has what
 * the columns of each row have, as the database returns it; it may be empty.
 */
export async function* readRowRanges(
  engine: Pick<Engine, 'dialect'>,
  database: Pick<SqlDatabase, 'read'>,
  selection: RowSelection,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  for (let after: string | undefined; ; ) {
    const parameters = after === undefined ? [] : [after]
    const sql = rangeSql(engine, selection, after !== undefined)
    const [result] = await database.read([{ sql, parameters, isLong: true }])
    const rows = result!.rows
    yield rows.slice(0, -1).map(([, ...values]) => values)
    // The last row has the end of the range: no id if there is none.
    const end = rows.at(-1)![0]
    if (end === null) return
    after = String(selection.key.codec.decode(end))
    await yieldToEventLoop()
  }
}

/** The rows of a range that are sent, and a row with the last id. */
function rangeSql(
  { dialect }: Pick<Engine, 'dialect'>,
  { sql, key, columns, where, rangeSize }: RowSelection,
  isAfter: boolean,
): string {
  const names = columns.map(([name]) => name)
  const after = key.codec.form.operand(dialect.placeholder(1))
  // In one order throughout: that of a column may be another than that of the ids.
  const id = key.of('t')
  const start = isAfter ? ` where ${rowSql(id)} > ${after}` : ''
  const selected = [...new Set([...key.columns, ...names])].join(', ')
  const range = `select ${selected} from ${sql} t${start} order by ${id.join(', ')} limit ${rangeSize}`
  const values = columns.map(([name, codec]) => codec.select(`r.${name}`))
  const reversed = key.of('e').map((column) => `${column} desc`)
  const last = `(select ${key.select('e')} from r e order by ${reversed.join(', ')} limit 1)`
  return `with r as (${range}) select ${[key.select('r'), ...values].join(', ')} from r where ${where} union all select ${[last, ...columns.map(() => 'null')].join(', ')}`
}
