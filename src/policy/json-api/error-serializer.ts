import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { withExtensions } from '../../http/headers/media-type-uris.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { errorsDocument } from './errors-schema.ts'
import { cursorPagination, mediaType } from './media-types.ts'

/**
 * Writes JSON:API error objects (JSON:API 1.1, errors).
 * @param errorDocsUrl the URL of a page that explains each code at the fragment of its name
 * @returns a function that takes the extensions of the documents
 */
export function createErrorSerializer(
  errorDocsUrl: string | undefined,
): (ext: readonly string[]) => ErrorSerializer {
  const errorSchema = errorsDocument(errorDocsUrl)
  return (ext) =>
    Object.freeze({
      errorMediaType: withExtensions(mediaType, ext),
      errorSchema,
      writeErrors: (_: number, problems: readonly Problem[], unlisted: number, baseUrl: string) =>
        JSON.stringify({
          jsonapi: { version: '1.1', ...(ext.length > 0 && { ext }) },
          errors: problems.map((item) => errorObject(item, resolveDocsUrl(errorDocsUrl, baseUrl))),
          ...(unlisted > 0 && { meta: { omitted: unlisted } }),
        }),
    })
}

/** Absolute if the service has a base URL, as its other links are. */
function resolveDocsUrl(errorDocsUrl: string | undefined, baseUrl: string): string | undefined {
  return errorDocsUrl?.startsWith('/') ? baseUrl + errorDocsUrl : errorDocsUrl
}

/** The error types of the Cursor Pagination profile. */
const profileErrorTypes: Readonly<Record<string, string>> = {
  'page-too-large': `${cursorPagination.uri}/max-size-exceeded`,
  'invalid-sort': `${cursorPagination.uri}/unsupported-sort`,
} satisfies { readonly [code in ErrorCode]?: string }

function errorObject(
  { status, code, title, detail, source, meta }: Problem,
  errorDocsUrl: string | undefined,
): object {
  const type =
    profileErrorTypes[code] ??
    (errorDocsUrl === undefined ? undefined : `${errorDocsUrl}#${encodeURIComponent(code)}`)
  return {
    status: String(status),
    code,
    title,
    detail,
    ...(source && { source }),
    ...(type && { links: { type } }),
    ...(meta && {
      meta: code === 'page-too-large' ? { ...meta, page: { maxSize: meta.limit } } : meta,
    }),
  }
}
