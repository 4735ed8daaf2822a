import type { DocsPage } from '../docs/docs-page.ts'
import { createDocsPages, refuseDocsPathConflict } from '../docs/docs-pages.ts'
import type { OpenApiOptions } from '../openapi/open-api-options.ts'
import { hasClosedRoute, type OwnRoute, withOwnRoutes } from '../openapi/own-routes.ts'
import { toOpenApi } from '../openapi/to-open-api.ts'
import type { Rule } from '../rule/rule.ts'
import type { AssembledRouter } from './assemble.ts'
import type { RouterSettings } from './registration.ts'
import type { RouterOptions } from './router-options.ts'
import type { RouterForGroup } from './router-variants.ts'

/** The OpenAPI documents of a router, and the pages that show them. */
export interface RouterDocuments {
  /** The document for all callers. */
  documentOf(
    rules: readonly Rule[],
    openApiOptions?: OpenApiOptions,
  ): ReturnType<typeof withOwnRoutes>
  /** The documentation pages of a variant; none without the option `docsPage`. */
  pagesOf(
    variant: RouterForGroup,
    assembled: Pick<AssembledRouter, 'variants' | 'hasCallerRules'>,
    allRules: readonly Rule[],
  ): readonly DocsPage[]
}

/** @param ownRoutes grow until the router handles its first request */
export function routerDocuments(
  { info, docsPage, startPage }: Pick<RouterOptions, 'info' | 'docsPage' | 'startPage'>,
  { basePath, authentication }: Pick<RouterSettings, 'basePath' | 'authentication'>,
  ownRoutes: readonly OwnRoute[],
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
    return withOwnRoutes(document, ownRoutes, rules, basePath, { schemes, isAnonymous })
  }
  return {
    documentOf: (rules, openApiOptions) => documentFor('all', rules, openApiOptions),
    pagesOf(variant, { variants, hasCallerRules }, allRules) {
      if (!docsPage) return []
      refuseDocsPathConflict(allRules)
      // Where no access rule knows the caller, all callers get one document.
      const isForAll = variants.isSingle && !hasCallerRules
      return createDocsPages(
        (caller) => {
          const { key, isPartial, rules } = variant.rulesFor(caller)
          const isAnonymous = !isForAll && caller === undefined
          return {
            key,
            // Other callers may have more members, or more operations.
            isPartial:
              isPartial || variant !== variants.whole || (isAnonymous && hasClosedRoute(ownRoutes)),
            make: () => documentFor(isAnonymous ? 'anonymous' : 'all', rules()),
          }
        },
        info?.title ?? 'API',
        isForAll ? undefined : (authentication?.headers ?? []),
        startPage === true,
      )
    },
  }
}
