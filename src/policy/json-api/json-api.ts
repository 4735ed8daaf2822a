import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { feedRules } from '../feed-rules.ts'
import { type ListOptions, listOptions } from '../list-alternatives.ts'
import type { Policy } from '../policy.ts'
import { batchRules } from './batch-rules.ts'
import { contentsOf, metaDocument } from './document-schemas.ts'
import { createErrorSerializer } from './error-serializer.ts'
import { jsonApiRules } from './json-api-rules.ts'
import { createJsonApiSerializer } from './json-api-serializer.ts'
import { atomicExtensionUri, plainParameters } from './media-types.ts'
import { resourceSchemas } from './resource-schemas.ts'

export type { ListOptions }

export interface JsonApiOptions extends ListOptions {
  /**
   * The URL of a page that explains errors. Each error then has a link `type` to it, with its code
   * as the fragment (JSON:API 1.1, error objects). Error types of a profile keep their own link.
   * Default: no links.
   */
  readonly errorDocsUrl?: string
}

/**
 * JSON:API 1.1: `application/vnd.api+json`, resource objects with links, compound documents,
 * relationships with their own URLs, the Cursor Pagination profile, and the Atomic Operations
 * extension at `/operations`.
 *
 * ```ts
 * const router = createRouter({ policy: jsonApi(), basePath: '/json-api', store: memory() })
 * ```
 *
 * @throws RegistrationError for an unknown option
 */
export function jsonApi(options: JsonApiOptions = {}): Policy {
  checkOptions('jsonApi()', options, jsonApiOptions)
  const { errorDocsUrl } = options
  const errorSerializerFor = createErrorSerializer(errorDocsUrl)
  const errors = errorSerializerFor([])
  const batchErrors = errorSerializerFor([atomicExtensionUri])
  return Object.freeze<Policy>({
    name: 'json-api',
    serializer: errors,
    rules: (view, views, limits) => jsonApiRules(view, views, limits, errors, options),
    routerRules: (rules, views, limits) => [
      ...batchRules(rules, views, limits, batchErrors),
      ...feedRules(rules, views, limits, {
        serializer: createJsonApiSerializer(views, errors),
        parameters: plainParameters,
        item: (view) => resourceSchemas(view, views).resource,
        pageContents: (page) => contentsOf(metaDocument(page)),
      }),
    ],
  })
}

const jsonApiOptions: OptionChecks<JsonApiOptions> = {
  ...listOptions,
  errorDocsUrl: true,
}
