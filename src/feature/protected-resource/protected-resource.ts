import { RegistrationError } from '../../model/registration-error.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { type ProtectedResourceOptions, resourceMetadata } from './metadata.ts'
import { metadataRoute } from './metadata-route.ts'

/** The option, and those that it needs. */
interface OptionWithNeeds {
  readonly baseUrl?: unknown
  readonly security?: {
    readonly protectedResource?: ProtectedResourceOptions
    readonly authentication?: unknown
  }
}

/**
 * Publishes how clients get a token; undefined if the option is off.
 * @throws RegistrationError for an invalid option, and without authentication or an address of the
 * service
 */
export function protectedResource(
  {
    baseUrl: address,
    security: { protectedResource: options, authentication } = {},
  }: OptionWithNeeds,
  { basePath, baseUrl }: Pick<RouterSetup, 'basePath' | 'baseUrl'>,
): Feature | undefined {
  if (options === undefined) return undefined
  if (!authentication || address === undefined)
    throw new RegistrationError(
      "The option 'security.protectedResource' of createRouter() needs the options 'security.authentication' and 'baseUrl': it publishes where this service is, and how to get a token for it.",
    )
  const { path, url, respond } = resourceMetadata(options, basePath, baseUrl)
  return {
    paths: [path],
    routes: [metadataRoute(path)],
    // RFC 9728 §5.1
    bearerParameters: () => ({ resource_metadata: url() }),
    around: (handle) => async (request) =>
      request.path === path ? respond(request) : handle(request),
  }
}
