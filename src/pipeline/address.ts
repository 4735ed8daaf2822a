import type { Context } from '../context/context.ts'
import { encodePathSegment } from '../http/header-value.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Parts } from './parts.ts'

/**
 * Compiles a rule's path into the function that tells the address of what it answers with, in its one spelling: that of the request, or of
 * the item where a resource of it was set or an action done to it.
 */
export function addressOf(
  parts: Parts,
  { path: own, resource, action, view }: ModelRule,
): (context: Context) => string {
  const path = resource || action ? `/${view.model.plural}/:id` : own
  const [before = '', after] = path.split(':id')
  if (after === undefined) return () => parts.base() + path
  return ({ id }) => parts.base() + before + encodePathSegment(id!) + after
}
