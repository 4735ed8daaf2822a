import type { Statement } from '../sql/statement-cache.ts'
import { MessageWriter } from './message-writer.ts'
import type { PreparedStatements } from './prepared-statements.ts'

/** The part of a connection of `pg` that sends bytes. */
export interface Wire {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): boolean }
}

/** Shared, because no message is half written when another one begins. */
const writer = new MessageWriter()

/**
 * The messages that run statements, as one packet.
 * @param prepared undefined if statements have no names
 * @throws TypeError for a parameter that has no form in SQL
 */
export function statementMessages(
  statements: readonly Statement[],
  prepared: PreparedStatements | undefined,
): Buffer {
  try {
    const named = prepared?.canName(statements.length) ? prepared : undefined
    for (const { sql, parameters } of statements) {
      const known = named?.use(sql)
      const name = known ?? named?.add(sql) ?? ''
      if (known === undefined) {
        writer.parse(name, sql)
        prepared?.sent(named && sql)
      }
      writer.bind(name, parameters)
      writer.execute()
    }
    writer.sync()
    const messages = writer.take()
    const surplus = named?.takeSurplus()
    return surplus ? Buffer.concat([closeMessages(surplus), messages]) : messages
  } catch (error) {
    writer.clear()
    prepared?.failed()
    throw error
  }
}

/** They come first, because the server skips what follows an error. */
function closeMessages(names: readonly string[]): Buffer {
  for (const name of names) writer.close(name)
  return writer.take()
}
