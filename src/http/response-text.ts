import type { ApiResponse } from './api-response.ts'

/** The whole body of a response as text. */
export async function responseText({ body }: Pick<ApiResponse, 'body'>): Promise<string> {
  switch (body.kind) {
    case 'empty':
      return ''
    case 'text':
      return body.text
    case 'bytes':
      return Buffer.from(body.bytes).toString()
    case 'buffers':
      return Buffer.concat(body.buffers).toString()
    case 'stream': {
      const chunks: Uint8Array[] = []
      for await (const chunk of body.chunks)
        chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      return Buffer.concat(chunks).toString()
    }
  }
}
