import { lookup } from 'node:dns/promises'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import { retryAfterMs } from './retry-after.ts'

export interface WebhookMessage {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

export interface SendingOptions {
  /** Hosts in lower case that may have any address, and no TLS: `localhost`. */
  readonly allowedHosts: ReadonlySet<string>
  /** How long an attempt may take, in milliseconds. */
  readonly timeoutMs: number
  /** The addresses of a host. Called once for each attempt. Default: as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** How an attempt has ended. */
export type SentWebhook =
  /** With a status of 2xx. */
  | { readonly kind: 'delivered'; readonly status: number }
  /** The receiver wants no more (410). */
  | { readonly kind: 'gone'; readonly status: 410 }
  | {
      readonly kind: 'failed'
      /** A sentence. */
      readonly reason: string
      /** Undefined without a response. */
      readonly status: number | undefined
      /** When the receiver wants the next attempt, from now; undefined if it does not say. */
      readonly retryAfterMs: number | undefined
    }

/**
 * Posts a message to a host of the public internet. The host is resolved once, and the connection
 * goes to the address that was checked, whatever the name leads to later. Redirects are not
 * followed.
 */
export async function sendWebhook(
  message: WebhookMessage,
  options: SendingOptions,
): Promise<SentWebhook> {
  try {
    const fault = urlFault(message.url, options.allowedHosts)
    if (fault !== undefined) return failed(`The URL ${fault}.`)
    const signal = AbortSignal.timeout(options.timeoutMs)
    const address = await inTime(addressOf(message.url, options), signal)
    return await post(message, address, signal)
  } catch (error) {
    return failed(reasonOf(error))
  }
}

/** What a URL to which nothing is sent must be; undefined if it is. */
export function urlFault(url: URL, allowedHosts: ReadonlySet<string>): string | undefined {
  const isAllowed = allowedHosts.has(hostOf(url))
  if (url.protocol !== 'https:' && !(isAllowed && url.protocol === 'http:'))
    return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must have no user or password'
  if (!isAllowed && isIP(hostOf(url)) !== 0 && !isPublicAddress(hostOf(url)))
    return 'must lead to a public address'
  return undefined
}

async function addressOf(
  url: URL,
  { allowedHosts, resolve = resolveBySystem }: SendingOptions,
): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const [address] = addresses
  if (address === undefined) throw new Error('The host has no address.')
  // One private address among public ones is a trick, or a mistake.
  if (!allowedHosts.has(host) && !addresses.every(isPublicAddress))
    throw new Error('The host has an address that is not public.')
  return address
}

/** @throws what the signal is aborted with */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, late])
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function post(
  { url, headers, body }: WebhookMessage,
  address: string,
  signal: AbortSignal,
): Promise<SentWebhook> {
  const content = Buffer.from(body)
  const options: RequestOptions = {
    method: 'POST',
    // A connection of its own: a kept one could lead to an address of before.
    agent: false,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': content.length,
      'user-agent': 'resourcery',
    },
    signal,
    lookup: (_host, { all }, done) => {
      const family = isIP(address)
      if (all) done(null, [{ address, family }])
      else done(null, address, family)
    },
  }
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(url, options, (response) => {
      const { statusCode: status = 0, headers: received } = response
      // What the receiver says besides is of no use, and may be endless.
      response.destroy()
      resolve(outcomeOf(status, received['retry-after']))
    })
    request.on('error', reject)
    // Neither a switch to another protocol nor a lost connection is an error for Node.js.
    request.on('upgrade', (_, socket) => socket.destroy())
    request.on('close', () => reject(new Error('The receiver closed the connection.')))
    request.end(content)
  })
}

function outcomeOf(status: number, retryAfter: string | undefined): SentWebhook {
  if (status >= 200 && status < 300) return { kind: 'delivered', status }
  if (status === 410) return { kind: 'gone', status }
  const reason =
    status >= 300 && status < 400
      ? `The receiver redirects (${status}), and redirects are not followed.`
      : `The receiver responded with ${status}.`
  return { kind: 'failed', reason, status, retryAfterMs: retryAfterMs(retryAfter, Date.now()) }
}

function failed(reason: string): SentWebhook {
  return { kind: 'failed', reason, status: undefined, retryAfterMs: undefined }
}

/** Without the brackets around an IPv6 address, and without a final dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** A sentence. */
function reasonOf(error: unknown): string {
  const { name, code, message } = Object(error) as Partial<NodeJS.ErrnoException>
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'The receiver did not respond in time.'
  return code === undefined ? String(message) : `The receiver could not be reached: ${code}.`
}
