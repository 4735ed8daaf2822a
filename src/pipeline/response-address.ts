import type { Context } from '../context/context.ts'
import { encodePathSegment } from '../http/percent-encoding.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { RouterServices } from './router-services.ts'

/**
 * Compiles a function for the address of the response document: that of the request, or that of the
 * item for writes of a resource, for actions, and where a former state is restored.
 */
export function responseAddress(
  services: RouterServices,
  { path: rulePath, target, view }: ModelRule,
): (context: Context) => string {
  const isAboutItem = ['resource', 'action', 'version', 'trashed'].includes(target.kind)
  const path = isAboutItem ? `/${view.model.plural}/:id` : rulePath
  const [prefix = '', suffix] = path.split(':id')
  if (suffix === undefined) return () => services.urlPrefix() + path
  return ({ id }) => services.urlPrefix() + prefix + encodePathSegment(id!) + suffix
}
