import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { bodyChunks, type Chunk, toBytes } from '../../http/chunk.ts'
import { closeBody } from '../../http/close-body.ts'
import type { RequestHandler } from '../feature.ts'

/**
 * How many items a list has for a caller who is not signed in: `refused` if such a caller may not
 * read it, `unavailable` if nobody can now or the client has used up a limit, `unknown` where the
 * protocol counts in another way. The request passes all middleware, as one of a client does.
 * @param request the request for a page with the count, whose credentials are left out
 */
export async function countItems(
  { headers: { host }, address, signal }: ApiRequest,
  handle: RequestHandler,
  path: string,
): Promise<number | 'refused' | 'unavailable' | 'unknown'> {
  const response = await handle({
    method: 'GET',
    path,
    query: 'page[size]=1&withCount=true',
    headers: { accept: '*/*', ...(host !== undefined && { host }) },
    body: undefined,
    address,
    signal,
  })
  if (response.status === 200) return totalOf(await textOf(response))
  await closeBody(response.body)
  if (response.status === 429 || response.status >= 500) return 'unavailable'
  // A list without such parameters, or with more.
  return response.status === 400 ? 'unknown' : 'refused'
}

function totalOf(text: string): number | 'unknown' {
  try {
    const { meta } = JSON.parse(text) as { meta?: { page?: { total?: unknown } } }
    const total = meta?.page?.total
    return typeof total === 'number' ? total : 'unknown'
  } catch {
    return 'unknown'
  }
}

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Chunk[] = []
  if (body.kind === 'stream') for await (const chunk of body.chunks) chunks.push(chunk)
  else chunks.push(...bodyChunks(body))
  return Buffer.concat(chunks.map(toBytes)).toString('utf8')
}
