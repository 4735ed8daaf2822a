import type { DocumentsOfGroup } from '../feature/feature.ts'
import type { OpenApiOptions } from '../openapi/open-api-options.ts'
import { hasClosedRoute, type OwnRoute, withOwnRoutes } from '../openapi/own-routes.ts'
import { toOpenApi } from '../openapi/to-open-api.ts'
import { withWebhooks } from '../openapi/webhooks.ts'
import type { Rule } from '../rule/rule.ts'
import type { AssembledRouter } from './assemble.ts'
import type { RouterSettings } from './registration.ts'
import type { RouterExtension } from './router-extensions.ts'
import type { RouterOptions } from './router-options.ts'
import type { RouterForGroup } from './router-variants.ts'

/** The OpenAPI documents of a router. */
export interface RouterDocuments {
  /** The document for all callers. */
  documentOf(
    rules: readonly Rule[],
    openApiOptions?: OpenApiOptions,
  ): ReturnType<typeof withOwnRoutes>
  /** The documents that the callers of a group get. */
  ofGroup(
    variant: RouterForGroup,
    assembled: Pick<AssembledRouter, 'variants' | 'hasCallerRules'>,
  ): DocumentsOfGroup
}

/** @param ownRoutes and extensions grow until the router handles its first request */
export function routerDocuments(
  { info }: Pick<RouterOptions, 'info'>,
  { basePath, authentication }: Pick<RouterSettings, 'basePath' | 'authentication'>,
  ownRoutes: readonly OwnRoute[],
  extensions: readonly RouterExtension[],
): RouterDocuments {
  const schemes = Object.fromEntries(
    (authentication?.authenticators ?? []).map(({ name, scheme }) => [name, scheme]),
  )
  const documentFor = (
    readers: 'all' | 'anonymous',
    rules: readonly Rule[],
    openApiOptions: OpenApiOptions = {},
  ) => {
    const document = toOpenApi(rules, {
      servers: [{ url: basePath || '/' }],
      ...(info && { info }),
      ...openApiOptions,
    })
    const isAnonymous = readers === 'anonymous'
    const webhooks = extensions.map((extension) => extension.webhooks?.(rules) ?? {})
    return withWebhooks(
      withOwnRoutes(document, ownRoutes, rules, basePath, { schemes, isAnonymous }),
      Object.assign({}, ...webhooks),
    )
  }
  return {
    documentOf: (rules, openApiOptions) => documentFor('all', rules, openApiOptions),
    ofGroup(variant, { variants, hasCallerRules }) {
      // Where no access rule knows the caller, all callers get one document.
      const isForAll = variants.isSingle && !hasCallerRules
      return {
        isForAll,
        documentFor: (caller) => {
          const { key, isPartial, rules } = variant.rulesFor(caller)
          const isAnonymous = !isForAll && caller === undefined
          return {
            key,
            // Other callers may have more members, or more operations.
            isPartial:
              isPartial || variant !== variants.whole || (isAnonymous && hasClosedRoute(ownRoutes)),
            make: (version) => documentFor(isAnonymous ? 'anonymous' : 'all', rules(), { version }),
          }
        },
      }
    },
  }
}
