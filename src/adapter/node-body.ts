import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { refuse } from '../error/api-error.ts'
import type { RequestBody } from '../http/api-request.ts'
import { JoinedChunks } from '../http/joined-chunks.ts'
import { UnfinishedBody } from '../http/unfinished-bodies.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { connectionLost } from './connection-lost.ts'
import { type WaitResult, waitForData } from './node-wait-for-data.ts'

/** How slowly a body may arrive, and how much memory unfinished ones may use. */
export interface BodyLimits {
  readonly timeoutMs: number
  readonly maxUnfinishedBytes: number
}

/** The body of a request, if it has one: `Content-Length: 0` is an empty body. */
export function requestBody(res: ServerResponse, limits: BodyLimits): RequestBody | undefined {
  const { headers } = res.req
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return undefined
  let isRead = false
  const markRead = () => {
    if (isRead) throw new Error('The body of a request can be read only once.')
    isRead = true
  }
  return {
    bytes(limit) {
      const bytes = readWhole(res, limit, limits, markRead)
      // Prevents an unhandled rejection if the caller does not await the bytes.
      bytes.catch(() => {})
      return bytes
    },
    stream() {
      markRead()
      // The first chunk may be read after the response has begun.
      streamedRequests.add(res.req)
      return readChunks(res, limits.timeoutMs)
    },
  }
}

async function readWhole(
  res: ServerResponse,
  limit: number,
  { timeoutMs, maxUnfinishedBytes }: BodyLimits,
  markRead: () => void,
): Promise<Uint8Array> {
  markRead()
  const { req } = res
  const length = Number(req.headers['content-length'])
  if (length > limit) throw bodyTooLarge(limit)
  if (req.headers.expect !== undefined) await sendContinue(res)
  const deadline = performance.now() + timeoutMs
  const joined = new JoinedChunks()
  let unfinished: UnfinishedBody | undefined
  try {
    for (;;) {
      const chunk: Buffer | null = req.read()
      if (chunk !== null) {
        if (joined.size + chunk.length > limit) throw bodyTooLarge(limit)
        joined.add(chunk)
        // Most bodies arrive whole, with their head.
        if (joined.size === length || req.complete) continue
        unfinished ??= new UnfinishedBody(maxUnfinishedBytes)
        unfinished.add(chunk.length)
      } else if (req.complete) return joined.whole()
      else {
        const signal = unfinished?.signal
        expectMore(await waitForData(req, deadline - performance.now(), signal))
        signal?.throwIfAborted()
      }
    }
  } finally {
    unfinished?.end()
  }
}

const streamedRequests = new WeakSet<IncomingMessage>()

/** Does something read the body chunk by chunk, perhaps while the response is sent? */
export function isBodyStreamed(req: IncomingMessage): boolean {
  return streamedRequests.has(req)
}

async function* readChunks(
  res: ServerResponse,
  timeoutMs: number,
): AsyncGenerator<Uint8Array, void> {
  const { req } = res
  if (req.headers.expect !== undefined) await sendContinue(res)
  try {
    for (;;) {
      const chunk: Buffer | null = req.read()
      if (chunk !== null) yield chunk
      else if (req.complete) return
      else expectMore(await waitForData(req, timeoutMs))
    }
  } finally {
    streamedRequests.delete(req)
  }
}

/** Sends 100 Continue only when the body is needed, so that refused uploads are not sent. */
async function sendContinue(res: ServerResponse): Promise<void> {
  // Waits until the parser has read a body that arrived together with the head.
  await immediate()
  const { req } = res
  if (!req.complete && req.httpVersionMinor > 0 && !res.headersSent && !isContinueSent(res))
    res.writeContinue()
}

/** Servers without a listener of `checkContinue` send it at once. Node has no public API for it. */
function isContinueSent(res: ServerResponse): boolean {
  return (res as { readonly _sent100?: boolean })._sent100 === true
}

function expectMore(outcome: WaitResult): void {
  if (outcome === 'timeout')
    throw refuse('request-timeout', 'The body arrived too slowly. Send the request again.')
  if (outcome === 'closed') throw connectionLost()
}
