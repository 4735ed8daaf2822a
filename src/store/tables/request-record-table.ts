import { memoizeBy } from '../../cache/memoize-by.ts'
import type { TableName } from '../../model/storage.ts'
import type { RequestRecords, RequestRecordWriter } from '../request-records.ts'
import {
  type RequestRecordStatements,
  readClientUsage,
  readUsage,
  requestRecordStatements,
} from '../sql/request-record-statements.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { SqlDatabase, StatementResult } from './sql-database.ts'

/** Where the store keeps results of requests for `Idempotency-Key`. */
export const requestTable: TableName = { schema: undefined, name: 'resourcery_requests' }

export const requestStatements: (engine: Engine) => RequestRecordStatements = memoizeBy(
  ({ dialect, quoteTable }: Engine) => {
    const index = (column: string) =>
      quoteTable({ schema: undefined, name: `${requestTable.name}_${column}` })
    return requestRecordStatements(
      dialect,
      quoteTable(requestTable),
      index('expires_at'),
      index('client'),
    )
  },
)

/** Creates the table where the database lacks it, and completes that of an earlier build. */
export function requestTableSteps(engine: Engine, schema: DatabaseSchema): readonly SchemaStep[] {
  const table = findTable(schema, requestTable)
  if (table?.columns.some(({ name }) => name === 'client')) return []
  if (table) {
    const summary = `Add the columns 'client' and 'bytes' to the table '${requestTable.name}'.`
    return [{ kind: 'instant', summary, sql: requestStatements(engine).addClients }]
  }
  const summary = `Create the table '${requestTable.name}', in which the store keeps results of requests with an Idempotency-Key.`
  return [{ kind: 'instant', summary, sql: requestStatements(engine).createTable }]
}

/**
 * The records of a database.
 * @param areKept whether the store has opened the table
 * @param engine read at each call, because opening the store adapts it to the server
 */
export function tableRequestRecords(
  statements: RequestRecordStatements,
  database: Pick<SqlDatabase, 'read' | 'transaction'>,
  areKept: () => boolean,
  engine: Pick<Engine, 'confirmation'> = { confirmation: undefined },
): RequestRecords {
  // Without a caller, replicas are not read.
  const read = async (statement: Statement): Promise<StatementResult> =>
    (await database.read([statement]))[0]!
  return {
    areKept,
    find: async (key, nowMs) => resultIn(await read(statements.find(key, nowMs))),
    confirm:
      engine.confirmation &&
      (async (key) => {
        const { confirmation } = engine
        const statement = confirmation === 'writeAgain' ? statements.writeAgain(key) : confirmation!
        await database.transaction((session) => session.runLast([statement]))
      }),
    usage: async () => readUsage((await read(statements.usage)).rows[0]!),
    usageOf: async (client, share, nowMs) =>
      readClientUsage((await read(statements.usageOf(client, share, nowMs))).rows[0]!),
    async removeExpired(nowMs, limit) {
      const remove = statements.removeExpired(nowMs, limit)
      const [removed] = await database.transaction((session) => session.run([remove]))
      return removed!.count
    },
  }
}

/**
 * The records of one transaction, whose statements `run` runs.
 * @param onReserved is called with what undoes the reservation of a key
 */
export function requestRecordWriter(
  statements: RequestRecordStatements,
  run: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>,
  onReserved?: (undo: Statement) => void,
): RequestRecordWriter {
  return {
    async reserve(key, client, times) {
      for (;;) {
        const [reserved, taken] = await run([
          statements.reserve(key, client, times),
          statements.findReserved(key),
        ])
        if (reserved!.count === 1) {
          // What it replaces has expired.
          onReserved?.(statements.release(key))
          return undefined
        }
        const result = resultIn(taken!)
        // Undefined if it has been removed between the two statements.
        if (result !== undefined) return result
      }
    },
    async write(key, result) {
      await run([statements.write(key, result)])
    },
    async release(key) {
      await run([statements.release(key)])
    },
  }
}

function resultIn({ rows }: StatementResult): string | undefined {
  const value = rows[0]?.[0]
  return typeof value === 'string' ? value : undefined
}
