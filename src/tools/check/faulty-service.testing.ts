import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { check } from './check.ts'
import { thingsDocument } from './things-document.testing.ts'

/** The defect of the service. */
export type Defect =
  | 'none'
  | 'undocumented status'
  | 'wrong body'
  | 'wrong media type'
  | 'missing header'
  | 'crash'
  | 'stack trace'
  | 'takes anything'
  | 'refuses what fits'
  | 'responds to any method'
  | 'does what it refuses'
  | 'forgets Allow'
  | 'forgets what it created'
  | 'keeps what it deleted'
  | 'HEAD with another tag'
  | 'new tag each time'
  | 'ignores If-Match'
  | 'body with 204'
  | 'loses updates'
  | 'creates twice'
  | 'brings back what it deleted'
  | 'takes two hosts'
  | 'takes broken framing'
  | 'stumbles over absolute targets'
  | 'redirects other hosts'
  | 'refuses other hosts in Host only'
  | 'refuses other hosts'
  | 'reads the first piece of a body'
  | 'fails at odd addresses'
  | 'leads odd addresses elsewhere'
  | 'slow'
  | 'silent'

/** Checks the service. */
export async function checked(defect: Defect) {
  return check(thingsDocument, await started(defect), {
    runs: 60,
    seed: 3,
    timeoutMs: defect === 'slow' ? 100 : 2_000,
  })
}

/** Starts the service until the end of the test. */
export async function started(defect: Defect): Promise<URL> {
  const server = createServer(service(defect))
  if (defect === 'takes broken framing')
    server.on('clientError', (_, socket) =>
      socket.end('HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'),
    )
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** A hand-written service of things with a name, and one defect. */
function service(defect: Defect) {
  const things = new Map<string, { id: string; name: string }>([['1', { id: '1', name: 'first' }]])
  const gone = new Set<string>()
  let made = 1
  let tags = 0
  const tagOf = (thing: object) =>
    defect === 'new tag each time'
      ? `"${tags++}"`
      : `"${Buffer.from(JSON.stringify(thing)).toString('base64url')}"`
  const respond = (
    response: ServerResponse,
    status: number,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const type = defect === 'wrong media type' ? 'application/xml' : 'application/json'
    response.writeHead(status, { ...headers, ...(body !== undefined && { 'content-type': type }) })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const problem = (response: ServerResponse, status: number, headers?: Record<string, string>) =>
    respond(
      response,
      status,
      { title: defect === 'stack trace' ? 'at run (file:///srv/app.js:1:1)' : 'No.' },
      headers,
    )

  return async (request: IncomingMessage, response: ServerResponse) => {
    const chunks = await received(request)
    if (!chunks) return response.destroy()
    if (defect === 'reads the first piece of a body') chunks.splice(1)
    const { method = '', headers, rawHeaders } = request
    const hosts = rawHeaders.filter(
      (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
    )
    if (hosts.length > 1 && defect !== 'takes two hosts') return problem(response, 400)
    if (defect === 'silent' && method === 'DELETE') return request.socket.destroy()
    if (defect === 'slow') await setTimeout(method === 'PATCH' ? 200 : 0)
    const address = request.url ?? ''
    const isOther = headers.host === 'other.example'
    if (isOther && defect === 'refuses other hosts in Host only') return problem(response, 421)
    if ((isOther || address.startsWith('http://other.')) && defect === 'refuses other hosts')
      return problem(response, 421)
    if ((isOther || address.startsWith('http://other.')) && defect === 'redirects other hosts')
      return problem(response, 308, { location: `http://127.0.0.1${address}` })
    if (address.startsWith('//') && defect === 'fails at odd addresses')
      return problem(response, 500)
    if (address.startsWith('//') && defect === 'leads odd addresses elsewhere')
      return respond(response, 204)
    const isAbsolute = address.startsWith('http') && defect !== 'stumbles over absolute targets'
    const [, , segment] = (isAbsolute ? new URL(address).pathname : address)
      .split('?')[0]!
      .split('/')
    const id = segment === undefined ? undefined : safely(() => decodeURIComponent(segment))
    const allowed =
      segment === undefined
        ? ['GET', 'HEAD', 'POST', 'OPTIONS']
        : ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']
    if (!allowed.includes(method) && defect !== 'responds to any method')
      return problem(response, 405, {
        allow: defect === 'forgets Allow' ? 'GET' : allowed.join(', '),
      })
    if (method === 'PUT' && allowed.includes(method))
      return defect === 'does what it refuses' ? respond(response, 204) : problem(response, 403)
    if (segment === undefined && method !== 'POST')
      return respond(response, 200, { things: [...things.values()] })
    const sent =
      method === 'POST' || method === 'PATCH' ? read(Buffer.concat(chunks), defect) : undefined
    if (method === 'POST' || method === 'PATCH') {
      if (
        !/^application\/json\b/.test(headers['content-type'] ?? '') ||
        headers['content-encoding']
      )
        return problem(response, 415)
      if (!sent || defect === 'refuses what fits') return problem(response, 422)
    }
    if (defect === 'crash' && sent && sent.name.length > 3) return problem(response, 500)
    if (segment === undefined) {
      const id =
        defect === 'creates twice'
          ? encodeURIComponent(Buffer.from(sent!.name).toString())
          : String(++made)
      const thing = { id, name: sent!.name }
      if (defect !== 'forgets what it created') things.set(thing.id, thing)
      return respond(response, defect === 'undocumented status' ? 202 : 201, thing, {
        location: `/things/${thing.id}`,
      })
    }
    const thing = id === undefined ? undefined : things.get(id)
    if (!thing || (gone.has(thing.id) && defect !== 'keeps what it deleted'))
      return problem(response, 404)
    if (method === 'DELETE') {
      gone.add(thing.id)
      return respond(response, 204)
    }
    const ifMatch = headers['if-match']
    if (method === 'PATCH') {
      if (
        ifMatch !== undefined &&
        ifMatch !== '*' &&
        ifMatch !== tagOf(thing) &&
        defect !== 'ignores If-Match'
      )
        return problem(response, 412)
      const bringsBack = defect === 'brings back what it deleted' && ifMatch === undefined
      if (defect === 'loses updates' || bringsBack) await setTimeout(5)
      thing.name = sent!.name
      if (bringsBack) gone.delete(thing.id)
    }
    const etag = tagOf(thing)
    const isHead = method === 'HEAD'
    const tagged: Record<string, string> = {
      etag: isHead && defect === 'HEAD with another tag' ? '"another"' : etag,
    }
    if (method === 'GET' && headers['if-none-match'] === etag) {
      if (defect !== 'body with 204') return respond(response, 304, undefined, tagged)
      // node:http sends no body with this status, so it is written by hand.
      return request.socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n{}')
    }
    respond(
      response,
      200,
      defect === 'wrong body' ? { ...thing, name: 7 } : thing,
      defect === 'missing header' ? {} : tagged,
    )
  }
}

/** The chunks of a body; undefined if it ended early. */
export async function received(request: IncomingMessage): Promise<Buffer[] | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return chunks
  } catch {
    return undefined
  }
}

function read(body: Buffer, defect: Defect): { name: string } | undefined {
  const value = safely(() => JSON.parse(body.toString()))
  if (defect === 'takes anything') return { name: String(value?.name ?? 'none') }
  const fits =
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === 'name' &&
    typeof value.name === 'string'
  return fits && value.name !== '' && [...value.name].length <= 20 ? value : undefined
}

function safely<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
