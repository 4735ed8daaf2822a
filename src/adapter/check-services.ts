import { RegistrationFaults } from '../model/describe/registration-faults.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { OwnPath } from './own-path.ts'
import type { Service, ServiceDependency } from './service.ts'

/**
 * Refuses services that cannot be served together: all faults at once.
 * @param owner the function that gets the services, with parentheses: `serve()`
 * @param ownPaths those of the host, which no service may have
 * @throws RegistrationError for values that are not services, and for paths of several services
 */
export function checkServices(
  services: readonly Service[],
  owner: string,
  ownPaths: readonly OwnPath[] = [],
): void {
  if (services.length === 0)
    throw new RegistrationError(`Expected at least one service in ${owner}, such as a router.`)
  const faults = new RegistrationFaults()
  for (const service of services) faults.attempt(() => checkService(service))
  faults.throwAll()
  faults.attempt(() => refuseEqualPaths(services))
  for (const path of ownPaths) faults.attempt(() => refuseOwnPath(services, path))
  faults.throwAll()
}

/** The base path without a slash at its end. */
export function prefixOf({ basePath }: Service): string {
  return basePath.replace(/\/+$/, '')
}

/** @throws RegistrationError if it is not a service, for example a model */
function checkService(service: unknown): void {
  const { basePath, respond, dependencies } = Object(service) as Partial<Service>
  if (typeof basePath !== 'string' || typeof respond !== 'function')
    throw new RegistrationError(
      `A service must have a 'basePath' and a function 'respond', as a router has; got ${service === null ? 'null' : `a value of the type ${typeof service}`}.`,
    )
  if (basePath !== '' && !basePath.startsWith('/'))
    throw new RegistrationError(
      `The base path '${basePath}' must start with a slash: '/${basePath}'.`,
    )
  if (dependencies !== undefined) checkDependencies(basePath, dependencies)
}

/** @throws RegistrationError if they cannot be checked */
function checkDependencies(basePath: string, dependencies: unknown): void {
  if (Array.isArray(dependencies) && dependencies.every(isDependency)) return
  const example = "[{ name: 'mail', check: async (signal) => {} }]"
  throw new RegistrationError(
    `The 'dependencies' of the service at '${basePath || '/'}' must be a list of objects with a 'name' and a function 'check': ${example}.`,
  )
}

function isDependency(dependency: unknown): boolean {
  const { name, group = '', check } = Object(dependency) as Partial<ServiceDependency>
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof group === 'string' &&
    typeof check === 'function'
  )
}

function refuseEqualPaths(services: readonly Service[]): void {
  const prefixes = services.map(prefixOf)
  const repeated = prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index)
  if (repeated !== undefined)
    throw new RegistrationError(
      `Two services have the same base path '${repeated || '/'}'; base paths must differ.`,
    )
}

function refuseOwnPath(services: readonly Service[], { path, purpose, advice }: OwnPath): void {
  const service = services.find(
    (candidate) => prefixOf(candidate) === path || candidate.paths?.includes(path) === true,
  )
  if (service)
    throw new RegistrationError(
      `The service at '${prefixOf(service) || '/'}' has '${path}', the path of ${purpose} of serve(). ${advice}`,
    )
}
