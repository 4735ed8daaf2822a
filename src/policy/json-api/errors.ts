import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { errorsDocument } from './common-schemas.ts'
import { cursorPagination, mediaType } from './media.ts'

/** JSON:API error objects (JSON:API 1.1, errors). */
export const jsonApiErrors: ErrorSerializer = Object.freeze({
  errorMediaType: mediaType,
  errorSchema: errorsDocument,
  errors: (_: number, problems: readonly Problem[], untold: number) =>
    JSON.stringify({
      jsonapi: { version: '1.1' },
      errors: problems.map(errorObject),
      ...(untold > 0 && { meta: { untold } }),
    }),
})

/** The kinds of error that the Cursor Pagination profile names. */
const kinds: Readonly<Record<string, string>> = {
  'page-too-large': `${cursorPagination.uri}/max-size-exceeded`,
  'invalid-sort': `${cursorPagination.uri}/unsupported-sort`,
} satisfies { readonly [code in ErrorCode]?: string }

function errorObject({ status, code, title, detail, source, meta }: Problem): object {
  const type = kinds[code]
  return {
    status: String(status),
    code,
    title,
    detail,
    ...(source && { source }),
    ...(type && { links: { type } }),
    ...(meta && { meta: code === 'page-too-large' ? { ...meta, page: { maxSize: meta.limit } } : meta }),
  }
}
