import { RegistrationError } from '../model/registration-error.ts'
import type { Rule } from '../rule/rule.ts'

/** What a router serves below its base path. */
export interface RouterPaths {
  readonly basePath: string
  readonly rules: readonly Rule[]
  /** Of features, below the base path. */
  readonly pagePaths: readonly string[]
}

/**
 * Refuses services whose base path has a rule at or below it: hosts choose the longest base path,
 * so such a service would get the requests of the rule.
 * @throws RegistrationError
 */
export function checkServicePaths(
  servicePaths: readonly string[],
  { basePath, rules, pagePaths }: RouterPaths,
): void {
  for (const servicePath of servicePaths) {
    const prefix = servicePath.replace(/\/+$/, '')
    // Otherwise the router has the longer base path, or both have the same, which hosts refuse.
    if (!prefix.startsWith(`${basePath}/`)) continue
    const served = [
      ...rules.map(({ method, path }) => ({ method: method as string, path })),
      ...pagePaths.map((path) => ({ method: 'GET', path })),
    ]
    const clash = served.find(({ path }) => `${basePath}${path}/`.startsWith(`${prefix}/`))
    if (clash)
      throw new RegistrationError(
        `service('${servicePath}') clashes with ${clash.method} ${basePath}${clash.path} of the router. Use another path.`,
      )
  }
}
