import type { ConnectionLimits } from './options.ts'

/** Settings of the server that end what waits for too long, in milliseconds; 0 for never. */
export interface ServerTimeouts {
  readonly lock_timeout: number
  readonly idle_in_transaction_session_timeout: number
}

/** The server ends an idle transaction that this process has not ended for so long. */
const idleMarginMs = 2_000

/** How long a transaction waits for a lock while many others run. */
const crowdedLockTimeoutMs = 500

/** Of transactions that may wait for as long as they have to. */
export const noTimeouts: ServerTimeouts = Object.freeze({
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
})

/** @param idleMs how long code in a transaction may do nothing; undefined for no limit */
export function serverTimeouts(
  { lockTimeoutMs }: Pick<ConnectionLimits, 'lockTimeoutMs'>,
  idleMs: number | undefined,
  isCrowded = false,
): ServerTimeouts {
  return {
    lock_timeout: isCrowded ? Math.min(lockTimeoutMs, crowdedLockTimeoutMs) : lockTimeoutMs,
    idle_in_transaction_session_timeout:
      idleMs === undefined ? 0 : Math.min(idleMs + idleMarginMs, maxTimeoutMs),
  }
}

/** The settings that differ from those of a connection; undefined if none does. */
export function timeoutsToSet(
  wanted: ServerTimeouts,
  current: ServerTimeouts | undefined,
): Readonly<Record<string, string>> | undefined {
  if (
    current?.lock_timeout === wanted.lock_timeout &&
    current.idle_in_transaction_session_timeout === wanted.idle_in_transaction_session_timeout
  )
    return undefined
  const entries = Object.entries(wanted) as [keyof ServerTimeouts, number][]
  return Object.fromEntries(
    entries
      .filter(([name, value]) => value !== current?.[name])
      .map(([name, value]) => [name, String(value)]),
  )
}

/** The longest time that the settings can have, 24 days. */
const maxTimeoutMs = 2 ** 31 - 1
