import type { ResourceBytes } from '../model/items/items.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { indexParameterName } from '../rule/index-parameter-name.ts'
import { singleChunk } from '../store/blobs/chunks.ts'
import type { CodeRequest } from './code-context.ts'

/** The parameters of the path of a resource: the id, and the indexes of lists. */
export function resourceParams(id: string, path: string): Readonly<Record<string, string>> {
  const indexes = path.split('/').filter((step) => /^\d+$/.test(step))
  return Object.fromEntries([
    ['id', id],
    ...indexes.map((index, position) => [indexParameterName(position), index]),
  ])
}

/** An upload, as a client would send it. */
export function uploadRequest(
  id: string,
  path: string,
  { bytes, contentType, fileName }: ResourceBytes,
): CodeRequest {
  const chunks = bytes instanceof Uint8Array ? singleChunk(bytes) : bytes
  return {
    params: resourceParams(id, path),
    headers: {
      'content-type': contentType,
      ...(fileName !== undefined && {
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
      }),
    },
    body: {
      stream: () => chunks,
      bytes: () => Promise.reject(new Error('An upload is read as a stream.')),
    },
  }
}

/** The bytes of a resource. Its blob is kept until they are read, or the loop ends. */
export async function* bytesOf(
  resource: Extract<OperationResult, { kind: 'resource' }>,
): AsyncGenerator<Uint8Array> {
  let current: OperationResult = resource
  try {
    while (current.kind === 'resource') {
      const bytes = await current.read()
      if (bytes) {
        yield* bytes
        return
      }
      current.release()
      current = await current.retry()
    }
  } finally {
    if (current.kind === 'resource') current.release()
  }
}
