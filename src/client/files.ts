import type { Item } from './format.ts'
import {
  itemOf,
  type ModelRequests,
  pathOf,
  request,
  type Target,
  withQuery,
} from './model-requests.ts'
import { countedStream, type Progress } from './progress.ts'
import type { AnyQuery } from './query-text.ts'

interface UploadQuery extends AnyQuery {
  readonly fileName?: string
  readonly onProgress?: Progress
}

interface DownloadOptions {
  readonly onProgress?: Progress
  readonly signal?: AbortSignal
}

/** Calls about the files of an item; `path` says where one is below it, such as `cover`. */
export interface AnyFileCalls {
  upload(target: Target, path: string, bytes: Blob, query?: UploadQuery): Promise<Item | undefined>
  download(target: Target, path: string, options?: DownloadOptions): Promise<Blob>
  deleteFile(target: Target, path: string, options?: DownloadOptions): Promise<void>
}

export function fileCalls(requests: ModelRequests): AnyFileCalls {
  return {
    upload: async (target, path, bytes, { fileName, onProgress, ...query } = {}) => {
      const name = fileName ?? (bytes as Partial<File>).name
      const response = await request(requests, {
        method: 'POST',
        path: withQuery(requests, pathOf(requests, target, path), query),
        headers: {
          'content-type': bytes.type || 'application/octet-stream',
          ...(name && { 'content-disposition': `attachment; filename*=UTF-8''${encoded(name)}` }),
        },
        body: bytes,
        onProgress,
        signal: query.signal,
      })
      return itemOf(requests, response, query)
    },
    download: async (target, path, { onProgress, signal } = {}) => {
      const response = await request(requests, {
        method: 'GET',
        path: pathOf(requests, target, path),
        headers: { accept: '*/*' },
        signal,
      })
      if (!onProgress || !response.body) return response.blob()
      const size = Number(response.headers.get('content-length')) || undefined
      const type = response.headers.get('content-type') ?? ''
      const body = countedStream(response.body, size, onProgress)
      return new Response(body, { headers: { 'content-type': type } }).blob()
    },
    deleteFile: async (target, path, { signal } = {}) => {
      await request(requests, { method: 'DELETE', path: pathOf(requests, target, path), signal })
    },
  }
}

/** RFC 8187 allows fewer characters than `encodeURIComponent` leaves. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
