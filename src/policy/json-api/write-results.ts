import type { BatchSerializer, ErrorSerializer } from '../../serializer/serializer.ts'
import { atomicMediaType, atomicUri } from './media.ts'

const open = `{"jsonapi":${JSON.stringify({ version: '1.1', ext: [atomicUri] })},"atomic:results":[`

/** `{"atomic:results": [{"data": …}, {}]}` (Atomic Operations, result objects). */
export function resultsSerializer(errors: ErrorSerializer): BatchSerializer {
  return Object.freeze({
    ...errors,
    mediaType: atomicMediaType,
    results: (items: readonly (string | undefined)[]) =>
      `${open}${items.map((item) => (item === undefined ? '{}' : `{"data":${item}}`)).join(',')}]}`,
  })
}
