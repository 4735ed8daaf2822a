import type { BatchSerializer, ErrorSerializer } from '../../serializer/serializer.ts'
import { atomicExtensionUri, atomicMediaType } from './media-types.ts'

const resultsPrefix = `{"jsonapi":${JSON.stringify({ version: '1.1', ext: [atomicExtensionUri] })},"atomic:results":[`

/** `{"atomic:results": [{"data": …}, {}]}` (Atomic Operations, result objects). */
export function createResultsSerializer(errors: ErrorSerializer): BatchSerializer {
  return Object.freeze({
    ...errors,
    mediaType: atomicMediaType,
    writeResults: (items: readonly (string | undefined)[]) =>
      `${resultsPrefix}${items.map((item) => (item === undefined ? '{}' : `{"data":${item}}`)).join(',')}]}`,
  })
}
