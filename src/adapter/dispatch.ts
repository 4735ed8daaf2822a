import { prefixOf } from './check-services.ts'
import type { Service } from './service.ts'

/** Finds the service of a path: the longest base path that matches whole segments. */
export type Dispatch = (path: string) => Service | undefined

/**
 * @param services those that `checkServices` accepts
 * @param own those of the host, whose paths come before all services, also before one at the root
 */
export function dispatcher(services: readonly Service[], own: readonly Service[] = []): Dispatch {
  const longestFirst = services
    .map((service) => ({ prefix: prefixOf(service), service }))
    .sort((one, other) => other.prefix.length - one.prefix.length)
  const byPath = new Map(
    [...services, ...own].flatMap((service) =>
      (service.paths ?? []).map((path) => [path, service] as const),
    ),
  )
  return (path) => {
    const ofPath = byPath.size === 0 ? undefined : byPath.get(path)
    if (ofPath) return ofPath
    for (const { prefix, service } of longestFirst) if (isWithin(path, prefix)) return service
    return undefined
  }
}

const slash = 47

/** Compares the undecoded path, so that no other spelling of a base path matches. */
function isWithin(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || path.charCodeAt(prefix.length) === slash)
  )
}
