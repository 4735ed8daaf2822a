import { hash } from 'node:crypto'
import type { Context } from '../../context/context.ts'
import { canonicalJson } from '../../text/canonical-json.ts'
import type { Idempotency } from './idempotency-settings.ts'

/** What finds the record of a request, and reads it. */
export interface RecordKey {
  /** The name of the record: nobody can tell the key of a client, or who it is, from it. */
  readonly name: string
  /** What only who sends the request knows. It is kept nowhere. */
  readonly secret: string
}

export function recordKey(
  { scope }: Pick<Idempotency, 'scope'>,
  context: Context,
  key: string,
): RecordKey {
  const { rule, request } = context
  const secret = JSON.stringify([scope(context), rule.method, rule.path, request.path, key])
  return { name: hash('sha256', secret, 'base64url'), secret }
}

/** Who keeps the record: a client cannot choose this, while it can invent credentials. */
export function recordClient(
  { scope, isScopeShared }: Pick<Idempotency, 'scope' | 'isScopeShared'>,
  context: Context,
): string {
  return hash('sha256', isScopeShared ? `scope:${scope(context)}` : context.client, 'base64url')
}

/**
 * Who sends a request, without another scope: the caller, or the credentials of a request whose
 * caller the router does not know. Only a hash of them is kept.
 */
export function callerScope({ caller, request: { headers } }: Context): string {
  if (caller !== undefined) return `caller:${canonicalJson(caller)}`
  return `credentials:${JSON.stringify([headers.authorization ?? null, headers.cookie ?? null])}`
}

/** Tells whether the caller is the very one that sent the first request, whatever the scope is. */
export function callerHash(context: Context): string {
  return hash('sha256', callerScope(context), 'base64url')
}
