import { RegistrationError } from '../model/registration-error.ts'
import type { Service } from './service.ts'

/** Finds the service of a path: the longest base path that matches whole segments. */
export type Dispatch = (path: string) => Service | undefined

/**
 * @param owner the function that gets the services, with parentheses: `serve()`
 * @param healthChecks what responds at paths of its own before all services, also before one at the root
 * @throws RegistrationError for values that are not services, and for equal base paths
 */
export function dispatcher(
  services: readonly Service[],
  owner: string,
  healthChecks?: Service,
): Dispatch {
  if (services.length === 0)
    throw new RegistrationError(`Expected at least one service in ${owner}, such as a router.`)
  for (const service of services) checkService(service)
  const longestFirst = services
    .map((service) => ({ prefix: prefixOf(service), service }))
    .sort((one, other) => other.prefix.length - one.prefix.length)
  for (const [index, { prefix }] of longestFirst.entries()) {
    if (longestFirst[index + 1]?.prefix === prefix)
      throw new RegistrationError(
        `Two services have the same base path '${prefix || '/'}'; base paths must differ.`,
      )
  }
  for (const path of healthChecks?.paths ?? []) refuseAtHealthCheck(longestFirst, path)
  const byPath = new Map(
    [...services, ...(healthChecks ? [healthChecks] : [])].flatMap((service) =>
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

/** @throws RegistrationError if a service has the path of a health check */
function refuseAtHealthCheck(
  services: readonly { readonly prefix: string; readonly service: Service }[],
  path: string,
): void {
  const taken = services.find(
    ({ prefix, service }) => prefix === path || service.paths?.includes(path) === true,
  )
  if (taken)
    throw new RegistrationError(
      `The service at '${taken.prefix || '/'}' has '${path}', the path of a health check of serve(). Rename the check by 'livePath' or 'readyPath' of the option 'health', or switch the checks off: 'health: false'.`,
    )
}

/** @throws RegistrationError if it is not a service, for example a model */
function checkService(service: unknown): void {
  const { basePath, respond } = Object(service) as Partial<Service>
  if (typeof basePath === 'string' && typeof respond === 'function') return
  throw new RegistrationError(
    `A service must have a 'basePath' and a function 'respond', as a router has; got ${service === null ? 'null' : `a value of the type ${typeof service}`}.`,
  )
}

function prefixOf({ basePath }: Service): string {
  if (basePath !== '' && !basePath.startsWith('/'))
    throw new RegistrationError(
      `The base path '${basePath}' must start with a slash: '/${basePath}'.`,
    )
  return basePath.replace(/\/+$/, '')
}

const slash = 47

/** Compares the undecoded path, so that no other spelling of a base path matches. */
function isWithin(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || path.charCodeAt(prefix.length) === slash)
  )
}
