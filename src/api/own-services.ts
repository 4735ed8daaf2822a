import { foreignRequest } from '../adapter/foreign-request.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import { pagePathsOf } from '../feature/features.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isSafe } from '../http/safe-method.ts'
import { authenticationUnavailable } from '../pipeline/encode-error.ts'
import { varyOf } from './complete-rule.ts'
import type { Opening } from './opening.ts'
import { ownService } from './own-service.ts'
import { checkServicePaths } from './own-service-paths.ts'
import type { Router } from './router.ts'
import type { RouterParts } from './router-lifecycle.ts'

/** What a router does for routes of the service that it does not serve itself. */
interface OwnServices<Caller> extends Pick<Router<Caller>, 'service' | 'authenticate'> {
  /** @throws RegistrationError for a service whose path belongs to the router */
  checkPaths(): void
}

export function ownServices<Caller>(
  { options, settings, registrations }: RouterParts,
  opening: Opening,
  encodeError: (error: unknown, request: ApiRequest) => ApiResponse,
): OwnServices<Caller> {
  const { basePath, features, refuseCrossSite, onError } = settings
  const report = (error: unknown): void => onError(error, undefined)
  const paths: string[] = []
  const checkPaths = (checked: readonly string[]): void =>
    checkServicePaths(checked, {
      basePath,
      rules: registrations.rules(),
      pagePaths: pagePathsOf(features),
    })
  return {
    checkPaths: () => checkPaths(paths),
    authenticate: async (request, { address } = {}) => {
      const { authenticate } = await opening.open()
      const plain = foreignRequest(request, address)
      if (!isSafe(plain)) refuseCrossSite(plain)
      try {
        return (await authenticate?.(plain)) as Caller | undefined
      } catch (error) {
        if (!(error instanceof AuthenticationUnavailable)) throw error
        report(error)
        throw authenticationUnavailable(error)
      }
    },
    service: (path, handle, serviceOptions = {}) => {
      if (registrations.isFrozen) checkPaths([path])
      const service = ownService(path, handle, serviceOptions, {
        open: opening.open,
        refuseCrossSite,
        features,
        vary: varyOf(settings),
        onError: options.onError && report,
        encodeError,
      })
      paths.push(path)
      return service
    },
  }
}
