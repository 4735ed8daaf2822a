import { serve } from '../../adapter/node.ts'
import { formatNumber } from '../../text/message-text.ts'
import { importServedRouters } from '../import-routers.ts'
import { isRecord } from './document-node.ts'
import { reasonOf } from './response-errors.ts'
import { defaultMaxResponseBytes, defaultTimeoutMs } from './service-client.ts'

/** A service to check: its document and its base URL. */
export interface CheckedService {
  readonly document: object
  /** Where it serves the document, with the caller's own view of it. */
  readonly documentAddress: URL
  readonly base: URL
}

export interface OpenServices {
  readonly services: readonly CheckedService[]
  close(): Promise<void>
}

type Headers = Readonly<Record<string, string>>

/** The bounds of reading a document. */
export interface DocumentLimits {
  /** The time for the whole document, with redirects, in milliseconds. Default: 10 000. */
  readonly timeoutMs?: number
  /** The bytes that the document may have. Default: 64 MiB. */
  readonly maxDocumentBytes?: number
}

/**
 * Reads the OpenAPI document at a URL, or imports a module that exports routers and serves them on
 * a free port.
 * @param headers with which it reads the document, because documents may differ by caller
 * @throws Error if there is no document or no router
 */
export function openServices(
  name: string,
  headers: Headers = {},
  limits: DocumentLimits = {},
): Promise<OpenServices> {
  return /^https?:\/\//.test(name)
    ? openDocument(new URL(name), headers, limits)
    : openRouters(name)
}

async function openDocument(
  documentAddress: URL,
  headers: Headers,
  limits: DocumentLimits,
): Promise<OpenServices> {
  const document = await readDocument(documentAddress, headers, limits)
  return {
    services: [{ document, documentAddress, base: baseAddressOf(document, documentAddress) }],
    close: async () => undefined,
  }
}

/** @throws Error if there is no OpenAPI document at the address, or not within the limits */
export async function readDocument(
  address: URL,
  headers: Headers,
  { timeoutMs = defaultTimeoutMs, maxDocumentBytes = defaultMaxResponseBytes }: DocumentLimits = {},
): Promise<object> {
  const signal = AbortSignal.timeout(timeoutMs)
  const unreachable = (error: unknown): never => {
    if (signal.aborted)
      throw new Error(`${address} sent no complete document within ${timeoutMs} ms.`)
    throw new Error(`Cannot reach ${address}: ${causeOf(error)}.`, { cause: error })
  }
  const response = await fetch(address, { headers, signal }).catch(unreachable)
  if (!response.ok) {
    await response.body?.cancel().catch(() => undefined)
    if (response.status === 401 && Object.keys(headers).length > 0) throw refusedCredential(address)
    throw noDocument(address, response)
  }
  const text = await readText(response, maxDocumentBytes).catch(unreachable)
  if (text === undefined)
    throw new Error(
      `The document at ${address} has more than ${formatNumber(maxDocumentBytes)} bytes. Allow more with --max-document-bytes.`,
    )
  const document = parseJson(text)
  if (!isRecord(document) || !('openapi' in document)) throw noDocument(address, response)
  return document
}

function refusedCredential(address: URL): Error {
  return new Error(
    `The credential is refused (401) at ${address}. Send one that the service accepts.`,
  )
}

function noDocument(address: URL, { status }: Response): Error {
  return new Error(
    `Expected an OpenAPI document at ${address}, for example http://localhost:3000/api/openapi.json; got status ${status}.`,
  )
}

/** Undefined if the body has more bytes. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** `fetch` names the reason in the cause; its own message is 'fetch failed' only. */
function causeOf(error: unknown): string {
  return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}

async function openRouters(file: string): Promise<OpenServices> {
  const routers = await importServedRouters(file)
  const server = await serve([...routers], { port: 0 })
  const address = new URL(server.address)
  const documents = routers.map(
    (router) => router.toOpenApi({ info: { title: 'Checked', version: '1' } }) as object,
  )
  return {
    services: documents.map((document) => {
      const base = baseAddressOf(document, address)
      const documentAddress = new URL(`${base.pathname.replace(/\/$/, '')}/openapi.json`, base)
      return { document, documentAddress, base }
    }),
    close: () => server.close(),
  }
}

/** The URL of the first server, which may be relative to the document (OAS 3.1, server object). */
function baseAddressOf(document: object, address: URL): URL {
  const [first] = 'servers' in document && Array.isArray(document.servers) ? document.servers : []
  return new URL(isRecord(first) && typeof first.url === 'string' ? first.url : '/', address)
}
