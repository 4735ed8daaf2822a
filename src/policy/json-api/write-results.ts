import type { BatchSerializer } from '../../serializer/serializer.ts'
import { jsonApiErrors } from './errors.ts'
import { atomicMediaType, atomicUri } from './media.ts'

const open = `{"jsonapi":${JSON.stringify({ version: '1.1', ext: [atomicUri] })},"atomic:results":[`

/** `{"atomic:results": [{"data": …}, {}]}` (Atomic Operations, result objects). */
export const resultsSerializer: BatchSerializer = Object.freeze({
  ...jsonApiErrors,
  errorMediaType: atomicMediaType,
  mediaType: atomicMediaType,
  results: (items: readonly (string | undefined)[]) =>
    `${open}${items.map((item) => (item === undefined ? '{}' : `{"data":${item}}`)).join(',')}]}`,
})
