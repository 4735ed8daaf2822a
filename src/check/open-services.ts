import { serve } from '../adapter/node.ts'
import { importRouters } from '../api/import-routers.ts'
import { isRecord } from './document-node.ts'

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

/**
 * Reads the OpenAPI document at a URL, or imports a module that exports routers and serves them on
 * a free port.
 * @param headers with which it reads the document, because documents may differ by caller
 * @throws Error if there is no document or no router
 */
export function openServices(name: string, headers: Headers = {}): Promise<OpenServices> {
  return /^https?:\/\//.test(name) ? openDocument(new URL(name), headers) : openRouters(name)
}

async function openDocument(documentAddress: URL, headers: Headers): Promise<OpenServices> {
  const document = await readDocument(documentAddress, headers)
  return {
    services: [{ document, documentAddress, base: baseAddressOf(document, documentAddress) }],
    close: async () => undefined,
  }
}

/** @throws Error if there is no OpenAPI document at the address */
export async function readDocument(address: URL, headers: Headers): Promise<object> {
  const response = await fetch(address, { headers }).catch((error: unknown) => {
    throw new Error(`Cannot reach ${address}: ${reasonOf(error)}.`, { cause: error })
  })
  const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  if (!isRecord(document) || !('openapi' in document))
    throw new Error(
      `Expected an OpenAPI document at ${address}, for example http://localhost:3000/api/openapi.json; got status ${response.status}.`,
    )
  return document
}

/** `fetch` names the reason in the cause; its own message is 'fetch failed' only. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  // Several addresses of a host name give an error with a code and no message.
  return cause.message || (cause as NodeJS.ErrnoException).code || cause.name
}

async function openRouters(file: string): Promise<OpenServices> {
  const routers = await importRouters(file)
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
