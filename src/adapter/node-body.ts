import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { refuse } from '../error/api-error.ts'
import type { RequestBody } from '../http/api-request.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { type WaitResult, waitForData } from './node-wait-for-data.ts'

/** The body of a request, if it announces one: `Content-Length: 0` announces an empty one. */
export function requestBody(res: ServerResponse, timeoutMs: number): RequestBody | undefined {
  const { headers } = res.req
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return undefined
  let taken = false
  const take = () => {
    if (taken) throw new Error('The body of a request can be read only once.')
    taken = true
  }
  return {
    bytes(limit) {
      const whole = readWhole(res, limit, timeoutMs, take)
      // Who asks and then does not wait must not bring the process down when the client leaves.
      whole.catch(() => {})
      return whole
    },
    stream() {
      take()
      return readChunks(res, timeoutMs)
    },
  }
}

async function readWhole(
  res: ServerResponse,
  limit: number,
  timeoutMs: number,
  take: () => void,
): Promise<Uint8Array> {
  take()
  const { req } = res
  if (Number(req.headers['content-length']) > limit) throw bodyTooLarge(limit)
  if (req.headers.expect !== undefined) await sendContinue(res)
  const deadline = performance.now() + timeoutMs
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    const part: Buffer | null = req.read()
    if (part !== null) {
      size += part.length
      if (size > limit) throw bodyTooLarge(limit)
      parts.push(part)
    } else if (req.complete) return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
    else expectMore(await waitForData(req, deadline - performance.now()))
  }
}

async function* readChunks(
  res: ServerResponse,
  timeoutMs: number,
): AsyncGenerator<Uint8Array, void> {
  const { req } = res
  if (req.headers.expect !== undefined) await sendContinue(res)
  for (;;) {
    const part: Buffer | null = req.read()
    if (part !== null) yield part
    else if (req.complete) return
    else expectMore(await waitForData(req, timeoutMs))
  }
}

/**
 * Tells a client that waits for it that its body is wanted: only now, so that a refusal costs it no
 * upload (RFC 9110 §10.1.1).
 */
async function sendContinue(res: ServerResponse): Promise<void> {
  // A body that came together with the head, from a client that did not wait, is parsed by then.
  await nextTurn()
  if (!res.req.complete && res.req.httpVersionMinor > 0 && !res.headersSent) res.writeContinue()
}

function expectMore(outcome: WaitResult): void {
  if (outcome === 'late')
    throw refuse('request-timeout', 'The body stalled for too long; send it again.')
  if (outcome === 'gone')
    throw refuse('malformed-request', 'The connection ended before the body did.')
}
