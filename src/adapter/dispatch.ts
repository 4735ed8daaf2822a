import { RegistrationError } from '../model/registration-error.ts'
import type { Service } from './service.ts'

/**
 * Finds the service of a path: the one with the longest base path that ends on a segment's edge.
 */
export type Dispatch = (path: string) => Service | undefined

/**
 * @throws RegistrationError for what is no service, and when two claim one base path, since one of
 * them could never answer.
 */
export function dispatcher(services: readonly Service[]): Dispatch {
  if (services.length === 0)
    throw new RegistrationError('Give serve() at least one service, such as a router.')
  for (const service of services) checkService(service)
  const longestFirst = services
    .map((service) => ({ prefix: prefixOf(service), service }))
    .sort((one, other) => other.prefix.length - one.prefix.length)
  for (const [index, { prefix }] of longestFirst.entries()) {
    if (longestFirst[index + 1]?.prefix === prefix)
      throw new RegistrationError(
        `Two services share the base path '${prefix || '/'}'; give each its own.`,
      )
  }
  return (path) => {
    for (const { prefix, service } of longestFirst) if (isWithin(path, prefix)) return service
    return undefined
  }
}

/** @throws RegistrationError where it is something else, such as a model */
function checkService(service: unknown): void {
  const { basePath, respond } = Object(service) as Partial<Service>
  if (typeof basePath === 'string' && typeof respond === 'function') return
  throw new RegistrationError(
    `A service has a 'basePath' and a function 'respond', as the router of createRouter() has; got ${service === null ? 'null' : `a value of the type ${typeof service}`}.`,
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

/**
 * The path is compared as it was sent: another spelling of the same address is never a second door.
 */
function isWithin(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || path.charCodeAt(prefix.length) === slash)
  )
}
