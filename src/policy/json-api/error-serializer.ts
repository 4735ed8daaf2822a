import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { withExtensions } from '../../http/headers/media-type-uris.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { errorsDocument } from './errors-schema.ts'
import { cursorPagination, mediaType } from './media-types.ts'

/**
 * JSON:API error objects (JSON:API 1.1, errors), in documents that follow these extensions.
 * @param errorDocsUrl the address of a page that explains each code under the fragment of its name
 */
export function createErrorSerializer(
  errorDocsUrl: string | undefined,
): (ext: readonly string[]) => ErrorSerializer {
  const errorSchema = errorsDocument(errorDocsUrl)
  return (ext) =>
    Object.freeze({
      errorMediaType: withExtensions(mediaType, ext),
      errorSchema,
      writeErrors: (_: number, problems: readonly Problem[], untold: number, baseUrl: string) =>
        JSON.stringify({
          jsonapi: { version: '1.1', ...(ext.length > 0 && { ext }) },
          errors: problems.map((one) => errorObject(one, resolveDocsUrl(errorDocsUrl, baseUrl))),
          ...(untold > 0 && { meta: { untold } }),
        }),
    })
}

/** Absolute where the service knows its own address, as its other links are. */
function resolveDocsUrl(errorDocsUrl: string | undefined, baseUrl: string): string | undefined {
  return errorDocsUrl?.startsWith('/') ? baseUrl + errorDocsUrl : errorDocsUrl
}

/** The kinds of error that the Cursor Pagination profile names. */
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
