import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { encodePathSegment } from '../http/percent-encoding.ts'
import type { ModelRule } from '../rule/rule.ts'

/**
 * Compiles a rule's path into the function that tells the address of what it answers with, in its
 * one spelling: that of the request, or of the item where a resource of it was set or an action
 * done to it.
 */
export function responseAddress(
  parts: RouterServices,
  { path: own, resourceTarget, action, view }: ModelRule,
): (context: Context) => string {
  const path = resourceTarget || action ? `/${view.model.plural}/:id` : own
  const [before = '', after] = path.split(':id')
  if (after === undefined) return () => parts.urlPrefix() + path
  return ({ id }) => parts.urlPrefix() + before + encodePathSegment(id!) + after
}
