import { createAuthenticate } from '../authentication/authenticate.ts'
import { withStartPage } from '../docs/start-page.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { limitedAuthenticate } from '../pipeline/refused-requests.ts'
import { requestRouter } from '../pipeline/request-router.ts'
import { variantPipeline } from '../pipeline/variant-pipeline.ts'
import type { OpenRouter } from './opening.ts'
import type { RouterSettings } from './registration.ts'
import type { Registrations } from './registrations.ts'
import type { RouterDocuments } from './router-documents.ts'
import type { RouterOptions } from './router-options.ts'
import type { RouterForGroup } from './router-variants.ts'

/**
 * Compiles what handles requests, of what is registered.
 * @param items of the router, for authenticators
 */
export function routerHandler(
  { policy, info, startPage, docsPage }: RouterOptions,
  settings: RouterSettings,
  registrations: Registrations,
  documents: RouterDocuments,
  items: ItemsOf,
): OpenRouter {
  const { basePath, authentication, features, urlPrefix } = settings
  const assembled = registrations.assembled()
  const rules = registrations.rules()
  const { variants, limits } = assembled
  const refusalLimits = limits.flatMap(({ refusals }) => refusals ?? [])
  const authenticate =
    authentication &&
    limitedAuthenticate(
      createAuthenticate(authentication, items),
      refusalLimits,
      authentication.hasCredential,
    )
  const [writesOf] = features.flatMap((feature) => feature.writesOf ?? [])
  const partsOf = (variant: RouterForGroup) => ({
    services: variant.services,
    router: requestRouter(
      basePath,
      variant.endpoints,
      documents.pagesOf(variant, assembled, rules),
    ),
    serializer: policy.serializer,
    writesOf,
  })
  const handle = variantPipeline(variants, partsOf, authenticate, refusalLimits)
  return {
    handle: startPage
      ? withStartPage(handle, { basePath, info, rules, hasDocs: docsPage === true, urlPrefix })
      : handle,
    authenticate,
    limits,
  }
}
