import type { Statement } from '../sql/statement-cache.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { toWireValue, type WireValue } from './statement.ts'

/**
 * The part of a connection of `pg` that sends messages of the extended query protocol. Its declared
 * types are older than its code.
 */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void; destroy(): void }
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: { readonly statement: string; readonly values: readonly WireValue[] }): void
  execute(message: { readonly rows: number }): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  sync(): void
}

/** A statement that is ready to be sent. */
interface BoundStatement {
  readonly sql: string
  readonly values: readonly WireValue[]
}

/** Converts the parameters, which may fail, before anything is sent. */
export function bindStatement({ sql, parameters }: Statement): BoundStatement {
  return { sql, values: parameters.map(toWireValue) }
}

/** @param prepared undefined if statements have no names */
export function sendStatements(
  wire: Wire,
  statements: readonly BoundStatement[],
  prepared: PreparedStatements | undefined,
): void {
  const named = prepared?.canName(statements.length) ? prepared : undefined
  const uses = statements.map(({ sql }) => named?.use(sql) ?? { name: '', isNew: true })
  // First, because the server skips what follows an error.
  for (const name of named?.takeSurplus() ?? []) wire.close({ type: 'S', name })
  for (const [index, { sql, values }] of statements.entries()) {
    const { name, isNew } = uses[index]!
    if (isNew) {
      wire.parse({ name, text: sql })
      prepared?.sent(name === '' ? undefined : sql)
    }
    wire.bind({ statement: name, values })
    wire.execute({ rows: 0 })
  }
}
