import { clientLimitsOf } from '../middleware/client-limit.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { RegistrationError } from '../model/registration-error.ts'

/**
 * A response names each limit of a request once, and a batch takes points of each name once.
 * @param ofModels the middleware of each model, without that of the router
 * @throws RegistrationError for two limits of a request with one name
 */
export function checkLimitNames(
  ofRouter: readonly Middleware[],
  ofModels: readonly (readonly Middleware[])[],
): void {
  for (const own of [[], ...ofModels]) {
    const names = clientLimitsOf([...ofRouter, ...own]).flatMap(({ name }) => name ?? [])
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined)
      throw new RegistrationError(
        `Two limits of the same requests have the name '${repeated}'. Give each one a name of its own: limit({ name: '…', … }).`,
      )
  }
}
