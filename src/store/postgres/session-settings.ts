import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'

/** What holds for the statements of one call, as `SET LOCAL` does. */
export interface SessionSettings {
  /** The role whose rights the statements have. */
  readonly role?: string
  /** Settings by their names, such as `app.user_id`, which policies of tables read. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Chooses the settings for a caller; undefined for calls that no request makes. */
export type SessionHook = (call: StoreCall | undefined) => SessionSettings | undefined

/**
 * The statements to run first in a transaction; none if there is nothing to set.
 * @param defaults what is set unless the session says otherwise
 */
export function settingStatements(
  session: SessionSettings | undefined,
  defaults?: Readonly<Record<string, string>>,
): readonly Statement[] {
  if (!session && !defaults) return noStatements
  const settings = Object.entries({ ...defaults, ...session?.settings })
  // Last, because the role may not be allowed to change the settings.
  if (session?.role !== undefined) settings.push(['role', session.role])
  if (settings.length === 0) return noStatements
  const calls = settings.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, true)`)
  return [{ sql: `select ${calls.join(', ')}`, parameters: settings.flat() }]
}

const noStatements: readonly Statement[] = Object.freeze([])
