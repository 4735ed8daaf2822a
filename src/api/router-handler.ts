import { createAuthenticate } from '../authentication/authenticate.ts'
import type { RequestHandler } from '../feature/feature.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { limitedAuthenticate } from '../pipeline/refused-requests.ts'
import { requestRouter } from '../pipeline/request-router.ts'
import type { RouterPart } from '../pipeline/router-part.ts'
import { storePipeline } from '../pipeline/store-pipeline.ts'
import { knownCallerPipeline, variantPipeline } from '../pipeline/variant-pipeline.ts'
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
  { policy }: Pick<RouterOptions, 'policy'>,
  settings: RouterSettings,
  registrations: Registrations,
  documents: RouterDocuments,
  items: ItemsOf,
  part: RouterPart,
): OpenRouter {
  const { basePath, authentication, features } = settings
  const assembled = registrations.assembled()
  const rules = registrations.rules()
  const { models, variants, limits } = assembled
  const refusalLimits = limits.flatMap(({ refusals }) => refusals ?? [])
  const authenticate =
    authentication &&
    limitedAuthenticate(
      createAuthenticate(authentication, items),
      refusalLimits,
      authentication.hasCredential,
    )
  const [writesOf] = features.flatMap((feature) => feature.writesOf ?? [])
  const partsOf = (variant: RouterForGroup) => {
    const groupDocuments = documents.ofGroup(variant, assembled)
    const pages = features.flatMap((feature) => feature.pages?.(groupDocuments, rules) ?? [])
    return {
      services: variant.services,
      router: requestRouter(basePath, variant.endpoints, pages),
      serializer: policy.serializer,
      writesOf,
    }
  }
  const handle = features.reduce<RequestHandler>(
    (inner, feature) => feature.aroundRules?.(inner, { models, rules }) ?? inner,
    part.kind === 'entrance'
      ? storePipeline(variants, partsOf, authenticate, refusalLimits, part.handlerOf)
      : variantPipeline(variants, partsOf, authenticate, refusalLimits),
  )
  const handleKnown = knownCallerPipeline(variants, partsOf, refusalLimits)
  return { handle, handleKnown, authenticate, limits }
}
