import type { Context } from '../context/context.ts'
import { encodePathSegment } from '../http/header-value.ts'
import type { Rule } from '../rule/rule.ts'
import type { Parts } from './parts.ts'

/**
 * Compiles a rule's path into the function that tells the address of a request, in its one spelling. Where a resource is set, what is answered
 * is its item, which has an address of its own.
 */
export function addressOf(parts: Parts, { path: own, resource, view }: Rule): (context: Context) => string {
  const path = resource ? `/${view.model.plural}/:id` : own
  const [before = '', after] = path.split(':id')
  if (after === undefined) return () => parts.base() + path
  return ({ id }) => parts.base() + before + encodePathSegment(id!) + after
}
