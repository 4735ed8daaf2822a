import { hash } from 'node:crypto'
import type { Context } from '../../context/context.ts'
import type { Idempotency } from '../../context/idempotency.ts'
import { canonicalJson } from '../../text/canonical-json.ts'

/** The name of a record: nobody can tell the key of a client, or who it is, from it. */
export function recordKey(
  { scope }: Pick<Idempotency, 'scope'>,
  context: Context,
  key: string,
): string {
  const { rule, request } = context
  const parts = [scope(context), rule.method, rule.path, request.path, key]
  return hash('sha256', JSON.stringify(parts), 'base64url')
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
